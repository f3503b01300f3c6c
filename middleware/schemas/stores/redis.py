"""Schemas in Redis, so that several processes share them and they outlive a restart."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Mapping

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.runtime.redis_connection import connect, redis_errors
from grice.middleware.schemas.stores.schema_store import full
from grice.models.errors import StoreError
from grice.models.schema import BotSchema

SCHEMAS = "grice:schemas"
"""A hash of schemas, as JSON, by their names; that of another tenant than the default one has its name behind a colon."""
FINGERPRINTS = "grice:schema-fingerprints"
"""A hash of their fingerprints, so that a list needs no schema."""

# Redis runs a script as one step, so that two callers cannot both take the last place.
_PUT = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return 1
"""


class RedisSchemas:
    """A `SchemaStore` on Redis (redis-py 4.6 to 8). Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        max_schemas: schemas kept at most.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, max_schemas: int = 100, timeout_s: float = 0.25) -> None:
        self.max_schemas = max_schemas
        self._redis = connect(url, timeout_s)
        self._put_script = self._redis.register_script(_PUT)
        self.keys = [SCHEMAS, FINGERPRINTS]

    def of(self, tenant: str) -> RedisSchemas:
        """On the same connections."""
        other = copy.copy(self)
        suffix = "" if tenant == DEFAULT_TENANT else f":{tenant}"
        other.keys = [SCHEMAS + suffix, FINGERPRINTS + suffix]
        return other

    def put(self, schema_id: str, schema: BotSchema) -> None:
        content = json.dumps(schema.as_dict(), ensure_ascii=False)
        with redis_errors("put"):
            kept = self._put_script(keys=self.keys, args=[schema_id, content, schema.fingerprint, self.max_schemas])
        if not kept:
            raise full(self.max_schemas)

    def read(self, schema_id: str) -> BotSchema | None:
        with redis_errors("read"):
            content = self._redis.hget(self.keys[0], schema_id)
        return None if content is None else _schema(content)

    @redis_errors("delete")
    def delete(self, schema_id: str) -> bool:
        with self._redis.pipeline(transaction=True) as transaction:
            transaction.hdel(self.keys[0], schema_id)
            transaction.hdel(self.keys[1], schema_id)
            return bool(transaction.execute()[0])

    @redis_errors("list")
    def fingerprints(self) -> Mapping[str, str]:
        found = {name.decode(): fingerprint.decode() for name, fingerprint in self._redis.hgetall(self.keys[1]).items()}
        return dict(sorted(found.items()))

    def close(self) -> None:
        self._redis.close()


@functools.lru_cache(maxsize=32)
def _schema(content: bytes) -> BotSchema:
    """The schema of a field; remembered, since the same few are read with every request."""
    try:
        return BotSchema.of(json.loads(content))
    except ValueError as error:
        raise StoreError(
            f"Redis: a field of {SCHEMAS} holds something else than a schema; delete it or use another database"
        ) from error
