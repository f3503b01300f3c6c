"""Turns of which it is known which value of a slot they mean: user turns of SGD, and indirect requests."""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grice.models.data import sgd
from grice.models.data.indirect_requests import IndirectRequest
from grice.models.data.sgd import ServiceSchema, SgdDialogue, SgdTurn, SlotSchema
from grice.models.dialogue import Dialogue
from grice.models.slots.questions import SlotQuestion
from grice.models.text.verbatim import says

FOLDER = "sgd"
CONTEXT = 3
"""Turns that a system reads, the last included: the window of the paper's state tracker (section 7)."""
BOOLEAN = frozenset({"True", "False"})

Schema = Mapping[str, ServiceSchema]
State = dict[str, dict[str, tuple[str, ...]]]
"""Values of slots by service."""


@dataclass(frozen=True)
class SlotTurn:
    """A question about the last turn of a dialogue, and the answer.

    Attributes:
        group: what the bootstrap draws: the dialogue, or for an indirect request its slot.
        target: the value that is meant, or `AMBIGUOUS`.
        alone: the turn fulfils the paper's conditions (section 7): it informs of one value, and neither asks nor tells of another
            slot.
    """

    group: str
    service: str
    question: SlotQuestion
    target: str
    alone: bool = True

    @property
    def boolean(self) -> bool:
        """Whether the slot's values are True and False."""
        return frozenset(self.question.values) == BOOLEAN

    @property
    def verbatim(self) -> bool:
        """Whether the turn says its value in so many words."""
        return says(self.question.dialogue.last.text, self.target)


def inform_turns(folder: Path, split: str) -> Iterator[SlotTurn]:
    """One for each categorical slot of which a user turn of SGD informs, in file order.

    Turns without text are left out, and values that the schema does not list ("dontcare").

    Raises:
        DataNotFound, DataCorrupt: the data cannot be read.
    """
    schema = sgd.read_schema(folder, split)
    for dialogue in sgd.read(folder, split):
        for place, said in _user_turns(dialogue):
            yield from _informs(schema, dialogue, place, said)


def silent_questions(
    folder: Path, split: str, share: float, seed: int, without: Container[str] = ()
) -> Iterator[tuple[str, SlotQuestion]]:
    """For a share of the user turns of SGD one categorical slot that they say nothing of, with the dialogue's id.

    Args:
        share: 0 to 1. without: services about whose slots nothing is asked.

    Raises:
        DataNotFound, DataCorrupt: the data cannot be read.
    """
    generator = random.Random(seed)
    schema = sgd.read_schema(folder, split)
    for dialogue in sgd.read(folder, split):
        before: State = {}
        for place, said in _user_turns(dialogue):
            silent = _silent_slots(schema, before, said, without)
            before = {**before, **said.state}
            if silent and generator.random() < share:
                yield dialogue.dialogue_id, question_of(generator.choice(silent), _context(dialogue, place))


def _user_turns(dialogue: SgdDialogue) -> Iterator[tuple[int, SgdTurn]]:
    for place, said in enumerate(dialogue.turns):
        if said.turn.speaker == "user" and not said.silent:
            yield place, said


def _informs(schema: Schema, dialogue: SgdDialogue, place: int, said: SgdTurn) -> Iterator[SlotTurn]:
    informed = [action for action in said.actions if action.act == "INFORM"]
    alone = len(informed) == 1 and not any(act.act in ("REQUEST", "SELECT") and act.slot for act in said.actions)
    for action in informed:
        slot = slot_of(schema, action.service, action.slot)
        target = next(iter(said.state.get(action.service, {}).get(action.slot, ())), None)
        if slot is not None and target is not None and target in slot.possible_values:
            question = question_of(slot, _context(dialogue, place))
            yield SlotTurn(dialogue.dialogue_id, action.service, question, target, alone)


def _silent_slots(schema: Schema, before: State, said: SgdTurn, without: Container[str]) -> list[SlotSchema]:
    """The categorical slots of the turn's services of which no act is, and whose value stays as it was."""
    named = {(action.service, action.slot) for action in said.actions}
    return [
        slot
        for service, values in said.state.items()
        for slot in _categorical(schema, service)
        if service not in without
        and (service, slot.name) not in named
        and values.get(slot.name) == before.get(service, {}).get(slot.name)
    ]


def slot_of(schema: Schema, service: str, name: str | None) -> SlotSchema | None:
    """The categorical slot of that name, if the service has one."""
    return next((slot for slot in _categorical(schema, service) if slot.name == name), None)


def _categorical(schema: Schema, service: str) -> list[SlotSchema]:
    return [slot for slot in schema[service].slots if slot.is_categorical] if service in schema else []


def question_of(slot: SlotSchema, dialogue: Dialogue) -> SlotQuestion:
    """Which of the slot's values the dialogue ends in."""
    return SlotQuestion(dialogue, slot.name, slot.description, slot.possible_values)


def _context(dialogue: SgdDialogue, place: int) -> Dialogue:
    """The turn at `place` after those before it, `CONTEXT` in all; without turns that have no text."""
    window = dialogue.turns[max(0, place + 1 - CONTEXT) : place + 1]
    return Dialogue(tuple(each.turn for each in window if not each.silent))


def request_turn(request: IndirectRequest, schema: Schema | None = None) -> SlotTurn:
    """An indirect request as such a turn, without history.

    Args:
        schema: words the slot as this schema does, so that only the turn differs from those of SGD; None: as the request does.
    """
    dialogue = Dialogue.of(request.utterance)
    slot = slot_of(schema or {}, request.service, request.slot)
    name, description = request.slot or request.slot_description, request.slot_description
    question = question_of(slot, dialogue) if slot else SlotQuestion(dialogue, name, description, request.values)
    return SlotTurn(f"{request.service}: {name}", request.service, question, request.target)
