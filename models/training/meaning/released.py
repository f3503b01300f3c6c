"""Menus for the reader of meaning out of released dialogues and of the requests that the slot resolver learns from.

Schema-Guided Dialogue's training services in six wordings give direct requests, answers and slot values; our requests give values
that nobody says in so many words; DIRECT gives the same turn direct and indirect.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from grice.models.data import direct, sgd
from grice.models.data.sgd import ServiceSchema, SgdTurn
from grice.models.data.split import Part
from grice.models.data.user_turns import DONT_CARE
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import TurnKind
from grice.models.schema import BotSchema, IntentSpec, SlotSpec
from grice.models.training.meaning.samples import Meaning, MenuTurns, Target, list_replies, replied, typed
from grice.models.training.meaning.written import SlotMention
from grice.models.training.slots import examples

TURNS = 40
"""Of a menu."""
MOST_INTENTS, MOST_SLOTS, MOST_VALUES = 10, 9, 8
FORMS: tuple[tuple[Literal["direct", "original", "indirect"], TurnKind | None], ...] = (
    ("direct", "direct"),
    ("original", None),
    ("indirect", "indirect"),
)
"""Of a turn in DIRECT, the most direct first, and what is said of each; the original may be either."""

AGREES = ("SELECT", "AFFIRM", "AFFIRM_INTENT")
"""Acts that take over what the bot proposed, which may be values."""

_SaidTurn = tuple[SgdTurn, Dialogue]
_REPLY_OF = {"AFFIRM_INTENT": "yes", "SELECT": "yes", "REQUEST_ALTS": "no-but", "NEGATE_INTENT": "no"}


def sgd_menus(folder: Path, rng: random.Random, menus_each: int = 5) -> Iterator[MenuTurns]:
    """Turns of each training service on a menu of its own intents and slots and some of another domain, in a random wording.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    schema = sgd.read_schema(folder, "train")
    wordings = [schema, *sgd.read_variants(folder, "train", schema).values()]
    turns = _turns_by_service(folder)
    for service in sorted(turns):
        for said in _parts(rng.sample(turns[service], len(turns[service])), menus_each):
            wording = rng.choice(wordings)
            strange = wording[rng.choice([name for name in wording if _domain(name) != _domain(service)])]
            yield _sgd_menu(said, schema[service], wording[service], strange, rng)


def _sgd_menu(
    said: Sequence[_SaidTurn], plain: ServiceSchema, own: ServiceSchema, strange: ServiceSchema, rng: random.Random
) -> MenuTurns:
    """Turns that are annotated with names of `plain`, on a menu with the names of `own`, the same service in other words."""
    intents = {intent.name: intent.description for intent in (*own.intents, *strange.intents)}
    listed = list_replies(intents, rng) if rng.random() < 0.4 else {}
    specs = [IntentSpec(name, text if rng.random() < 0.9 else "") for name, text in intents.items()][:MOST_INTENTS]
    renamed = {slot.name: other.name for slot, other in zip(plain.slots, own.slots, strict=True)}
    spoken = {renamed[action.slot] for turn, _ in said for action in turn.actions if action.slot in renamed}
    slots = _some_slots(own, spoken, rng)
    names = {slot.name for slot in slots}
    others = [slot for slot in _some_slots(strange, set(), rng) if slot.name not in names][:3]
    menu = BotSchema((*specs, *listed.values()), (*slots, *others))
    renamed |= {intent.name: other.name for intent, other in zip(plain.intents, own.intents, strict=True)}
    menu_slots = {slot.name: slot for slot in slots}
    turns = [(dialogue, _target(turn, renamed, menu_slots)) for turn, dialogue in said]
    return MenuTurns("sgd", menu, tuple(replied(turn, listed) for turn in turns))


def _turns_by_service(folder: Path) -> dict[str, list[_SaidTurn]]:
    """User turns that are about one service, with up to six turns before."""
    found: dict[str, list[_SaidTurn]] = defaultdict(list)
    for dialogue in sgd.read(folder, "train"):
        for place, turn in enumerate(dialogue.turns):
            services = {action.service for action in turn.actions}
            if turn.turn.speaker == "user" and not turn.silent and len(services) == 1:
                before = [each.turn for each in dialogue.turns[max(0, place - 6) : place] if not each.silent]
                found[services.pop()].append((turn, Dialogue((*before, turn.turn))))
    return found


def _parts(turns: Sequence[_SaidTurn], count: int) -> Iterator[Sequence[_SaidTurn]]:
    for start in range(0, min(len(turns), count * TURNS), TURNS):
        yield turns[start : start + TURNS]


def _domain(service: str) -> str:
    return service.partition("_")[0]


def _some_slots(service: ServiceSchema, wanted: set[str], rng: random.Random) -> list[SlotSpec]:
    """Slots that are wanted, and others as far as there is room; those with very many values are left out."""
    order = sorted(rng.sample(service.slots, len(service.slots)), key=lambda slot: slot.name not in wanted)
    slots = [
        SlotSpec(slot.name, slot.description, tuple(dict.fromkeys(slot.possible_values)) if slot.is_categorical else ())
        for slot in order[:MOST_SLOTS]
    ]
    return [slot for slot in slots if len(slot.values) <= MOST_VALUES]


