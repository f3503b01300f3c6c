"""The figures of a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.responses.cases import CI_TOD_TASKS, ResponseAnswer, ResponseAnswers, ResponseCase
from grice.benchmarks.stats import metrics, ranking
from grice.benchmarks.stats.metrics import Measure
from grice.models.relations.budget import PREVALENCES
from grice.models.relations.labels import LABELS, RelationLabel

ANY_BAD = "any-bad"
OF_ALL = (
    "auc",
    "recall_at_5",
    "recall_at_2",
    "false_alarms",
    "found",
    "precision",
    *(f"precision_at_{prevalence:g}" for prevalence in PREVALENCES),
    "pair_accuracy",
    "evidence",
)
OF_LABEL = ("auc", "f1_pos")
SIGNATURES = {
    "auc": "the chance that a faulty response scores above a fine one, 0 to 1",
    "recall_at_5": "percent of the faulty responses that score above all but 5 % of the fine ones",
    "recall_at_2": "percent of the faulty responses that score above all but 2 % of the fine ones",
    "false_alarms": "alarms per 100 fine responses, under the default budget",
    "false_alarms_hard": "the same per 100 fine responses that look faulty",
    "found": "percent of the faulty responses that raise an alarm",
    "precision": "percent of the alarms that are of a faulty response, in these very rows, most of which are faulty",
    **{
        f"precision_at_{prevalence:g}": f"percent of the alarms that are of a faulty response, where {prevalence:g} of 100 are"
        for prevalence in PREVALENCES
    },
    "pair_accuracy": "percent of the pairs of one context of which the faulty response scores above the fine one",
    "evidence": "percent of the faulty responses with something to point at: that is what is pointed at",
    "evidence_shown": "percent of the labels rightly shown, where there is something to point at: that is what the label quotes",
    "f1_pos": "F1 of the responses that have the label, 0 to 100",
    "correlation": "Pearson's correlation of people's ratings with how likely nothing is wrong, -1 to 1",
    "ms_per_1000": "milliseconds that 1,000 responses take our reader, one at a time, as measured in this run",
    "accuracy": "percent of turns: fine, possible breakdown or breakdown, as most annotators say; limits fitted to the dev part",
}

JudgedCase = tuple[ResponseCase, ResponseAnswer]


def add_any_bad(sheet: Sheet, name: str, cases: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
    """Add `any-bad` in all and by setting, and each label that is known."""
    answered, left = _answered(cases, answers)
    for task, rows in _by_part(answered):
        _add(sheet, _Figures(task, name, rows, _measures(rows), left if task == ANY_BAD else 0))
        pointed = [(case, answer) for case, answer in rows if case.bad and case.evidence is not None]
        if pointed:
            right = metrics.mean([answer.evidence == case.evidence for case, answer in pointed], 100)
            _add(sheet, _Figures(task, name, pointed, {"evidence": right}))
        quoting = [(case, answer) for case, answer in pointed if case.labels & answer.quotes.keys()]
        if quoting:
            _add(sheet, _Figures(task, name, quoting, {"evidence_shown": _quoted(quoting)}))
        hard = [(case, answer) for case, answer in rows if case.hard]
        if hard:
            alarms = metrics.mean([answer.alarm for _, answer in hard], 100)
            _add(sheet, _Figures(task, name, hard, {"false_alarms_hard": alarms}))
    for label in LABELS:
        add_label(sheet, label, label, name, answered)


def add_label(sheet: Sheet, task: str, label: RelationLabel, name: str, rows: Sequence[JudgedCase]) -> None:
    """Add a label's figures over those responses of which it is known; none where no response has it.

    A label without a score, as `!Fac` where the bot was given nothing, counts as 0: whoever goes by it does not find the fault.
    """
    known = [(case, answer) for case, answer in rows if label in case.known]
    flags = [label in case.labels for case, _ in known]
    if any(flags):
        measures = {
            "auc": ranking.auc([answer.labels.get(label, 0.0) for _, answer in known], flags),
            "f1_pos": ranking.f1([label in answer.shown for _, answer in known], flags),
        }
        _add(sheet, _Figures(task, name, known, measures))
        if silent := sum(label not in answer.labels for _, answer in known):
            sheet.notes.append(
                f"{task}, {name}: {silent} of {len(known)} responses have no score, as the bot was given nothing; "
                "they count as 0 and not shown"
            )


def add_ci_tod(sheet: Sheet, name: str, cases: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
    """Add CI-ToD's three tasks."""
    for task, label in CI_TOD_TASKS.items():
        add_label(sheet, f"ci-tod/{task}", label, name, _answered(cases, answers)[0])


