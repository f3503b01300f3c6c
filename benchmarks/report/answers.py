"""What language models answered, computed from their samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grice.benchmarks.core.results import Table
from grice.benchmarks.llm import LlmRun, Sample
from grice.benchmarks.report.shown import ShownFigure, ShownTask
from grice.benchmarks.stats.bootstrap import estimate
from grice.benchmarks.stats.confusion import confusion
from grice.benchmarks.stats.metrics import mean

BENCHMARK = "answers that could be read"
SEED = 0
"""Of the bootstrap, as `grice bench` has it by default."""
MOST_LABELS = 12
"""Of a confusion matrix: beyond them nobody sees anything."""


def exact_matches(runs: dict[str, LlmRun]) -> tuple[ShownTask, ...]:
    """For every task whose answers are strings: how often each model's is the gold one, in percent of those that could be read."""
    labelled = {label: run for label, run in runs.items() if _are_labels(run.samples)}
    repeated = Counter((run.settings["task"], run.settings["model"]) for run in labelled.values())
    figures: dict[str, list[ShownFigure]] = {}
    for label, run in labelled.items():
        task, model = run.settings["task"], run.settings["model"]
        shown = f"{model} · {label}" if repeated[task, model] > 1 else str(model)
        figures.setdefault(task, []).append(_exact_match(run, label, shown))
    return tuple(ShownTask(BENCHMARK, task, tuple(found)) for task, found in figures.items())


def matrices(runs: dict[str, LlmRun]) -> list[Table]:
    """Confusion matrices of the tasks whose answers are strings out of a few."""
    return [
        confusion(
            f"{run.settings['task']}: {run.settings['model']}",
            [sample.gold for sample in run.samples],
            [sample.prediction for sample in run.samples],
        )
        for run in runs.values()
        if _are_labels(run.samples) and len({each for sample in run.samples for each in _values(sample)}) <= MOST_LABELS
    ]


def usage(runs: dict[str, LlmRun]) -> tuple[Table, ...]:
    """What was asked, and what it cost: one row a run."""
    usages = [(run, run.usage(str(run.settings["model"]))) for run in runs.values()]
    rows = tuple((run.settings["task"], run.settings["model"], *table.rows[0]) for run, table in usages)
    return (Table("Questions, tokens and cost", ("task", "model", *usages[0][1].header), rows),) if usages else ()


def _exact_match(run: LlmRun, label: str, shown: str) -> ShownFigure:
    task, model = str(run.settings["task"]), str(run.settings["model"])
    read = [sample for sample in run.samples if sample.status == "answered"]
    measure = mean([sample.prediction == sample.gold for sample in read], 100)
    found = estimate(measure, [sample.group for sample in read], SEED)
    values = (found.value, found.low, found.high, found.n, len(run.samples) - len(read))
    return ShownFigure(label, task, model, "llm", "language model", shown, "exact_match", *values)


def _are_labels(samples: Sequence[Sample]) -> bool:
    values = [each for sample in samples for each in _values(sample)]
    return bool(values) and all(isinstance(each, str) for each in values)


def _values(sample: Sample) -> list[object]:
    return [each for each in (sample.gold, sample.prediction) if each is not None]
