"""What a bot knew when it responded, as an event of the stream tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grice.middleware.events.event import KNOWN
from grice.middleware.monitor.reports import MonitorQuestion
from grice.models.dialogue import Dialogue
from grice.models.relations.labels import SETTINGS
from grice.models.relations.results import RelationQuestion
from grice.models.relations.rows import value_text

MOST_KNOWN = 64
"""Documents, rows or policies of a response that are read."""


def question_of(dialogue: Dialogue, metadata: Mapping[str, Any]) -> MonitorQuestion:
    """The dialogue with what its last event says that the bot knew. What is not in the form of `KNOWN` is not read."""
    grice = metadata.get("grice")
    known = grice.get(KNOWN) if isinstance(grice, Mapping) else None
    if not isinstance(known, Mapping):
        return dialogue
    rows = [_row(row) for row in _listed(known, "facts") if isinstance(row, Mapping)]
    facts = tuple(row for row in rows if row)
    setting = next((each for each in SETTINGS if each == known.get("setting")), None)
    return RelationQuestion(dialogue, _texts(known, "documents"), facts, _texts(known, "policy"), setting)


def _row(row: Mapping[Any, Any]) -> dict[str, str]:
    texts = ((str(name), value_text(value)) for name, value in row.items())
    return {name: text for name, text in texts if text is not None}


def _listed(known: Mapping[str, Any], name: str) -> list[Any]:
    found = known.get(name)
    return found[:MOST_KNOWN] if isinstance(found, list) else []


def _texts(known: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(each for each in _listed(known, name) if isinstance(each, str) and each.strip())
