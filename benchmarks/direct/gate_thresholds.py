"""Which thresholds should the gate have? A sweep on DIRECT's dev part with the plain NLU; the test part is not read.

    python -m grice.benchmarks.direct.gate_thresholds --data-dir DIR

For every pair of `direct_from` and `min_confidence`: micro-F1 of indirect turns after `replace` and `append`, how many turns
`append` broke, and what `append` cost original turns. The defaults of `PipelineSettings` were chosen from this table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from grice.benchmarks.core.batches import remembering
from grice.benchmarks.core.report import table_text
from grice.benchmarks.core.results import Table
from grice.benchmarks.direct.held_out import dev_rows, dialogues, text_of
from grice.benchmarks.direct.plain_nlu import ActLabels, PlainNlu, user_turns
from grice.benchmarks.stats.metrics import micro_f1
from grice.middleware import Pipeline, PipelineSettings
from grice.models import load_directness_scorer, load_rewriter
from grice.models.data.files import data_dir

DIRECT_FROM = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
MIN_CONFIDENCE = (0.0, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65)


@dataclass(frozen=True)
class Effect:
    """What one pair of thresholds does, in percent."""

    direct_from: float
    min_confidence: float
    replace: float
    append: float
    broken: float
    harm: float
    rewritten: float


def sweep(folder: Path, rewriter: str = "rewriter", scorer: str = "directness") -> list[Effect]:
    """The effect of every pair of thresholds on the dev part."""
    rows = dev_rows(folder)
    texts, labels, _ = user_turns(folder)
    plain = PlainNlu().fit(texts, labels)
    gold = [row.labels for row in rows]
    base = Pipeline(
        remembering(load_directness_scorer(scorer)),
        remembering(load_rewriter(rewriter)),
        PipelineSettings(on_error="raise", deadline_ms=600_000),
    )
    before = {form: plain.predict([text_of(row, form) for row in rows]) for form in ("original", "indirect")}

    def after(form: str, settings: PipelineSettings) -> tuple[list[ActLabels], float]:
        found = Pipeline(base.directness, base.rewriter, settings, base.guard).predict(dialogues(rows, form))
        return plain.predict([each.text for each in found]), _percent([each.decision == "rewrite" for each in found])

    effects = []
    for direct_from in DIRECT_FROM:
        for confidence in MIN_CONFIDENCE:
            settings = replace(base.settings, direct_from=direct_from, min_confidence=confidence)
            replaced, _ = after("indirect", replace(settings, mode="replace"))
            appended, rewritten = after("indirect", settings)
            original, _ = after("original", settings)
            effects.append(
                Effect(
                    direct_from,
                    confidence,
                    _f1(gold, replaced),
                    _f1(gold, appended),
                    _percent([old == g != new for g, old, new in zip(gold, before["indirect"], appended, strict=True)]),
                    _f1(gold, before["original"]) - _f1(gold, original),
                    rewritten,
                )
            )
    return effects


def _f1(gold: Sequence[ActLabels], found: Sequence[ActLabels]) -> float:
    return micro_f1(gold, found, 100).value


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir")
    parser.add_argument("--rewriter", default="rewriter")
    parser.add_argument("--directness", default="directness")
    args = parser.parse_args()
    header = ("direct_from", "min_confidence", "replace F1", "append F1", "broken %", "harm on original", "rewritten %")
    effects = sweep(data_dir(args.data_dir), args.rewriter, args.directness)
    rows = [(each.direct_from, each.min_confidence, *(round(value, 1) for value in astuple(each)[2:])) for each in effects]
    print(table_text(Table("Thresholds", header, tuple(rows))))


if __name__ == "__main__":
    main()
