"""What is written for an entry, according to its fate."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grice.middleware.events.redis_stream import FIELD
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates import Increment
from grice.middleware.stream.batch import Fate, Item
from grice.middleware.stream.commits import Commit
from grice.middleware.stream.memory import row_of
from grice.middleware.stream.scoring import Failed, Scored, unscored_response
from grice.middleware.stream.source import Entry
from grice.middleware.stream.worker_settings import WorkerSettings

RESULT = "response"
"""The one field of an entry of the results; its value is the `ScoredResponse` as JSON."""

Increments = Callable[[ScoredResponse], Sequence[Increment]]


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
    scored: Scored | None = None
    failed: Failed | None = None
    unscored: ScoredResponse | None = None


def finished(item: Item, result: Scored | Failed | None, partition: str, settings: WorkerSettings, counted: Increments) -> Finished:
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
    ids = (item.entry.id, item.event.dialogue_id, item.event.event_id, row_of(item.event.turn))
    if not isinstance(result, Scored):
        return Finished(item.fate, Commit(*ids))
    fields = {RESULT: result.response.to_json()}
    commit = Commit(*ids, settings.results_stream, settings.results_maxlen, fields, counted(result.response))
    return Finished("score", commit, result)


def _dead(item: Item, failed: Failed, partition: str, settings: WorkerSettings, counted: Increments) -> Finished:
    fields = _letter(item.entry, failed, partition)
    out = (settings.dead_stream, settings.dead_maxlen, fields)
    if item.event is None:
        return Finished("dead", Commit(item.entry.id, "", "", "", *out), failed=failed)
    turn = row_of(item.event.turn) if item.dialogue is not None else ""
    unscored = unscored_response(item.event, failed) if item.event.speaker == "bot" else None
    ids = (item.entry.id, item.event.dialogue_id, item.event.event_id, turn)
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
