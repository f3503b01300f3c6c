"""Rasa's events as our own."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from grice.components.history import is_said
from grice.middleware.events.event import MAX_NAME, DialogueEvent
from grice.middleware.stores.dialogue_id import dialogue_id_of
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Speaker
from grice.models.errors import InputError

GRICE = "grice"
MAX_CHANNELS = 10_000
"""Dialogues whose channel is remembered; what the bot says comes right after what the user said."""

_SPEAKERS: Mapping[Any, Speaker] = {"user": "user", "bot": "bot"}


class TrackerEvents:
    """Makes `DialogueEvent`s of what Rasa publishes.

    An event that Rasa publishes again (`rasa export`) gets the same id again.

    Args:
        bot_version: of the bot; default: the id of the model that Rasa names in each event.
    """

    def __init__(self, bot_version: str | None = None) -> None:
        self.bot_version = bot_version
        self._latest = ""
        self._repeats = 0
        self._channels: OrderedDict[str, str | None] = OrderedDict()

    def event(self, raw: Mapping[str, Any]) -> DialogueEvent | None:
        """The event; None for one that is no turn: of another type, without a text (a picture), or a command such as `/restart`.

        A text that is too long is cut, and metadata that cannot be sent are left out; `metadata` says so.

        Raises:
            InputError: it cannot be made one all the same.
        """
        speaker = _SPEAKERS.get(raw.get("event"))
        sender = str(raw.get("sender_id"))
        if speaker == "user":
            self._remember_channel(sender, _name(raw.get("input_channel")))
        if speaker is None or not is_said(raw.get("text")):
            return None
        text = str(raw["text"]).encode("utf-8", "replace").decode()
        metadata = raw.get("metadata") or {}
        timestamp = raw.get("timestamp") or time.time()
        grice = metadata.get(GRICE) if speaker == "bot" else (raw.get("parse_data") or {}).get(GRICE)
        values: dict[str, Any] = {
            "event_id": self._bot_id(sender, timestamp, raw) if speaker == "bot" else _user_id(sender, timestamp, raw, grice),
            "dialogue_id": dialogue_id_of(sender),
            "speaker": speaker,
            "text": text[:MAX_TEXT_CHARACTERS],
            "timestamp": timestamp,
            "channel": self._channels.get(sender),  # Rasa names none in what the bot says
            "bot_version": _name(self.bot_version or metadata.get("model_id")),
            "action": _name(metadata.get("utter_action")),
        }
        cut = {"text_cut": True} if len(text) > MAX_TEXT_CHARACTERS else {}
        try:
            return DialogueEvent.of(**values, metadata={**({GRICE: grice} if grice else {}), **cut})
        except InputError:
            return DialogueEvent(**values, metadata={"left_out": GRICE, **cut})

    def _remember_channel(self, sender: str, channel: str | None) -> None:
        self._channels[sender] = channel
        self._channels.move_to_end(sender)
        if len(self._channels) > MAX_CHANNELS:
            self._channels.popitem(last=False)

    def _bot_id(self, sender: str, timestamp: float, raw: Mapping[str, Any]) -> str:
        """Of what the bot said; a bot may say the same twice at the same time, one after the other."""
        name = _hash("bot", sender, timestamp, raw["text"])
        self._repeats = self._repeats + 1 if name == self._latest else 0
        self._latest = name
        return _hash(name, self._repeats) if self._repeats else name


def _user_id(sender: str, timestamp: float, raw: Mapping[str, Any], grice: object) -> str:
    """The id under which `/model/parse` kept the turn, if it did. A channel's message id need not be unique among senders."""
    kept = grice.get("event_id") if isinstance(grice, Mapping) else None
    if isinstance(kept, str) and kept:
        return kept
    return _hash("user", sender, raw.get("message_id") or timestamp)


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _name(value: object) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    return "".join(character if character.isprintable() else "?" for character in value)[:MAX_NAME]
