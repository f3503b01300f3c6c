"""Probabilities of our monitor for ABC-Eval's responses, with the thresholds that turn them into decisions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from grice.benchmarks.abceval.outputs import Outputs, decided
from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.stats.metrics import Array
from grice.models.data.abceval import LabelledResponse
from grice.models.protocols import Model
from grice.models.results import BEHAVIORS, Behavior, Behaviors

NEVER = 2.0
"""Above every probability: the threshold of a behaviour that has none."""


class ThresholdedMonitor(Model[Behaviors], Protocol):
    """A model that knows its thresholds."""

    @property
    def thresholds(self) -> Mapping[Behavior, float]:
        """The probability from which on a response shows a behaviour."""
        ...


@dataclass(frozen=True)
class Predictions:
    """What the monitor finds, response by response.

    Attributes:
        probabilities: shape (responses, behaviours in the order of `BEHAVIORS`), 0 to 1; NaN where it was not scored.
        thresholds: the same shape: each response is decided by the thresholds of the model that scored it.
        about: how they came to be.
        ms: mean time a response, in milliseconds; None where nothing was run.
    """

    probabilities: Array
    thresholds: Array
    about: Mapping[str, Any] = field(default_factory=dict)
    ms: float | None = None

    def first(self, count: int) -> Predictions:
        """Those of the first `count` responses."""
        return Predictions(self.probabilities[:count], self.thresholds[:count], self.about, self.ms)

    @property
    def outputs(self) -> Outputs:
        """A response shows a behaviour whose probability is at least the threshold."""
        shown = self.probabilities >= self.thresholds
        scored = ~np.isnan(self.probabilities)
        return decided(
            {
                label: [bool(yes) if known else None for yes, known in zip(shown[:, column], scored[:, column], strict=True)]
                for column, label in enumerate(BEHAVIORS)
            }
        )


def predict(monitor: ThresholdedMonitor, rows: Sequence[LabelledResponse]) -> Predictions:
    """What a loaded monitor finds in the responses."""
    given = [row.dialogue for row in rows]
    started = time.perf_counter()
    found = predict_all(monitor, given, "abceval grice")
    ms = 1000 * (time.perf_counter() - started) / len(rows)
    values = [[_number(each.probabilities[label]) for label in BEHAVIORS] for each in found]
    probabilities = np.array(values, float).reshape(-1, len(BEHAVIORS))
    thresholds = np.array([monitor.thresholds.get(label, NEVER) for label in BEHAVIORS])
    return Predictions(probabilities, np.broadcast_to(thresholds, probabilities.shape), {"weights": "shipped"}, ms)


def _number(probability: float | None) -> float:
    return np.nan if probability is None else probability
