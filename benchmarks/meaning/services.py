"""Turns of services that nothing was trained on: Schema-Guided Dialogue, the same in other wordings, and MultiDoGO."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.meaning.cases import NOTHING, MeaningCase
from grice.models.data import multidogo, sgd
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.samples import share_of

SPLIT = "test"
MENU = 10
SHARE = 0.2
"""Of the dialogues: one in five is read, as each turn is read in six wordings."""
INFORM_INTENT, INFORM = "INFORM_INTENT", "INFORM"
DESCRIPTIONS = Path(__file__).parent / "multidogo_intents.json"
"""What MultiDoGO's intents are; its files have their names only, in one word."""


@dataclass(frozen=True)
class IntentTurn:
    """A user turn of SGD that says an intent: its service, and the place of the intent in the service's schema.

    `informed` has the slots of the service that the turn gives a value, each with it.
    """

    dialogue_id: str
    dialogue: Dialogue
    service: str
    place: int
    informed: tuple[tuple[str, str], ...] = ()


def sgd_cases(folder: Path) -> list[MeaningCase]:
    """Turns that say an intent, on a menu of ten: those of their service, and others of other domains.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    schema = sgd.read_schema(folder, SPLIT)
    return _cases(list(intent_turns(folder, schema)), schema, "")


def sgd_x_cases(folder: Path) -> list[MeaningCase]:
    """The same turns with the schemas of SGD-X (Lee et al. 2022), by wording.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged, or a wording has other services or intents.
    """
    schema = sgd.read_schema(folder, SPLIT)
    turns = list(intent_turns(folder, schema))
    variants = sgd.read_variants(folder, SPLIT, schema)
    return [case for name, variant in variants.items() for case in _cases(turns, variant, name)]


def intent_turns(folder: Path, schema: Mapping[str, sgd.ServiceSchema]) -> Iterator[IntentTurn]:
    """User turns of the read dialogues that say one intent of a service that training has not."""
    known = sgd.read_schema(folder, "train")
    for dialogue in sgd.read(folder, SPLIT):
        if share_of(dialogue.dialogue_id) >= SHARE:
            continue
        for place, turn in enumerate(dialogue.turns):
            said = {(each.service, each.values[0]) for each in turn.actions if each.act == INFORM_INTENT}
            if turn.turn.speaker == "user" and len(said) == 1 and not turn.silent:
                ((service, intent),) = said
                if service in known:
                    continue
                names = [each.name for each in schema[service].intents]
                before = [each.turn for each in dialogue.turns[:place] if not each.silent]
                given = [each for each in turn.actions if each.act == INFORM and each.service == service and each.values]
                informed = tuple((each.slot, each.values[0]) for each in given)
                yield IntentTurn(dialogue.dialogue_id, Dialogue((*before, turn.turn)), service, names.index(intent), informed)


def _cases(turns: Sequence[IntentTurn], schema: Mapping[str, sgd.ServiceSchema], wording: str) -> list[MeaningCase]:
    """`schema` is by the names of the services that the turns have, whatever the wording."""
    menus = {service: _menu(service, schema) for service in dict.fromkeys(turn.service for turn in turns)}
    return [
        MeaningCase(
            MeaningQuestion(turn.dialogue, menus[turn.service]),
            turn.dialogue_id,
            ("intent", schema[turn.service].intents[turn.place].name),
            part=wording,
        )
        for turn in turns
    ]


def _menu(service: str, schema: Mapping[str, sgd.ServiceSchema]) -> BotSchema:
    intents = {intent.name: intent.description for intent in schema[service].intents}
    others = [each for name in schema if _domain(name) != _domain(service) for each in schema[name].intents]
    for intent in random.Random(service).sample(others, len(others)):
        if len(intents) < MENU:
            intents.setdefault(intent.name, intent.description)
    return BotSchema(tuple(IntentSpec(name, intents[name]) for name in sorted(intents)))


def _domain(service: str) -> str:
    return service.partition("_")[0]


def multidogo_cases(folder: Path) -> list[MeaningCase]:
    """Customers' turns on the menu of their domain's intents; of those that have none of them, one in five.

    Raises:
        DataNotFound, DataCorrupt: the archive is missing or damaged.
    """
    described: dict[str, dict[str, str]] = json.loads(DESCRIPTIONS.read_text(encoding="utf-8"))
    cases = []
    for domain, intents in described.items():
        schema = BotSchema(tuple(IntentSpec(name, text) for name, text in intents.items()))
        for turn in multidogo.read(folder, domain, SPLIT):
            (intent,) = turn.intents if len(turn.intents) == 1 else ("",)
            question = MeaningQuestion(turn.dialogue, schema)
            if intent in intents:
                cases.append(MeaningCase(question, turn.dialogue_id, ("intent", intent), part=domain))
            elif intent in multidogo.GENERAL and share_of(f"{turn.dialogue_id} {turn.dialogue.last.text}") < SHARE:
                cases.append(MeaningCase(question, turn.dialogue_id, NOTHING, part=domain))
    return cases
