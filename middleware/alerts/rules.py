"""When a rate raises an alert, and when that is over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from grice.middleware.monitor.reports import ALARM, CountedLabel
from grice.middleware.rates import LONGEST_WINDOW_S, SHORTEST_WINDOW_S, Rate, RateSplit
from grice.middleware.settings import check_settings, check_within
from grice.models.errors import SettingsError
from grice.models.relations.labels import FRUSTRATION
from grice.models.results import BEHAVIORS, Behavior

MAX_NAME = 100

RuleSource = Literal["behaviors", "alarms", "user_frustration"]
"""What a rule counts: responses that show a behaviour, those that raise an alarm under the budget of their setting, or those before
which the user was frustrated."""
_LABELS: Mapping[RuleSource, tuple[CountedLabel, ...]] = {"alarms": (ALARM,), "user_frustration": (FRUSTRATION,)}
"""What a rule watches whose source is no behaviours."""
RuleOutcome = Literal["fires", "stays", "clears"]


@dataclass(frozen=True)
class Verdict:
    """What a rule says of a rate.

    Attributes:
        outcome: it `fires`, it `clears`, or it `stays` as it was, because it lies between or too little was scored.
        limit: the share that the rule allows; None where that cannot be said.
        baseline: the share that it compared with.
    """

    outcome: RuleOutcome
    limit: float | None = None
    baseline: float | None = None


@dataclass(frozen=True)
class ThresholdRule:
    """Fires when a behaviour is shown, an alarm raised or a user frustrated too often, or too seldom.

    It fires when the whole 95 % interval of the share lies beyond the limit, so that one of two responses raises no alarm, and
    clears when the share itself is back within it.

    Attributes:
        name: of the rule, unique, at most `MAX_NAME` characters.
        behaviors: each is watched by itself; none with another source.
        window_s: seconds that the share is of.
        above, below: the limit, 0 to 1; one of the two is given.
        min_scored: with fewer scored responses in the window nothing is decided.
        by: watched for each bot version, each channel, or each pair of them by itself; empty: over all.
        source: `behaviors`; `alarms`: of the responses whose relations were read, those that raise an alarm; `user_frustration`: of
            the first responses to a turn of the user, those before which the user was frustrated.

    Raises:
        SettingsError: a value is not usable.
    """

    kind: ClassVar[str] = "threshold"

    name: str
    behaviors: Sequence[Behavior]
    window_s: int
    above: float | None = None
    below: float | None = None
    min_scored: int = 30
    by: Sequence[RateSplit] = ()
    source: RuleSource = "behaviors"

    def __post_init__(self) -> None:
        _check_shared(self)
        limits = [each for each in (self.above, self.below) if each is not None]
        if len(limits) != 1:
            raise SettingsError(f"rule {self.name}", f"{len(limits)} limits", "either above or below")
        check_within(f"limit of rule {self.name}", limits[0], 0.0, 1.0)

    @property
    def watched(self) -> tuple[CountedLabel, ...]:
        """What is watched, each by itself."""
        return _watched(self)

    @property
    def says(self) -> str:
        """When it fires, in words."""
        side, limit = ("above", self.above) if self.above is not None else ("below", self.below)
        return f"the share is {side} {limit:.1%} for certain, of at least {self.min_scored} scored{_apart(self.by)}"

    def verdict(self, rate: Rate) -> Verdict:
        """What it says of the rate of its window."""
        limit = self.below if self.above is None else self.above
        assert limit is not None
        if rate.share is None or rate.interval is None:
            return Verdict("clears", limit)
        if rate.scored < self.min_scored:
            return Verdict("stays", limit)
        low, high = rate.interval
        beyond, within = (high < limit, rate.share >= limit) if self.above is None else (low > limit, rate.share <= limit)
        return Verdict("fires" if beyond else "clears" if within else "stays", limit)


@dataclass(frozen=True)
class ChangeRule:
    """Fires when a behaviour is shown, or an alarm raised, much more often, or much more seldom, than before.

    It fires when the share of the window is `factor` times that of the time before it, from `baseline_s` seconds ago on, and chance
    alone would hardly do that. It clears when the share is back half the way (`sqrt(factor)` times), or nothing is scored. With
    `by`, a bot version is compared with itself: whether a new one is worse shows only where versions are not told apart.

    Attributes:
        name, behaviors, window_s, min_scored, by, source: as in `ThresholdRule`; `min_scored` goes for either time.
        baseline_s: seconds, more than `window_s`.
        factor: more than 1.
        direction: `up` or `down`.
        max_p: fires at no larger probability than this of chance alone, by Fisher's exact test.

    Raises:
        SettingsError: a value is not usable.
    """

    kind: ClassVar[str] = "change"

    name: str
    behaviors: Sequence[Behavior]
    window_s: int
    baseline_s: int
    factor: float = 2.0
    direction: Literal["up", "down"] = "up"
    max_p: float = 1e-5
    min_scored: int = 30
    by: Sequence[RateSplit] = ()
    source: RuleSource = "behaviors"

    def __post_init__(self) -> None:
        _check_shared(self)
        check_within(f"baseline_s of rule {self.name}", self.baseline_s, self.window_s + 1, LONGEST_WINDOW_S)
        check_within(f"factor of rule {self.name}", self.factor, 1.01, 1000.0)
        check_within(f"max_p of rule {self.name}", self.max_p, 0.0, 0.5)

    @property
    def watched(self) -> tuple[CountedLabel, ...]:
        """What is watched, each by itself."""
        return _watched(self)

    @property
    def says(self) -> str:
        """When it fires, in words."""
        change = "as large" if self.direction == "up" else "as small"
        before = f"as in the {self.baseline_s / 3600:g} hours before"
        return f"the share is {self.factor:g} times {change} {before}, and not by chance (p ≤ {self.max_p:g}){_apart(self.by)}"

    def verdict(self, rate: Rate, with_before: Rate) -> Verdict:
        """What it says of the rate of its window and that of the longer one, which ends with it."""
        # The longer window is read from coarser buckets, so the shorter may reach a little beyond it.
        scored = max(0, with_before.scored - rate.scored)
        shown = min(scored, max(0, with_before.shown - rate.shown))
        if rate.share is None or not scored:
            return Verdict("clears")
        baseline = shown / scored
        up = self.direction == "up"
        limit = min(1.0, baseline * self.factor) if up else baseline / self.factor
        if min(rate.scored, scored) < self.min_scored:
            return Verdict("stays", limit, baseline)
        half_way = baseline * math.sqrt(self.factor) if up else baseline / math.sqrt(self.factor)
        if (rate.share < half_way if up else rate.share > half_way) or rate.share == baseline:
            return Verdict("clears", limit, baseline)
        chance = (
            probability_of_so_many(rate.shown, rate.scored, shown, scored)
            if up
            else probability_of_so_many(rate.scored - rate.shown, rate.scored, scored - shown, scored)
        )
        beyond = rate.share >= limit if up else rate.share <= limit
        return Verdict("fires" if beyond and chance <= self.max_p else "stays", limit, baseline)


AlertRule = ThresholdRule | ChangeRule


def _watched(rule: ThresholdRule | ChangeRule) -> tuple[CountedLabel, ...]:
    return _LABELS.get(rule.source, tuple(rule.behaviors))


def _apart(by: Sequence[RateSplit]) -> str:
    return f"; each {' and '.join(each.replace('_', ' ') for each in by)} by itself" if by else ""


def _check_shared(rule: ThresholdRule | ChangeRule) -> None:
    if not isinstance(rule.name, str) or not rule.name.isprintable() or not 1 <= len(rule.name.strip()) <= MAX_NAME:
        raise SettingsError("name of a rule", rule.name, f"1 to {MAX_NAME} printable characters")
    check_settings(rule)
    check_within(f"window_s of rule {rule.name}", rule.window_s, SHORTEST_WINDOW_S, LONGEST_WINDOW_S)
    check_within(f"min_scored of rule {rule.name}", rule.min_scored, 1, 2**31)
    _check_names(f"behaviors of rule {rule.name}", rule.behaviors, BEHAVIORS)
    _check_names(f"by of rule {rule.name}", rule.by, get_args(RateSplit))
    if rule.source != "behaviors" and rule.behaviors:
        raise SettingsError(f"behaviors of rule {rule.name}", ", ".join(rule.behaviors), f"none, as its source is {rule.source}")
    if rule.source == "behaviors" and not rule.behaviors:
        raise SettingsError(f"behaviors of rule {rule.name}", "none", ", ".join(BEHAVIORS))


def _check_names(what: str, names: object, allowed: Sequence[str]) -> None:
    if not isinstance(names, (list, tuple)) or len(set(map(str, names))) < len(names):
        raise SettingsError(what, names, f"a list, each once, of: {', '.join(allowed)}")
    for name in names:
        if name not in allowed:
            raise SettingsError(what, name, ", ".join(allowed))


NEGLIGIBLE = 1e-12
"""Terms smaller than this part of the sum end it."""


def probability_of_so_many(shown: int, scored: int, shown_before: int, scored_before: int) -> float:
    """The probability of `shown` or more among the last `scored` responses, if they show it as often as those before, 0 to 1.

    The upper tail of the hypergeometric distribution (Fisher 1935, The Design of Experiments, section 21.02), which is right for
    small counts too.
    """
    total, shown_in_all = scored + scored_before, shown + shown_before
    most = min(scored, shown_in_all)
    term = math.exp(_log_choose(scored, shown) + _log_choose(scored_before, shown_before) - _log_choose(total, shown_in_all))
    if term == 0.0 and shown * total < scored * shown_in_all:  # so much less than expected that it cannot be written
        return 1.0
    sum_of_terms = term
    for number in range(shown, most):
        left_before = scored_before - (shown_in_all - number)
        term *= (scored - number) * (shown_in_all - number) / ((number + 1) * (left_before + 1))
        sum_of_terms += term
        if term < NEGLIGIBLE * sum_of_terms:
            break
    return min(1.0, sum_of_terms)


def _log_choose(of: int, some: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)
