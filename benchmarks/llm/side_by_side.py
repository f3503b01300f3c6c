"""Several questions at a time."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Sequence
from dataclasses import replace

from grice.benchmarks.llm.progress import SpendingBar
from grice.benchmarks.llm.question import Complete, Question, sample_of
from grice.benchmarks.llm.sample import Sample
from grice.middleware.llm import ChatModel, Message, Reply


def answer_side_by_side(questions: Sequence[Question], chat: ChatModel, progress: SpendingBar) -> list[Sample]:
    """The samples, in order; as many questions are asked at a time as the model has workers.

    Raises:
        JudgeError: the server does not answer at all.
    """
    complete = Once(chat.complete)
    with concurrent.futures.ThreadPoolExecutor(chat.settings.workers, thread_name_prefix="grice-llm-run") as workers:
        futures = [workers.submit(sample_of, question, complete) for question in questions]
        try:
            for future in concurrent.futures.as_completed(futures):
                progress.count(future.result())
        except BaseException:  # also when a person stops it: what is under way is paid for, so it is waited for and remembered
            workers.shutdown(wait=False, cancel_futures=True)
            chat.stop()
            raise
    return [future.result() for future in futures]


class Once:
    """Completes each conversation once, also if it is asked for by several threads at the same time."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self._replies: dict[tuple[Message, ...], concurrent.futures.Future[Reply]] = {}
        self._lock = threading.Lock()

    def __call__(self, messages: Sequence[Message]) -> Reply:
        key = tuple(messages)
        with self._lock:
            is_first = key not in self._replies
            future = self._replies.setdefault(key, concurrent.futures.Future())
        if not is_first:
            return replace(future.result(), cached=True)
        try:
            reply = self._complete(messages)
        except BaseException as error:
            future.set_exception(error)
            raise
        future.set_result(reply)
        return reply
