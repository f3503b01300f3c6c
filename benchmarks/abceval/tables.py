"""ABC-Eval's figures in the layout of the paper's Tables 3, 14 and 15, ours beside the paper's, and three tables of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.benchmarks.abceval.outputs import Outputs
from grice.benchmarks.abceval.predictions import Predictions
from grice.benchmarks.abceval.significance import against
from grice.benchmarks.core.paper import PaperRow, read_paper
from grice.benchmarks.core.report import NOT_SCORED, NOTHING
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.mcnemar import Flags
from grice.benchmarks.stats.reliability import BINS, reliability
from grice.models.results import BEHAVIORS, Behavior

MetricValues = Mapping[tuple[str, str, str], float | None]
"""Values by task, system and metric."""

Marks = Mapping[Behavior, Mapping[str, str]]
"""Daggers and stars by behaviour and system."""

PAPER = Path(__file__).parent / "paper.json"
AS_PRINTED = ("specialized", "chatgpt", "human")
"""The order of systems in the paper's tables; others follow."""
POSITIVE = ("precision", "recall", "f1_pos")
NEGATIVE = ("precision_neg", "recall_neg", "f1_neg")


@dataclass(frozen=True)
class Layout:
    """How the paper prints a table: the order of behaviours, and which metrics share a column, beside accuracy and positives."""

    title: str
    order: tuple[Behavior, ...]
    columns: Mapping[str, tuple[str, ...]]
    thousands: str

    def cells(self, values: Mapping[str, float | None], mark: str) -> tuple[str, ...]:
        """The figures of a system; of a column's metrics those that it has."""
        positives = values["positives"]
        return (
            *(" / ".join(_figure(values[metric]) for metric in group if metric in values) for group in self.columns.values()),
            _figure(values["accuracy"]) + mark,
            NOTHING if positives is None else f"{int(positives):{self.thousands}}",
        )


def table_3(figures: MetricValues, marks: Marks, systems: Sequence[str]) -> Table:
    """F1+, F1−, accuracy with daggers and stars, and the number of positives."""
    columns = {"F1+": POSITIVE[-1:], "F1-": NEGATIVE[-1:]}
    return _beside(Layout("Table 3", tuple(read_paper(PAPER).more["table_3"]), columns, ","), figures, marks, systems)


def table_14(figures: MetricValues, marks: Marks, systems: Sequence[str]) -> Table:
    """The same with precision and recall, where a system has them."""
    columns = {"P/R/F1+": POSITIVE, "P/R/F1-": NEGATIVE}
    return _beside(Layout("Table 14", tuple(read_paper(PAPER).more["table_14"]), columns, ""), figures, marks, systems)


def _beside(layout: Layout, figures: MetricValues, marks: Marks, systems: Sequence[str]) -> Table:
    header = (*layout.columns, "Acc.", "#+")
    nothing = ("",) * (1 + len(header))
    rows: list[tuple[Cell, ...]] = []
    for label in layout.order:
        for system in sorted(systems, key=lambda name: AS_PRINTED.index(name) if name in AS_PRINTED else len(AS_PRINTED)):
            ours = {metric: value for (task, name, metric), value in figures.items() if (task, name) == (label, system)}
            if ours.get("f1_pos") is None:
                continue
            printed = printed_row(label, system)
            theirs = nothing if printed is None else (printed.system, *layout.cells(printed.metrics, printed.about["marks"]))
            rows.append((label, system, *layout.cells(ours, marks[label].get(system, "")), *theirs))
    return Table(f"{layout.title} of the paper, and ours", ("behavior", "system", *header, "paper's", *header), tuple(rows))


def printed_row(label: Behavior, system: str) -> PaperRow | None:
    """What the paper prints of one of our replays."""
    return next((row for row in read_paper(PAPER).rows if (row.task, row.about["system"]) == (label, system)), None)


