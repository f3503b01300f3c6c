"""Which turns say in so many words what they are read as."""

from collections.abc import Sequence

import pytest

from grice.middleware.turns.menu_rewriter import MenuRewriter
from grice.middleware.turns.statement import Statement
from grice.middleware.turns.wording import is_said_directly
from grice.models import Dialogue
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec

SIZE = SlotMeaning("size", "meant", ("large",), 0.9)


def statement(kind: str, name: str, *slots: SlotMeaning) -> Statement:
    read = TurnMeaning("unknown", "", 0.9, 0.5, (PossibleMeaning(kind, name, 0.9),), slots, 0.0, 0.9, None, ())  # type: ignore[arg-type]
    return Statement("hm", read, kind, name, slots, 0.9, 0.7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Our helper has been an angel, so I'd like to arrange her holiday.",
        "the ferry is lovely and what i want to know is does my membership pay",
        "full tank, simply show me one that charges faster",
        "It's a shame, but I really need to cancel.",
        "get rid of it pls",
        "could u mend it",
        "I am on tablets: may I give blood with those?",
        "We have a newborn, how much would a lock cost?",
    ],
)
def test_words_of_asking_ask_for_an_intent(text: str) -> None:
    assert is_said_directly(text, statement("intent", "any_intent"))
    assert not is_said_directly(text, statement("act", "answer"))


@pytest.mark.parametrize(
    "text",
    [
        "The orange light came on.",
        "He needs a bigger bed by now.",
        "Somebody told me it was free.",
        "Pleased to see you.",
        "You know how much I fly.",
    ],
)
def test_a_hint_does_not_ask(text: str) -> None:
    assert not is_said_directly(text, statement("intent", "any_intent"))


def test_a_reply_that_begins_with_its_own_word_is_direct() -> None:
    assert is_said_directly("no parcel shop", statement("act", "no"))
    assert is_said_directly("Yeah, but not before nine.", statement("act", "yes-but"))
    assert not is_said_directly("Yeah, but make it a big one.", statement("act", "yes-but", SIZE))
    assert not is_said_directly("Nobody is at home.", statement("act", "no"))
    assert not is_said_directly("no parcel shop", statement("intent", "parcel_shops"))


def test_a_turn_that_asks_in_so_many_words_is_left_as_it_is() -> None:
    class Reader:
        def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
            return [
                TurnMeaning("intent", "leave", 0.9, 0.9, (PossibleMeaning("intent", "leave", 0.9),), (), 0, 0.9, None, ())
            ] * len(asked)

    def analysed(text: str) -> tuple[str, str]:
        menu = BotSchema((IntentSpec("leave", "arrange a holiday"),))
        (found,) = MenuRewriter(Reader(), 0.5, 0.65, 0.8).predict([MeaningQuestion(Dialogue.of(text), menu)])
        return found.reason, found.text

    assert analysed("She has earned some sun.") == ("indirect", "I want to arrange a holiday.")
    assert analysed("She has earned some sun, I'd like to arrange it.") == ("direct", "")
