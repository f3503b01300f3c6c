"""Thresholds of alarms from one's own traffic: by rate where nothing is labelled, by false alarms where enough is.

Alarms that people judged are no sample of all responses. They say how often an alarm is right, and nothing of the budget.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.middleware.monitor.alarm_log import LoggedResponse
from grice.models.errors import DataNotFound, InputError
from grice.models.relations.budget import (
    DEFAULT_BUDGET,
    NEVER,
    PREVALENCES,
    AlarmThresholds,
    Expectation,
    expectation,
    share_above,
    threshold_for,
)
from grice.models.relations.labels import SETTINGS, Setting
from grice.models.relations.results import ResponseRelations

LEAST = 50
"""Responses of a setting from which on its own threshold is set; with fewer the model's own stays."""

Basis = Literal["labels", "rate", "model"]
"""What a threshold was set by: fine responses that are labelled so; all responses, as though all were fine; the model's own."""


@dataclass(frozen=True)
class SettingBudget:
    """The threshold of a setting.

    Attributes:
        threshold: from which probability on a response raises an alarm. basis: what it was set by. responses: how many there were
            beside judged alarms.
        false_alarms: the share of the responses it was set by that raise one. found: of faulty ones, the share that does: of the
            labelled ones, or where these are few of those that the model was fitted to.
        judged, right: alarms of the log that people judged and that reach the threshold, and how many of these are right.
    """

    threshold: float
    basis: Basis
    responses: int
    false_alarms: float
    found: float
    judged: int = 0
    right: int = 0

    @property
    def expected(self) -> tuple[Expectation, ...]:
        """Precision and recall at the usual prevalences."""
        return tuple(expectation(self.found, self.false_alarms, prevalence) for prevalence in PREVALENCES)


@dataclass(frozen=True)
class ReadLog:
    """Responses of a log, and what was found of each, in order."""

    logged: Sequence[LoggedResponse]
    found: Sequence[ResponseRelations]


@dataclass(frozen=True)
class AlarmTarget:
    """What is wanted.

    Attributes:
        budget: alarms per 100 fine responses, at most. precision: of 100 alarms so many are right, as far as judged alarms tell;
            None: nothing is wanted of it.

    Raises:
        InputError: one is no share of 100.
    """

    budget: float = DEFAULT_BUDGET
    precision: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.budget <= 100:
            raise InputError("alarm_budget", self.budget, "0 to 100 false alarms per 100 fine responses")
        if self.precision is not None and not 0 <= self.precision <= 100:
            raise InputError("precision", self.precision, "0 to 100 of 100 alarms that are right")


def set_budget(
    log: ReadLog, target: AlarmTarget, thresholds: AlarmThresholds, faulty: Sequence[float]
) -> dict[Setting, SettingBudget]:
    """The threshold of each setting under which the budget is kept.

    Args:
        thresholds: the model's own. faulty: percentiles of how likely it says faulty responses to be.
    """
    return {setting: _of_setting(setting, log, target, (thresholds, faulty)) for setting in SETTINGS}


def _of_setting(
    setting: Setting, log: ReadLog, target: AlarmTarget, model: tuple[AlarmThresholds, Sequence[float]]
) -> SettingBudget:
    read = [(logged, found.bad) for logged, found in zip(log.logged, log.found, strict=True) if found.setting == setting]
    rows = [(logged.bad, share) for logged, share in read if not logged.from_alarm]
    alarms = [(logged.bad, share) for logged, share in read if logged.from_alarm and logged.bad is not None]
    fine = [share for bad, share in rows if bad is False]
    wrong = [share for bad, share in rows if bad]
    likely = [share for bad, share in rows if not bad]
    basis: Basis = "labels" if len(fine) >= LEAST else "rate" if len(likely) >= LEAST else "model"
    used = {"labels": fine, "rate": likely, "model": []}[basis]
    threshold = threshold_for(used, target.budget) if used else model[0].of_setting(setting)
    if target.precision is not None:
        threshold = max(threshold, precise_threshold(alarms, target.precision))
    judged = [bool(bad) for bad, share in alarms if share >= threshold]
    known = wrong if len(wrong) >= LEAST else model[1]
    return SettingBudget(
        min(threshold, NEVER),
        basis,
        len(rows),
        share_above(used, threshold) if used else model[0].budget / 100,
        share_above(known, threshold),
        len(judged),
        sum(judged),
    )


