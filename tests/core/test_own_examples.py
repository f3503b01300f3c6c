"""A bot's own examples as rewrites: what they may tell, which of them are told, and values that are put into them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from grice.middleware.turns.menu_rewriter import MenuRewriter
from grice.middleware.turns.own_examples import fitting_examples
from grice.middleware.turns.statement import state
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

PRICE = SlotSpec("price", "how much it may cost", ("cheap", "moderate", "expensive"))
AREA = SlotSpec("area", "", ("north", "south"))
COUNT = SlotSpec("people")


def value_of(slot: str, value: str) -> SlotMeaning:
    return SlotMeaning(slot, "meant", (value,), 0.9)


def examples_of(*examples: str, said: str = "hm", slots: Sequence[SlotMeaning] = (), description: str = "find food") -> list[str]:
    """Those that can be told, of a turn and what it means."""
    intent = IntentSpec("find_food", description, examples)
    question = MeaningQuestion(Dialogue.of(said), BotSchema((intent,), (PRICE, AREA, COUNT)))
    read = TurnMeaning(
        "intent", "find_food", 0.9, 0.5, (PossibleMeaning("intent", "find_food", 0.9),), tuple(slots), 0, 0.9, None, ()
    )
    return fitting_examples(state(read, said, 0.0), question)


@pytest.mark.parametrize(
    "example",
    [
        "change the dial to number 4",
        "a table at 9 pm",
        "a table for tomorrow",
        "a table on Friday",
        "food for less than £20",
        "a table at Zanzibarra",
        "walnuts please",
        'a place called "the end"',
        "something down in the west",
        "middle eastern food",
    ],
)
def test_an_example_that_tells_what_nobody_said_is_not_told(example: str) -> None:
    assert examples_of(example, "I want to eat") == ["I want to eat"]


def test_an_example_may_tell_what_the_dialogue_the_values_or_the_menu_say() -> None:
    assert examples_of("a table at 9 pm", said="My shift ends at 9 pm, I am starving") == ["a table at 9 pm"]
    assert examples_of("a table at Zanzibarra", said="Everybody loves zanzibarra") == ["a table at Zanzibarra"]
    assert examples_of("food for 4", slots=[value_of("people", "4")]) == ["food for 4"]
    assert examples_of("something in the west", said="I live in the west") == ["something in the west"]
    assert examples_of("walnuts please", description="order walnuts") == ["walnuts please"]
    assert examples_of("walnuts please") == []


def test_a_value_that_was_found_is_put_into_an_example_that_has_another() -> None:
    moderate = [value_of("price", "moderate")]
    assert examples_of("I want a cheap restaurant", slots=moderate) == ["I want a moderate restaurant"]
    assert examples_of("I want a cheap restaurant", slots=[value_of("price", "expensive")]) == ["I want an expensive restaurant"]
    both = [value_of("price", "moderate"), value_of("area", "south")]
    assert examples_of("a cheap place up north please", slots=both) == ["a moderate place up south please"]
    assert examples_of("a cheap place", "a moderate place for us", slots=moderate)[0] == "a moderate place for us"


@pytest.mark.parametrize(
    "example",
    [
        "I want a restaurant",
        "I want a cheap or expensive restaurant",
        "a cheap, really cheap restaurant",
        "a cheap restaurant in the north",
        "a cheapish restaurant",
    ],
)
def test_a_value_is_put_in_only_where_just_one_of_its_slot_stands(example: str) -> None:
    assert examples_of(example, slots=[value_of("price", "moderate")]) == []


def test_nothing_is_put_in_for_free_words_or_for_what_is_not_a_value() -> None:
    assert examples_of("food for 4", slots=[value_of("people", "5")]) == []
    assert examples_of("a cheap place", slots=[SlotMeaning("price", "not_this", ("cheap",), 0.9)]) == []


class Reader:
    """Gives each sentence a share of the intent `leave`; the rest it takes for something else. Notes what it is asked."""

    def __init__(self, **shares: float) -> None:
        self.shares = shares
        self.asked: list[list[str]] = []

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        self.asked.append([each.dialogue.last.text for each in asked])
        return [self._meaning(self.shares.get(text, 0.0)) for text in self.asked[-1]]

    def _meaning(self, share: float) -> TurnMeaning:
        meant, other = PossibleMeaning("intent", "leave", share), PossibleMeaning("act", "none", 1 - share)
        possible = (meant, other) if share > 0.5 else (other, meant)
        return TurnMeaning("intent", "leave", 0.9, 0.5, possible, (), 0.0, 0.9, None, ())


def rewritten(reader: Reader, *examples: str) -> str:
    menu = BotSchema((IntentSpec("leave", "arrange a holiday", examples),))
    (found,) = MenuRewriter(reader, 0.5, 0.65, 0.8).predict([MeaningQuestion(Dialogue.of("hm", [("bot", "May I?")]), menu)])
    return found.text


PLAIN = "I want to arrange a holiday."


def test_the_sentence_is_told_that_is_most_of_all_read_as_what_is_meant() -> None:
    shares = {"hm": 0.9, "time to rest": 0.7, "give me time to rest": 0.95, PLAIN: 0.8}
    reader = Reader(**shares)
    assert rewritten(reader, "time to rest", "give me time to rest") == "give me time to rest"
    assert reader.asked == [["hm"], ["time to rest", "give me time to rest", PLAIN]]
    assert rewritten(Reader(**{**shares, PLAIN: 0.97}), "time to rest", "give me time to rest") == PLAIN


def test_of_sentences_that_are_read_alike_the_earlier_is_told() -> None:
    assert rewritten(Reader(**{"hm": 0.9, "time to rest": 0.801, PLAIN: 0.804}), "time to rest") == "time to rest"


def test_plain_replies_are_read_only_where_nothing_else_is_verified() -> None:
    reader = Reader(**{"hm": 0.9, "Yes.": 0.8, "No.": 0.6})
    assert rewritten(reader) == "Yes."
    assert reader.asked[1:] == [[PLAIN], ["Yes.", "No.", "I am not sure yet.", "I do not mind, any will do."]]
    assert rewritten(Reader(hm=0.9)) == ""
