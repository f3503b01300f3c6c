"""Asks a language model all questions of a task."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from grice.benchmarks.core.options import LlmOptions
from grice.benchmarks.core.runner import versions
from grice.benchmarks.llm.batched import answer_batched
from grice.benchmarks.llm.folder import folder_of, opened_folder, write_run
from grice.benchmarks.llm.progress import SpendingBar
from grice.benchmarks.llm.question import Question, hash_prompts
from grice.benchmarks.llm.run import LlmRun
from grice.benchmarks.llm.side_by_side import answer_side_by_side
from grice.middleware.llm import ChatModel, ChatSettings, ReplyCache
from grice.models.errors import InputError

CACHE_FILE = "replies.sqlite"
KEY_VARIABLES = ("GRICE_JUDGE_API_KEY", "OPENAI_API_KEY")
"""Where the key of the server is looked for: in the first that is set. A key on a command line would be seen by others."""
ATTEMPTS = 8
DEADLINE_S = 3600.0


@dataclass(frozen=True)
class Sampling:
    """How a paper let models answer; the options have the last word.

    Attributes:
        temperature: 0 (the likeliest words) to 2.
        max_tokens: that an answer may have.
    """

    temperature: float = 0.0
    max_tokens: int = 1024


@dataclass(frozen=True)
class LlmTask:
    """What a benchmark asks language models.

    Attributes:
        name: unique among the runs of one command; the folder is named after it and the model.
        about: what decides what is asked, as JSON values, beside the prompts.
        sampling: how the benchmark's paper let models answer.
    """

    name: str
    about: Mapping[str, Any]
    sampling: Sampling = Sampling()


def answer_all(questions: Sequence[Question], model: str, options: LlmOptions, task: LlmTask) -> LlmRun:
    """Ask `model` every question, on the server of the options, and write the samples to the options' folder if it names one.

    A prompt that is asked twice is asked once. With a cache or a folder, an interrupted run goes on where it was: what has been
    answered is not asked again. A question that fails is a sample without prediction.

    Args:
        model: its name on the server.

    Raises:
        InputError: the options name no server, or a batch without a place for its replies.
        SettingsError: an option has a value that the client does not take. MissingExtra: openai is not installed.
        DataError: the cache or the folder cannot be used.
        JudgeError: the server does not answer at all. What it answered before is in the cache.
        ValueError: two questions have the same `sample_id`.
    """
    if len({question.sample_id for question in questions}) != len(questions):
        raise ValueError(f"task {task.name}: two questions have the same sample_id")
    settings = _chat_settings(options, model, task.sampling)
    folder = options.llm_out and opened_folder(options.llm_out, folder_of(task.name, model))
    cache = _cache(options)
    started = datetime.now(timezone.utc)
    with SpendingBar(f"{model} {task.name}", len(questions)) as progress:
        if options.llm_batch:
            if cache is None:
                raise InputError("--llm-batch", "no --llm-cache and no --llm-out", "one of them, so that a batch is paid once")
            from grice.middleware.llm.batch_model import BatchModel  # openai is wanted only by those who ask a model

            with contextlib.closing(BatchModel(settings, cache)) as batches:
                samples = answer_batched(questions, batches, progress)
        else:
            with contextlib.closing(ChatModel(settings, cache)) as chat:
                samples = answer_side_by_side(questions, chat, progress)
    known = {**task.about, "prompts_sha256": hash_prompts(questions)}
    run = LlmRun(tuple(samples), _described(settings, options, task.name, known, started))
    if folder:
        write_run(run, folder)
    return run


def _cache(options: LlmOptions) -> ReplyCache | None:
    if options.llm_cache:
        return ReplyCache(options.llm_cache)
    return ReplyCache(options.llm_out / CACHE_FILE) if options.llm_out else None


def _described(
    settings: ChatSettings, options: LlmOptions, task: str, about: Mapping[str, Any], started: datetime
) -> dict[str, Any]:
    sent = {name: getattr(settings, name) for name in ("temperature", "seed") if name not in settings.omit}
    return {
        "task": task,
        "model": settings.model,
        "url": settings.url,
        **sent,
        "max_tokens": settings.max_tokens,
        "prices": {"prompt": settings.prompt_price, "completion": settings.completion_price},
        "batch": options.llm_batch,
        "limit": options.limit,
        "about": dict(about),
        "started": started.isoformat(timespec="seconds"),
        "versions": versions(),
    }


def _chat_settings(options: LlmOptions, model: str, sampling: Sampling) -> ChatSettings:
    """How `model` is asked on the server of the options.

    Raises:
        InputError: the options name no server.
        SettingsError: an option has a value that the client does not take.
    """
    if options.llm_url is None:
        raise InputError("--llm-url", None, "the base URL of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1")
    return ChatSettings(
        options.llm_url,
        model,
        api_key=next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), ""),
        max_tokens=sampling.max_tokens if options.llm_max_tokens is None else options.llm_max_tokens,
        omit=options.llm_omit,
        attempts=ATTEMPTS,
        timeout_s=options.llm_timeout_s,
        deadline_s=DEADLINE_S,
        workers=options.llm_workers,
        per_minute=options.llm_rpm,
        temperature=sampling.temperature if options.llm_temperature is None else options.llm_temperature,
        seed=options.seed,
        prompt_price=options.llm_price_in,
        completion_price=options.llm_price_out,
    )