def precise_threshold(alarms: Sequence[tuple[bool | None, float]], precision: float) -> float:
    """The least threshold from which on `precision` of 100 alarms are right; 0 where no `LEAST` alarms say so.

    Args:
        alarms: whether each is right, and how likely it was said to be.
    """
    ordered = sorted(alarms, key=lambda each: -each[1])
    right, found = 0, 0.0
    for count, (bad, share) in enumerate(ordered, start=1):
        right += bool(bad)
        last_of_its_share = count == len(ordered) or ordered[count][1] < share
        if last_of_its_share and count >= LEAST and 100 * right >= precision * count:
            found = share
    return found


def write_budget(path: Path, budget: float, settings: Mapping[Setting, SettingBudget]) -> None:
    """Write the settings file."""
    content = {
        "alarm_budget": budget,
        "thresholds": {setting: found.threshold for setting, found in settings.items()},
        "basis": {setting: found.basis for setting, found in settings.items()},
        "responses": {setting: found.responses for setting, found in settings.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read_budget(path: Path, model: AlarmThresholds) -> AlarmThresholds:
    """The thresholds in a settings file, with the model's own for labels.

    Raises:
        DataNotFound: it cannot be read. InputError: it is no settings file of this kind.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataNotFound(f"settings of alarms {path}: {error}; `grice calibrate monitor` writes them") from error
    given = content.get("thresholds") if isinstance(content, dict) else None
    if not isinstance(given, dict) or set(given) != set(SETTINGS):
        raise InputError(f"thresholds of {path}", given, f"a number for each of {', '.join(SETTINGS)}")
    found: dict[Setting, float] = {}
    for setting in SETTINGS:
        if not isinstance(given[setting], (int, float)) or not 0 <= given[setting] <= NEVER:
            raise InputError(f"threshold of {setting} in {path}", given[setting], f"a number from 0 to {NEVER}")
        found[setting] = float(given[setting])
    return AlarmThresholds(found, model.labels, float(content.get("alarm_budget", DEFAULT_BUDGET)))


def table_of(settings: Mapping[Setting, SettingBudget], target: AlarmTarget) -> str:
    """What was set and what is to be expected, as lines."""
    lines = [f"wanted: at most {target.budget:g} false alarms per 100 fine responses"]
    for setting, found in settings.items():
        lines.append(f"{setting}: alarm from {found.threshold:.3f} on, set by {_BASES[found.basis]} ({found.responses} responses)")
        lines += [
            f"  where {each.prevalence:g} of 100 are faulty: {each.alarms:.1f} alarms per 100, "
            f"precision {100 * each.precision:.0f} %, recall {100 * each.recall:.0f} %"
            for each in found.expected
        ]
        if found.judged:
            share = 100 * found.right / found.judged
            lines.append(f"  of {found.judged} judged alarms from there on {found.right} are right: precision {share:.0f} %")
            if target.precision is not None and share < target.precision:
                lines.append(f"  no {LEAST} judged alarms have the precision of {target.precision:g} % that was wanted")
    counts = Counter(found.basis for found in settings.values())
    if counts["rate"]:
        lines.append("set by rate: nothing says which responses are fine, so as many alarms as that are raised, right or wrong")
    return "\n".join(lines)


_BASES: Mapping[Basis, str] = {
    "labels": "your labels",
    "rate": "the rate of alarms",
    "model": "the model's own material: too few responses",
}
