"""Questions about numbers, and a model that can be asked them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grice.benchmarks.benchmark import Options
from grice.benchmarks.llm_run import Ask, LlmRun, Question, answer_all
from grice.middleware.llm import Message

ABOUT = {"data": "0" * 64, "prompt": "1" * 64}


def number_of(request: dict[str, Any]) -> int:
    """The number that a request asks about."""
    return int(request["messages"][-1]["content"].split()[1])


def even(request: dict[str, Any]) -> str:
    """The right answer."""
    return "no" if number_of(request) % 2 else "yes"


def question(number: int) -> Question:
    """Whether a number is even; two numbers a dialogue."""

    def ask(ask: Ask) -> str | None:
        return read(ask([Message("user", f"Is {number} even?")]))

    return Question(f"n{number}", f"d{number // 2}", "no" if number % 2 else "yes", ask)


def thoughtful(number: int) -> Question:
    """The same in two phases."""

    def ask(ask: Ask) -> str | None:
        first = Message("user", f"Consider {number} .")
        thought = ask([first])
        return read(ask([first, Message("assistant", thought), Message("user", f"Is {number} even?")]))

    return Question(f"n{number}", f"d{number // 2}", "no" if number % 2 else "yes", ask)


def read(reply: str) -> str | None:
    """The prediction in a reply."""
    return reply if reply in ("yes", "no") else None


def asked(
    url: str,
    folder: Path,
    numbers: Sequence[int] = range(6),
    make: Callable[[int], Question] = question,
    task: str = "even",
    **options: Any,
) -> LlmRun:
    """A run over questions about numbers, by the model `m` behind `url`."""
    chosen = Options(folder, **{"llm_url": url, "llm_price_in": 1.0, "llm_price_out": 2.0, **options})
    return answer_all([make(number) for number in numbers], "m", chosen, task, ABOUT)
