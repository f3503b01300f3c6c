"""`grice bench retrieval`: which flow, tool or answer a turn finds where the last message is embedded, plain and with Grice."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.retrieval import calls
from grice.benchmarks.retrieval.cases import (
    EXAMPLES,
    FAQ,
    MANNERS,
    WRITTEN,
    RetrievalCase,
    example_cases,
    faq_cases,
    implicature_cases,
    written_cases,
)
from grice.benchmarks.retrieval.encoders import minilm, mpnet
from grice.benchmarks.retrieval.readings import RememberedReadings
from grice.benchmarks.retrieval.systems import LARGER, SYSTEMS, Ranks, RetrievalOptions, RetrievalTask
from grice.benchmarks.stats import metrics
from grice.models.errors import DataNotFound, InputError
from grice.models.manifest import sha256
from grice.models.training.meaning.samples import share_of

Case = TypeVar("Case", RetrievalCase, calls.CallCase)
IMPLICATURE = "implicature"
SETS: Mapping[str, Callable[[Path], list[RetrievalCase]]] = {
    IMPLICATURE: implicature_cases,
    EXAMPLES: example_cases,
    WRITTEN: lambda _: written_cases(),
    FAQ: faq_cases,
}
TASKS = (*SETS, *calls.TASKS)
FILES = {
    IMPLICATURE: ("implicature/*/implicature.*", "implicature/*/direct_test.*"),
    EXAMPLES: ("implicature/*/implicature.*", "implicature/*/direct_t*.*"),
    FAQ: ("implicature/BANKING77/direct_train.*",),
    calls.SGD: ("sgd/test.zip",),
}
"""The files that a task reads."""
DEPTHS = (1, 5, 20)
RECALLS = tuple(f"recall_at_{depth}" for depth in DEPTHS)
SIGNATURES = {
    **{f"recall_at_{depth}": f"percent of turns whose right entry is among the first {depth}" for depth in DEPTHS},
    **calls.SIGNATURES,
}
NOTES = (
    "implicature: intents that were not trained on, by name alone, in the catalogue of their whole set; indirect: written by a "
    "language model; direct: the sets' own test part",
    "examples: as implicature, with five utterances of an intent from the set's train part beside its name, for every system: the "
    "vector of an entry is the mean of those of its texts",
    "written: hands H, P, QJ and QO, on which nothing was trained or tuned, in the catalogue of all intents of a hand; ours reads "
    "the turns before, plain embeds the last message alone, as Rasa's CALM does",
    "faq: BANKING77's turns, in a catalogue of one customer's question an intent (the first direct one of its train part)",
    "the weights were chosen on hands UD and VB (that of the prior alone on MultiDoGO's dev part too), none of which is in this "
    "benchmark",
)


def evaluate(options: RetrievalOptions) -> Sheet:
    """Score the tasks.

    Raises:
        InputError: an unknown task. DataError: data cannot be read.
        ModelError: a system that was asked for by name cannot be loaded.
    """
    if unknown := [task for task in options.tasks if task not in TASKS]:
        raise InputError("task of benchmark retrieval", unknown[0], ", ".join(TASKS))
    sheet = Sheet("retrieval", [], options.seed, part="what training held out", drawn="bot, intent or dialogue")
    sheet.signatures, sheet.notes = dict(SIGNATURES), list(NOTES)
    readings = RememberedReadings(options.reader, sheet, options.threads, options.readings)
    encoders = {"": functools.cache(minilm), LARGER: functools.cache(lambda: mpnet(options.larger))}
    groups: list[str] = []
    for task in options.tasks or TASKS:
        try:
            if task in calls.TASKS:
                groups += _add_calls(sheet, task, options, readings)
            else:
                cases = _share(SETS[task](options.data_dir), options)
                groups += _add(sheet, RetrievalTask(task, cases, options.likeness, options.weight, readings, encoders), options)
        except DataNotFound as error:
            if options.tasks:
                raise
            for name in SYSTEMS.asked(options):
                sheet.add_unscored(f"recall/{task}", name, RECALLS, str(error), 0)
            continue
        for path in (each for pattern in FILES.get(task, ()) for each in sorted(options.data_dir.glob(pattern))):
            sheet.data[path.relative_to(options.data_dir).as_posix()] = sha256(path)
    sheet.groups = groups
    sheet.settings["readings"] = f"{readings.replayed} of the turns replayed, the others live"
    return sheet


def _share(cases: Sequence[Case], options: RetrievalOptions) -> list[Case]:
    """The cases that the options ask for, chosen by their text."""
    chosen = [case for case in cases if share_of(case.question.dialogue.last.text) <= options.share]
    return chosen[: options.limit]


def _add(sheet: Sheet, task: RetrievalTask, options: RetrievalOptions) -> Sequence[str]:
    """Score the turns of one set by their manner; the groups of its rows."""
    found, reasons = SYSTEMS.build(options, task)
    for name, ranks in found.items():
        for where, rows in _by_part(task, ranks):
            scored = ScoredRows([case.group for case, _ in rows])
            for depth, metric in zip(DEPTHS, RECALLS, strict=True):
                sheet.add(where, name, metric, metrics.mean([rank <= depth for _, rank in rows], 100), scored)
    for name, reason in reasons.items():
        for where, rows in _by_part(task, [0] * len(task.cases)):
            sheet.add_unscored(where, name, RECALLS, reason, len(rows))
    return [case.group for case in task.cases]


def _by_part(task: RetrievalTask, ranks: Ranks) -> Iterator[tuple[str, list[tuple[RetrievalCase, int]]]]:
    """Indirect and direct turns of all the set, and of each of its parts where it has several."""
    pairs = list(zip(task.cases, ranks, strict=True))
    parts = list(dict.fromkeys(case.part for case in task.cases))
    for part in (None, *(parts if len(parts) > 1 else ())):
        for manner in MANNERS:
            rows = [(case, rank) for case, rank in pairs if part in (None, case.part) and case.manner == manner]
            if rows:
                yield f"recall/{part or task.name}-{manner}", rows


def _add_calls(sheet: Sheet, task: str, options: RetrievalOptions, readings: RememberedReadings) -> Sequence[str]:
    cases = _share(calls.cases_of(task, options.data_dir), options)
    calls.add_calls(sheet, options, calls.CallTask(task, cases, readings))
    return [case.group for case in cases]


BENCHMARK = Benchmark("retrieval", RetrievalOptions, SYSTEMS | calls.SYSTEMS, (), evaluate)
