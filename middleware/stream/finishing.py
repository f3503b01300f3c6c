"""Finishes entries: each in one step, so that a worker may die at any moment and nothing is lost or done twice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from grice.middleware.events.redis_stream import FIELD
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates import Increment
from grice.middleware.stores.dialogue_store import REMEMBERED
from grice.middleware.stream.ownership import GUARD, Keys, Lease
from grice.middleware.stream.planning import Fate, PlannedEntry, row_of
from grice.middleware.stream.scoring import Failed, ScoredEvent, unscored_response
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.source import Entry

RESULT = "response"
"""The one field of an entry of the results; its value is the `ScoredResponse` as JSON."""

Increments = Callable[[ScoredResponse], Sequence[Increment]]

CommitWord = Literal["done", "duplicate", "finished"]
"""It is done now; the same event had come before in another entry; the entry itself had been finished before."""

# A script that fails midway is not undone. So what could fail, because a key holds something else, is read first.
_COMMIT = (
    GUARD
    + """
local stream, history, done, out = KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local group, previous, entry, event, lifetime, remembered, turns, turn, maxlen, count = unpack(ARGV, 2, 11)
if previous ~= '' and #redis.call('XPENDING', stream, group, previous, previous, 1) > 0 then
  return redis.error_reply('ERR the entry before this one is not finished')
end
if #redis.call('XPENDING', stream, group, entry, entry, 1) == 0 then return {'finished', 0} end
if event ~= '' and redis.call('ZSCORE', done, event) then
  redis.call('XACK', stream, group, entry)
  return {'duplicate', 0}
end
redis.call('LLEN', history)
local trimmed = redis.call('XLEN', out)
for place = 6, #KEYS do redis.call('HLEN', KEYS[place]) end

if count ~= '0' then
  redis.call('XADD', out, 'MAXLEN', '~', maxlen, '*', unpack(ARGV, 12, 11 + count))
  trimmed = trimmed + 1
end
trimmed = trimmed - redis.call('XLEN', out)
local place = 12 + count
for key = 6, #KEYS do
  redis.call('HINCRBY', KEYS[key], ARGV[place], ARGV[place + 1])
  redis.call('EXPIRE', KEYS[key], ARGV[place + 2])
  place = place + 3
end
if turn ~= '' then
  redis.call('RPUSH', history, turn)
  redis.call('LTRIM', history, -turns, -1)
  redis.call('PEXPIRE', history, lifetime)
end
if event ~= '' then
  redis.call('ZADD', done, string.match(entry, '%d+'), event)
  redis.call('ZREMRANGEBYRANK', done, 0, -remembered - 1)
  redis.call('PEXPIRE', done, lifetime)
