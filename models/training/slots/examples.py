"""What the slot-value resolver learns from: SGD's training services, DIRECT's indirect turns, and requests that we wrote."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from grice.models.data import direct, multiwoz, sgd
from grice.models.data.sgd import ServiceSchema, SgdDialogue, SlotSchema
from grice.models.data.split import Part
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.slots.questions import SlotQuestion
from grice.models.text.verbatim import says
from grice.models.training.slots.plain_requests import COURTESIES, plain_requests

WRITTEN = Path(__file__).parent / "requests.jsonl"
SLOTS = Path(__file__).parent / "multiwoz_slots.json"
"""MultiWOZ has no schema: descriptions worded by us, and the values that its acts have."""
MOST_VALUES = 12
"""Of a slot with more values, the right one and others drawn at random are asked about."""
LONGEST_VALUE = 5
"""Words that a value of a slot with any values may have."""
BOOLEAN = frozenset({"True", "False"})
PLAIN = 4
"""Plain turns for each of yes and no."""
POLITE = 3
"""Courtesies for each slot, which say nothing of it."""
SPEAKERS: tuple[Speaker, ...] = ("bot", "user")

SlotKey = tuple[str, str]
"""A service and a slot of it."""


@dataclass(frozen=True)
class SlotExample:
    """A question and its answer.

    Attributes:
        group: the dialogue, or the slot for what we wrote.
        shares: how much of the answer each value is; all 0 where the turn says nothing of the slot.
        weight: how often it is shown, beside 1 for a plain example.
        decided: somebody looked at whether the turn fits one value or several.
    """

    group: str
    question: SlotQuestion
    shares: tuple[float, ...]
    weight: float = 1.0
    decided: bool = False

    @property
    def mentioned(self) -> bool:
        """Whether the turn says something of the slot."""
        return any(self.shares)

    @property
    def boolean(self) -> bool:
        """Whether the values are True and False."""
        return frozenset(self.question.values) == BOOLEAN

    @property
    def answer(self) -> str | None:
        """The one value that is meant."""
        return next((value for share, value in zip(self.shares, self.question.values, strict=True) if share == 1), None)

    @property
    def verbatim(self) -> bool:
        """Whether the turn says a value that it means in so many words."""
        text = self.question.dialogue.last.text
        return any(share and says(text, value) for share, value in zip(self.shares, self.question.values, strict=True))


def read(data_dir: Path, seed: int) -> list[SlotExample]:
    """All examples: SGD's training split, DIRECT's train part in its three forms, and `written`.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    chance = random.Random(seed)
    return [*from_sgd(data_dir / "sgd", "train", chance), *from_direct(data_dir, "train", chance), *written()]


def unseen(folder: Path, seed: int) -> list[SlotExample]:
    """Turns of SGD's dev split, of services that are not in its training split, that leave their value unsaid; as many say nothing.

    Raises:
        DataNotFound, DataCorrupt: the split is missing or damaged.
    """
    known = set(sgd.read_schema(folder, "train"))
    chance = random.Random(seed)
    found = [example for example in from_sgd(folder, "dev", chance, known) if not (example.mentioned and example.verbatim)]
    indirect = [example for example in found if example.mentioned]
    return indirect + chance.sample([example for example in found if not example.mentioned], len(indirect))


def from_sgd(
    folder: Path, split: str, chance: random.Random, without: frozenset[str] | set[str] = frozenset()
) -> Iterator[SlotExample]:
    """A user turn and a slot: each that it informs of or agrees to, its intent, and a categorical slot that it leaves alone.

    Of a slot that is not categorical, values that other dialogues give it stand beside the right one. Services in `without` are
    left out.
    """
    schema = sgd.read_schema(folder, split)
    known = {name: service for name, service in schema.items() if name not in without}
    slots = {(name, slot.name): slot for name, service in known.items() for slot in service.slots}
    dialogues = list(sgd.read(folder, split))
    heard = _values_heard(dialogues, slots)
    for dialogue in tqdm(dialogues, desc=f"SGD {split}", mininterval=5):
        state: dict[str, dict[str, tuple[str, ...]]] = {}
        for place, said in enumerate(dialogue.turns):
            if said.turn.speaker != "user" or said.silent:
                continue
            asked = Dialogue(tuple(turn.turn for turn in dialogue.turns[max(0, place - 1) : place + 1] if not turn.silent))
            before, state = state, {**state, **said.state}
            informed = {(action.service, action.slot) for action in said.actions}
            proposed = {(action.service, action.slot) for action in (dialogue.turns[place - 1].actions if place else ())}
            changed = {
                (service, name)
                for service, values in said.state.items()
                for name, value in values.items()
                if value != before.get(service, {}).get(name)
            }
            turn = _AskedTurn(dialogue.dialogue_id, asked)
            for key in sorted((informed | (changed & proposed)) & slots.keys()):
                slot = slots[key]
                (value, *_) = said.state.get(key[0], {}).get(key[1], ("",))
                if slot.is_categorical and value in slot.possible_values:
                    yield _example(turn, slot, value, chance)
                elif not slot.is_categorical and value in heard[key]:
                    yield _open_example(turn, slot, value, heard[key], chance)
            for action in said.actions:
                if action.act == "INFORM_INTENT" and action.service in known:
                    yield _intent_example(turn, known, action.service, action.values[0], chance)
            services = {service for service, _ in informed}
            others = [
                key for key, slot in slots.items() if slot.is_categorical and key[0] in services and key not in informed | changed
            ]
            if others:
                yield _example(turn, slots[chance.choice(others)], None, chance)


