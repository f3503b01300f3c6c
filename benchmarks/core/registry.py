"""All benchmarks by name. Their modules are imported only when asked for, so that the help needs no extra."""

from __future__ import annotations

import importlib

from grice.benchmarks.core.benchmark import Benchmark
from grice.models.errors import InputError, MissingExtra

MODULES = {
    "abceval": "grice.benchmarks.abceval.benchmark",
    "direct": "grice.benchmarks.direct.benchmark",
    "indirect-requests": "grice.benchmarks.indirect_requests.benchmark",
    "nlu": "grice.benchmarks.direct.nlu",
    "persuasion": "grice.benchmarks.persuasion.benchmark",
    "rasa-nlu": "grice.benchmarks.rasa.nlu",
    "rectom": "grice.benchmarks.rectom.benchmark",
    "speed": "grice.benchmarks.speed.benchmark",
}


def find(name: str) -> Benchmark:
    """The benchmark called `name`.

    Raises:
        InputError: there is none; says which there are.
        MissingExtra: a package that benchmarks need is not installed.
    """
    if name not in MODULES:
        raise InputError("benchmark", name, ", ".join(MODULES))
    try:
        found: Benchmark = importlib.import_module(MODULES[name]).BENCHMARK
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    return found
