"""`grice bench direct`: the three tasks of the DIRECT paper (Takayama et al. 2021, section 4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from grice.benchmarks.core.batches import BATCH, predict_all
from grice.benchmarks.core.benchmark import Benchmark, Options, Sheet, opened
from grice.benchmarks.core.results import Cell, Published, Table
from grice.benchmarks.direct.bag_of_words import TARGETS, held_out_scores
from grice.benchmarks.direct.held_out import dialogues, held_out, text_of
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.metrics import Array
from grice.models import load_directness_scorer, load_rewriter
from grice.models.data.direct import Triple
from grice.models.dialogue import Dialogue
from grice.models.protocols import Model
from grice.models.results import Directness, Rewrite
from grice.models.text.template import TargetForm

TASKS: dict[str, tuple[str, TargetForm]] = {
    "indirect-to-direct": ("indirect", "direct"),
    "direct-to-indirect": ("direct", "indirect"),
}
"""Rewriting tasks: which wording is given, which is wanted."""
PRECISIONS = {"grice": "int8", "grice-fp32": "fp32"}
FLOORS = ("copy", "original")
BINS = 10
PAPER = Path(__file__).parent / "paper.json"


class ScoringRewriter(Model[Rewrite], Protocol):
    """A rewriter that can also say how well it expects a given rewrite."""

    def score(self, dialogues: Sequence[Dialogue], targets: Sequence[str]) -> Sequence[tuple[float, int]]:
        """The summed natural log-probability and the number of tokens of each target."""
        ...


RewriterLoader = Callable[[Options, str, TargetForm], ScoringRewriter]
ScorerLoader = Callable[[Options, str], Model[Directness]]


def load_rewriting_system(options: Options, system: str, form: TargetForm) -> ScoringRewriter:
    """The exported rewriter that a system name stands for."""
    return load_rewriter(options.rewriter, form, threads=options.threads, precision=PRECISIONS[system], beams=options.beams)


def load_scoring_system(options: Options, system: str) -> Model[Directness]:
    """The exported directness scorer that a system name stands for."""
    return load_directness_scorer(options.directness, threads=options.threads, precision=PRECISIONS[system])


def evaluate(
    options: Options, rewriters: RewriterLoader = load_rewriting_system, scorers: ScorerLoader = load_scoring_system
) -> Sheet:
    """Score rewriting in both directions, and directness.

    Raises:
        DataError: the data cannot be read. ModelError: a model that was asked for by name cannot be loaded.
    """
    found = held_out(options)
    rows, note = published()
    sheet = Sheet("direct", found.groups, options.seed, found.unscored, published=rows, notes=[note])
    sheet.signatures = {"bleu": metrics.bleu_signature(True), "bleu_cased": metrics.bleu_signature(False)}
    asked = options.systems or BENCHMARK.default_systems
    for task in TASKS:
        _rewriting(sheet, options, task, found.rows, asked, rewriters)
    _directness(sheet, options, found.rows, asked, scorers)
    return sheet


def _rewriting(
    sheet: Sheet, options: Options, task: str, rows: Sequence[Triple], asked: Sequence[str], load: RewriterLoader
) -> None:
    source, target = TASKS[task]
    given, wanted = dialogues(rows, source), [text_of(row, target) for row in rows]
    ready, reasons = opened([name for name in asked if name in PRECISIONS], options, lambda name: load(options, name, target))
    for name, model in ready.items():
        said = [rewrite.text for rewrite in predict_all(model, given, f"{task} {name}")]
        _add_bleu(sheet, task, name, said, wanted)
        sheet.add(task, name, "perplexity", metrics.perplexity(_scores(model, given, wanted)))
        sheet.add_model(model)
    for name, reason in reasons.items():
        sheet.add_unscored(task, name, ("bleu", "bleu_cased", "perplexity"), reason)
    for name, form in (("copy", source), ("original", "original")):
        if name in asked:
            _add_bleu(sheet, task, name, [text_of(row, form) for row in rows], wanted)


def _add_bleu(sheet: Sheet, task: str, system: str, said: Sequence[str], wanted: Sequence[str]) -> None:
    sheet.add(task, system, "bleu", metrics.bleu(said, wanted, lowercase=True))
    sheet.add(task, system, "bleu_cased", metrics.bleu(said, wanted, lowercase=False))


def _scores(model: ScoringRewriter, given: Sequence[Dialogue], wanted: Sequence[str]) -> list[tuple[float, int]]:
    scores: list[tuple[float, int]] = []
    for start in range(0, len(given), BATCH):
        scores += model.score(given[start : start + BATCH], wanted[start : start + BATCH])
    return scores


def _directness(sheet: Sheet, options: Options, rows: Sequence[Triple], asked: Sequence[str], load: ScorerLoader) -> None:
    ready, reasons = opened([name for name in asked if name in PRECISIONS], options, lambda name: load(options, name))
    for name, model in ready.items():
        _add_ranking(sheet, name, _scored(model, rows, name))
        sheet.add_model(model)
    for name, reason in reasons.items():
        sheet.add_unscored("directness", name, ("exact_match", "kendall_tau", "calibration_error"), reason)
    if "bag-of-words" in asked:
        _add_ranking(sheet, "bag-of-words", held_out_scores(options, rows))


def _scored(model: Model[Directness], rows: Sequence[Triple], name: str) -> Array:
    columns = [
        [found.score for found in predict_all(model, dialogues(rows, form), f"directness {name} {form}")] for form in TARGETS
    ]
    return np.array(columns, float).T


def _add_ranking(sheet: Sheet, system: str, scores: Array) -> None:
    sheet.add("directness", system, "exact_match", metrics.exact_ranking(scores))
    sheet.add("directness", system, "kendall_tau", metrics.kendall_tau(scores))
    ends = np.clip(scores[:, [0, 2]], 0.0, 1.0)
    truth = np.broadcast_to([1.0, 0.0], ends.shape)
    sheet.add("directness", system, "calibration_error", metrics.calibration_error(ends, truth, BINS))
    sheet.tables.append(_reliability(system, ends, truth))


def _reliability(system: str, scores: Array, truth: Array) -> Table:
    """How many of the turns of about the same score are direct wordings."""
    rows: list[tuple[Cell, ...]] = []
    places = metrics.bin_of(scores, BINS)
    for place in range(BINS):
        inside = places == place
        if inside.any():
            span = f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}"
            rows.append((span, int(inside.sum()), round(float(scores[inside].mean()), 3), round(float(truth[inside].mean()), 3)))
    title = f"Reliability of {system}: direct and indirect wordings by score"
    return Table(title, ("score", "turns", "mean score", "share direct"), tuple(rows))


def published() -> tuple[tuple[Published, ...], str]:
    """The rows of the paper's Tables 6, 8 and 10, and how they compare with ours."""
    content = json.loads(PAPER.read_text(encoding="utf-8"))
    rows = tuple(
        Published(row["task"], row["system"], metric, value, content["n"], f"{content['source']}, {row['source']}")
        for row in content["rows"]
        for metric, value in row["metrics"].items()
    )
    return rows, content["note"]


BENCHMARK = Benchmark(
    name="direct",
    about="the DIRECT paper's tasks: rewriting in both directions, and directness",
    systems=(*PRECISIONS, *FLOORS, "bag-of-words"),
    default_systems=(*PRECISIONS, *FLOORS, "bag-of-words"),
    files=(("direct", "test.csv"), ("multiwoz21", "test.json.zip", "test.json")),
    options=("beams", "threads", "rewriter", "directness"),
    evaluate=evaluate,
)
