"""`grice bench nlu`: what a plain NLU makes of original, direct and indirect turns, without Grice and with it.

The NLU is trained on MultiWOZ val; the gold labels of all three wordings of a turn are the acts of the original. Turns without
an act count: the NLU should find none in them. All figures are percentages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grice.benchmarks.core.batches import predict_all, remembering
from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.direct.benchmark import TurnOptions
from grice.benchmarks.direct.held_out import FILES, FORMS, dialogues, held_out, text_of
from grice.benchmarks.direct.plain_nlu import ActLabels, PlainNlu, user_turns
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.metrics import Measure
from grice.middleware import Pipeline, PipelineSettings, appended, from_environment
from grice.models import load_directness_scorer, load_rewriter
from grice.models.data.direct import Triple
from grice.models.meaning.reader import load_meaning_reader
from grice.models.protocols import MeaningPredictor, Model
from grice.models.results import Directness, Rewrite
from grice.models.runtime.runtime import Runtime

GATED = ("replace", "append")
DEADLINE_MS = 600_000
"""For a batch of 32 on a slow machine; the benchmark measures what is said, not when."""


@dataclass(frozen=True)
class PipelineModels:
    """The pipeline's models; without a reader of meaning rewrites are not verified."""

    directness: Model[Directness]
    rewriter: Model[Rewrite]
    reader: MeaningPredictor | None = None


def load_models(options: TurnOptions) -> PipelineModels:
    """The shipped models, or the exported ones that the options name."""
    return PipelineModels(
        load_directness_scorer(options.directness, runtime=Runtime(threads=options.threads)),
        load_rewriter(options.rewriter, runtime=Runtime(threads=options.threads), beams=options.beams),
        load_meaning_reader(runtime=Runtime(threads=options.threads)),
    )


def evaluate(options: TurnOptions, load: Callable[[TurnOptions], PipelineModels] = load_models) -> Sheet:
    """Score the plain NLU on three wordings of held-out turns, as they are and after the pipeline.

    Raises:
        DataError: the data cannot be read. ModelError: a model cannot be loaded.
    """
    found = held_out(options)
    sheet = Sheet("nlu", found.groups, options.seed, found.unscored)
    asked = SYSTEMS.asked(options)
    texts, labels, _ = user_turns(options.data_dir)
    plain = PlainNlu().fit(texts, labels)
    rewriting = _Rewriting(options, load(options), sheet) if set(asked) - {"plain"} else None
    for form in FORMS:
        before = plain.predict([text_of(row, form) for row in found.rows])
        for system in asked:
            read = SYSTEMS.find(system).build(_AskedWording(rewriting, form, found.rows), system)
            measures = _measures([row.labels for row in found.rows], before, None if system == "plain" else plain.predict(read))
            for metric, measure in measures.items():
                sheet.add(form, system, metric, measure)
    if rewriting is not None and rewriting.decisions:
        sheet.tables.append(rewriting.shares())
    return sheet


def _measures(gold: Sequence[ActLabels], plain: Sequence[ActLabels], rewritten: Sequence[ActLabels] | None) -> dict[str, Measure]:
    """What is measured of the labels on rewritten turns, against those on plain ones; None: of the plain ones themselves."""
    said = plain if rewritten is None else rewritten
    was, now = ([labels == right for labels, right in zip(found, gold, strict=True)] for found in (plain, said))
    measures = {"micro_f1": metrics.micro_f1(gold, said, 100), "exact_match": metrics.mean(now, 100)}
    if rewritten is None:
        return measures
    return measures | {
        "fixed": metrics.mean([new and not old for old, new in zip(was, now, strict=True)], 100),
        "broken": metrics.mean([old and not new for old, new in zip(was, now, strict=True)], 100),
        "micro_f1_change": metrics.micro_f1_change(gold, plain, rewritten, 100),
    }


class _Rewriting:
    """What the NLU reads in each system; every turn goes through each model once."""

    def __init__(self, options: TurnOptions, models: PipelineModels, sheet: Sheet) -> None:
        self.rewriter = remembering(models.rewriter)
        directness = remembering(models.directness)
        given: dict[str, Any] = {
            "directness_model": options.directness,
            "rewriter_model": options.rewriter,
            "threads": options.threads,
        }
        given |= {"on_error": "raise", "deadline_ms": DEADLINE_MS}
        settings = {mode: from_environment(PipelineSettings, mode=mode, **given) for mode in GATED}
        self.pipelines = {
            mode: Pipeline(directness, self.rewriter, chosen, reader=models.reader) for mode, chosen in settings.items()
        }
        self.decisions: dict[str, Counter[str]] = {}
        for model in filter(None, (models.directness, models.rewriter, models.reader)):
            sheet.add_model(model)
        sheet.settings = {f"pipeline {mode}": asdict(chosen) for mode, chosen in settings.items()}

    def gated(self, system: str, form: str, rows: Sequence[Triple]) -> list[str]:
        """What comes out of the whole pipeline."""
        analyses = predict_all(self.pipelines[system], dialogues(rows, form), f"{form} {system}")
        self.decisions[form] = Counter(f"{found.decision}: {found.reason}" for found in analyses)
        return [found.text for found in analyses]

    def rewrites(self, form: str, rows: Sequence[Triple]) -> list[str]:
        """What the rewriter writes of every turn."""
        return [rewrite.text for rewrite in predict_all(self.rewriter, dialogues(rows, form), f"{form} ungated")]

    def shares(self) -> Table:
        """How many turns of each wording passed, were rewritten, or need a question back; `replace` and `append` decide alike."""
        reasons = sorted({reason for counts in self.decisions.values() for reason in counts})
        rows: list[tuple[Cell, ...]] = [
            (form, *(round(100 * counts[reason] / counts.total(), 1) for reason in reasons))
            for form, counts in self.decisions.items()
        ]
        return Table("Decisions of the pipeline, in % of turns", ("turns", *reasons), tuple(rows))


@dataclass(frozen=True)
class _AskedWording:
    """One wording of the rows; `rewriting` is there unless only the plain NLU was asked for."""

    rewriting: _Rewriting | None
    form: str
    rows: Sequence[Triple]

    @property
    def models(self) -> _Rewriting:
        assert self.rewriting is not None
        return self.rewriting


def _plain(asked: _AskedWording, name: str) -> list[str]:
    return [text_of(row, asked.form) for row in asked.rows]


def _gated(asked: _AskedWording, name: str) -> list[str]:
    return asked.models.gated(name, asked.form, asked.rows)


def _replaced(asked: _AskedWording, name: str) -> list[str]:
    return asked.models.rewrites(asked.form, asked.rows)


def _appended(asked: _AskedWording, name: str) -> list[str]:
    return [appended(said, more) for said, more in zip(_plain(asked, name), _replaced(asked, name), strict=True)]


SYSTEMS = Systems[_AskedWording, list[str]](
    "nlu",
    System("plain", "the turn as it is", "floor", _plain),
    System("replace", "what the pipeline gives, mode replace", "ours", _gated),
    System("append", "what the pipeline gives, mode append", "ours", _gated),
    System("replace-ungated", "the rewrite, whatever gate and guard say of it", "ours", _replaced),
    System("append-ungated", "the turn with the rewrite behind it, whatever they say", "ours", _appended),
)
BENCHMARK = Benchmark("nlu", TurnOptions, SYSTEMS, (*FILES, ("multiwoz21", "val.json.zip", "val.json")), evaluate)
