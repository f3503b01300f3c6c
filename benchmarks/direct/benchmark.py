"""`grice bench direct`: the three tasks of the DIRECT paper (Takayama et al. 2021, section 4).

With split `ours` each is scored twice: on our test part, and as `TASK/dev` on our dev part. No model has learnt from either. But
epochs, thresholds and calibration were chosen on the dev part. So the first is the figure to quote, and the second says how much
it depends on its rows.
"""

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
from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.direct.bag_of_words import TARGETS, held_out_scores
from grice.benchmarks.direct.held_out import FILES, HeldOut, dialogues, held_out, second_split, text_of
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
RANKING_METRICS = ("exact_match", "kendall_tau")
SECOND = "/dev"
"""Behind the name of a task: on the second split."""
SECOND_NOTE = (
    f"{SECOND}: our dev part ({{}} rows). No model has learnt from it, but epochs, thresholds and calibration were chosen on it; "
    "nothing was chosen on the test part."
)
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
    found, second, paper = held_out(options), second_split(options), read_paper(PAPER)
    sheet = Sheet("direct", found.groups, options.seed, published=paper.published(), notes=[paper.note])
    sheet.signatures = {"bleu": metrics.bleu_signature(True), "bleu_cased": metrics.bleu_signature(False)}
    _add_split(sheet, _Split(options, found, ""), rewriters, scorers)
    if second is not None:
        sheet.part = f"our test part; {SECOND}: our dev part"
        sheet.notes.append(SECOND_NOTE.format(len(second.rows)))
        _add_split(sheet, _Split(options, second, SECOND), rewriters, scorers)
    return sheet


@dataclass(frozen=True)
class _Split:
    """Rows that are scored together; `name` stands behind the names of their tasks."""

    options: TurnOptions
    held_out: HeldOut
    name: str

    @property
    def rows(self) -> Sequence[Triple]:
        return self.held_out.rows

    @property
    def scored(self) -> ScoredRows:
        return ScoredRows(self.held_out.groups, self.held_out.unscored)

    @property
    def count(self) -> int:
        return len(self.rows) + self.held_out.unscored

    @property
    def ranking_metrics(self) -> tuple[str, ...]:
        """On the second split calibration was fitted: there it says nothing."""
        return RANKING_METRICS if self.name == SECOND else (*RANKING_METRICS, "calibration_error")


def _add_split(sheet: Sheet, split: _Split, rewriters: RewriterLoader, scorers: ScorerLoader) -> None:
    for task in TASKS:
        said, reasons = REWRITERS.build(split.options, Rewriting(split.options, task, split.rows, rewriters))
        for name, each in said.items():
            _add_rewrites(sheet, task, name, each, split)
        for name, reason in reasons.items():
            sheet.add_unscored(task + split.name, name, (*BLEUS, "perplexity"), reason, split.count)
    ranked, reasons = SCORERS.build(split.options, Ranking(split.options, split.rows, scorers))
    for name, (scores, model) in ranked.items():
        _add_ranking(sheet, name, scores, split)
        sheet.add_model(model)
    for name, reason in reasons.items():
        sheet.add_unscored("directness" + split.name, name, split.ranking_metrics, reason, split.count)


def _add_rewrites(sheet: Sheet, task: str, name: str, said: Said, split: _Split) -> None:
    wanted = [text_of(row, TASKS[task][1]) for row in split.rows]
    for metric, lowercase in zip(BLEUS, (True, False), strict=True):
        sheet.add(task + split.name, name, metric, metrics.bleu(said.texts, wanted, lowercase), split.scored)
    if said.perplexity is not None:
        sheet.add(task + split.name, name, "perplexity", said.perplexity, split.scored)
    sheet.add_model(said.model)


def _scores(model: ScoringRewriter, given: Sequence[Dialogue], wanted: Sequence[str]) -> list[tuple[float, int]]:
    scores: list[tuple[float, int]] = []
    for start in range(0, len(given), BATCH):
        scores += model.score(given[start : start + BATCH], wanted[start : start + BATCH])
    return scores


def _add_ranking(sheet: Sheet, system: str, scores: Array, split: _Split) -> None:
    task = "directness" + split.name
    sheet.add(task, system, "exact_match", metrics.exact_ranking(scores), split.scored)
    sheet.add(task, system, "kendall_tau", metrics.kendall_tau(scores), split.scored)
    if "calibration_error" not in split.ranking_metrics:
        return
    ends = np.clip(scores[:, [0, 2]], 0.0, 1.0)
    truth = np.broadcast_to([1.0, 0.0], ends.shape)
    sheet.add(task, system, "calibration_error", metrics.calibration_error(ends, truth, BINS), split.scored)
    sheet.tables.append(reliability(system, "direct and indirect wordings by score", ends, truth))


BENCHMARK = Benchmark("direct", TurnOptions, REWRITERS | SCORERS, FILES, evaluate)
