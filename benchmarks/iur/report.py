"""The figures of a bot's test: what is understood, and what breaks, by slot, value and strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from grice.benchmarks.core.report import NOTHING, interval
from grice.benchmarks.core.results import Cell, Result, Table
from grice.benchmarks.iur.outcomes import CONDITIONS, BotOutcome, Condition
from grice.benchmarks.stats.bootstrap import estimate
from grice.benchmarks.stats.metrics import mean

BENCHMARK = "iur-test"
PERCENT = 100.0


def groups_of(outcomes: Sequence[BotOutcome]) -> Iterator[tuple[str, str, list[BotOutcome]]]:
    """What is reported by itself: kind, name, and the requests of it."""
    yield "all", "all", list(outcomes)
    for kind, name_of in (
        ("ambiguity", lambda each: "ambiguous" if each.request.ambiguous else "unambiguous"),
        ("slot", lambda each: _slot(each)),
        ("value", lambda each: f"{_slot(each)} = {each.request.target}"),
        ("strategy", lambda each: each.strategy),
    ):
        for name in dict.fromkeys(map(name_of, outcomes)):
            yield kind, name, [each for each in outcomes if name_of(each) == name]


def results_of(outcomes: Sequence[BotOutcome], seed: int) -> list[Result]:
    """Accuracy in each condition, and what Grice fixes and breaks, in percent with 95 % intervals, for each group.

    A request is a dialogue of its own. `fixed` and `broken` are shares of all requests whose two conditions were answered: wrong
    without Grice and right with it, and the reverse. `lost` is right when said directly and wrong as it is.
    """
    found = []
    for kind, name, members in groups_of(outcomes):
        task = name if kind == "all" else f"{kind}: {name}"
        for condition in CONDITIONS:
            answers = [(each.request.request_id, each.right(condition)) for each in members]
            found.append(_result(task, condition, "accuracy", answers, seed))
        for system, metric, before, after, wanted in _CHANGES:
            changes = [(each.request.request_id, _changed(each, before, after, wanted)) for each in members]
            found.append(_result(task, system, metric, changes, seed))
    return found


_CHANGES: tuple[tuple[str, str, Condition, Condition, bool], ...] = (
    ("plain", "lost", "direct", "plain", False),
    ("grice", "fixed", "plain", "grice", True),
    ("grice", "broken", "plain", "grice", False),
)
"""System, metric, the two conditions that are compared, and whether the second one is right where they differ."""


def _changed(outcome: BotOutcome, before: Condition, after: Condition, wanted: bool) -> bool | None:
    first, second = outcome.right(before), outcome.right(after)
    return None if first is None or second is None else second is wanted and first is not wanted


def _result(task: str, system: str, metric: str, answers: Sequence[tuple[str, bool | None]], seed: int) -> Result:
    """The share of right answers; each has the id of its request, and None where it cannot be judged."""
    scored = [(name, right) for name, right in answers if right is not None]
    unscored = len(answers) - len(scored)
    if not scored:
        return Result.none(BENCHMARK, task, system, metric, unscored)
    figure = estimate(mean([right for _, right in scored], PERCENT), [name for name, _ in scored], seed)
    return Result(BENCHMARK, task, system, metric, figure.value, figure.low, figure.high, figure.n, unscored)


def tables_of(results: Sequence[Result]) -> list[Table]:
    """One table a kind of group, one row a group."""
    tables: dict[str, list[tuple[Cell, ...]]] = {}
    for task in dict.fromkeys(result.task for result in results):
        cells = {(result.system, result.metric): result for result in results if result.task == task}
        kind, _, name = task.partition(": ")
        row: tuple[Cell, ...] = (
            name or "all",
            *(interval(cells[column], 0, NOTHING) for column in _COLUMNS),
            cells["plain", "accuracy"].n,
        )
        tables.setdefault(kind, []).append(row)
    header = tuple(system if metric == "accuracy" else metric for system, metric in _COLUMNS)
    return [Table(f"Understood, by {kind} (%)", (kind, *header, "n"), tuple(rows)) for kind, rows in tables.items()]


_COLUMNS = (
    *((condition, "accuracy") for condition in CONDITIONS),
    *((system, metric) for system, metric, *_ in _CHANGES),
)


def rows_of(outcomes: Sequence[BotOutcome]) -> list[dict[str, Any]]:
    """Every request with what was heard, for the report's file."""
    return [
        {
            "id": each.request.request_id,
            "slot": _slot(each),
            "target": each.request.target,
            "strategy": each.strategy,
            "heard": {condition: {**asdict(heard), "right": each.right(condition)} for condition, heard in each.heard.items()},
        }
        for each in outcomes
    ]


def _slot(outcome: BotOutcome) -> str:
    return outcome.request.slot or outcome.request.slot_description
