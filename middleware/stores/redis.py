"""Dialogues in Redis, so that several processes share them and they outlive a restart."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Sequence

from grice.middleware.access import DEFAULT_TENANT, owned
from grice.middleware.runtime.redis_connection import check_writable, connect, redis_errors
from grice.middleware.stores.dialogue_store import REMEMBERED
from grice.models.dialogue import Turn
from grice.models.errors import StoreError

KEY = "grice:dialogue:"
NAMES = "grice:once:"

# Redis runs a script as one step. The turns come before the name: a script that fails midway is not undone.
_APPEND_ONCE = """
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
redis.call('RPUSH', KEYS[1], unpack(ARGV, 6))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[3]), -1)
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -tonumber(ARGV[4]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return 1
"""


class RedisStore:
    """A `DialogueStore` on Redis (redis-py 4.6 to 8): a list of turns a dialogue, which Redis itself expires.

    Making one does not connect; `tenant` is whose dialogues it keeps. How many dialogues fit is Redis's own setting (`maxmemory`).

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        max_turns: turns kept of a dialogue.
        expire_s: seconds after its last turn that a dialogue is forgotten.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, max_turns: int = 200, expire_s: float = 3600, timeout_s: float = 0.25) -> None:
        self.max_turns = max_turns
        self.expire_s = expire_s
        self._redis = connect(url, timeout_s)
        self._append_script = self._redis.register_script(_APPEND_ONCE)
        self.tenant = DEFAULT_TENANT

    def of(self, tenant: str) -> RedisStore:
        """On the same connections."""
        other = copy.copy(self)
        other.tenant = tenant
        return other

    def _key(self, dialogue_id: str) -> str:
        return KEY + owned(self.tenant, dialogue_id)

    def _names(self, dialogue_id: str) -> str:
        return NAMES + owned(self.tenant, dialogue_id)

    def append(self, dialogue_id: str, turns: Sequence[Turn], once: str | None = None) -> bool:
        if not turns:
            return False
        rows = [json.dumps([turn.speaker, turn.text], ensure_ascii=False) for turn in turns][-self.max_turns :]
        with redis_errors("append"):
            return self._append(dialogue_id, rows) if once is None else self._append_once(dialogue_id, rows, once)

    def _append(self, dialogue_id: str, rows: Sequence[str]) -> bool:
        with self._redis.pipeline(transaction=True) as transaction:
            transaction.rpush(self._key(dialogue_id), *rows)
            transaction.ltrim(self._key(dialogue_id), -self.max_turns, -1)
            transaction.pexpire(self._key(dialogue_id), self._lifetime_ms)
            transaction.pexpire(self._names(dialogue_id), self._lifetime_ms)
            transaction.execute()
        return True

    def _append_once(self, dialogue_id: str, rows: Sequence[str], once: str) -> bool:
        added = self._append_script(
            keys=[self._key(dialogue_id), self._names(dialogue_id)],
            args=[once, time.time(), self.max_turns, REMEMBERED, self._lifetime_ms, *rows],
        )
        return bool(added)

    @property
    def _lifetime_ms(self) -> int:
        return max(1, round(self.expire_s * 1000))

    def read(self, dialogue_id: str, last: int | None = None) -> tuple[Turn, ...]:
        if last is not None and last <= 0:
            return ()
        with redis_errors("read"):
            rows = self._redis.lrange(self._key(dialogue_id), -(last or 0), -1)
        return tuple(_turn(row) for row in rows)

    @redis_errors("delete")
    def delete(self, dialogue_id: str) -> bool:
        return bool(self._redis.delete(self._key(dialogue_id), self._names(dialogue_id)))

    @redis_errors("expire")
    def expire(self, dialogue_id: str, seconds: float) -> bool:
        milliseconds = round(seconds * 1000)
        with self._redis.pipeline(transaction=True) as transaction:
            transaction.pexpire(self._key(dialogue_id), milliseconds)
            transaction.pexpire(self._names(dialogue_id), milliseconds)
            return bool(transaction.execute()[0])

    @redis_errors("ping")
    def ping(self) -> None:
        check_writable(self._redis)

    def close(self) -> None:
        self._redis.close()


def _turn(row: bytes) -> Turn:
    try:
        speaker, text = json.loads(row)
        return Turn(speaker, text)
    except (ValueError, TypeError) as error:
        raise StoreError(f"Redis: a key under {KEY} holds something else than turns; use another database or delete it") from error
