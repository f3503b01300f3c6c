"""Dialogue stores: where the turns of a dialogue are kept between calls."""

from __future__ import annotations

from collections.abc import Callable

from grice.middleware.settings import ServiceSettings
from grice.middleware.stores.dialogue_store import DialogueStore
from grice.middleware.stores.memory import MemoryStore

__all__ = ["DialogueStore", "MemoryStore", "open_store"]


def open_store(settings: ServiceSettings) -> DialogueStore:
    """The store that the settings name. Does not connect yet, so a store that is down does not keep a service from starting.

    Raises:
        MissingExtra: the store is Redis, and redis-py is not installed.
        SettingsError: its URL cannot be read.
    """
    return _STORES[settings.store](settings)


def _memory(settings: ServiceSettings) -> DialogueStore:
    return MemoryStore(settings.max_dialogues, settings.max_turns, settings.expire_s)


def _redis(settings: ServiceSettings) -> DialogueStore:
    from grice.middleware.stores.redis import RedisStore

    return RedisStore(settings.redis_url, settings.max_turns, settings.expire_s, settings.store_timeout_ms / 1000)


_STORES: dict[str, Callable[[ServiceSettings], DialogueStore]] = {"memory": _memory, "redis": _redis}
