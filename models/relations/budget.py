"""How many false alarms one is willing to have, and from which probability on a response raises one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grice.models.errors import InputError, shorten
from grice.models.manifest import Manifest
from grice.models.relations.labels import LABELS, SETTINGS, RelationLabel, Setting

DEFAULT_BUDGET = 2.0
"""False alarms per 100 fine responses."""
NEVER = 1.01
"""A threshold that nothing reaches."""
STEPS = 201
"""Budgets whose thresholds a model may have: 0, 0.5, 1 and so on to 100 false alarms per 100 fine responses."""


@dataclass(frozen=True)
class AlarmThresholds:
    """From which probability on.

    Attributes:
        settings: a response of this setting raises an alarm. labels: a response shows this label.
        budget: the false alarms per 100 fine responses that `settings` were set for.
    """

    settings: Mapping[Setting, float]
    labels: Mapping[RelationLabel, float]
    budget: float = DEFAULT_BUDGET

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

    def with_budget(self, budget: float, fine: Mapping[Setting, Sequence[float]]) -> AlarmThresholds:
        """The thresholds of another budget, with these ones for labels.

        Args:
            budget: false alarms per 100 fine responses; those of the next lower step hold.
            fine: of each setting, the `STEPS` thresholds that its fine responses ask for.

        Raises:
            InputError: the budget is out of range, or nothing is known of fine responses.
        """
        if not 0 <= budget <= 100:
            raise InputError("alarm_budget", budget, "0 to 100 false alarms per 100 fine responses")
        if not fine:
            raise InputError(
                "alarm_budget",
                budget,
                "no such setting with this model, whose manifest says nothing of fine responses (`fine`); "
                "`grice calibrate monitor --budget` sets thresholds by your own ones",
            )
        place = int(budget * (STEPS - 1) / 100)
        return AlarmThresholds({setting: fine[setting][place] for setting in SETTINGS}, self.labels, budget)

    def of_setting(self, setting: Setting) -> float:
        """From which probability on a response of that setting raises an alarm."""
        return self.settings[setting]

    def of_label(self, label: RelationLabel) -> float:
        """From which probability on a response shows the label."""
        return self.labels[label]


def fine_of(manifest: Manifest) -> Mapping[Setting, tuple[float, ...]]:
    """The `STEPS` thresholds of each setting in the manifest of a model; none where it has none.

    Raises:
        ManifestError: they are there, and not such numbers.
    """
    if "fine" not in manifest.settings:
        return {}
    allowed = f"{STEPS} numbers from 0 to {NEVER}, none larger than the one before"
    found: dict[Setting, tuple[float, ...]] = {}
    for setting in SETTINGS:
        given = manifest.setting(f"fine.{setting}", list, allowed)
        numbers = [each for each in given if isinstance(each, (int, float)) and not isinstance(each, bool) and 0 <= each <= NEVER]
        if len(given) != STEPS or len(numbers) != STEPS or numbers != sorted(numbers, reverse=True):
            raise manifest.refuse(f"fine.{setting}", shorten(str(given)), allowed)
        found[setting] = tuple(map(float, numbers))
    return found


def budget_steps(groups: Sequence[Sequence[float]]) -> list[float]:
    """The thresholds for each of the budgets of `STEPS`: under each the budget holds for every group of fine responses.

    Args:
        groups: how likely the fine responses of each are said to be faulty.
    """
    budgets = [100 * step / (STEPS - 1) for step in range(STEPS)]
    least = [max(threshold_for(group, budget) for group in groups) for budget in budgets]
    return [min(NEVER, math.ceil(each * 1e6) / 1e6) for each in least]


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
