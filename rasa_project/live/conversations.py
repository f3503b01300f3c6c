"""Conversations of `conversations/*.yml`: held with a running bot, and compared with what they should lead to."""

from __future__ import annotations

import json
import sqlite3
import urllib.request
import uuid
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from .servers import Bot

ANSWER_S = 60
TABLES = {"restaurant": "restaurants", "hotel": "hotels", "train": "trains"}


@dataclass(frozen=True)
class Conversation:
    """What the user says, and the slots and bookings that it should lead to.

    Attributes:
        bookings: each a mapping of a booking's columns, and `place`: columns of the row that was booked.
    """

    id: str
    user: tuple[str, ...]
    slots: Mapping[str, Any] = field(default_factory=dict)
    bookings: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Held:
    """A conversation that was held: the bot's answers a turn, the slots and bookings at its end."""

    conversation: Conversation
    answers: tuple[tuple[str, ...], ...]
    slots: Mapping[str, Any]
    bookings: tuple[Mapping[str, Any], ...]

    @property
    def wrong(self) -> list[str]:
        """What is not as it should be: `day is None, not Friday`."""
        found = [
            f"{slot} is {self.slots.get(slot)!r}, not {value!r}"
            for slot, value in self.conversation.slots.items()
            if not _holds(self.slots.get(slot), value)
        ]
        expected = self.conversation.bookings
        if len(self.bookings) != len(expected):
            found.append(f"{len(self.bookings)} bookings, not {len(expected)}")
        for wanted, booked in zip(expected, self.bookings, strict=False):
            found += _differences(wanted, booked)
        return found

    @property
    def slots_right(self) -> int:
        return sum(_holds(self.slots.get(slot), value) for slot, value in self.conversation.slots.items())


def read(path: Path) -> list[Conversation]:
    """The conversations of a file.

    Raises:
        ValueError: a conversation has a key that is not a field.
    """
    return [_conversation(entry) for entry in YAML(typ="safe").load(path.read_text("utf-8"))]


def hold(bot: Bot, conversation: Conversation) -> Held:
    sender = f"{conversation.id}-{uuid.uuid4().hex[:8]}"
    answers = tuple(tuple(say(bot, sender, text)) for text in conversation.user)
    return Held(conversation, answers, tracker(bot, sender)["slots"], tuple(_bookings(bot, sender)))


def say(bot: Bot, sender: str, text: str) -> list[str]:
    """The texts that the bot answers a message with."""
    answers = _json(f"{bot.url}/webhooks/rest/webhook", {"sender": sender, "message": text})
    return [answer["text"] for answer in answers if "text" in answer]


def tracker(bot: Bot, sender: str) -> dict[str, Any]:
    return dict(_json(f"{bot.url}/conversations/{sender}/tracker"))


def _conversation(entry: Mapping[str, Any]) -> Conversation:
    unknown = set(entry) - {"id", "user", "slots", "bookings"}
    if unknown:
        raise ValueError(f"conversation {entry.get('id')!r} has unknown keys {sorted(unknown)}; known: id, user, slots, bookings")
    return Conversation(entry["id"], tuple(entry["user"]), entry.get("slots", {}), tuple(entry.get("bookings", ())))


def _holds(slot: object, value: object) -> bool:
    """Whether a slot is as expected; a list may hold more than what was expected."""
    return set(value) <= set(slot or ()) if isinstance(value, list) and isinstance(slot, (list, type(None))) else slot == value


def _differences(wanted: Mapping[str, Any], booked: Mapping[str, Any]) -> list[str]:
    told = {key: value for key, value in wanted.items() if key != "place"}
    found = [f"booked {key} is {booked[key]!r}, not {value!r}" for key, value in told.items() if str(booked[key]) != value]
    for key, value in wanted.get("place", {}).items():
        if booked["place"].get(key) != value:
            found.append(f"booked {booked['name']}, whose {key} is {booked['place'].get(key)!r}, not {value!r}")
    return found


def _bookings(bot: Bot, sender: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(bot.database)) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute("select * from bookings where conversation = ? order by rowid", [sender])]
        for row in rows:
            place = connection.execute(f"select * from {TABLES[row['kind']]} where name = ?", [row["name"]]).fetchone()
            row["place"] = dict(place) if place else {}
    return rows


def _json(url: str, body: Mapping[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=ANSWER_S) as response:
        return json.load(response)
