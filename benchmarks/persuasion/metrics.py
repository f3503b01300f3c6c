"""How face acts are scored: accuracy and F1, in percent."""

from __future__ import annotations

from collections.abc import Sequence

from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.metrics import Measure
from grice.models.results import FACE_ACTS, FaceAct

RARE: FaceAct = "spos-"
"""A dozen utterances of thousands: one more or less that is found moves the mean by points."""
METRICS = ("accuracy", "macro_f1", f"macro_f1_without_{RARE}")


def measures_of(gold: Sequence[FaceAct], predicted: Sequence[FaceAct]) -> dict[str, Measure]:
    """Each of `METRICS` over the same utterances."""
    accuracy = metrics.mean([right == said for right, said in zip(gold, predicted, strict=True)], 100)
    others = [label for label in FACE_ACTS if label != RARE]
    return dict(zip(METRICS, (accuracy, macro_f1(gold, predicted), macro_f1(gold, predicted, others)), strict=True))


def macro_f1(gold: Sequence[FaceAct], predicted: Sequence[FaceAct], labels: Sequence[FaceAct] = FACE_ACTS) -> Measure:
    """The mean of the F1 of `labels`, 0 to 100, as `metrics.macro_f1`."""
    return metrics.macro_f1(gold, predicted, labels)
