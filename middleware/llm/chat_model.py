"""A large language model: messages in, a reply out."""

from __future__ import annotations

import concurrent.futures
import logging
import threading
from collections.abc import Sequence

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.client.breaker import CircuitBreaker
from grice.middleware.llm.budget import Budget
from grice.middleware.llm.chat_settings import ChatRequest, ChatSettings, name_of, request_of
from grice.middleware.llm.pace import Pace
from grice.middleware.llm.reply import Message, Reply, reply_of
from grice.middleware.llm.reply_cache import ReplyCache
from grice.middleware.runtime.backoff import Backoff
from grice.middleware.runtime.deadline import Deadline
from grice.models.errors import DeadlineExceeded, GriceError, JudgeError, StoreError

log = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=0.5, longest_s=30.0, spread=0.5)


class ChatModel:
    """Asks a model on an OpenAI-compatible server. All methods may be called from any thread. Making one does not connect.

    A server that is busy (429, with its Retry-After), fails (5xx) or cannot be reached is asked again, after waits that grow.

    Args:
        settings: which model, where, and how.
        cache: where replies are remembered; None: nowhere.
        budget: is asked before a question is sent; remembered replies are free. None: there is no limit.
        is_live: people wait for the answers. A server that failed all attempts is not asked again until it answers a probe.

    Raises:
        MissingExtra: openai is not installed.
    """

    def __init__(
        self, settings: ChatSettings, cache: ReplyCache | None = None, budget: Budget | None = None, is_live: bool = False
    ) -> None:
        from grice.middleware.llm.connection import Connection  # openai is wanted only by those who ask a model

        self.settings = settings
        self._cache = cache
        self._budget = budget
        self._connection = Connection(settings)
        self._pace = Pace(settings.per_minute) if settings.per_minute else None
        self._breaker = CircuitBreaker(f"the model {settings.model}", self._is_back) if is_live else None
        self._workers = concurrent.futures.ThreadPoolExecutor(settings.workers, thread_name_prefix="grice-llm")
        self._closed = threading.Event()

    def complete(self, messages: Sequence[Message], deadline_s: float | None = None, tenant: str = DEFAULT_TENANT) -> Reply:
        """The model's reply.

        Args:
            messages: the conversation with the model.
            deadline_s: how long all attempts and waits may take; None: as in the settings.
            tenant: who asks: each has its own remembered replies and its own budget.

        Raises:
            JudgeError: the server cannot be reached, refused, or answered something else than a chat completion.
            DeadlineExceeded: there was no answer in time.
            BudgetExhausted: the budget has no room for the question.
            CircuitOpen: the server failed before and has not answered since.
            StoreError: the budget cannot be reached.
        """
        deadline = Deadline(self.settings.deadline_s if deadline_s is None else deadline_s)
        request = request_of(self.settings, messages)
        name = name_of(self.settings, request, tenant)
        found = self._cache.read(name) if self._cache else None
        if found is not None:
            return self.settings.priced(found)
        if self._breaker:
            self._breaker.check()
        if deadline.is_over:  # so that a question that waited too long for its turn takes nothing from the budget
            raise DeadlineExceeded("the question was not asked: its time was up before its turn")
        if self._budget:
            self._budget.take(tenant)
        reply = self.settings.priced(reply_of(self._answer(request, deadline)))
        if self._cache and reply.text:  # an empty answer may be a mishap: it is asked for again
            self._cache.write(name, reply)
        self._spend(reply.cost, tenant)
        return reply

    def complete_all(
        self, conversations: Sequence[Sequence[Message]], deadline_s: float | None = None, tenants: Sequence[str] | None = None
    ) -> list[Reply | GriceError]:
        """The replies, in order, with the error in the place of one that failed. Several are asked for side by side.

        Args:
            conversations: what is asked.
            deadline_s: how long all of it may take; None: every question has the time of the settings.
            tenants: who asks each, as in `complete`; None: the default tenant.
        """
        deadline = None if deadline_s is None else Deadline(deadline_s)
        owners = [DEFAULT_TENANT] * len(conversations) if tenants is None else tenants
        asked = zip(conversations, owners, strict=True)
        futures = [self._workers.submit(self._attempted, messages, deadline, owner) for messages, owner in asked]
        try:
            concurrent.futures.wait(futures, deadline_s)
        finally:  # also when the caller is interrupted: what has not been asked costs nothing
            late = [future.cancel() or not future.done() for future in futures]
        error = DeadlineExceeded(f"the model did not answer all questions within {deadline_s or 0:.3g} s")
        return [error if is_late else future.result() for is_late, future in zip(late, futures, strict=True)]

    def stop(self) -> None:
        """Wait for no turn and try nothing again; what a server is being asked is still answered."""
        self._closed.set()
        self._workers.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Stop waiting for servers, and give connections back."""
        self.stop()
        self._connection.close()

    def _spend(self, cost: float | None, tenant: str) -> None:
        if not self._budget or cost is None:
            return
        try:
            self._budget.spend(cost, tenant)
        except StoreError as error:  # the reply is there and paid for; the next question finds the budget out of reach
            log.warning("what a reply cost is missing in the budget: %s", error)

    def _attempted(self, messages: Sequence[Message], deadline: Deadline | None, tenant: str) -> Reply | GriceError:
        try:
            return self.complete(messages, None if deadline is None else deadline.left_s, tenant)
        except GriceError as error:
            return error

    def _is_back(self) -> bool:
        return self._closed.is_set() or self._connection.answers()

    def _wait_for_turn(self, deadline: Deadline) -> None:
        wait = self._pace.take() if self._pace else 0.0
        if wait and (not deadline.allows(wait) or self._closed.wait(wait)):
            raise DeadlineExceeded("the question was not asked: its turn in the rate of requests was too late")

    def _answer(self, request: ChatRequest, deadline: Deadline) -> bytes:
        """The body of the server's answer, at the first attempt that brings one."""
        had_time, attempt = False, 0
        while True:
            attempt += 1
            self._wait_for_turn(deadline)
            left = deadline.left_s
            answer = self._connection.ask(request, max(0.001, min(self.settings.timeout_s, left)))
            if isinstance(answer, bytes):
                if self._breaker:
                    self._breaker.succeeded()
                return answer
            had_time = had_time or left >= self.settings.timeout_s or not answer.late
            wait = max(answer.after_s, BACKOFF.wait_s(attempt))
            too_late = not deadline.allows(wait)
            if answer.again and not too_late and attempt < self.settings.attempts and not self._closed.wait(wait):
                continue
            if answer.again and had_time and self._breaker:  # a question that came too late says nothing of the server
                self._breaker.failed(answer.why)
            if answer.again and too_late:
                raise DeadlineExceeded(f"{answer.why}, and another attempt would be too late")
            raise JudgeError(f"{answer.why}; attempts: {attempt}")