def add_people(sheet: Sheet, task: str, name: str, cases: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
    """Add how many responses of people raise an alarm."""
    rows, left = _answered(cases, answers)
    alarms = metrics.mean([answer.alarm for _, answer in rows], 100)
    _add(sheet, _Figures(task, name, rows, {"false_alarms": alarms}, left))


def add_ratings(sheet: Sheet, task: str, name: str, cases: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
    """Add how ratings go with scores."""
    rows, left = _answered(cases, answers)
    fine = [-(answer.bad or 0.0) for _, answer in rows]
    correlation = metrics.pearson(fine, [case.rating or 0.0 for case, _ in rows])
    _add(sheet, _Figures(task, name, rows, {"correlation": correlation}, left))


def _measures(rows: Sequence[JudgedCase]) -> dict[str, Measure]:
    scores = np.array([answer.bad for _, answer in rows], float)
    bad = np.array([case.bad for case, _ in rows], bool)
    alarms = np.array([answer.alarm for _, answer in rows], bool)
    return {
        "auc": ranking.auc(scores, bad),
        "recall_at_5": ranking.recall_at(scores, bad, 5),
        "recall_at_2": ranking.recall_at(scores, bad, 2),
        "false_alarms": _share(alarms & ~bad, ~bad),
        "found": _share(alarms & bad, bad),
        "precision": _share(alarms & bad, alarms),
        **{f"precision_at_{prevalence:g}": _precision_at(prevalence, alarms, bad) for prevalence in PREVALENCES},
        "pair_accuracy": ranking.pairs_in_order(scores, bad, [case.context for case, _ in rows]),
    }


def _quoted(rows: Sequence[JudgedCase]) -> Measure:
    """Of all labels that are rightly shown, what each quotes."""
    right = [[place == case.evidence for label, place in answer.quotes.items() if label in case.labels] for case, answer in rows]
    sums = np.array([[sum(each), len(each)] for each in right], float)
    return Measure(sums, lambda sums: 100 * metrics.divided(sums[:, 0], sums[:, 1]))


def _share(some: np.ndarray, of: np.ndarray) -> Measure:
    rows = np.stack([some, of], 1).astype(float)
    return Measure(rows, lambda sums: 100 * metrics.divided(sums[:, 0], sums[:, 1]))


def _precision_at(prevalence: float, alarms: np.ndarray, bad: np.ndarray) -> Measure:
    rows = np.stack([alarms & bad, bad, alarms & ~bad, ~bad], 1).astype(float)

    def formula(sums: np.ndarray) -> np.ndarray:
        right = metrics.divided(sums[:, 0], sums[:, 1]) * prevalence
        wrong = metrics.divided(sums[:, 2], sums[:, 3]) * (100 - prevalence)
        return 100 * metrics.divided(right, right + wrong)

    return Measure(rows, formula)


def _answered(cases: Sequence[ResponseCase], answers: ResponseAnswers) -> tuple[list[JudgedCase], int]:
    """Cases with an answer, and how many have none."""
    rows = [(case, answer) for case, answer in zip(cases, answers, strict=True) if answer.bad is not None]
    return rows, len(cases) - len(rows)


def _by_part(rows: Sequence[JudgedCase]) -> Iterator[tuple[str, list[JudgedCase]]]:
    yield ANY_BAD, list(rows)
    for part in sorted({case.part for case, _ in rows if case.part}):
        yield f"{ANY_BAD}/{part}", [row for row in rows if row[0].part == part]


@dataclass(frozen=True)
class _Figures:
    """Measures of a system over rows of a task, and how many others have no answer."""

    task: str
    system: str
    rows: Sequence[JudgedCase]
    measures: dict[str, Measure]
    unscored: int = 0


def _add(sheet: Sheet, figures: _Figures) -> None:
    task, name, rows, measures = figures.task, figures.system, figures.rows, figures.measures
    groups, unscored = [case.group for case, _ in rows], figures.unscored
    undefined = [metric for metric, measure in measures.items() if len(measure.rows) != len(rows) or np.isnan(measure.value)]
    for metric, measure in measures.items():
        if metric not in undefined:
            sheet.add(task, name, metric, measure, ScoredRows(groups, unscored))
    if undefined:
        sheet.add_unscored(task, name, undefined, "no fine, no faulty, or no answered response", len(rows) + unscored)
