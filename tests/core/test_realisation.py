"""What a turn means, said plainly, and rewriting with a menu on a reader of fixed answers."""

from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.blending import weight_of
from grice.middleware.turns.realisation import REPLIES, is_verified, realise, say_wish
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

BOT = BotSchema(
    (
        IntentSpec(
            "find_place", "find a restaurant", ("show me restaurants", "a cheap place please", "a cheap place in the north please")
        ),
        IntentSpec("opening", "when it is open"),
        IntentSpec("affirm", "agrees"),
    ),
    (SlotSpec("price_range", "", ("cheap", "dear")), SlotSpec("area", "", ("north", "south"))),
)
CHEAP = SlotMeaning("price_range", "meant", ("cheap",), 0.9)
NOT_SOUTH = SlotMeaning("area", "not_this", ("south",), 0.9)


def meaning(kind: Any, name: str, *slots: SlotMeaning, **given: Any) -> TurnMeaning:
    fields = {"changes": 0.0, "indirect": 0.9, "option": None, "confidence": 0.9, **given}
    return TurnMeaning(
        kind,
        name,
        fields["confidence"],
        0.5,
        (PossibleMeaning("act" if kind == "unknown" else kind, name, 0.8),),
        slots,
        fields["changes"],
        fields["indirect"],
        fields["option"],
        (),
    )


@pytest.mark.parametrize(
    ("name", "description", "said"),
    [
        ("find_place", "find a restaurant", "I want to find a restaurant"),
        ("find_place", "The user wants to find a restaurant.", "I want to find a restaurant"),
        ("opening", "when it is open", "I want to know when it is open"),
        ("cheaper", "Something cheaper", "I want something cheaper"),
        ("order_status", "", "This is about: order status"),
        ("order_food", "order a meal", "I want to order a meal"),
        ("cancel_trip", "", "I want to cancel trip"),
        ("rules", "tell where flying is allowed", "I want you to tell where flying is allowed"),
        ("outage", "say that the heating has failed", "I want to say that the heating has failed"),
        ("advice", "suggest a kite", "I want you to suggest a kite"),
        ("pension", "a payment did not arrive", "This is about: a payment did not arrive"),
    ],
)
def test_an_intent_as_a_wish(name: str, description: str, said: str) -> None:
    assert say_wish(IntentSpec(name, description)) == said


def test_examples_come_first_that_say_just_what_is_meant() -> None:
    plain = "I want to find a restaurant"
    assert realise(meaning("intent", "find_place"), BOT) == ["show me restaurants", f"{plain}.", *REPLIES.values()]
    assert realise(meaning("intent", "find_place", CHEAP), BOT) == ["a cheap place please", f"{plain}: price range cheap."]
    assert realise(meaning("intent", "find_place", CHEAP, NOT_SOUTH), BOT) == [f"{plain}: price range cheap, not area south."]


def test_what_is_true_or_false_is_said_by_the_intent() -> None:
    confirmed = SlotMeaning("confirm", "meant", ("true",), 0.9)
    assert realise(meaning("intent", "affirm", confirmed), BOT) == [*REPLIES.values(), "This is about: agrees."]
    assert realise(meaning("act", "yes", confirmed), BOT) == ["Yes."]


def test_a_bot_may_list_replies_among_its_intents() -> None:
    assert realise(meaning("intent", "affirm"), BOT) == [*REPLIES.values(), "This is about: agrees."]
    said = BotSchema((IntentSpec("affirm", "say yes to the question"), IntentSpec("hesitate", "cannot say yet")))
    assert realise(meaning("intent", "affirm"), said) == [*REPLIES.values(), "I want to say yes to the question."]
    assert realise(meaning("intent", "hesitate"), said)[:4] == [*REPLIES.values()]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (meaning("act", "yes"), ["Yes."]),
        (meaning("act", "yes", CHEAP), ["Yes: price range cheap."]),
        (meaning("act", "not-yet"), ["I am not sure yet."]),
        (meaning("act", "yes-but"), []),
        (meaning("act", "yes-but", CHEAP), ["Yes, but price range cheap."]),
        (meaning("act", "no-but", NOT_SOUTH), ["No, not area south."]),
        (meaning("act", "no-but", CHEAP), ["No, price range cheap instead."]),
        (meaning("act", "answer", CHEAP), ["Price range: cheap."]),
        (meaning("act", "answer"), []),
        (meaning("act", "answer", CHEAP, changes=0.8), ["I want to change that: price range cheap."]),
        (meaning("act", "answer", SlotMeaning("area", "any", (), 0.9)), ["Any area."]),
        (meaning("act", "answer", SlotMeaning("area", "ambiguous", ("north", "south"), 0.9)), []),
        (meaning("act", "option", option=2), ["The second one."]),
        (meaning("act", "option"), []),
        (meaning("act", "courtesy"), []),
        (meaning("act", "none"), []),
        (meaning("unknown", ""), []),
    ],
)
def test_replies(found: TurnMeaning, said: list[str]) -> None:
    assert realise(found, BOT) == said


