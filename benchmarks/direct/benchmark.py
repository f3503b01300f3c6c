"""`grice bench direct`: the three tasks of the DIRECT paper (Takayama et al. 2021, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from grice.benchmarks.core.batches import BATCH, predict_all
from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.options import Threaded, model_option, option
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.direct.bag_of_words import TARGETS, held_out_scores
from grice.benchmarks.direct.held_out import FILES, dialogues, held_out, text_of
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.metrics import Array
from grice.benchmarks.stats.reliability import BINS, reliability
from grice.models import load_directness_scorer, load_rewriter
from grice.models.data.direct import Triple
from grice.models.dialogue import Dialogue
from grice.models.protocols import Model
from grice.models.results import Directness, Rewrite
from grice.models.runtime.runtime import Runtime
from grice.models.text.template import TargetForm

TASKS: dict[str, tuple[str, TargetForm]] = {
    "indirect-to-direct": ("indirect", "direct"),
    "direct-to-indirect": ("direct", "indirect"),
}
"""Rewriting tasks: which wording is given, which is wanted."""
BLEUS = ("bleu", "bleu_cased")
RANKING_METRICS = ("exact_match", "kendall_tau", "calibration_error")
PAPER = Path(__file__).parent / "paper.json"


@dataclass(frozen=True)
class TurnOptions(Threaded):
    """Of benchmarks that score and rewrite user turns."""

    beams: int = option(1, "beams of the rewriter; 1 is greedy", "N", (1, 16), "--beam")
    rewriter: str = model_option("rewriter", "rewriter")
    directness: str = model_option("directness scorer", "directness")


class ScoringRewriter(Model[Rewrite], Protocol):
    """A rewriter that can also say how well it expects a given rewrite."""

    def score(self, dialogues: Sequence[Dialogue], targets: Sequence[str]) -> Sequence[tuple[float, int]]:
        """The summed natural log-probability and the number of tokens of each target."""
        ...


RewriterLoader = Callable[[TurnOptions, str, TargetForm], ScoringRewriter]
ScorerLoader = Callable[[TurnOptions, str], Model[Directness]]


def load_scoring_rewriter(options: TurnOptions, precision: str, form: TargetForm) -> ScoringRewriter:
    """The exported rewriter in one precision."""
    return load_rewriter(options.rewriter, form, beams=options.beams, runtime=Runtime(threads=options.threads, precision=precision))


def load_scorer(options: TurnOptions, precision: str) -> Model[Directness]:
    """The exported directness scorer in one precision."""
    return load_directness_scorer(options.directness, runtime=Runtime(threads=options.threads, precision=precision))


@dataclass(frozen=True)
class Rewriting:
    """A rewriting task, and what it is built from."""

    options: TurnOptions
    task: str
    rows: Sequence[Triple]
    load: RewriterLoader


@dataclass(frozen=True)
class Said:
    """What a system writes for each row; `perplexity` and `model` of those that are models."""

    texts: Sequence[str]
    perplexity: metrics.Measure | None = None
    model: object = None


def _rewrite(precision: str, given: Rewriting, name: str) -> Said:
    source, target = TASKS[given.task]
    turns, wanted = dialogues(given.rows, source), [text_of(row, target) for row in given.rows]
    model = given.load(given.options, precision, target)
    texts = [rewrite.text for rewrite in predict_all(model, turns, f"{given.task} {name}")]
    return Said(texts, metrics.perplexity(_scores(model, turns, wanted)), model)


def _copy(given: Rewriting, name: str) -> Said:
    return Said([text_of(row, TASKS[given.task][0]) for row in given.rows])


def _original(given: Rewriting, name: str) -> Said:
    return Said([text_of(row, "original") for row in given.rows])


@dataclass(frozen=True)
class Ranking:
    """What a ranking of the three wordings by directness is built from."""

    options: TurnOptions
    rows: Sequence[Triple]
    load: ScorerLoader


Ranked = tuple[Array, object]
"""Scores, shape (rows, 3) in the order of `TARGETS`, and the model if it is one."""


def _rank(precision: str, given: Ranking, name: str) -> Ranked:
    model = given.load(given.options, precision)
    columns = [
        [found.score for found in predict_all(model, dialogues(given.rows, form), f"directness {name} {form}")] for form in TARGETS
    ]
    return np.array(columns, float).T, model


def _rank_words(given: Ranking, name: str) -> Ranked:
    return held_out_scores(given.options, given.rows), None


REWRITERS = Systems[Rewriting, Said](
    "direct",
    System("grice", "our rewriter and scorer, int8", "ours", partial(_rewrite, "int8")),
    System("grice-fp32", "the same before they were rounded", "ours", partial(_rewrite, "fp32")),
    System("copy", "the turn as it is", "floor", _copy),
    System("original", "what people said unprompted", "floor", _original),
)
SCORERS = Systems[Ranking, Ranked](
    "direct",
    System("grice", "our scorer, int8", "ours", partial(_rank, "int8")),
    System("grice-fp32", "the same before it was rounded", "ours", partial(_rank, "fp32")),
    System("bag-of-words", "linear regression over word counts (the paper, section 4.3)", "floor", _rank_words),
)


def evaluate(options: TurnOptions, rewriters: RewriterLoader = load_scoring_rewriter, scorers: ScorerLoader = load_scorer) -> Sheet:
    """Score rewriting in both directions, and directness.

    Raises:
        DataError: the data cannot be read. ModelError: a model that was asked for by name cannot be loaded.
    """
    found, paper = held_out(options), read_paper(PAPER)
    sheet = Sheet("direct", found.groups, options.seed, found.unscored, published=paper.published(), notes=[paper.note])
    sheet.signatures = {"bleu": metrics.bleu_signature(True), "bleu_cased": metrics.bleu_signature(False)}
    for task in TASKS:
        said, reasons = REWRITERS.build(options, Rewriting(options, task, found.rows, rewriters))
        for name, each in said.items():
            _add_rewrites(sheet, task, name, each, found.rows)
        for name, reason in reasons.items():
            sheet.add_unscored(task, name, (*BLEUS, "perplexity"), reason)
    ranked, reasons = SCORERS.build(options, Ranking(options, found.rows, scorers))
    for name, (scores, model) in ranked.items():
        _add_ranking(sheet, name, scores)
        sheet.add_model(model)
    for name, reason in reasons.items():
        sheet.add_unscored("directness", name, RANKING_METRICS, reason)
    return sheet


def _add_rewrites(sheet: Sheet, task: str, name: str, said: Said, rows: Sequence[Triple]) -> None:
    wanted = [text_of(row, TASKS[task][1]) for row in rows]
    for metric, lowercase in zip(BLEUS, (True, False), strict=True):
        sheet.add(task, name, metric, metrics.bleu(said.texts, wanted, lowercase))
    if said.perplexity is not None:
        sheet.add(task, name, "perplexity", said.perplexity)
    sheet.add_model(said.model)


def _scores(model: ScoringRewriter, given: Sequence[Dialogue], wanted: Sequence[str]) -> list[tuple[float, int]]:
    scores: list[tuple[float, int]] = []
    for start in range(0, len(given), BATCH):
        scores += model.score(given[start : start + BATCH], wanted[start : start + BATCH])
    return scores


def _add_ranking(sheet: Sheet, system: str, scores: Array) -> None:
    sheet.add("directness", system, "exact_match", metrics.exact_ranking(scores))
    sheet.add("directness", system, "kendall_tau", metrics.kendall_tau(scores))
    ends = np.clip(scores[:, [0, 2]], 0.0, 1.0)
    truth = np.broadcast_to([1.0, 0.0], ends.shape)
    sheet.add("directness", system, "calibration_error", metrics.calibration_error(ends, truth, BINS))
    sheet.tables.append(reliability(system, "direct and indirect wordings by score", ends, truth))


BENCHMARK = Benchmark("direct", TurnOptions, REWRITERS | SCORERS, FILES, evaluate)
