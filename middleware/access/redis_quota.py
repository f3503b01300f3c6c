"""How much a key may ask for in a minute, counted in Redis for all services that share it."""

from __future__ import annotations

from grice.middleware.runtime.redis_connection import connect, redis_errors

KEY = "grice:quota:"

# By the clock of Redis, so that services need not agree on the time. It is forgotten once it would be full again.
_TAKE = """
local time = redis.call('TIME')
local now, most, amount = time[1] + time[2] / 1000000, tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'most', 'left', 'at')
local left = most
if kept[1] == ARGV[1] then left = math.min(most, kept[2] + (now - kept[3]) * most / 60) end
if left < 1 then return tostring((1 - left) * 60 / most) end
redis.call('HSET', KEYS[1], 'most', ARGV[1], 'left', string.format('%.6f', left - amount), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil((most - left + amount) * 60 / most) + 1)
return '0'
"""


class RedisQuotas:
    """`SharedQuotas` on Redis (redis-py 4.6 to 8). Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, timeout_s: float = 0.25) -> None:
        self._redis = connect(url, timeout_s)
        self._script = self._redis.register_script(_TAKE)

    def wait_s(self, name: str, per_minute: int, amount: int) -> float:
        with redis_errors("quota"):
            return float(self._script(keys=[KEY + name], args=[per_minute, amount]))

    def close(self) -> None:
        self._redis.close()
