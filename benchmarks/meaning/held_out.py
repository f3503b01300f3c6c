"""Turns that training held out: written bots, intents of the implicature sets, utterances of none of them, answers to questions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from grice.benchmarks.meaning.cases import NOTHING, MeaningCase, NamedMeaning
from grice.models.data import circa, implicature
from grice.models.data.user_turns import DONT_CARE
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.samples import (
    Target,
    as_written,
    circa_turn,
    is_trained_intent,
    is_trained_question,
    utterances_by_intent,
)
from grice.models.training.meaning.written import HELD_HANDS, SlotMention, WrittenBot, read_hands

MENU = 10
"""Intents of a small menu."""
CLINC: implicature.IntentSet = "CLINC150"


def written_cases(hands: Sequence[str] = HELD_HANDS) -> list[MeaningCase]:
    """Turns of these hands, by default those that nothing was trained on, each on its bot's own menu.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    return [
        case
        for hand, bots in read_hands(names=hands).items()
        for bot in bots
        for case in _of_bot(hand, bot, any(turn.changes for each in bots for turn in each.turns))
    ]


def _of_bot(hand: str, bot: WrittenBot, marked: bool) -> list[MeaningCase]:
    """`marked`: the hand says which turns are changes of mind."""
    menu = as_written(bot)
    return [
        MeaningCase(
            MeaningQuestion(dialogue, menu.schema),
            f"{hand}/{bot.domain}/{bot.service}",
            _gold(target),
            target.kind,
            hand,
            {name: _value(mention) for name, mention in (target.mentions or {}).items() if mention.said in ("meant", "any")},
            target.option or None,
            frozenset(target.mentions or () if target.changes else ()) if marked else None,
        )
        for dialogue, target in menu.turns
    ]


def _gold(target: Target) -> NamedMeaning:
    if target.meaning is None:
        return NOTHING
    kind, name = target.meaning
    return ("intent" if kind == "intent" else "act", name)


def _value(mention: SlotMention) -> str:
    if mention.said == "any":
        return DONT_CARE
    return mention.values[0] if mention.values else mention.words


def indirect_cases(data_dir: Path, small: bool) -> list[MeaningCase]:
    """Indirect utterances of the intents that were not trained on; names are all that is said of an intent.

    Args:
        small: on menus of ten, each held-out intent on one of them; else on the menu of the whole set.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    cases = []
    for intent_set in implicature.INTENT_SETS:
        held, _ = utterances_by_intent(data_dir, intent_set, lambda name: not is_trained_intent(name))
        trained, _ = utterances_by_intent(data_dir, intent_set, is_trained_intent)
        for asked, menu in _menus(intent_set, sorted(held), sorted(trained), MENU if small else len(held) + len(trained)):
            schema = BotSchema(tuple(map(IntentSpec, sorted(menu))))
            cases += [
                MeaningCase(
                    MeaningQuestion(Dialogue.of(text), schema), f"{intent_set}/{intent}", ("intent", intent), part=intent_set
                )
                for intent in asked
                for text in held[intent]
            ]
    return cases


def _menus(intent_set: str, held: Sequence[str], trained: Sequence[str], size: int) -> Iterator[tuple[list[str], list[str]]]:
    """Intents whose utterances are read together, and their menu: themselves, filled up with trained ones."""
    chance = random.Random(intent_set)
    order = chance.sample(held, len(held))
    for start in range(0, len(order), size):
        asked = order[start : start + size]
        yield asked, [*asked, *chance.sample(trained, min(size - len(asked), len(trained)))]


def scope_cases(data_dir: Path) -> list[MeaningCase]:
    """CLINC's utterances of no intent, and direct ones of its test part, on the menu of those intents that were not trained on.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    known = [
        each
        for each in implicature.read(data_dir, CLINC)
        if each.part == "test" and not is_trained_intent(f"{CLINC}/{each.intent}")
    ]
    schema = BotSchema(tuple(IntentSpec(name) for name in sorted({each.intent for each in known})))
    cases = [
        MeaningCase(MeaningQuestion(Dialogue.of(each.text), schema), each.intent, ("intent", each.intent), "direct")
        for each in known
    ]
    for part, texts in implicature.read_out_of_scope(data_dir).items():
        cases += [
            MeaningCase(MeaningQuestion(Dialogue.of(text), schema), f"{part}/{number}", NOTHING, "out_of_scope")
            for number, text in enumerate(texts)
        ]
    return cases


def judged_answers(data_dir: Path) -> list[tuple[circa.JudgedAnswer, MeaningQuestion]]:
    """Circa's answers with a majority, to questions that were not trained on; beside a few intents of bots of the held-out hands.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    answers = [each for each in circa.read(data_dir) if each.strict and not is_trained_question(each.question)]
    schemas = _few_intents([bot for bots in read_hands(names=HELD_HANDS[:1]).values() for bot in bots])
    return [(answer, MeaningQuestion(circa_turn(answer)[0], schemas[place % len(schemas)])) for place, answer in enumerate(answers)]


def _few_intents(bots: Sequence[WrittenBot]) -> list[BotSchema]:
    return [BotSchema(bot.schema.intents[:2]) for bot in bots]