def test_a_sentence_is_verified_that_says_the_same_and_nothing_else() -> None:
    found = meaning("intent", "find_place", CHEAP)
    assert is_verified(found, meaning("intent", "find_place", CHEAP))
    assert is_verified(found, meaning("intent", "find_place"))
    assert not is_verified(found, meaning("intent", "opening", CHEAP))
    assert not is_verified(found, meaning("intent", "find_place", CHEAP, NOT_SOUTH))
    assert is_verified(meaning("act", "answer", CHEAP), meaning("intent", "find_place", CHEAP))
    assert not is_verified(meaning("act", "answer", CHEAP), meaning("act", "answer"))
    assert not is_verified(meaning("act", "answer", CHEAP, NOT_SOUTH), meaning("act", "answer", CHEAP))
    doubtful = SlotMeaning("area", "ambiguous", ("north", "south"), 0.9)
    assert is_verified(meaning("act", "answer", CHEAP, doubtful), meaning("act", "answer", CHEAP))


class Reader:
    """Answers by the last turn."""

    def __init__(self, **answers: TurnMeaning) -> None:
        self.answers = answers

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        return [self.answers.get(each.dialogue.last.text, meaning("unknown", "none")) for each in asked]


class Silent:
    """A model that must not be asked."""

    def predict(self, asked: Sequence[Dialogue], /) -> list[Any]:
        raise AssertionError(asked)


def analysed(text: str, answers: dict[str, TurnMeaning], settings: PipelineSettings | None = None) -> Any:
    pipeline = Pipeline(Silent(), Silent(), settings, reader=Reader(**answers))
    (found,) = pipeline.predict([MeaningQuestion(Dialogue.of(text), BOT)])
    return found


def test_a_turn_with_a_menu_is_rewritten_by_it() -> None:
    meant = meaning("intent", "opening")
    known = {"hm": meant, "I want to know when it is open.": meant}
    found = analysed("hm", known, PipelineSettings(mode="replace"))
    assert (found.decision, found.reason, found.text) == ("rewrite", "indirect", "I want to know when it is open.")
    assert found.meaning == meant
    assert found.directness is None
    assert found.rewrite.confidence == meant.confidence
    assert weight_of(found) == pytest.approx(meant.indirect * meant.confidence)
    assert analysed("hm", known).text == "hm. I want to know when it is open."


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({}, "unknown"),
        ({"hm": meaning("act", "courtesy")}, "courtesy"),
        ({"hm": meaning("act", "none", indirect=0.1)}, "not_on_menu"),
        ({"hm": meaning("intent", "opening", indirect=0.2)}, "direct"),
        ({"hm": meaning("act", "yes-but")}, "uncertain"),
    ],
)
def test_without_a_sentence_the_turn_stays(answers: dict[str, TurnMeaning], reason: str) -> None:
    found = analysed("hm", answers)
    assert (found.decision, found.reason, found.text) == ("pass", reason, "hm")


def test_what_no_sentence_says_safely_is_asked() -> None:
    found = analysed("hm", {"hm": meaning("intent", "opening")})
    assert (found.decision, found.reason, found.text) == ("clarify", "uncertain", "hm")
    assert found.clarification is not None
    assert found.clarification.question == "Do you want to know when it is open, or something else?"


def test_what_says_the_same_already_stays() -> None:
    found = analysed("yes", {"yes": meaning("act", "yes"), "Yes.": meaning("act", "yes")})
    assert (found.decision, found.reason) == ("pass", "unchanged")


def test_a_reader_that_fails_leaves_the_turn_alone() -> None:
    (found,) = Pipeline(Silent(), Silent(), reader=Silent()).predict(  # type: ignore[arg-type]
        [MeaningQuestion(Dialogue.of("hm"), BOT)]
    )
    assert (found.text, found.reason, found.failures[0].stage) == ("hm", "failed", "meaning")


def test_what_is_no_turn_is_refused() -> None:
    with pytest.raises(InputError, match="MeaningQuestion"):
        Pipeline(Silent(), Silent()).predict(["hm"])  # type: ignore[list-item]
