"""Counters of scored responses in buckets of time, what a response adds to them, and the rates that they tell."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from grice.middleware.access import DEFAULT_TENANT, owned
from grice.middleware.monitor.reports import ALARM, CountedLabel
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.rate import Rate, RateGroup, RateKey, RateSplit
from grice.middleware.runtime.bounded_names import UNKNOWN, BoundedNames
from grice.models.errors import InputError
from grice.models.relations.labels import FRUSTRATION
from grice.models.results import BEHAVIORS, Behavior

KEY = "grice:rates:"
TENANTS = KEY + "tenants"
"""The bucket that counts responses by tenant, those of the default one apart: who has rates at all."""
SHORTEST_WINDOW_S = 10
LONGEST_WINDOW_S = 7 * 86_400


@dataclass(frozen=True)
class Resolution:
    """Buckets of one size.

    Attributes:
        bucket_s: seconds that a bucket covers.
        window_s: seconds of the longest window that is read from such buckets.
    """

    bucket_s: int
    window_s: int

    @property
    def expire_s(self) -> int:
        """Seconds after which a bucket to which nothing is added any more lies outside every window."""
        return self.window_s + 2 * self.bucket_s

    def key(self, time_s: float, tenant: str) -> str:
        """The name of a tenant's bucket that a time (Unix seconds) lies in."""
        return self._name(int(time_s // self.bucket_s), tenant)

    def keys(self, window_s: float, now: float, tenant: str) -> list[str]:
        """The names of a tenant's buckets of a window, the oldest first."""
        first, last = int((now - window_s) // self.bucket_s), int(now // self.bucket_s)
        return [self._name(number, tenant) for number in range(max(0, first), last + 1)]

    def _name(self, number: int, tenant: str) -> str:
        return KEY + owned(tenant, f"{self.bucket_s}:{number * self.bucket_s}")


RESOLUTIONS = (Resolution(10, 3600), Resolution(300, 86_400), Resolution(3600, LONGEST_WINDOW_S))
"""At most about 360 buckets are read for a window, and a response is counted three times."""


def bucket_keys(window_s: float, now: float, tenant: str = DEFAULT_TENANT) -> Sequence[str]:
    """The names of a tenant's buckets that a window is read from.

    Raises:
        InputError: the window is too short or too long.
    """
    if isinstance(window_s, bool) or not SHORTEST_WINDOW_S <= window_s <= LONGEST_WINDOW_S:
        raise InputError("window_s", window_s, f"{SHORTEST_WINDOW_S} to {LONGEST_WINDOW_S} seconds")
    resolution = next(each for each in RESOLUTIONS if window_s <= each.window_s)
    return resolution.keys(window_s, now, tenant)


def step_keys(window_s: float, steps: int, now: float, tenant: str) -> list[tuple[float, Sequence[str]]]:
    """A window in about so many equal steps, the oldest first: where each ends (Unix seconds), and the names of its buckets.

    Raises:
        InputError: the window is too short or too long.
    """
    keys = bucket_keys(window_s, now, tenant)
    bucket_s = next(each.bucket_s for each in RESOLUTIONS if window_s <= each.window_s)
    last = (int(now // bucket_s) + 1) * bucket_s
    each_has = -(-len(keys) // steps)
    parts = [keys[max(0, end - each_has) : end] for end in range(len(keys), 0, -each_has)]
    return [(float(last - number * each_has * bucket_s), part) for number, part in enumerate(parts)][::-1]


MAX_VERSIONS = 50
MAX_CHANNELS = 20
FORGET_S = 86_400.0

Count = Literal["responses", "shown", "unscored", "read"]
"""`read`: of alarms, responses whose relations were read; of `user_frustration`, those before which the user's turn was read."""
READ_APART = (ALARM, FRUSTRATION)
"""Labels of which the responses that were read are counted; of the others those that were not scored are."""


@dataclass(frozen=True)
class Increment:
    """One step of one counter, as Redis takes it: `HINCRBY key field amount`, then `EXPIRE key expire_s`."""

    key: str
    field: str
    amount: int
    expire_s: int


def increments(response: ScoredResponse) -> Sequence[Increment]:
    """What the response adds to the counters of the time when it was said.

    Few counters keep it cheap: a behaviour was scored as often as there were responses, less those that did not score it. A
    response that was said after it was scored (a clock that is ahead) counts when it was scored; one that was said before the
    longest window began adds nothing.
    """
    said, tenant = min(response.timestamp, response.scored_at), response.tenant
    steps = [
        Increment(resolution.key(said, tenant), field, 1, resolution.expire_s)
        for resolution in RESOLUTIONS
        if response.scored_at - said <= resolution.window_s
        for field in _fields(response)
    ]
    if steps and tenant != DEFAULT_TENANT:
        steps.append(Increment(TENANTS, tenant, 1, RESOLUTIONS[-1].expire_s))
    return steps


def _fields(response: ScoredResponse) -> Iterator[str]:
    version, channel = response.bot_version or UNKNOWN, response.channel or UNKNOWN
    yield to_field("responses", RateKey(None, version, channel))
    for behavior in BEHAVIORS:
        if behavior in response.shown:
            yield to_field("shown", RateKey(behavior, version, channel))
        elif not is_scored(response, behavior):
            yield to_field("unscored", RateKey(behavior, version, channel))
    if response.alarm is not None:  # of what was counted before there were these counters, nothing is known of alarms
        yield to_field("read", RateKey(ALARM, version, channel))
    if response.alarm:
        yield to_field("shown", RateKey(ALARM, version, channel))
    if response.user_frustration is not None:
        yield to_field("read", RateKey(FRUSTRATION, version, channel))
        if response.user_frustration.shown:
            yield to_field("shown", RateKey(FRUSTRATION, version, channel))


def is_scored(response: ScoredResponse, behavior: Behavior) -> bool:
    """Whether it is known if the response shows the behaviour: the model scored it, or a judge decided."""
    known = (response.probabilities.get(behavior), response.judged.get(behavior))
    return behavior in response.shown or any(each is not None for each in known)


def to_field(count: Count, key: RateKey) -> str:
    """A counter's name within its bucket."""
    return json.dumps([count, key.behavior, key.bot_version, key.channel], ensure_ascii=False, separators=(",", ":"))


def from_field(field: str | bytes) -> tuple[Count, RateKey]:
    """What `to_field` was given."""
    count, *key = json.loads(field)
    return count, RateKey(*key)


class RateNames:
    """Bounds the bot versions and channels of a tenant that are counted by one process: `MAX_VERSIONS` and `MAX_CHANNELS` within a
    day."""

    def __init__(self) -> None:
        self._names: defaultdict[str, tuple[BoundedNames, BoundedNames]] = defaultdict(
            lambda: (BoundedNames(MAX_VERSIONS, FORGET_S), BoundedNames(MAX_CHANNELS, FORGET_S))
        )

    def bounded(self, response: ScoredResponse) -> ScoredResponse:
        """The response with the names to count it under."""
        versions, channels = self._names[response.tenant]
        version = versions.of(response.bot_version, response.scored_at)
        return replace(response, bot_version=version, channel=channels.of(response.channel, response.scored_at))


def to_rates(
    counters: Mapping[str | bytes, int],
    group: RateGroup,
    by: Sequence[RateSplit],
    labels: Sequence[CountedLabel] = BEHAVIORS,
) -> list[Rate]:
    """The rates that the counters of a window tell, of these labels; arguments as in `RateStore.rates`."""
    bot_version, channel = group.bot_version, group.channel
    sums: Counter[tuple[Count, RateKey]] = Counter()
    for field, number in counters.items():
        count, key = from_field(field)
        if bot_version in (None, key.bot_version) and channel in (None, key.channel):
            version_of = key.bot_version if "bot_version" in by else bot_version
            channel_of = key.channel if "channel" in by else channel
            sums[count, RateKey(key.behavior, version_of, channel_of)] += number
    groups = {(key.bot_version, key.channel) for _, key in sums} or ({(bot_version, channel)} if not by else set())
    return [
        _rate(sums, RateKey(behavior, *named))
        for behavior in labels
        for named in sorted(groups, key=lambda each: (each[0] or "", each[1] or ""))
    ]


def _rate(sums: Counter[tuple[Count, RateKey]], key: RateKey) -> Rate:
    assert key.behavior is not None
    responses = sums["responses", RateKey(None, key.bot_version, key.channel)]
    unscored = responses - sums["read", key] if key.behavior in READ_APART else sums["unscored", key]
    return Rate(key.behavior, key.bot_version, key.channel, sums["shown", key], responses - unscored, unscored)