def _target(turn: SgdTurn, renamed: Mapping[str, str], slots: Mapping[str, SlotSpec]) -> Target:
    """What an annotated turn means. `renamed` has the menu's name of each intent and slot.

    Nothing is known of its slots where the value that it gives one is not on the menu or not in its words, or where it agrees to
    what the bot proposed.
    """
    informed = [action for action in turn.actions if action.act == "INFORM" and action.values]
    asked = {slots[renamed[each.slot]].name: each.values[0] for each in informed if renamed.get(each.slot) in slots}
    mentions = {name: _mention(turn.turn.text, value, slots[name]) for name, value in asked.items()}
    agrees = any(action.act in AGREES for action in turn.actions)
    known = None if agrees or None in mentions.values() else {name: each for name, each in mentions.items() if each}
    return Target(_meaning(turn, renamed), known, None, None)


def _mention(text: str, value: str, slot: SlotSpec) -> SlotMention | None:
    if value == DONT_CARE:
        return SlotMention("any")
    if slot.values:
        return SlotMention("meant", (value,)) if value in slot.values else None
    return SlotMention("meant", words=value) if value.lower() in text.lower() else None


def _meaning(turn: SgdTurn, renamed: Mapping[str, str]) -> Meaning | None:
    acts = {action.act for action in turn.actions}
    for action in turn.actions:
        if action.act == "INFORM_INTENT":
            return ("intent", renamed[action.values[0]])
    for act, reply in _REPLY_OF.items():
        if act in acts:
            return ("act", reply)
    if "NEGATE" in acts:
        return ("act", "no-but" if "INFORM" in acts else "no")
    if "AFFIRM" in acts:
        return ("act", "yes")
    if acts <= {"THANK_YOU", "GOODBYE"}:
        return ("act", "courtesy")
    return ("act", "answer") if acts == {"INFORM"} else None


def request_menus(bots: Sequence[Sequence[IntentSpec]], rng: random.Random, count: int = 400) -> Iterator[MenuTurns]:
    """Our requests to one to four slots of different services at a time; what they want done is not said.

    Args:
        bots: intents of bots, a few of which mostly stand on the menu.
        count: of menus.
    """
    by_slot: dict[str, list[examples.SlotExample]] = defaultdict(list)
    for example in examples.written():
        by_slot[example.group].append(example)
    groups = sorted(by_slot)
    for _ in range(count):
        drawn: dict[str, list[examples.SlotExample]] = {}
        for group in rng.sample(groups, rng.choice((1, 2, 3, 4, 4))):
            drawn.setdefault(by_slot[group][0].question.slot, by_slot[group])
        asked = [own[0].question for own in drawn.values()]
        slots = tuple(SlotSpec(each.slot, each.description, each.values) for each in asked)
        few = rng.choice(bots)
        intents = rng.sample(few, min(len(few), 3)) if rng.random() < 0.7 else []
        turns = [
            (_told(example.question.dialogue, rng), Target(None, _request_mentions(example), None, None))
            for own in drawn.values()
            for example in rng.sample(own, min(len(own), TURNS // len(drawn)))
        ]
        yield MenuTurns("requests", BotSchema(tuple(intents), slots), tuple(turns))


def _told(dialogue: Dialogue, rng: random.Random) -> Dialogue:
    if rng.random() > 0.1:
        return dialogue
    return Dialogue((*dialogue.turns[:-1], replace(dialogue.last, text=typed(dialogue.last.text))))


def _request_mentions(example: examples.SlotExample) -> dict[str, SlotMention]:
    meant = tuple(value for share, value in zip(example.shares, example.question.values, strict=True) if share)
    if not meant:
        return {}
    return {example.question.slot: SlotMention("meant" if len(meant) == 1 else "ambiguous", meant)}


def direct_menus(
    data_dir: Path, bots: Sequence[Sequence[IntentSpec]], rng: random.Random, part: Part = "train", count: int = 40
) -> Iterator[MenuTurns]:
    """`count` menus of DIRECT's turns, each in its three forms; of the indirect one the plain form is known.

    Args:
        bots: intents of bots, a few of which stand on the menu.

    Raises:
        DataNotFound, DataCorrupt: the data set is missing or damaged.
    """
    rows = [row for row in direct.read(data_dir, parts=[part]) if row.quality == "Good"]
    each = TURNS // len(FORMS)
    order = rng.sample(rows, min(len(rows), count * each))
    for start in range(0, len(order), each):
        turns = [
            (
                Dialogue.of(getattr(row, form), row.history[-4:]),
                Target(None, None, kind, None, compared=(_name(row), place), plain=row.direct if form == "indirect" else ""),
            )
            for row in order[start : start + each]
            for place, (form, kind) in enumerate(FORMS)
        ]
        few = rng.choice(bots)
        yield MenuTurns("direct", BotSchema(tuple(rng.sample(few, min(len(few), 3)))), tuple(turns))


def _name(row: direct.Triple) -> str:
    return f"{row.dialogue_id} {row.turn_index}"
