"""What language models answered, computed from their samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grice.benchmarks.core.results import Table
from grice.benchmarks.llm import LlmRun, Sample
from grice.benchmarks.report.shown import Bar, ShownMetric
from grice.benchmarks.stats.bootstrap import estimate
from grice.benchmarks.stats.confusion import confusion
from grice.benchmarks.stats.metrics import mean

SEED = 0
"""Of the bootstrap, as `grice bench` has it by default."""
MOST_LABELS = 12
"""Of a confusion matrix: beyond them nobody sees anything."""


def exact_matches(runs: dict[str, LlmRun]) -> tuple[ShownMetric, ...]:
    """For every task whose answers are strings: how often each model's is the gold one, in percent of those that could be read."""
    labelled = {path: run for path, run in runs.items() if _are_labels(run.samples)}
    repeated = Counter((run.settings["task"], run.settings["model"]) for run in labelled.values())
    bars: dict[str, list[Bar]] = {}
    for path, run in labelled.items():
        task, model = run.settings["task"], run.settings["model"]
        bars.setdefault(task, []).append(_bar(run, f"{model} ({path})" if repeated[task, model] > 1 else model))
    return tuple(
        ShownMetric(f"{task}: exact match in %, of the answers that could be read", tuple(found)) for task, found in bars.items()
    )


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


def _bar(run: LlmRun, system: str) -> Bar:
    read = [sample for sample in run.samples if sample.status == "answered"]
    measure = mean([sample.prediction == sample.gold for sample in read], 100)
    found = estimate(measure, [sample.group for sample in read], SEED)
    unscored = len(run.samples) - len(read)
    return Bar(system, found.value, found.low, found.high, found.n, unscored)


def _are_labels(samples: Sequence[Sample]) -> bool:
    values = [each for sample in samples for each in _values(sample)]
    return bool(values) and all(isinstance(each, str) for each in values)


def _values(sample: Sample) -> list[object]:
    return [each for each in (sample.gold, sample.prediction) if each is not None]
