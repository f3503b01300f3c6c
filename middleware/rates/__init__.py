"""Rolling rates: how often the bot's responses show a behaviour, by bot version and channel, over a window of time."""

from __future__ import annotations

from collections.abc import Callable

from grice.middleware.rates.comparison import RateDifference, compare_rates
from grice.middleware.rates.counters import LONGEST_WINDOW_S, SHORTEST_WINDOW_S, Increment, RateNames, increments
from grice.middleware.rates.memory import MemoryRates
from grice.middleware.rates.rate import Rate, RateGroup, RateKey, RateSplit, RateStep
from grice.middleware.rates.rate_store import RateStore
from grice.middleware.settings import ServiceSettings

__all__ = [
    "LONGEST_WINDOW_S",
    "SHORTEST_WINDOW_S",
    "Increment",
    "MemoryRates",
    "Rate",
    "RateDifference",
    "RateGroup",
    "RateKey",
    "RateNames",
    "RateSplit",
    "RateStep",
    "RateStore",
    "compare_rates",
    "increments",
    "open_rates",
]


def open_rates(settings: ServiceSettings) -> RateStore:
    """The rates in the store that the settings name (`store`). Does not connect yet.

    Raises:
        MissingExtra: the store is Redis, and redis-py is not installed.
        SettingsError: its URL cannot be read.
    """
    return _STORES[settings.store](settings)


def _memory(settings: ServiceSettings) -> RateStore:
    return MemoryRates()


def _redis(settings: ServiceSettings) -> RateStore:
    from grice.middleware.rates.redis import RedisRates

    return RedisRates(settings.events_redis_url or settings.redis_url, settings.store_timeout_ms / 1000)


_STORES: dict[str, Callable[[ServiceSettings], RateStore]] = {"memory": _memory, "redis": _redis}
