"""Which settings should gate and verifier have? A sweep on DIRECT's dev part with the plain NLU; the test part is not read.

    python -m grice.benchmarks.direct.gate_thresholds --data-dir DIR [--direct-from X …] [--verified-from X …]

For every `direct_from`: with the verifier every `verified_from`, and without it (`verified_from` 0) every `min_confidence`, which
decides nothing elsewhere. Of each: micro-F1 of indirect turns after `replace` and `append`, how many turns `append` broke, what
`append` cost original turns, and how many indirect turns were rewritten. The defaults of `PipelineSettings` are chosen by it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from tqdm import tqdm

from grice.benchmarks.core.batches import BATCH, Remembering, remembering
from grice.benchmarks.core.report import table_text
from grice.benchmarks.core.results import Table
from grice.benchmarks.direct.held_out import dev_rows, dialogues, text_of
from grice.benchmarks.direct.plain_nlu import ActLabels, PlainNlu, user_turns
from grice.benchmarks.stats.metrics import micro_f1
from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.guard import Guard
from grice.models import load_directness_scorer, load_rewriter
from grice.models.data.files import data_dir
from grice.models.meaning.reader import load_meaning_reader

DIRECT_FROM = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
VERIFIED_FROM = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
MIN_CONFIDENCE = (0.0, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65)


@dataclass(frozen=True)
class SweptSettings:
    """What is tried.

    Attributes:
        verified_from: with the verifier. min_confidence: without it. Empty: it is not tried.
    """

    direct_from: Sequence[float] = DIRECT_FROM
    verified_from: Sequence[float] = VERIFIED_FROM
    min_confidence: Sequence[float] = MIN_CONFIDENCE

    def all(self, base: PipelineSettings) -> Iterator[PipelineSettings]:
        """`base` with each of them."""
        for direct_from in self.direct_from:
            for share in self.verified_from:
                yield replace(base, direct_from=direct_from, verified_from=share)
            for confidence in self.min_confidence:
                yield replace(base, direct_from=direct_from, verified_from=0.0, min_confidence=confidence)


@dataclass(frozen=True)
class SweptModels:
    """Names or folders of the models."""

    rewriter: str = "rewriter"
    directness: str = "directness"
    reader: str = "meaning"


@dataclass(frozen=True)
class Effect:
    """What one choice of settings does, in percent. `min_confidence` is None where the verifier decides."""

    direct_from: float
    verified_from: float
    min_confidence: float | None
    replace: float
    append: float
    broken: float
    harm: float
    rewritten: float


def sweep(folder: Path, tried: SweptSettings | None = None, models: SweptModels | None = None) -> list[Effect]:
    """The effect of every choice on the dev part; each model reads a turn once."""
    rows, names = dev_rows(folder), models or SweptModels()
    texts, labels, _ = user_turns(folder)
    plain = PlainNlu().fit(texts, labels)
    gold = [row.labels for row in rows]
    directness, rewriter = remembering(load_directness_scorer(names.directness)), remembering(load_rewriter(names.rewriter))
    reader, guard = Remembering(load_meaning_reader(names.reader)), Guard()
    before = {form: plain.predict([text_of(row, form) for row in rows]) for form in ("original", "indirect")}

    def after(form: str, settings: PipelineSettings) -> tuple[list[ActLabels], float]:
        pipeline, asked = Pipeline(directness, rewriter, settings, guard, reader), dialogues(rows, form)
        found = [each for start in range(0, len(asked), BATCH) for each in pipeline.predict(asked[start : start + BATCH])]
        return plain.predict([each.text for each in found]), _percent([each.decision == "rewrite" for each in found])

    def effect(settings: PipelineSettings) -> Effect:
        replaced, _ = after("indirect", replace(settings, mode="replace"))
        appended, rewritten = after("indirect", settings)
        original, _ = after("original", settings)
        return Effect(
            settings.direct_from,
            settings.verified_from,
            None if settings.verified_from else settings.min_confidence,
            _f1(gold, replaced),
            _f1(gold, appended),
            _percent([old == g != new for g, old, new in zip(gold, before["indirect"], appended, strict=True)]),
            _f1(gold, before["original"]) - _f1(gold, original),
            rewritten,
        )

    choices = list((tried or SweptSettings()).all(PipelineSettings(mode="append", on_error="raise", deadline_ms=600_000)))
    return [effect(settings) for settings in tqdm(choices, desc="settings", disable=None)]


def _f1(gold: Sequence[ActLabels], found: Sequence[ActLabels]) -> float:
    return micro_f1(gold, found, 100).value


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir")
    for name, values in vars(SweptSettings()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, nargs="*", default=values, metavar="X")
    for name, model in vars(SweptModels()).items():
        parser.add_argument(f"--{name}", default=model, metavar="NAME|DIR")
    args = parser.parse_args()
    tried = SweptSettings(args.direct_from, args.verified_from, args.min_confidence)
    effects = sweep(data_dir(args.data_dir), tried, SweptModels(args.rewriter, args.directness, args.reader))
    settings = ("direct_from", "verified_from", "min_confidence")
    header = (*settings, "replace F1", "append F1", "broken %", "harm on original", "rewritten %")
    rows = [(*astuple(each)[:3], *(round(value, 1) for value in astuple(each)[3:])) for each in effects]
    print(table_text(Table("Settings", header, tuple(rows))))


if __name__ == "__main__":
    main()
