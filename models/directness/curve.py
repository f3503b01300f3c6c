"""From a raw score to how direct a turn is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from grice.models.manifest import Manifest

STEEPEST = 1000.0
"""Slope and offset of a calibration are smaller."""
FARTHEST = 700.0
"""The logistic curve is 0 or 1 beyond it, and its exponential too large for a float."""


@dataclass(frozen=True)
class LogisticCurve:
    """Fitted on development dialogues (Platt scaling), so that 0.5 is as direct as what people say unprompted, and the score of a
    group of turns is about their mean on the paper's scale (direct 1, original 0.5, indirect 0)."""

    slope: float
    offset: float

    @classmethod
    def of(cls, manifest: Manifest) -> LogisticCurve:
        """The curve in a manifest.

        Raises:
            ManifestError: it has none, or one that is out of range.
        """
        return cls(manifest.number("calibration.slope", 0, STEEPEST), manifest.number("calibration.offset", -STEEPEST, STEEPEST))

    def at(self, raw: float) -> float:
        """0 (indirect) to 1 (direct)."""
        return 1 / (1 + math.exp(-max(-FARTHEST, min(FARTHEST, self.slope * raw + self.offset))))
