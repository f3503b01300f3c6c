"""What the slot-value resolver learns from: SGD's training services, DIRECT's indirect turns, and requests that we wrote."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grice.models.data import direct, multiwoz, sgd
from grice.models.data.split import Part
from grice.models.dialogue import Dialogue, Turn
from grice.models.slot_questions import SlotQuestion
from grice.models.verbatim import says

WRITTEN = Path(__file__).parent / "indirect_requests.jsonl"
SLOTS = Path(__file__).parent / "multiwoz_slots.json"
"""MultiWOZ has no schema: descriptions worded by us, and the values that its acts have."""
MOST_VALUES = 12
"""Of a slot with more values, the right one and others drawn at random are asked about."""


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
    """Indirect turns of SGD's dev split about services that are not in its training split, and as many that say nothing.

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
    """A user turn and a categorical slot: each that it informs of, and one of the same service that it does not.

    Services in `without` are left out.
    """
    schema = sgd.read_schema(folder, split)
    slots = {
        (service.name, slot.name): slot
        for service in schema.values()
        for slot in service.slots
        if slot.is_categorical and service.name not in without
    }
    for dialogue in sgd.read(folder, split):
        for place, said in enumerate(dialogue.turns):
            if said.turn.speaker != "user" or said.silent:
                continue
            asked = Dialogue(tuple(turn.turn for turn in dialogue.turns[max(0, place - 1) : place + 1] if not turn.silent))
            touched = {(action.service, action.slot) for action in said.actions}
            for key in sorted(touched & slots.keys()):
                (value, *_) = said.state.get(key[0], {}).get(key[1], ("",))
                if value in slots[key].possible_values:
                    yield _example(dialogue.dialogue_id, asked, slots[key], value, chance)
            services = {service for service, _ in touched}
            others = [key for key in slots if key[0] in services and key not in touched]
            if others:
                yield _example(dialogue.dialogue_id, asked, slots[chance.choice(others)], None, chance)


def from_direct(data_dir: Path, part: Part, chance: random.Random) -> Iterator[SlotExample]:
    """A part of DIRECT: each form of a turn, with the values that the original informs of, and one slot that it does not."""
    slots = {
        name: sgd.SlotSchema(about["slot"], about["description"], True, tuple(about["values"]))
        for name, about in json.loads(SLOTS.read_text(encoding="utf-8")).items()
    }
    acts = multiwoz.read(data_dir / "multiwoz21", "test")
    for row in direct.read(data_dir, parts=[part]):
        informed = {
            act.label: act.value.lower() for act in acts[row.dialogue_id][row.turn_index].acts if act.act.endswith("-Inform")
        }
        others = [name for name in slots if name not in informed]
        for text in dict.fromkeys((row.original, row.direct, row.indirect)):
            asked = Dialogue.of(text, row.history[-1:])
            for name, value in informed.items():
                if name in slots and value in slots[name].possible_values:
                    yield _example(row.dialogue_id, asked, slots[name], value, chance)
            yield _example(row.dialogue_id, asked, slots[chance.choice(others)], None, chance)


def written() -> Iterator[SlotExample]:
    """Requests worded by us for services that we made up; where a request is ambiguous, its values share the answer."""
    for line in WRITTEN.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        right = item["also"] if item["target"] == "<ambiguous>" else [item["target"]]
        shares = tuple(1 / len(right) if value in right else 0.0 for value in item["values"])
        asked = Dialogue((Turn("user", item["utterance"]),))
        question = SlotQuestion(asked, item["slot"], item["slot_description"], tuple(item["values"]))
        yield SlotExample(f"{item['service']} {item['slot']}", question, shares, weight=12.0, decided=True)


def _example(group: str, asked: Dialogue, slot: sgd.SlotSchema, value: str | None, chance: random.Random) -> SlotExample:
    values = slot.possible_values
    if len(values) > MOST_VALUES:
        others = chance.sample([each for each in values if each != value], MOST_VALUES - 1)
        values = tuple(sorted({*others, value or others[0]}))
    question = SlotQuestion(asked, slot.name, slot.description, values)
    shares = tuple(float(each == value) for each in values)
    indirect = value is not None and not says(asked.last.text, value)
    return SlotExample(group, question, shares, weight=3.0 if indirect else 1.0)
