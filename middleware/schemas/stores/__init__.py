"""Stores of schemas: what bots can understand, kept under names between calls."""

from __future__ import annotations

from collections.abc import Callable

from grice.middleware.schemas.stores.memory import MemorySchemas
from grice.middleware.schemas.stores.schema_store import SCHEMA_ID_PATTERN, SchemaStore, check_schema_id
from grice.middleware.settings import ServiceSettings

__all__ = ["SCHEMA_ID_PATTERN", "MemorySchemas", "SchemaStore", "check_schema_id", "open_schema_store"]


def open_schema_store(settings: ServiceSettings) -> SchemaStore:
    """The store that the settings name, the one of dialogues. Does not connect yet.

    Raises:
        MissingExtra: the store is Redis, and redis-py is not installed.
        SettingsError: its URL cannot be read.
    """
    return _STORES[settings.store](settings)


def _memory(settings: ServiceSettings) -> SchemaStore:
    return MemorySchemas(settings.max_schemas)


def _redis(settings: ServiceSettings) -> SchemaStore:
    from grice.middleware.schemas.stores.redis import RedisSchemas

    return RedisSchemas(settings.redis_url, settings.max_schemas, settings.store_timeout_ms / 1000)


_STORES: dict[str, Callable[[ServiceSettings], SchemaStore]] = {"memory": _memory, "redis": _redis}
