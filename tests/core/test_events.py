from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from grice.middleware.events.event import MAX_EVENT_BYTES, DialogueEvent
from grice.middleware.stores.dialogue_id import MAX_DIALOGUE_ID, check_dialogue_id, dialogue_id_of
from grice.models import Turn
from grice.models.errors import InputError

EVENT = DialogueEvent("e-1", "table-for-five", "bot", 'Fine, "ça va".\nAnd you? 你好', 1795183200.25)
FULL = dataclasses.replace(EVENT, channel="rest", bot_version="7", action="utter_hello", metadata={"grice": {"a": [1, None, "é"]}})


@pytest.mark.parametrize("event", [EVENT, FULL])
def test_an_event_travels_as_one_line_of_json(event: DialogueEvent) -> None:
    line = event.to_json()
    assert "\n" not in line
    assert json.loads(line)["schema_version"] == 1
    assert DialogueEvent.from_json(line) == event
    assert DialogueEvent.from_json(line.encode()) == event


def test_its_turn_is_what_models_read() -> None:
    assert EVENT.turn == Turn("bot", EVENT.text)


def test_an_event_from_outside_is_serialised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    dumps = json.dumps

    def watched(value: object, **how: Any) -> str:
        made.append(value)
        return dumps(value, **how)

    monkeypatch.setattr(json, "dumps", watched)
    plain = dataclasses.replace(FULL, text="Hello.")
    assert (plain.turn.text, made) == ("Hello.", [])
    event = DialogueEvent.of(**dataclasses.asdict(FULL))
    assert len({event.to_json() for _ in range(3)}) == 1
    assert len(made) == 1


def test_optional_fields_may_be_left_out() -> None:
    line = '{"event_id": "e", "dialogue_id": "d", "speaker": "user", "text": "Hello.", "timestamp": 3}'
    assert DialogueEvent.from_json(line) == DialogueEvent("e", "d", "user", "Hello.", 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event_id": ""}, "event_id: got ''; allowed: 1 to 200 printable characters"),
        ({"event_id": "x" * 201}, "event_id: got"),
        ({"event_id": 7}, "event_id: got 7"),
        ({"event_id": "a\nb"}, "event_id: got"),
        ({"dialogue_id": "a b"}, "dialogue_id: got 'a b'; allowed: 1 to 200 characters, no white space"),
        ({"dialogue_id": None}, "dialogue_id: got None"),
        ({"speaker": "system"}, "speaker: got 'system'; allowed: user or bot"),
        ({"text": " "}, "text: got"),
        ({"text": None}, "text: got None; allowed: a string"),
        ({"text": "x" * 10_001}, "at most 10000 characters"),
        ({"timestamp": "now"}, "timestamp: got 'now'; allowed: Unix seconds"),
        ({"timestamp": True}, "timestamp: got True"),
        ({"timestamp": -1}, "timestamp: got -1"),
        ({"timestamp": 1795183200250}, "not milliseconds"),
        ({"timestamp": float("nan")}, "timestamp: got nan"),
        ({"channel": ""}, "channel: got ''"),
        ({"action": ["utter"]}, "action: got"),
        ({"metadata": None}, "metadata: got None; allowed: a JSON object"),
        ({"metadata": {"a": float("inf")}}, "metadata: got"),
        ({"metadata": {"a": object()}}, "metadata: got"),
        ({"metadata": {"a": "\ud800"}}, "metadata: got"),
        ({"metadata": {"a": "x" * MAX_EVENT_BYTES}}, f"at most {MAX_EVENT_BYTES}; leave out some of its metadata"),
        ({"schema_version": 2}, "schema_version: got 2; allowed: 1"),
        ({"schema_version": True}, "schema_version: got True"),
    ],
)
def test_unusable_values_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        DialogueEvent.of(**{**dataclasses.asdict(EVENT), **change})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "a JSON object"),
        ("{", "a JSON object"),
        ("[]", "event: got []; allowed: a JSON object"),
        ("[" * 100_000, "a JSON object"),
        ('"' + "x" * MAX_EVENT_BYTES + '"', f"at most {MAX_EVENT_BYTES}"),
        (b"\xff", "a JSON object"),
        ("{}", "event: got 'no event_id, dialogue_id, speaker, text, timestamp'"),
        (json.dumps({**dataclasses.asdict(EVENT), "mood": "good"}), "unknown field 'mood'"),
        (json.dumps({**dataclasses.asdict(EVENT), "schema_version": 2, "mood": "good"}), "schema_version: got 2; allowed: 1"),
        (json.dumps({**dataclasses.asdict(EVENT), "timestamp": "now"}), "timestamp: got 'now'"),
    ],
)
def test_lines_that_are_no_event_are_refused(line: str | bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        DialogueEvent.from_json(line)
    assert message in str(caught.value)


@pytest.mark.parametrize("sender", ["49:170-123@chat.example", "Ünï_çödé~1", "50%", "x" * 200])
def test_a_sender_that_is_a_usable_name_stays(sender: str) -> None:
    assert dialogue_id_of(sender) == sender


@pytest.mark.parametrize(
    "sender", ["", " ", "a b", "29:1/abc", "..", "\ud800", "x" * 201, "/" * 100, "é" * 250, "x" * 300, "x" * 299 + "y"]
)
def test_any_other_sender_gets_a_usable_name_of_its_own(sender: str) -> None:
    name = dialogue_id_of(sender)
    assert check_dialogue_id(name) == name
    assert len(name) <= MAX_DIALOGUE_ID
    others = {"default", "a b", "a/b", "29:1/abc", "", " ", "..", "x" * 201, "x" * 300, "x" * 299 + "y", "é" * 250} - {sender}
    assert name not in {dialogue_id_of(other) for other in others}


def test_a_short_name_is_percent_encoded() -> None:
    assert dialogue_id_of("29:1/a b") == "29%3A1%2Fa%20b"
