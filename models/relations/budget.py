"""How many false alarms one is willing to have, and from which probability on a response raises one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grice.models.manifest import Manifest
from grice.models.relations.labels import LABELS, SETTINGS, RelationLabel, Setting

DEFAULT_BUDGET = 2.0
"""False alarms per 100 fine responses."""
NEVER = 1.01
"""A threshold that nothing reaches."""


@dataclass(frozen=True)
class AlarmThresholds:
    """From which probability on.

    Attributes:
        settings: a response of this setting raises an alarm. labels: a response shows this label.
    """

    settings: Mapping[Setting, float]
    labels: Mapping[RelationLabel, float]

    @classmethod
    def of(cls, manifest: Manifest) -> AlarmThresholds:
        """The thresholds in the manifest of a model.

        Raises:
            ManifestError: one is missing or out of range.
        """
        return cls(
            {setting: manifest.number(f"thresholds.settings.{setting}", 0.0, NEVER) for setting in SETTINGS},
            {label: manifest.number(f"thresholds.labels.{label}", 0.0, NEVER) for label in LABELS},
        )

    def of_setting(self, setting: Setting) -> float:
        """From which probability on a response of that setting raises an alarm."""
        return self.settings[setting]

    def of_label(self, label: RelationLabel) -> float:
        """From which probability on a response shows the label."""
        return self.labels[label]


def threshold_for(fine: Sequence[float], budget: float) -> float:
    """The least threshold under which at most `budget` of 100 fine responses raise an alarm.

    Args:
        fine: probabilities of responses that are fine.
        budget: false alarms per 100.
    """
    if not fine:
        return NEVER
    ordered = np.sort(np.asarray(fine, float))[::-1]
    allowed = int(budget / 100 * len(ordered))
    if allowed >= len(ordered):
        return 0.0
    return float(np.nextafter(ordered[allowed], 2.0))


def share_above(shares: Sequence[float], threshold: float) -> float:
    """The share of probabilities that reach a threshold; 0 where there are none."""
    return float(np.mean(np.asarray(shares, float) >= threshold)) if len(shares) else 0.0


@dataclass(frozen=True)
class Expectation:
    """What an alarm is worth where so many of 100 responses are faulty: `precision` and `recall` in shares, `alarms` per 100."""

    prevalence: float
    precision: float
    recall: float
    alarms: float


PREVALENCES = (1.0, 5.0, 20.0)


def expectation(found: float, false_alarms: float, prevalence: float) -> Expectation:
    """Precision and recall where `prevalence` of 100 responses are faulty.

    Args:
        found: the share of faulty responses that raise an alarm. false_alarms: the share of fine ones that do.
    """
    right, wrong = found * prevalence / 100, false_alarms * (1 - prevalence / 100)
    return Expectation(prevalence, right / (right + wrong) if right + wrong else 0.0, found, 100 * (right + wrong))
