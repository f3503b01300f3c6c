"""A budget in Redis, so that several processes keep it together and it outlives a restart."""

from __future__ import annotations

import time
import uuid

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.llm.budget import DAY_S, HOUR_S, STEP_S, Clock, Limits, oldest_step
from grice.middleware.runtime.redis_connection import connect, redis_errors
from grice.models.errors import StoreError

CALLS = "grice:judge:calls"
USD = "grice:judge:usd"
"""The names of the default tenant's; another's begin with these and have its name after them."""
_OPERATION = "reading the budget"

# Redis runs a script as one step: two processes cannot take the last call both. It answers calls, dollars (as text) and the rest.
_TAKE = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
local usd = 0
local steps = redis.call('HGETALL', KEYS[2])
for place = 1, #steps, 2 do
  if tonumber(steps[place]) < tonumber(ARGV[3]) then redis.call('HDEL', KEYS[2], steps[place])
  else usd = usd + tonumber(steps[place + 1]) end
end
local calls = redis.call('ZCARD', KEYS[1])
if (ARGV[4] == '' or calls < tonumber(ARGV[4])) and (ARGV[5] == '' or usd < tonumber(ARGV[5])) then
  redis.call('ZADD', KEYS[1], ARGV[1], ARGV[6])
  redis.call('EXPIRE', KEYS[1], ARGV[7])
  return {1, calls, tostring(usd)}
end
return {0, calls, tostring(usd)}
"""


class RedisBudget:
    """A `Budget` that all processes with the same Redis share. Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: how long connecting, and each operation, may take.
        clock: the time in Unix seconds; the clocks of the processes should agree.

    Raises:
        MissingExtra: redis-py is not installed (when this module is imported).
        SettingsError: the URL cannot be read.
    """

    def __init__(self, limits: Limits, url: str, timeout_s: float = 1.0, clock: Clock = time.time) -> None:
        self.limits = limits
        self._clock = clock
        self._redis = connect(url, timeout_s)
        self._take = self._redis.register_script(_TAKE)

    def take(self, tenant: str = DEFAULT_TENANT) -> None:
        now = self._clock()
        limits = ["" if limit is None else repr(limit) for limit in (self.limits.calls_per_hour, self.limits.usd_per_day)]
        values = [repr(now), repr(now - HOUR_S), oldest_step(now), *limits, uuid.uuid4().hex, HOUR_S]
        with redis_errors(_OPERATION):
            taken, calls, usd = self._take(keys=_keys(tenant), args=values)
        if not taken:
            raise self.limits.exhausted(int(calls), float(usd)) or StoreError("Redis: the budget refused a call that has room")

    @redis_errors(_OPERATION)
    def spend(self, usd: float, tenant: str = DEFAULT_TENANT) -> None:
        _, name = _keys(tenant)
        with self._redis.pipeline(transaction=True) as transaction:
            transaction.hincrbyfloat(name, int(self._clock() // STEP_S), usd)
            transaction.expire(name, DAY_S + STEP_S)
            transaction.execute()


def _keys(tenant: str) -> list[str]:
    return [key if tenant == DEFAULT_TENANT else f"{key}:{tenant}" for key in (CALLS, USD)]
