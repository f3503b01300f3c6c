"""What a benchmark is, and all of them by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from grice.benchmarks.core.options import Options
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import Systems
from grice.models.errors import InputError, MissingExtra

Taken = TypeVar("Taken", bound=Options)

BENCHMARKS = {
    "abceval": ("abceval.benchmark", "ABC-Eval: nine behaviours of bot responses, beside ChatGPT, specialised models and people"),
    "direct": ("direct.benchmark", "the DIRECT paper's tasks: rewriting in both directions, and directness"),
    "indirect-requests": (
        "indirect_requests.benchmark",
        "indirect requests: the slot value that is meant, and a state tracker without and with Grice",
    ),
    "meaning": ("meaning.benchmark", "what turns mean, of bots and services that were not trained on, or of items of your own"),
    "nlu": ("direct.nlu", "a plain NLU on original, direct and indirect turns, with Grice and without"),
    "persuasion": (
        "persuasion.benchmark",
        "face acts and intentions in persuasions, beside the authors' predictions and language models",
    ),
    "rasa-nlu": (
        "rasa.nlu",
        "a real Rasa NLU on original, direct and indirect turns, with components, augmentation, both and neither",
    ),
    "rectom": (
        "rectom.benchmark",
        "RecToM: beliefs, desires, intentions and strategies in recommendation dialogues, beside language models and people",
    ),
    "responses": (
        "responses.benchmark",
        "faults of bot responses in chat, task and assistant dialogues, on hands that were not trained on, or on items of your own",
    ),
    "retrieval": (
        "retrieval.benchmark",
        "recall of flows, tools and answers by the last message's vector, plain and with Grice; and tool calls that turns imply",
    ),
    "scale": ("scale.benchmark", "one and two replicas, workers and actors, each on its core; simulated beyond; and what it costs"),
    "speed": ("speed.benchmark", "our runtime beside PyTorch and CTranslate2, and the REST service"),
}
"""The module of each, and what it measures. A module is imported only when its benchmark is asked for: the help needs no extra."""


@dataclass(frozen=True)
class Benchmark(Generic[Taken]):
    """One benchmark: `BENCHMARK` of its module.

    Attributes:
        options: what it takes.
        systems: all that can be measured.
        files: the data files that are read: folder, then the names that a file may have.
        evaluate: runs it.
    """

    name: str
    options: type[Taken]
    systems: Systems[Any, Any]
    files: tuple[tuple[str, ...], ...]
    evaluate: Callable[[Taken], Sheet]


def find(name: str) -> Benchmark[Any]:
    """The benchmark called `name`.

    Raises:
        InputError: there is none; says which there are.
        MissingExtra: a package that benchmarks need is not installed.
    """
    if name not in BENCHMARKS:
        raise InputError("benchmark", name, ", ".join(BENCHMARKS))
    try:
        found: Benchmark[Any] = importlib.import_module(f"grice.benchmarks.{BENCHMARKS[name][0]}").BENCHMARK
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    return found
