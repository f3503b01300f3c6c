"""Monitors for the tests of responses: what they find can be told from the text, and the text can make them fail or wait."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from grice.models import Behaviors, Dialogue

gate = threading.Event()
"""Clear it to hold the `waiting` monitor back."""
gate.set()
seen: list[Dialogue] = []


class Scripted:
    """A good bye is irrelevant, anything else is not."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        seen.extend(dialogues)
        return [Behaviors({"!Rel": 0.9 if "bye" in dialogue.last.text else 0.1, "Red": None}) for dialogue in dialogues]


class Thorough(Scripted):
    """Has a threshold, thinks that every response repeats the turn before the last, and gives numbers that JSON does not have."""

    thresholds: ClassVar = {"!Rel": 0.9}

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        found = zip(super().predict(dialogues), dialogues, strict=True)
        place = np.int64(-2)
        return [
            Behaviors({"!Rel": np.float64(each.probabilities["!Rel"])}, {"Red": place + len(dialogue.history)})
            for each, dialogue in found
        ]


class Confused(Scripted):
    """Names a turn that is not there."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        return [Behaviors({"!Rel": 1.0}, {"Red": len(dialogue.history)}) for dialogue in dialogues]


class Failing:
    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        raise RuntimeError(f"cannot read {dialogues[0].last.text}")


class Waiting(Scripted):
    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        assert gate.wait(60)
        return super().predict(dialogues)


class Short:
    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        return []


def nothing() -> None:
    """A factory that makes no model."""


not_callable = 3
