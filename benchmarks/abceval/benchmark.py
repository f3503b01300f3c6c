"""`grice bench abceval`: nine behaviours of bot responses, beside ChatGPT, specialised models and people.

The responses are ABC-Eval's doubly annotated ones (Finch, Paek and Choi 2023); every metric is the mean of its values against the
two annotators. `human`, `chatgpt` and `specialized` replay the published labels. All rows of the file are scored: with `--weights
folds`, the default, by the stored predictions of the cross-validation by dialogue, with `--weights shipped` by the shipped
monitor, for data that it was not trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.benchmarks.abceval import metrics as abceval_metrics
from grice.benchmarks.abceval import tables as abceval_tables
from grice.benchmarks.abceval.folds import FOLDS, TRAINS, stored_predictions
from grice.benchmarks.abceval.judge import Judged, JudgeOptions, judge_all
from grice.benchmarks.abceval.outputs import REPLAYS, Outputs, always_yes, replay, truth_of
from grice.benchmarks.abceval.predictions import Predictions, ThresholdedMonitor, predict
from grice.benchmarks.abceval.significance import marks
from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.folds import read_folds
from grice.benchmarks.core.options import FoldOptions, model_option
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.stats.mcnemar import Flags
from grice.models.data import abceval
from grice.models.data.abceval import LabelledResponse
from grice.models.data.pins import data_set
from grice.models.manifest import sha256
from grice.models.results import BEHAVIORS, Behavior
from grice.models.runtime.runtime import Runtime

FLOOR = "always-yes"
MACRO = "macro"
SIGNATURE = "in %, the mean over both annotators; macro: the mean over the nine behaviours; positives: a count"
PARTS = {"folds": "every row, cross-validated by dialogue", "shipped": "every row, by the shipped weights"}

Truth = Mapping[Behavior, Flags]


@dataclass(frozen=True)
class AbcevalOptions(FoldOptions, JudgeOptions):
    """What `grice bench abceval` takes."""

    behaviors: str = model_option("behaviour monitor", "behaviors")


def load_monitor(options: AbcevalOptions) -> ThresholdedMonitor:
    """The shipped monitor, or the exported one that the options name."""
    from grice.models.behaviors.monitor import load_behavior_monitor

    return load_behavior_monitor(options.behaviors, runtime=Runtime(threads=options.threads))


@dataclass(frozen=True)
class AbcEvalSetup:
    """What a system is built from; `everything` are all responses of the file, `rows` those that are scored."""

    options: AbcevalOptions
    everything: Sequence[LabelledResponse]
    rows: Sequence[LabelledResponse]
    sheet: Sheet
    monitors: Callable[[AbcevalOptions], ThresholdedMonitor]
    folds: Path


@dataclass(frozen=True)
class SystemOutput:
    """What a system says, and what else is known of how it came to say it."""

    outputs: Outputs
    predictions: Predictions | None = None
    judged: Judged | None = None


def _ours(asked: AbcEvalSetup, name: str) -> SystemOutput:
    if asked.options.weights == "folds":
        stored = read_folds(asked.folds, TRAINS)
        predictions = stored_predictions(stored, asked.everything).first(len(asked.rows))
        stored.note_weights(asked.sheet, asked.options.behaviors)
    else:
        monitor = asked.monitors(asked.options)
        predictions = predict(monitor, asked.rows)
        asked.sheet.add_model(monitor)
        asked.sheet.notes.append(_note_on_shipped(asked.options, predictions))
    return SystemOutput(predictions.outputs, predictions)


def _judge(asked: AbcEvalSetup, model: str) -> SystemOutput:
    judged = judge_all(model, asked.rows, asked.options)
    return SystemOutput(judged.outputs, judged=judged)


SYSTEMS = Systems[AbcEvalSetup, SystemOutput](
    "abceval",
    System("grice", "our monitor, by stored folds or shipped weights", "ours", _ours),
    System(
        "human", "each annotator, measured against the other", "replay", lambda asked, name: SystemOutput(replay(name, asked.rows))
    ),
    System(
        "chatgpt", "the labels that the paper's ChatGPT gave", "replay", lambda asked, name: SystemOutput(replay(name, asked.rows))
    ),
    System(
        "specialized",
        "the labels of the paper's models of one behaviour",
        "replay",
        lambda asked, name: SystemOutput(replay(name, asked.rows)),
    ),
    System(FLOOR, "every response shows every behaviour", "floor", lambda asked, name: SystemOutput(always_yes(asked.rows))),
    llm("openai", "a language model as the judge, one behaviour a question", _judge),
)


def evaluate(
    options: AbcevalOptions, monitors: Callable[[AbcevalOptions], ThresholdedMonitor] = load_monitor, folds: Path = FOLDS
) -> Sheet:
    """Score all nine behaviours.

    Raises:
        DataError: the data cannot be read. ModelError, DataError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    everything, paper = abceval.read(options.data_dir), read_paper(abceval_tables.PAPER)
    rows = everything[: options.limit]
    sheet = Sheet("abceval", [row.dialogue_id for row in rows], options.seed, part=PARTS[options.weights])
    sheet.published, sheet.notes, sheet.signatures = paper.published(), [paper.note], {"all": SIGNATURE}
    found, reasons = SYSTEMS.build(options, AbcEvalSetup(options, everything, rows, sheet, monitors, folds))
    for name, reason in reasons.items():
        for task in (*BEHAVIORS, MACRO):
            sheet.add_unscored(task, name, metrics_of(task, name), reason)
    truth = truth_of(rows)
    for label in BEHAVIORS:
        for name, each in found.items():
            _add(sheet, label, name, each.outputs, truth[label])
    for name, each in found.items():
        _add_macro(sheet, name, each.outputs, truth)
    _add_tables(sheet, rows, found, truth)
    return sheet


