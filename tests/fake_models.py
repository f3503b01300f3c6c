"""Small models that fulfil the protocol: what they answer can be told from the text, and texts can make them fail or wait."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from grice.middleware.analysis import Finding
from grice.middleware.guard import Guard
from grice.middleware.monitor import Monitor
from grice.middleware.pipeline import Pipeline
from grice.middleware.settings import PipelineSettings
from grice.models.data.persuasion_for_good import Role
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.mind_labels import ATTITUDES, COARSE, FINE, OTHER
from grice.models.mind_labels import Role as MindRole
from grice.models.mind_results import ItemAttitude, MindReading, NextStrategies, TurnIntentions
from grice.models.recommendation_dialogue import RecommendationDialogue
from grice.models.results import BEHAVIORS, FACE_ACTS, PAIRED, Behaviors, Directness, Intentions, Rewrite, SlotValues
from grice.models.slot_questions import SlotQuestion

READS = 8
"""Turns of history that the fake models read."""


class Calls:
    """Records batches, raises on texts with `poison`, and holds calls back until `gate` is set."""

    def __init__(self) -> None:
        self.batches: list[list[Dialogue]] = []
        self.gate = threading.Event()
        self.gate.set()

    def enter(self, dialogues: Sequence[Dialogue]) -> None:
        self.batches.append(list(dialogues))
        assert self.gate.wait(30)
        for dialogue in dialogues:
            if "poison" in dialogue.last.text:
                raise RuntimeError(f"cannot read {dialogue.last.text}")


class FakeDirectness(Calls):
    """A turn that wishes is indirect."""

    provider = "FakeExecutionProvider"

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        self.enter(dialogues)
        return [Directness(0.05 if "wish" in d.last.text else 0.95, *_history(d)) for d in dialogues]


class FakeRewriter(Calls):
    """Says its prefix, the turn, and what was said before it."""

    provider = "FakeExecutionProvider"

    def __init__(self, prefix: str = "please") -> None:
        super().__init__()
        self.prefix = prefix

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        self.enter(dialogues)
        return [Rewrite(self.text(d), 0.9, 5, True, *_history(d)) for d in dialogues]

    def text(self, dialogue: Dialogue) -> str:
        before = "".join(f" <{turn.speaker}: {turn.text}>" for turn in dialogue.history[-READS:])
        return f"{self.prefix}: {dialogue.last.text}{before}"


class FakeBehaviors(Calls):
    """A response shows the behaviours whose labels it names: "That is Red." is redundant, of the turn before if there is one."""

    provider = "FakeExecutionProvider"

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        self.enter(dialogues)
        return [self.found(dialogue) for dialogue in dialogues]

    def found(self, dialogue: Dialogue) -> Behaviors:
        words = dialogue.last.text.rstrip(".").split()
        probabilities = {label: 0.9 if label in words else 0.1 for label in BEHAVIORS}
        evidence = {label: len(dialogue.history) - 1 for label in PAIRED if label in words and dialogue.history}
        return Behaviors(probabilities, evidence, *_history(dialogue))


def fake_monitor() -> Monitor:
    """A monitor on `FakeBehaviors`: what a response names, it shows."""
    return Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5))


class FakeSlots(Calls):
    """A turn means the values that it, or the bot's question before it, names; two are ambiguous. It cannot read Greek.

    Slots named `broken` make it fail.
    """

    provider = "FakeExecutionProvider"

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        self.enter([question.dialogue for question in questions])
        return [self.found(question) for question in questions]

    def found(self, question: SlotQuestion) -> SlotValues:
        if question.slot == "broken":
            raise RuntimeError("out of order")
        for value in question.values:
            if "α" in value:
                raise InputError(f"value of slot {question.slot}", value, "a value with Latin letters or digits")
        said = " ".join(turn.text for turn in question.dialogue.turns[-2:])
        named = [value for value in question.values if value in said]
        share = 0.75 / max(1, len(named))
        probabilities = tuple(share if value in named else 0.0 for value in question.values)
        return SlotValues(probabilities, 0.25 if named else 1.0, named[0] if len(named) == 1 else None, len(named) > 1)


class FakeIntentions(Calls):
    """A turn does what it names, "That is hpos-.", otherwise nothing to face. The persuadee agrees the more, the more was said."""

    provider = "FakeExecutionProvider"

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Intentions]:
        self.enter(dialogues)
        return [self.found(dialogue) for dialogue in dialogues]

    def found(self, dialogue: Dialogue) -> Intentions:
        turns = dialogue.turns[-READS - 1 :]
        labels = tuple(next((label for label in FACE_ACTS if label in turn.text), "other") for turn in turns)
        roles: tuple[Role, ...] = tuple("persuadee" if turn.speaker == "user" else "persuader" for turn in turns)
        probabilities = {label: 1.0 if label == labels[-1] else 0.0 for label in FACE_ACTS}
        agreement = tuple(1 - 0.5**number for number in range(len(turns)))
        return Intentions(probabilities, labels, roles, agreement, *_history(dialogue))


class FakeMind:
    """Every turn and the next are small talk; every item is liked by a seeker who has seen it."""

    provider = "FakeExecutionProvider"

    def predict(self, dialogues: Sequence[RecommendationDialogue]) -> list[MindReading]:
        return [self.found(dialogue) for dialogue in dialogues]

    def found(self, asked: RecommendationDialogue) -> MindReading:
        turns = asked.turns()
        following: MindRole = "recommender" if turns[-1][1].role == "seeker" else "seeker"
        liked = ATTITUDES[-1]
        return MindReading(
            tuple(
                TurnIntentions(place, turn.role, (OTHER,), {label: float(label == OTHER) for label in FINE[turn.role]})
                for place, turn in turns
            ),
            tuple(ItemAttitude(item, turns[-1][0], liked, {liked.label: 1.0}) for item in asked.found_items()),
            NextStrategies(following, (OTHER,), {label: float(label == OTHER) for label in COARSE[following]}),
            len(asked.dialogue.history),
        )


class TrustingGuard(Guard):
    """Finds nothing."""

    def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
        return ()


def fake_pipeline(settings: PipelineSettings | None = None) -> Pipeline:
    """A pipeline of fakes."""
    return Pipeline(FakeDirectness(), FakeRewriter(), settings, TrustingGuard())


def _history(dialogue: Dialogue) -> tuple[int, int]:
    read = min(READS, len(dialogue.history))
    return read, len(dialogue.history) - read