def _values_heard(dialogues: Sequence[SgdDialogue], slots: Mapping[SlotKey, SlotSchema]) -> dict[SlotKey, list[str]]:
    """The short values that dialogues give to each slot."""
    found: dict[SlotKey, set[str]] = {key: set() for key in slots}
    for dialogue in dialogues:
        for said in dialogue.turns:
            for service, values in said.state.items():
                for name, (value, *_) in values.items():
                    if (service, name) in found and len(value.split()) <= LONGEST_VALUE:
                        found[service, name].add(value)
    return {key: sorted(values) for key, values in found.items()}


@dataclass(frozen=True)
class _AskedTurn:
    """A turn that is asked about, the last of `dialogue`, in the released dialogue `group`."""

    group: str
    dialogue: Dialogue


def _open_example(turn: _AskedTurn, slot: SlotSchema, value: str, heard: Sequence[str], chance: random.Random) -> SlotExample:
    others = chance.sample(heard, min(len(heard), chance.randint(2, MOST_VALUES)))
    values = tuple(sorted({value, "another", *(each for each in others if not says(turn.dialogue.last.text, each))}))
    question = SlotQuestion(turn.dialogue, slot.name, slot.description, values)
    return SlotExample(turn.group, question, tuple(float(each == value) for each in values), weight=0.3)


def _intent_example(
    turn: _AskedTurn, known: Mapping[str, ServiceSchema], service: str, intent: str, chance: random.Random
) -> SlotExample:
    others = [each.name for about in known.values() for each in about.intents if each.name != intent]
    own = [each.name for each in known[service].intents if each.name != intent]
    values = tuple(sorted({intent, *own, *chance.sample(others, chance.randint(1, 6))}))
    question = SlotQuestion(turn.dialogue, "intent", "what the user wants to do", values)
    return SlotExample(turn.group, question, tuple(float(each == intent) for each in values), weight=0.5)


def from_direct(data_dir: Path, part: Part, chance: random.Random) -> Iterator[SlotExample]:
    """A part of DIRECT: each form of a turn, with the values that the original informs of, and one slot that it does not."""
    slots = {
        name: SlotSchema(about["slot"], about["description"], True, tuple(about["values"]))
        for name, about in json.loads(SLOTS.read_text(encoding="utf-8")).items()
    }
    acts = multiwoz.read(data_dir / "multiwoz21", "test")
    for row in direct.read(data_dir, parts=[part]):
        informed = {
            act.label: act.value.lower() for act in acts[row.dialogue_id][row.turn_index].acts if act.act.endswith("-Inform")
        }
        others = [name for name in slots if name not in informed]
        for text in dict.fromkeys((row.original, row.direct, row.indirect)):
            turn = _AskedTurn(row.dialogue_id, Dialogue.of(text, row.history[-1:]))
            for name, value in informed.items():
                if name in slots and value in slots[name].possible_values:
                    yield _example(turn, slots[name], value, chance)
            yield _example(turn, slots[chance.choice(others)], None, chance)


def written() -> Iterator[SlotExample]:
    """Requests worded by us for services that we made up; where a request is ambiguous, its values share the answer.

    Each line of the file is a slot: `requests` by value, `ambiguous` requests with the values that they fit, and `unrelated` ones.
    A request is a text, or the bot's turn and the user's. Yes-no slots are also spoken of plainly, and
    courtesies say nothing of any slot (`grice.models.training.slots.plain_requests`).
    """
    for line in WRITTEN.read_text(encoding="utf-8").splitlines():
        slot = json.loads(line)
        group, values = f"{slot['service']} {slot['slot']}", tuple(slot["values"])
        said = [(request, [value]) for value, requests in slot["requests"].items() for request in requests]
        said += [*map(tuple, slot["ambiguous"]), *((request, []) for request in slot["unrelated"])]
        chance = random.Random(group)
        said += [(list(turns), []) for turns in chance.sample(COURTESIES, POLITE)]
        if set(values) == BOOLEAN:
            alone = [request for request in slot["unrelated"] if isinstance(request, str)]
            plain = plain_requests(slot["slot"], alone, chance, PLAIN)
            said += [(list(turns), [value]) for turns, value in plain]
        for request, right in said:
            turns = [request] if isinstance(request, str) else request
            asked = Dialogue(tuple(Turn(who, text) for who, text in zip(SPEAKERS[-len(turns) :], turns, strict=True)))
            shares = tuple(1 / len(right) if value in right else 0.0 for value in values)
            yield SlotExample(group, SlotQuestion(asked, slot["slot"], slot["slot_description"], values), shares, decided=True)


def _example(turn: _AskedTurn, slot: SlotSchema, value: str | None, chance: random.Random) -> SlotExample:
    values = slot.possible_values
    if len(values) > MOST_VALUES:
        others = chance.sample([each for each in values if each != value], MOST_VALUES - 1)
        values = tuple(sorted({*others, value or others[0]}))
    question = SlotQuestion(turn.dialogue, slot.name, slot.description, values)
    shares = tuple(float(each == value) for each in values)
    indirect = value is not None and not says(turn.dialogue.last.text, value)
    return SlotExample(turn.group, question, shares, weight=3.0 if indirect else 1.0)