def metrics_of(task: str, system: str) -> tuple[str, ...]:
    """Which metrics a system has in a task."""
    metrics = {"human": abceval_metrics.HUMAN_METRICS, FLOOR: abceval_metrics.FLOOR_METRICS}.get(system, abceval_metrics.METRICS)
    return tuple(metric for metric in metrics if task != MACRO or metric in abceval_metrics.RATES)


def _add(sheet: Sheet, label: Behavior, system: str, outputs: Outputs, truth: Flags) -> None:
    metrics = metrics_of(label, system)
    if label not in outputs:
        sheet.add_unscored(label, system, metrics, f"{system} says nothing of this behaviour")
        return
    kept = outputs[label].scored
    groups = [group for group, counts in zip(sheet.groups, kept, strict=True) if counts]
    measures = {metric: abceval_metrics.measure(metric, outputs[label].said[kept], truth[kept]) for metric in metrics}
    sheet.add_defined(label, system, measures, groups, len(kept) - len(groups))


def _add_macro(sheet: Sheet, system: str, outputs: Outputs, truth: Truth) -> None:
    metrics = metrics_of(MACRO, system)
    missing = [label for label in BEHAVIORS if label not in outputs]
    if missing:
        sheet.add_unscored(MACRO, system, metrics, f"{system} says nothing of {', '.join(missing)}")
        return
    scored = [outputs[label].scored for label in BEHAVIORS]
    pairs = [(outputs[label].said, truth[label]) for label in BEHAVIORS]
    measures = {metric: abceval_metrics.macro(metric, pairs, scored) for metric in metrics}
    incomplete = int((~np.all(scored, axis=0)).sum())  # they count in the behaviours for which they have an answer
    sheet.add_defined(MACRO, system, measures, sheet.groups, incomplete)


def _add_tables(sheet: Sheet, rows: Sequence[LabelledResponse], found: Mapping[str, SystemOutput], truth: Truth) -> None:
    figures = {(result.task, result.system, result.metric): result.value for result in sheet.results}
    replays = {name: replay(name, rows) for name in REPLAYS}
    marked = {label: marks(label, replays, truth[label]) for label in BEHAVIORS}
    sheet.tables += [
        abceval_tables.at_a_glance(figures, list(found)),
        abceval_tables.table_3(figures, marked, list(found)),
        abceval_tables.table_14(figures, marked, list(found)),
        abceval_tables.table_15(_costs(found)),
    ]
    for name, each in found.items():
        if name not in (*REPLAYS, FLOOR):
            sheet.tables.append(abceval_tables.comparisons(name, each.outputs, replays, truth))
        if each.predictions is not None:
            sheet.tables.append(abceval_tables.calibration(name, each.predictions, truth))
            sheet.tables.append(abceval_tables.reliability_of(name, each.predictions, truth))
            sheet.settings[name] = dict(each.predictions.about)
        if each.judged is not None:
            sheet.settings[name] = each.judged.run.settings
            sheet.tables.append(each.judged.usage(name))
            sheet.notes += [f"{name}: {count} answers unscored: {why}" for why, count in each.judged.reasons().most_common()]


def _costs(found: Mapping[str, SystemOutput]) -> dict[str, dict[Behavior, float | None]]:
    """US dollars a dialogue of the systems of this run that may cost something; ours runs on the user's own CPU."""
    costs: dict[str, dict[Behavior, float | None]] = {}
    for name, each in found.items():
        if each.judged is not None:
            costs[name] = {label: each.judged.cost(label) for label in BEHAVIORS}
        elif each.predictions is not None:
            costs[name] = dict.fromkeys(BEHAVIORS, 0.0)
    return costs


def _note_on_shipped(options: AbcevalOptions, predictions: Predictions) -> str:
    (released,) = data_set(abceval.FOLDER).files
    if sha256(options.data_dir / abceval.FOLDER / abceval.FILE) == released.sha256:
        what = "these weights were trained on this very file, so the figures are no estimate; --weights folds gives one"
    else:
        what = "this is not the released file, on which these weights were trained"
    return f"grice: {what}. {predictions.ms:.1f} ms a response, in batches."


BENCHMARK = Benchmark("abceval", AbcevalOptions, SYSTEMS, ((abceval.FOLDER, abceval.FILE),), evaluate)
