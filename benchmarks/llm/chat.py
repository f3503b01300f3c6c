"""The language model that the options of a benchmark describe."""

from __future__ import annotations

import os
from dataclasses import dataclass

from grice.benchmarks.core.benchmark import Options
from grice.middleware.llm import ChatSettings
from grice.models.errors import InputError

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


def chat_settings(options: Options, model: str, sampling: Sampling) -> ChatSettings:
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
