"""Monitors for the tests of responses: what they find can be told from the text, and the text can make them fail or wait."""

from __future__ import annotations

import threading
from collections.abc import Sequence

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