def _figure(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def at_a_glance(figures: MetricValues, systems: Sequence[str]) -> Table:
    """F1+ of every behaviour and their mean."""
    tasks = (*BEHAVIORS, "macro")
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        values = [figures.get((task, system, "f1_pos")) for task in tasks]
        rows.append((system, *(NOT_SCORED if value is None else f"{value:.1f}" for value in values)))
    return Table("F1+ at a glance", ("system", *tasks), tuple(rows))


def table_15(costs: Mapping[str, Mapping[Behavior, float | None]]) -> Table:
    """US dollars a dialogue: what the paper reports, and `costs` of systems of this run."""
    header = ("behavior", "published: ChatGPT", "published: HUM", *costs)
    rows: list[tuple[Cell, ...]] = [
        (label, *(f"{published[name]:.2f}" for name in ("chatgpt", "human")), *(_dollars(found[label]) for found in costs.values()))
        for label, published in read_paper(PAPER).more["costs"].items()
    ]
    return Table("Table 15: cost (US dollars) per dialogue", header, tuple(rows))


def _dollars(value: float | None) -> str:
    """At least two figures that are not 0, for models that cost less than a cent."""
    if value is None:
        return NOTHING
    return f"{value:.2f}" if value == 0 or value >= 0.1 else f"{value:.2g}"


def comparisons(system: str, outputs: Outputs, others: Mapping[str, Outputs], truth: Mapping[Behavior, Flags]) -> Table:
    """One system beside the published ones: accuracies, McNemar's p against each annotator, and on how many of them they differ."""
    rows: list[tuple[Cell, ...]] = [
        (
            label,
            name,
            f"{found.accuracy:.1f}",
            f"{found.other_accuracy:.1f}",
            *(f"{p:.2g}" for p in found.p_values),
            found.significant,
        )
        for label, name, found in against(outputs, others, truth)
    ]
    header = ("behavior", "against", "Acc.", "its Acc.", "p, annotator 1", "p, annotator 2", "differs on")
    return Table(f"McNemar's test: {system}", header, tuple(rows))


def calibration(system: str, predictions: Predictions, truth: Mapping[Behavior, Flags]) -> Table:
    """Whether probabilities mean what they say, with both annotators as outcomes, and how well they rank the responses."""
    rows: list[tuple[Cell, ...]] = []
    for column, label in enumerate(BEHAVIORS):
        scored = ~np.isnan(predictions.probabilities[:, column])
        found, outcomes = predictions.probabilities[scored, column], truth[label][scored]
        if len(found):
            scores = np.stack([found, found], axis=1)
            error = metrics.calibration_error(scores, outcomes, BINS).value
            ranking = [_average_precision(outcomes[:, place], found) for place in range(outcomes.shape[1])]
            numbers = (
                found.mean(),
                outcomes.mean(),
                error,
                float(np.mean(ranking)),
                np.median(predictions.thresholds[scored, column]),
            )
            rows.append((label, *(NOTHING if np.isnan(number) else f"{number:.3f}" for number in numbers)))
    header = ("behavior", "mean probability", "share labelled", "calibration error", "average precision", "median threshold")
    return Table(f"Calibration: {system}", header, tuple(rows))


def reliability_of(system: str, predictions: Predictions, truth: Mapping[Behavior, Flags]) -> Table:
    """The reliability of all behaviours together, with both annotators as outcomes."""
    scores: list[float] = []
    outcomes: list[bool] = []
    for column, label in enumerate(BEHAVIORS):
        scored = ~np.isnan(predictions.probabilities[:, column])
        flags = truth[label][scored]
        scores += np.repeat(predictions.probabilities[scored, column], flags.shape[1]).tolist()
        outcomes += flags.ravel().tolist()
    return reliability(system, "a response has a behaviour, all behaviours together", scores, outcomes, BINS)


def _average_precision(outcomes: Flags, scores: metrics.Array) -> float:
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(outcomes, scores)) if outcomes.any() else float("nan")
