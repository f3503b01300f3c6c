"""Turns, the catalogue that is searched, and the entry that they should find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from grice.benchmarks.meaning.cases import MeaningCase
from grice.benchmarks.meaning.held_out import indirect_cases
from grice.models.data import implicature
from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.menu import say_name
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.samples import is_trained_intent, share_of, utterances_by_intent
from grice.models.training.meaning.written import HELD_HANDS, WrittenBot, read_hands

Manner = Literal["indirect", "direct"]
WRITTEN, FAQ, EXAMPLES = "written", "faq", "examples"
BANKING: implicature.IntentSet = "BANKING77"
MANNERS: tuple[Manner, ...] = ("indirect", "direct")
MOST_EXAMPLES = 5
"""Of an intent."""


@dataclass(frozen=True)
class RetrievalCase:
    """A turn, the catalogue as a menu, and the intent that it should find.

    Attributes:
        part: the set or the hand, whose catalogue is one.
        group: what the bootstrap draws: a bot or an intent.
        gold: the name of an intent of the catalogue.
    """

    question: MeaningQuestion
    part: str
    group: str
    gold: str
    manner: Manner


def implicature_cases(data_dir: Path) -> list[RetrievalCase]:
    """Utterances of intents that were not trained on, in the catalogue of their whole set: indirect ones, and direct test ones.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    indirect = indirect_cases(data_dir, small=False)
    found = [_of_meaning(case) for case in indirect]
    for intent_set in implicature.INTENT_SETS:
        catalogue = next(case.question.schema for case in indirect if case.part == intent_set)
        spelled = {say_name(intent.name): intent.name for intent in catalogue.intents}
        for each in implicature.read(data_dir, intent_set):
            name = spelled.get(say_name(each.intent))
            if each.part == "test" and name is not None and not is_trained_intent(f"{intent_set}/{each.intent}"):
                asked = MeaningQuestion(Dialogue.of(each.text), catalogue)
                found.append(RetrievalCase(asked, intent_set, f"{intent_set}/{name}", name, "direct"))
    return found


def _of_meaning(case: MeaningCase) -> RetrievalCase:
    return RetrievalCase(case.question, case.part, case.group, case.gold[1], "indirect")


def example_cases(data_dir: Path) -> list[RetrievalCase]:
    """Those of `implicature_cases`, where five direct utterances of the set's train part stand beside each intent's name.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    given: dict[str, BotSchema] = {}
    found = []
    for case in implicature_cases(data_dir):
        if case.part not in given:
            given[case.part] = _with_examples(case.question.schema, _examples_of(data_dir, case.part))
        question = replace(case.question, schema=given[case.part])
        found.append(replace(case, question=question, part=f"{case.part}-{EXAMPLES}"))
    return found


def _examples_of(data_dir: Path, part: str) -> dict[str, tuple[str, ...]]:
    intent_set = next(each for each in implicature.INTENT_SETS if each == part)
    _, direct = utterances_by_intent(data_dir, intent_set, lambda name: True)
    return {say_name(intent): tuple(dict.fromkeys(sorted(texts, key=share_of)))[:MOST_EXAMPLES] for intent, texts in direct.items()}


def _with_examples(schema: BotSchema, examples: Mapping[str, tuple[str, ...]]) -> BotSchema:
    return BotSchema(tuple(replace(intent, examples=examples[say_name(intent.name)]) for intent in schema.intents))


def written_cases(hands: Sequence[str] = HELD_HANDS) -> list[RetrievalCase]:
    """Turns that ask for an intent, in a catalogue of the intents of all bots of their hand.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    return [case for hand, bots in read_hands(names=hands).items() for case in _of_hand(hand, bots)]


def _of_hand(hand: str, bots: Sequence[WrittenBot]) -> Iterator[RetrievalCase]:
    times = Counter(intent.name for bot in bots for intent in bot.schema.intents)
    shared = {name for name, count in times.items() if count > 1}
    catalogue = BotSchema(
        tuple(IntentSpec(_unique(intent.name, bot, shared), intent.description) for bot in bots for intent in bot.schema.intents)
    )
    for bot in bots:
        own = {intent.name for intent in bot.schema.intents}
        for turn in bot.turns:
            if turn.kind in MANNERS and turn.meaning in own:
                dialogue = Dialogue((*turn.history, Turn("user", turn.text)))
                name = _unique(turn.meaning, bot, shared)
                yield RetrievalCase(MeaningQuestion(dialogue, catalogue), hand, f"{hand}/{bot.service}", name, turn.kind)


def _unique(name: str, bot: WrittenBot, shared: Collection[str]) -> str:
    """An intent's name; with its bot where several bots of the hand have one of that name."""
    return f"{name} ({bot.service})" if name in shared else name


def faq_cases(data_dir: Path) -> list[RetrievalCase]:
    """BANKING77's utterances of intents that were not trained on, in a catalogue of questions: each intent's first direct one.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    _, direct = utterances_by_intent(data_dir, BANKING, lambda name: True)
    questions = {say_name(intent): texts[0] for intent, texts in direct.items()}
    catalogue = BotSchema(tuple(IntentSpec(question) for question in sorted(set(questions.values()))))
    return [
        RetrievalCase(
            MeaningQuestion(case.question.dialogue, catalogue), FAQ, case.group, questions[say_name(case.gold)], case.manner
        )
        for case in implicature_cases(data_dir)
        if case.part == BANKING
    ]
