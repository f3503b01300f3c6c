"""Thresholds of alarms from one's own traffic: by rate where nothing is labelled, by false alarms where enough is.

How often an alarm is right depends on how many of all responses are faulty, the prevalence. A sample that is labelled throughout
tells it; otherwise it has to be said. Alarms that people judged are no sample of all responses. They say how often an alarm is
right, and nothing of the budget.
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

LABELLED = "labelled"
"""The prevalence is that of the labelled responses, which were drawn at random."""
PrevalenceBy = Literal["you", "labels"]
"""Who says what the prevalence is: who calibrates, or the labelled responses."""

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
        cautious: the share of fine responses from which expectations are reckoned: as though one more of those that the threshold
            was set by were there, and raised an alarm. None of a few dozen does not mean none.
        prevalence: how many of 100 responses of the setting are faulty; None: nobody knows. prevalence_by: who says so.
        precise: whether the precision that is wanted is expected at that prevalence; None: none is wanted, or nothing tells.
    """

    threshold: float
    basis: Basis
    responses: int
    false_alarms: float
    found: float
    judged: int = 0
    right: int = 0
    cautious: float = 0.0
    prevalence: float | None = None
    prevalence_by: PrevalenceBy | None = None
    precise: bool | None = None

    @property
    def expected(self) -> tuple[Expectation, ...]:
        """Precision and recall at the prevalence, where it is known, and at the usual ones."""
        own = () if self.prevalence is None else (self.prevalence,)
        return tuple(expectation(self.found, self.cautious, prevalence) for prevalence in (*own, *PREVALENCES))


@dataclass(frozen=True)
class ReadLog:
    """Responses of a log, and what was found of each, in order."""

    logged: Sequence[LoggedResponse]
    found: Sequence[ResponseRelations]


@dataclass(frozen=True)
class AlarmTarget:
    """What is wanted.

    Attributes:
        budget: alarms per 100 fine responses, at most.
        precision: of 100 alarms so many are right, as labelled responses let expect at the prevalence, or as far as judged alarms
            tell; None: nothing is wanted of it.
        prevalence: how many of 100 responses are faulty; `LABELLED`: as many as of those that are labelled, which were drawn at
            random; None: the same where all responses of a setting are labelled, and otherwise nobody knows.

    Raises:
        InputError: one is no share of 100.
    """

    budget: float = DEFAULT_BUDGET
    precision: float | None = None
    prevalence: float | str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.budget <= 100:
            raise InputError("alarm_budget", self.budget, "0 to 100 false alarms per 100 fine responses")
        if self.precision is not None and not 0 <= self.precision <= 100:
            raise InputError("precision", self.precision, "0 to 100 of 100 alarms that are right")
        share = self.prevalence
        if share not in (None, LABELLED) and (not isinstance(share, (int, float)) or not 0 <= share <= 100):
            raise InputError(
                "prevalence", share, f"0 to 100 of 100 responses that are faulty, or {LABELLED}: as many as of the labelled ones"
            )

    def prevalence_of(self, labels: Sequence[bool | None]) -> tuple[float | None, PrevalenceBy | None]:
        """The prevalence in responses with these labels, and who says so; None where nobody does, or fewer than `LEAST` do."""
        if isinstance(self.prevalence, (int, float)):
            return float(self.prevalence), "you"
        known = [bad for bad in labels if bad is not None]
        if len(known) < LEAST or (len(known) < len(labels) and self.prevalence is None):
            return None, None
        return 100 * sum(known) / len(known), "labels"


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
    known = wrong if len(wrong) >= LEAST else model[1]
    prevalence, said_by = target.prevalence_of([bad for bad, _ in rows])
    precise = None
    if target.precision is not None:
        if basis == "labels" and prevalence is not None:
            needed = expected_threshold(fine, known, target.precision, prevalence)
            threshold, precise = max(threshold, needed or 0.0), needed is not None
        threshold = max(threshold, precise_threshold(alarms, target.precision))
    judged = [bool(bad) for bad, share in alarms if share >= threshold]
    return SettingBudget(
        min(threshold, NEVER),
        basis,
        len(rows),
        share_above(used, threshold) if used else model[0].budget / 100,
        share_above(known, threshold),
        len(judged),
        sum(judged),
        _cautious(used, threshold) if used else model[0].budget / 100,
        prevalence,
        said_by,
        precise,
    )


def _cautious(fine: Sequence[float], threshold: float) -> float:
    return (share_above(fine, threshold) * len(fine) + 1) / (len(fine) + 1)


def expected_threshold(fine: Sequence[float], faulty: Sequence[float], precision: float, prevalence: float) -> float | None:
    """The least threshold from which on `precision` of 100 alarms are expected to be right; None where no threshold lets expect it.

    Args:
        fine, faulty: how likely fine and faulty responses are said to be faulty. prevalence: how many of 100 responses are.
    """
    for threshold in sorted({0.0, *fine, *faulty}):
        expected = expectation(share_above(faulty, threshold), _cautious(fine, threshold), prevalence)
        if 100 * expected.precision >= precision:
            return threshold
    return None


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
        said = {"you": ", as you say", "labels": ", as of your labelled responses", None: ""}[found.prevalence_by]
        lines += [
            f"  where {each.prevalence:.3g} of 100 are faulty{said if at == 0 else ''}: {each.alarms:.1f} alarms per 100, "
            f"precision {100 * each.precision:.0f} %, recall {100 * each.recall:.0f} %"
            for at, each in enumerate(found.expected)
        ]
        if found.precise is False:
            lines.append(f"  no threshold has the precision of {target.precision:g} % that was wanted")
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