end
redis.call('XACK', stream, group, entry)
return {'done', trimmed}
"""
)


@dataclass(frozen=True)
class Commit:
    """What finishing one entry means.

    Attributes:
        entry_id: the entry.
        kept_as, event_id: of its event; empty where it holds none.
        turn: what is added to the dialogue's history; empty: nothing.
        out, maxlen, fields: the entry that is added to another stream, and about how many it holds; no fields: nothing.
        increments: of the rates.
    """

    entry_id: str
    kept_as: str = ""
    event_id: str = ""
    turn: str = ""
    out: str = ""
    maxlen: int = 1
    fields: Mapping[str, str | bytes] = field(default_factory=dict)
    increments: Sequence[Increment] = ()


@dataclass(frozen=True)
class CommitOutcome:
    """What became of a commit.

    Attributes:
        word: in a word.
        trimmed: entries that left the other stream by its limit.
    """

    word: CommitWord
    trimmed: int = 0


@dataclass(frozen=True)
class Finished:
    """An entry that only has to be written.

    Attributes:
        fate: what became of it.
        commit: what is written.
        scored: its result, where it has one.
        failed: why it goes to the dead letters, where it does.
        unscored: the response that could not be scored, for counters.
    """

    fate: Fate
    commit: Commit
    scored: ScoredEvent | None = None
    failed: Failed | None = None
    unscored: ScoredResponse | None = None


def prepare(
    item: PlannedEntry, result: ScoredEvent | Failed | None, partition: str, settings: WorkerSettings, counted: Increments
) -> Finished:
    """What is written for an entry.

    Args:
        result: of scoring it, where that was its fate.
        partition: the stream that it is from.
        counted: what a response adds to the rates.
    """
    failed = result if isinstance(result, Failed) else item.failed
    if failed is not None:
        return _dead(item, failed, partition, settings, counted)
    assert item.event is not None
    ids = (item.entry.id, item.event.kept_as, item.event.event_id, row_of(item.event.turn))
    if not isinstance(result, ScoredEvent):
        return Finished(item.fate, Commit(*ids))
    fields = {RESULT: result.response.to_json()}
    commit = Commit(*ids, settings.results_stream, settings.results_maxlen, fields, counted(result.response))
    return Finished("score", commit, result)


def _dead(item: PlannedEntry, failed: Failed, partition: str, settings: WorkerSettings, counted: Increments) -> Finished:
    fields = _letter(item.entry, failed, partition)
    out = (settings.dead_stream, settings.dead_maxlen, fields)
    if item.event is None:
        return Finished("dead", Commit(item.entry.id, "", "", "", *out), failed=failed)
    turn = row_of(item.event.turn) if item.dialogue is not None else ""
    unscored = unscored_response(item.event, failed) if item.event.speaker == "bot" else None
    ids = (item.entry.id, item.event.kept_as, item.event.event_id, turn)
    return Finished("dead", Commit(*ids, *out, counted(unscored) if unscored else ()), failed=failed, unscored=unscored)


def _letter(entry: Entry, failed: Failed, partition: str) -> dict[str, str | bytes]:
    """The error, and the original: all fields as JSON where there is no event among them."""
    original = entry.fields.get(FIELD.encode())
    return {
        FIELD if original is not None else "fields": original if original is not None else _as_json(entry),
        "error": failed.error,
        "message": failed.message.encode("utf-8", "backslashreplace"),
        "tries": str(failed.tries),
        "stream": partition,
        "entry": entry.id,
        "time": str(time.time()),
    }


def _as_json(entry: Entry) -> str:
    texts = {
        name.decode(errors="backslashreplace"): value.decode(errors="backslashreplace") for name, value in entry.fields.items()
    }
    return json.dumps(texts, ensure_ascii=False)


class Commits:
    """Finishes entries of one partition, for the worker that holds its lease."""

    def __init__(self, redis: Any, keys: Keys, partition: str, lease: Lease, settings: WorkerSettings) -> None:
        self._redis = redis
        self._keys = keys
        self._partition = partition
        self._lease = lease
        self._settings = settings
        self._script = redis.register_script(_COMMIT)

    def finish(self, commits: Sequence[Commit]) -> list[CommitOutcome]:
        """Finish entries in order. After an error it may be called again with the same ones.

        Raises:
            RedisError: Redis cannot be reached or refuses; its message begins with `LEASE_LOST` where the lease is not held any
                more. The first of the entries may be finished.
        """
        # In one exchange: Redis writes to its disk once for all of them.
        with self._redis.pipeline(transaction=False) as pipeline:
            for previous, commit in zip((None, *commits), commits, strict=False):
                args = self._args_of(commit, previous.entry_id if previous else "")
                self._script(keys=self._keys_of(commit), args=args, client=pipeline)
            answers = pipeline.execute(raise_on_error=False)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return [CommitOutcome(word.decode(), trimmed) for word, trimmed in answers]

    def _keys_of(self, commit: Commit) -> list[str]:
        mine = self._keys
        dialogue = (mine.history(commit.kept_as), mine.done(commit.kept_as))
        counters = (each.key for each in commit.increments)
        return [self._lease.key, self._partition, *dialogue, commit.out or self._settings.results_stream, *counters]

    def _args_of(self, commit: Commit, previous: str) -> list[Any]:
        entry = [self._lease.token, self._keys.group, previous, commit.entry_id, commit.event_id]
        kept = [self._settings.history_expire_s * 1000, REMEMBERED, self._settings.history_turns, commit.turn]
        fields = [part for pair in commit.fields.items() for part in pair]
        counters = [part for each in commit.increments for part in (each.field, each.amount, each.expire_s)]
        return [*entry, *kept, commit.maxlen, len(fields), *fields, *counters]
