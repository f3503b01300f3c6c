"""The shipped reader of meaning: what it is sure of is right, what it does not know it says."""

from dataclasses import replace

import numpy as np
import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.meaning.reader import MOST_CHOSEN_FROM, MeaningReader, load_meaning_reader
from grice.models.meaning.results import MOST_POSSIBLE, MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

SHOP = BotSchema(
    (
        IntentSpec("book_repair", "have a bicycle repaired"),
        IntentSpec("buy_bike", "buy a bicycle"),
        IntentSpec("opening_hours", "ask when the shop is open"),
        IntentSpec("cancel_repair", "call a repair off"),
    ),
    (
        SlotSpec("bike_kind", "kind of bicycle", ("city bike", "racing bike", "cargo bike")),
        SlotSpec("customer", "name of the customer"),
    ),
)


@pytest.fixture(scope="module")
def reader() -> MeaningReader:
    return load_meaning_reader()


def best(reader: MeaningReader, text: str, *bot: str) -> str:
    (found,) = reader.predict([MeaningQuestion(Dialogue.of(text, [("bot", each) for each in bot]), SHOP)])
    return found.possible[0].name


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("When are you open?", "opening_hours"),
        ("I'd like to buy a bicycle.", "buy_bike"),
        ("Thank you, have a nice day!", "courtesy"),
    ],
)
def test_direct_turns(reader: MeaningReader, text: str, meaning: str) -> None:
    assert best(reader, text) == meaning


def test_the_same_words_answer_what_was_asked(reader: MeaningReader) -> None:
    assert best(reader, "Yes, please.", "Shall I book the repair for Friday?") == "yes"
    assert best(reader, "No, thank you.", "Shall I book the repair for Friday?") == "no"


def test_a_value_that_is_said_is_found_and_others_are_not(reader: MeaningReader) -> None:
    (found,) = reader.predict([MeaningQuestion(Dialogue.of("A cargo bike.", [("bot", "What kind of bicycle is it?")]), SHOP)])
    assert [(slot.slot, slot.said, slot.values) for slot in found.slots] == [("bike_kind", "meant", ("cargo bike",))]


@pytest.mark.parametrize(
    "text", ["Grey clouds over the pines again, and the kettle sings.", "When are you open?", "Hm.", "Thank you!"]
)
def test_what_it_is_not_sure_of_is_unknown(reader: MeaningReader, text: str) -> None:
    (found,) = reader.predict([MeaningQuestion(Dialogue.of(text), SHOP)])
    unsure = found.confidence < reader.threshold
    assert (found.kind, found.meaning) == (("unknown", "") if unsure else (found.possible[0].kind, found.possible[0].name))
    if text.startswith("Grey"):
        assert found.kind != "intent"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("A cargo bike.", ("cargo", "bike")),
        ("And what about the brakes?", ("brakes",)),
        ("I've got a puncture.", ("puncture",)),
        ("Yes, that is it.", ("Yes",)),
        ("We don't.", ("don't",)),
        ("We don’t.", ("don’t",)),
        ("And my?", ("And", "my")),
    ],
)
def test_the_words_that_speak_for_a_meaning_are_no_function_words(reader: MeaningReader, text: str, first: tuple[str, ...]) -> None:
    (found,) = reader.predict([MeaningQuestion(Dialogue.of(text, [("bot", "What is it?")]), SHOP)])
    assert found.evidence[0].text in first
    assert {each.text for each in found.evidence} <= set(first)
    assert [text[each.start : each.end] for each in found.evidence] == [each.text for each in found.evidence]
    assert sum(each.weight for each in found.evidence) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "option"),
    [("The first one.", 1), ("The third one, please.", 3), ("Number two please.", 2), ("The one with the basket.", 3)],
)
def test_which_option_is_told_where_the_turn_names_it(reader: MeaningReader, text: str, option: int) -> None:
    offer = Turn("bot", "We have a red bike, a blue bike or one with a basket. Which one?")
    question = MeaningQuestion(Dialogue.of(text, [offer]), SHOP)
    ((found,), (scores,)) = reader.predict([question]), reader.score([question])
    at = next(place for place, each in enumerate(scores.options) if each.name == "option")
    chosen = replace(scores, meaning=np.where(np.arange(len(scores.options)) == at, 30, scores.meaning))
    assert reader.conclude(question.dialogue, chosen).option == option
    assert found.option in (option, None)


def test_a_hint_at_an_option_tells_none_and_neither_does_another_meaning(reader: MeaningReader) -> None:
    offer = Turn("bot", "We have a red bike or one with a basket. Which one?")
    for text in ("I carry my shopping home every day.", "When are you open?"):
        (found,) = reader.predict([MeaningQuestion(Dialogue.of(text, [offer]), SHOP)])
        assert found.option is None


def test_a_menu_may_have_one_part_only(reader: MeaningReader) -> None:
    intents = BotSchema(SHOP.intents[:1])
    slots = BotSchema((), SHOP.slots)
    for schema in (intents, slots):
        (found,) = reader.predict([MeaningQuestion(Dialogue.of("Hello."), schema)])
        assert len(found.possible) == MOST_POSSIBLE
        assert sum(each.share for each in found.possible) == pytest.approx(1, abs=1e-2)


def test_a_large_menu_is_read(reader: MeaningReader) -> None:
    many = BotSchema(
        tuple(IntentSpec(f"topic_{number}", f"ask about machine number {number}") for number in range(80)) + SHOP.intents
    )
    question = MeaningQuestion(Dialogue.of("When are you open?"), many)
    (found,), (scores,) = reader.predict([question]), reader.score([question])
    assert found.possible[0].name == "opening_hours"
    assert len([option for option in scores.options if option.kind == "intent"]) == MOST_CHOSEN_FROM


def test_what_is_no_question_is_refused(reader: MeaningReader) -> None:
    with pytest.raises(InputError, match="MeaningQuestion"):
        reader.predict([Dialogue.of("Hello.")])  # type: ignore[list-item]
