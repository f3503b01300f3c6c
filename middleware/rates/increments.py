"""What a scored response adds to the counters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.buckets import RESOLUTIONS
from grice.middleware.rates.rate import RateKey
from grice.middleware.runtime.bounded_names import UNKNOWN, BoundedNames
from grice.models.results import BEHAVIORS, Behavior

MAX_VERSIONS = 50
MAX_CHANNELS = 20
FORGET_S = 86_400.0

Count = Literal["responses", "shown", "unscored"]


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
    said = min(response.timestamp, response.scored_at)
    return [
        Increment(resolution.key(said), field, 1, resolution.expire_s)
        for resolution in RESOLUTIONS
        if response.scored_at - said <= resolution.window_s
        for field in _fields(response)
    ]


def _fields(response: ScoredResponse) -> Iterator[str]:
    version, channel = response.bot_version or UNKNOWN, response.channel or UNKNOWN
    yield to_field("responses", RateKey(None, version, channel))
    for behavior in BEHAVIORS:
        if behavior in response.shown:
            yield to_field("shown", RateKey(behavior, version, channel))
        elif not is_scored(response, behavior):
            yield to_field("unscored", RateKey(behavior, version, channel))


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
    """Bounds the bot versions and channels that are counted by one process: `MAX_VERSIONS` and `MAX_CHANNELS` within a day."""

    def __init__(self) -> None:
        self._versions = BoundedNames(MAX_VERSIONS, FORGET_S)
        self._channels = BoundedNames(MAX_CHANNELS, FORGET_S)

    def bounded(self, response: ScoredResponse) -> ScoredResponse:
        """The response with the names to count it under."""
        version = self._versions.of(response.bot_version, response.scored_at)
        return replace(response, bot_version=version, channel=self._channels.of(response.channel, response.scored_at))
