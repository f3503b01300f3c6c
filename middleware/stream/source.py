"""Takes entries from one partition of the stream, and counts what Redis removed before it was taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.stream.ownership import GUARD, Keys, Lease

_GROUP = """
local function fields(flat)
  local found = {}
  for place = 1, #flat, 2 do found[flat[place]] = flat[place + 1] end
  return found
end
local function group_of(stream, group)
  if redis.call('EXISTS', stream) == 0 then return nil end
  for _, each in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local about = fields(each)
    if about['name'] == group then return about end
  end
end
"""

# A stream knows how many entries were ever added to it (A) and how many it holds (L). Once its first entry is newer than the last
# that the group was given, all that it holds is unread, A - L entries are gone, and those of them that the group was not given
# (R were) are lost. `entries-read` of XINFO GROUPS cannot serve as R: before Redis 8 it does not count across such a gap.
_TAKE = (
    GUARD
    + _GROUP
    + """
local stream, position, group, consumer = KEYS[2], KEYS[3], ARGV[2], ARGV[3]
local function newer(one, other)
  local one_ms, one_nr = string.match(one, '(%d+)-(%d+)')
  local other_ms, other_nr = string.match(other, '(%d+)-(%d+)')
  if one_ms ~= other_ms then return tonumber(one_ms) > tonumber(other_ms) end
  return tonumber(one_nr) > tonumber(other_nr)
end
local state = group_of(stream, group)
if not state then return redis.error_reply('NOGROUP there is no such stream or group') end
local last = state['last-delivered-id']
local about = fields(redis.call('XINFO', 'STREAM', stream))
local added, length = about['entries-added'], about['length']
if not added then return redis.error_reply('ERR this Redis is too old; use version 7 or newer') end

local before = tonumber(redis.call('HGET', position, 'read'))
local read = before
local all_unread = length == 0 or newer(about['first-entry'][1], last)
local dropped = 0
if not read then
  read = all_unread and added - length or added - #redis.call('XRANGE', stream, '(' .. last, '+')
elseif all_unread then
  dropped = math.max(0, added - length - read)
  read = added - length
end

local entries, tries = {}, 1
if ARGV[5] == '1' then
  local claimed
  repeat
    claimed = redis.call('XAUTOCLAIM', stream, group, consumer, 0, '0-0', 'COUNT', 1)
    dropped = dropped + #claimed[3]
  until #claimed[2] > 0 or #claimed[3] == 0
  entries = claimed[2]
  if #entries > 0 then
    tries = redis.call('XPENDING', stream, group, entries[1][1], entries[1][1], 1)[1][4]
  else
    for _, each in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
      local name = fields(each)['name']
      if name ~= consumer then redis.call('XGROUP', 'DELCONSUMER', stream, group, name) end
    end
  end
else
  local reply = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', ARGV[4], 'STREAMS', stream, '>')
  if reply then entries = reply[1][2] end
  read = read + #entries
  if #entries > 0 then last = entries[#entries][1] end
end
if read ~= before then redis.call('HSET', position, 'read', read) end
if dropped > 0 then redis.call('HINCRBY', position, 'dropped', dropped) end
return {entries, tries, dropped, last, added - read}
"""
)

# From the first entry: what was said before the first worker came is scored too. A new group begins to count anew.
_OPEN = (
    GUARD
    + """
local made = redis.pcall('XGROUP', 'CREATE', KEYS[2], ARGV[2], '0', 'MKSTREAM')
if made.err and string.sub(made.err, 1, 9) ~= 'BUSYGROUP' then return made end
if not made.err then redis.call('HDEL', KEYS[3], 'read') end
return 1
"""
)

_DRAINED = (
    _GROUP
    + """
if redis.call('EXISTS', KEYS[1]) == 0 then return 1 end
local state = group_of(KEYS[1], ARGV[1])
if not state then return 0 end
local unread = redis.call('XRANGE', KEYS[1], '(' .. state['last-delivered-id'], '+', 'COUNT', 1)
return state['pending'] == 0 and #unread == 0 and 1 or 0
"""
)


@dataclass(frozen=True)
class Entry:
    """One entry of the stream.

    Attributes:
        id: as Redis numbers it.
        fields: what it holds.
        tries: how often it was given to a worker, this time included; 1: never before.
    """

    id: str
    fields: Mapping[bytes, bytes]
    tries: int = 1


@dataclass(frozen=True)
class Taken:
    """What was taken.

    Attributes:
        entries: the oldest first.
        dropped: entries found to be removed before a worker could score them; each is told once.
        last: the id of the newest entry that the group was given.
        unread: entries that the group has not been given yet.
    """

    entries: Sequence[Entry]
    dropped: int
    last: str
    unread: int


class Source:
    """Entries of one partition, for the worker that holds its lease.

    Raises (all methods):
        RedisError: Redis cannot be reached or refuses; its message begins with `LEASE_LOST` where the lease is not held any more.
    """

    def __init__(self, redis: Any, keys: Keys, partition: str, consumer: str, lease: Lease) -> None:
        self._keys = [lease.key, partition, keys.position(partition)]
        self._group = keys.group
        self._consumer = consumer
        self._lease = lease
        self._take = redis.register_script(_TAKE)
        self._open = redis.register_script(_OPEN)
        self._drained = redis.register_script(_DRAINED)

    def open(self) -> None:
        """Make the stream and the group where they are missing."""
        self._open(keys=self._keys, args=[self._lease.token, self._group])

    def take_new(self, count: int) -> Taken:
        """The next entries that no worker was given yet; there may be none."""
        return self._taken(count, unfinished=False)

    def take_unfinished(self) -> Taken:
        """The oldest entry that a worker was given and did not finish, one at a time: if it is the one that ends the process, the
        others are not counted as tried with it. None is left: the names of other workers are removed from the group."""
        return self._taken(1, unfinished=True)

    def is_drained(self) -> bool:
        """Whether nothing is unread or unfinished."""
        return bool(self._drained(keys=[self._keys[1]], args=[self._group]))

    def _taken(self, count: int, unfinished: bool) -> Taken:
        args = [self._lease.token, self._group, self._consumer, count, int(unfinished)]
        rows, tries, dropped, last, unread = self._take(keys=self._keys, args=args)
        entries = [Entry(name.decode(), dict(zip(flat[::2], flat[1::2], strict=True)), tries) for name, flat in rows]
        return Taken(entries, dropped, last.decode(), unread)
