"""Schemas in the memory of this process."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.schemas.stores.schema_store import full
from grice.models.schema import BotSchema


class MemorySchemas:
    """A `SchemaStore` in memory; each tenant has the full bound for itself.

    Args:
        max_schemas: schemas kept at most.

    Attributes:
        tenants: the stores of all tenants that there are so far.
    """

    def __init__(self, max_schemas: int = 100) -> None:
        self.max_schemas = max_schemas
        self._lock = threading.Lock()
        self._schemas: dict[str, BotSchema] = {}
        self.tenants: dict[str, MemorySchemas] = {DEFAULT_TENANT: self}

    def of(self, tenant: str) -> MemorySchemas:
        if tenant not in self.tenants:
            other = MemorySchemas(self.max_schemas)
            other.tenants = self.tenants
            self.tenants.setdefault(tenant, other)
        return self.tenants[tenant]

    def put(self, schema_id: str, schema: BotSchema) -> None:
        with self._lock:
            if schema_id not in self._schemas and len(self._schemas) >= self.max_schemas:
                raise full(self.max_schemas)
            self._schemas[schema_id] = schema

    def read(self, schema_id: str) -> BotSchema | None:
        with self._lock:
            return self._schemas.get(schema_id)

    def delete(self, schema_id: str) -> bool:
        with self._lock:
            return self._schemas.pop(schema_id, None) is not None

    def fingerprints(self) -> Mapping[str, str]:
        with self._lock:
            kept = dict(self._schemas)
        return {name: kept[name].fingerprint for name in sorted(kept)}

    def close(self) -> None:
        """There are no connections."""
