"""From counters to rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from grice.middleware.rates.increments import Count, from_field
from grice.middleware.rates.rate import Rate, RateKey
from grice.middleware.rates.rate_store import Split
from grice.models.results import BEHAVIORS


def to_rates(counters: Mapping[str | bytes, int], bot_version: str | None, channel: str | None, by: Sequence[Split]) -> list[Rate]:
    """The rates that the counters of a window tell; arguments as in `RateStore.rates`."""
    sums: Counter[tuple[Count, RateKey]] = Counter()
    for field, number in counters.items():
        count, key = from_field(field)
        if bot_version in (None, key.bot_version) and channel in (None, key.channel):
            version_of = key.bot_version if "bot_version" in by else bot_version
            channel_of = key.channel if "channel" in by else channel
            sums[count, RateKey(key.behavior, version_of, channel_of)] += number
    groups = {(key.bot_version, key.channel) for _, key in sums} or ({(bot_version, channel)} if not by else set())
    return [
        _rate(sums, RateKey(behavior, *group))
        for behavior in BEHAVIORS
        for group in sorted(groups, key=lambda each: (each[0] or "", each[1] or ""))
    ]


def _rate(sums: Counter[tuple[Count, RateKey]], key: RateKey) -> Rate:
    assert key.behavior is not None
    responses = sums["responses", RateKey(None, key.bot_version, key.channel)]
    unscored = sums["unscored", key]
    return Rate(key.behavior, key.bot_version, key.channel, sums["shown", key], responses - unscored, unscored)
