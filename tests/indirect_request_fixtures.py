"""Invented indirect requests in the official format, a small bakery world in SGD's, and systems whose answers can be foreseen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_fixtures import write_sgd

from grice.benchmarks.state_tracking import Tracked
from grice.models.results import SlotValues
from grice.models.slot_questions import SlotQuestion
from grice.models.verbatim import says

VALUES = ("rye", "wheat", "spelt")


def request_line(**changes: Any) -> dict[str, Any]:
    """A request for rye bread, with `changes`."""
    line = {
        "utterance": "The dark one that they eat in Finland, please.",
        "situation": "Someone wants to buy bread",
        "service": "Bakeries_2",
        "slot_description": "Kind of grain",
        "possible_slot_values": repr(list(VALUES)),
        "bool_rephrased_slot_values": repr(list(VALUES)),
        "target_slot_value": "rye",
        "mean_world_understanding": 2.5,
        "creation_date": "2026-01-01",
    }
    return {**line, **changes}


def write_lines(path: Path, *lines: object) -> Path:
    """Each as JSON on a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def _slot(name: str, description: str, *values: str) -> dict[str, Any]:
    return {"name": name, "description": description, "is_categorical": bool(values), "possible_values": list(values)}


def _schema(service: str) -> list[dict[str, Any]]:
    slots = [
        _slot("grain", "Grain that the bread is made of", *VALUES),
        _slot("sliced", "Whether the bread is sliced", "True", "False"),
        _slot("name", "Name of the bakery"),
    ]
    return [{"service_name": service, "description": "Bread to order", "slots": slots, "intents": []}]


def informing(dialogue_id: str, service: str, *turns: tuple[str, Mapping[str, str], str]) -> dict[str, Any]:
    """A dialogue of user turns, each with its text, the slots that it informs of, and another act ("" for none) about the name."""
    state: dict[str, list[str]] = {}
    said: list[dict[str, Any]] = []
    for text, informs, act in turns:
        state = {**state, **{slot: [value] for slot, value in informs.items()}}
        actions = [{"act": "INFORM", "slot": slot, "values": [value]} for slot, value in informs.items()]
        actions += [{"act": act, "slot": "name", "values": []}] if act else []
        frame = {"service": service, "actions": actions, "slots": [], "state": {"slot_values": dict(state)}}
        bot = {"speaker": "SYSTEM", "utterance": "Anything else?", "frames": [{"service": service, "actions": [], "slots": []}]}
        said += [{"speaker": "USER", "utterance": text, "frames": [frame]}, bot]
    return {"dialogue_id": dialogue_id, "services": [service], "turns": said}


def bakery_dialogues(service: str) -> list[dict[str, Any]]:
    """Seven user turns of all kinds."""
    first = informing(
        "1_0",
        service,
        ("I want rye bread.", {"grain": "rye"}, ""),
        ("Cut it for me.", {"sliced": "True"}, ""),
        ("What are you called?", {}, "REQUEST"),
    )
    second = informing(
        "1_1",
        service,
        ("Something dark from the north, whole, please.", {"grain": "rye", "sliced": "False"}, ""),
        ("No, white.", {"grain": "wheat"}, ""),
        ("Spelt, and who are you?", {"grain": "spelt"}, "REQUEST"),
        ("Whatever you have.", {"grain": "dontcare"}, ""),
    )
    return [first, second]


def write_bakeries(data_dir: Path, test_service: str = "Bakeries_2") -> Path:
    """SGD with a training split of one service and a test split of another. Returns `data_dir`."""
    train = [
        informing(
            f"0_{number}",
            "Bakeries_1",
            (f"I want {value} bread, number {number}.", {"grain": value}, ""),
            ("Yes, sliced." if number % 2 else "No, not sliced.", {"sliced": str(bool(number % 2))}, ""),
            ("Goodbye then.", {}, ""),
        )
        for number in range(30)
        for value in [VALUES[number % 3]]
    ]
    for split, service, dialogues in (("train", "Bakeries_1", train), ("test", test_service, bakery_dialogues(test_service))):
        write_sgd(data_dir / "sgd", {"schema.json": _schema(service), "dialogues_001.json": dialogues}, split)
    return data_dir


class WordResolver:
    """Knows a few words; unsure of everything else, and sure that a goodbye says nothing."""

    known: Mapping[str, str] = {"finland": "rye", "north": "rye", "white": "wheat", "whole": "False", "cut": "True"}

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        return [self._resolved(question) for question in questions]

    def _resolved(self, question: SlotQuestion) -> SlotValues:
        text = question.dialogue.last.text.lower()
        found = [value for word, value in self.known.items() if word in text and value in question.values]
        probabilities = tuple(0.9 if value in found else 0.05 for value in question.values)
        return SlotValues(probabilities, 0.05, found[0] if found else None, not found)


class VerbatimTracker:
    """Takes the value that is said verbatim; it is unsure of wheat."""

    facts: Mapping[str, Any] = {"recipe": "none: invented"}

    def predict(self, questions: Sequence[SlotQuestion]) -> list[Tracked]:
        return [self._tracked(question) for question in questions]

    def _tracked(self, question: SlotQuestion) -> Tracked:
        text = question.dialogue.last.text
        said = [value for value in question.values if says(text, value)]
        return Tracked(said[0] if said else None, 0.4 if said == ["wheat"] else 0.9)
