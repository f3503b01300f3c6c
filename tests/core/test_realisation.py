"""What a turn means, said plainly, and rewriting with a menu on a reader of fixed answers."""

from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.blending import weight_of
from grice.middleware.turns.own_examples import fitting_examples
from grice.middleware.turns.realisation import REPLIES, is_verified, realise, say_wish
from grice.middleware.turns.statement import state
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


def said_of(found: TurnMeaning, menu: BotSchema = BOT, asked: str = "Which one?") -> list[str]:
    said = state(found, "hm", 0.65)
    groups = realise(said, menu, fitting_examples(said, MeaningQuestion(Dialogue.of("hm"), menu)), asked)
    return [text for group in groups for text in group]


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
        ("dispute", "contest a fare that was charged", "I want to contest a fare that was charged"),
        ("drop", "drop an order", "I want to drop an order"),
        ("records", "record of payments", "This is about: record of payments"),
        ("pension", "a payment did not arrive", "This is about: a payment did not arrive"),
        ("reading", "hand in a meter reading", "I want to hand in a meter reading"),
        ("extras", "order sauces with a meal", "I want to order sauces with a meal"),
        ("damage", "report damaged paint", "I want to report damaged paint"),
        ("where_is_it", "order status and tracking", "This is about: order status and tracking"),
        ("order_food", "", "This is about: order food"),
        ("reminder", "remind me of a birthday", "I want you to remind me of a birthday"),
        ("BookTable", "Books a table at a restaurant.", "I want you to book a table at a restaurant"),
        ("tries", "tries another key", "I want you to try another key"),
        ("loss", "reports that a card is lost", "I want to report that a card is lost"),
        ("cheaper", "wants a smaller one", "I want a smaller one"),
        ("sooner", "needs it for tonight", "I need it for tonight"),
        ("lift", "lift not moving", "This is about: lift not moving"),
        ("repairs", "repairs and their price", "This is about: repairs and their price"),
        ("tuning", "help with a piano that is out of tune", "I want help with a piano that is out of tune"),
        ("sizes", "help choosing shoes", "I want help choosing shoes"),
        ("volunteer", "help the gardeners", "I want to help the gardeners"),
        ("tide", "Tell the user how high the tide is", "I want you to tell me how high the tide is"),
        ("quote", "sends the customer a quote", "I want you to send me a quote"),
        ("route", "give me the shortest way", "I want you to give me the shortest way"),
        ("pulse", "record the user's pulse", "I want to record my pulse"),
        ("users", "add users to a team", "I want to add users to a team"),
        ("keys", "swap, cut or copy keys", "I want to swap, cut or copy keys"),
        ("erase", "wipe a phone", "I want to wipe a phone"),
        ("glass", "glass is broken", "This is about: glass is broken"),
    ],
)
def test_an_intent_as_a_wish(name: str, description: str, said: str) -> None:
    assert say_wish(IntentSpec(name, description)) == said


def test_examples_come_first_that_say_just_what_is_meant() -> None:
    plain = "I want to find a restaurant"
    assert said_of(meaning("intent", "find_place")) == ["show me restaurants", f"{plain}.", *REPLIES.values()]
    assert said_of(meaning("intent", "find_place", CHEAP)) == ["a cheap place please", f"{plain}: price range cheap."]
    in_the_south = SlotMeaning("area", "meant", ("south",), 0.9)
    put_in = "a cheap place in the south please"
    assert said_of(meaning("intent", "find_place", CHEAP, in_the_south)) == [put_in, f"{plain}: price range cheap, area south."]
    assert said_of(meaning("intent", "find_place", CHEAP, NOT_SOUTH)) == [f"{plain}: price range cheap, not area south."]


def test_nothing_is_replied_where_the_bot_has_said_nothing() -> None:
    assert said_of(meaning("intent", "affirm"), asked="") == ["This is about: agrees."]
    assert said_of(meaning("intent", "find_place"), asked="") == ["show me restaurants", "I want to find a restaurant."]


@pytest.mark.parametrize(
    "asked", ["That is 12. Shall I book it?", "Should we start?", "Ready to send it?", "Do I place the order?"]
)
def test_not_yet_is_said_to_a_proposal(asked: str) -> None:
    assert said_of(meaning("act", "not-yet"), asked=asked) == ["Not yet.", "I am not sure yet."]
    assert said_of(meaning("act", "no"), asked=asked) == ["No."]


def test_what_is_true_or_false_is_said_by_the_intent() -> None:
    confirmed = SlotMeaning("confirm", "meant", ("true",), 0.9)
    assert said_of(meaning("intent", "affirm", confirmed)) == [*REPLIES.values(), "This is about: agrees."]
    assert said_of(meaning("act", "yes", confirmed)) == ["Yes."]


def test_a_bot_may_list_replies_among_its_intents() -> None:
    assert said_of(meaning("intent", "affirm")) == [*REPLIES.values(), "This is about: agrees."]
    other = BotSchema((IntentSpec("pension", "a payment did not arrive"),))
    assert said_of(meaning("intent", "pension"), other)[0] == "This is about: a payment did not arrive."
    said = BotSchema((IntentSpec("affirm", "say yes to the question"), IntentSpec("hesitate", "cannot say yet")))
    assert said_of(meaning("intent", "affirm"), said) == [*REPLIES.values(), "I want to say yes to the question."]
    assert said_of(meaning("intent", "hesitate"), said)[:4] == [*REPLIES.values()]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (meaning("act", "yes"), ["Yes."]),
        (meaning("act", "yes", CHEAP), ["Yes: price range cheap."]),
        (meaning("act", "not-yet"), ["I am not sure yet."]),
        (meaning("act", "yes-but"), ["Yes, but: hm"]),
        (meaning("act", "no-but"), ["No, I want something else instead."]),
        (meaning("act", "yes-but", CHEAP), ["Yes, but price range cheap."]),
        (meaning("act", "no-but", NOT_SOUTH), ["No, not area south."]),
        (meaning("act", "no-but", CHEAP), ["No, price range cheap instead."]),
        (meaning("act", "answer", CHEAP), ["Price range: cheap."]),
        (meaning("act", "answer"), []),
        (meaning("act", "answer", CHEAP, changes=0.8), ["I want to change that: price range cheap."]),
        (meaning("act", "answer", SlotMeaning("area", "any", (), 0.9)), ["Any area."]),
        (meaning("act", "answer", SlotMeaning("area", "ambiguous", ("north", "south"), 0.9)), []),
        (meaning("act", "option", option=2), ["The second one."]),
        (meaning("act", "option", option=7), ["The seventh one."]),
        (meaning("act", "option"), []),
        (meaning("act", "courtesy"), []),
        (meaning("act", "none"), []),
        (meaning("unknown", "yes"), ["Yes."]),
        (meaning("intent", "not_on_this_menu"), []),
    ],
)
def test_replies(found: TurnMeaning, said: list[str]) -> None:
    assert said_of(found) == said


def test_a_sentence_is_verified_that_says_the_same_and_nothing_else() -> None:
    def verified(found: TurnMeaning, again: TurnMeaning) -> bool:
        return is_verified(state(found, "hm", 0.65), again)

    found = meaning("intent", "find_place", CHEAP)
    assert verified(found, meaning("intent", "find_place", CHEAP))
    assert verified(found, meaning("intent", "find_place"))
    assert not verified(found, meaning("intent", "opening", CHEAP))
    assert not verified(found, meaning("intent", "find_place", CHEAP, NOT_SOUTH))
    assert verified(meaning("act", "answer", CHEAP), meaning("intent", "find_place", CHEAP))
    assert not verified(meaning("act", "answer", CHEAP), meaning("act", "answer"))
    assert not verified(meaning("act", "answer", CHEAP, NOT_SOUTH), meaning("act", "answer", CHEAP))
    doubtful = SlotMeaning("area", "ambiguous", ("north", "south"), 0.9)
    assert verified(meaning("act", "answer", CHEAP, doubtful), meaning("act", "answer", CHEAP))


def test_values_are_put_in_by_how_sure_they_are_while_all_stays_likely_enough() -> None:
    sure, unsure = SlotMeaning("area", "meant", ("north",), 0.9), SlotMeaning("price_range", "meant", ("cheap",), 0.75)
    both = state(meaning("intent", "find_place", unsure, sure), "hm", 0.6)
    assert (both.slots, both.likelihood) == ((unsure, sure), pytest.approx(0.9 * 0.9 * 0.75))
    one = state(meaning("intent", "find_place", unsure, sure), "hm", 0.65)
    assert (one.slots, one.likelihood) == ((sure,), pytest.approx(0.9 * 0.9))
    none = state(meaning("intent", "find_place", unsure, sure, confidence=0.7), "hm", 0.65)
    assert (none.slots, none.likelihood) == ((), 0.7)


def test_a_bare_answer_and_a_reply_with_a_condition_need_less_likelihood() -> None:
    def is_likely(kind: str, name: str, sure: float) -> bool:
        return state(meaning(kind, name, confidence=sure), "hm", 0.7).is_likely

    assert is_likely("act", "yes-but", 0.61)
    assert is_likely("act", "no-but", 0.61)
    assert not is_likely("act", "yes-but", 0.59)
    assert not is_likely("act", "yes", 0.61)
    assert not is_likely("intent", "answer", 0.61)
    assert state(meaning("act", "answer", CHEAP, confidence=0.7), "hm", 0.7).slots == (CHEAP,)
    assert state(meaning("intent", "find_place", CHEAP, confidence=0.7), "hm", 0.7).slots == ()


def test_a_bare_answer_does_not_repeat_a_value_that_the_turn_has_word_for_word() -> None:
    found = meaning("act", "answer", CHEAP)
    assert state(found, "my brother's was cheap, I need to show off", 0.65).slots == ()
    assert state(found, "I still owe my brother", 0.65).slots == (CHEAP,)
    half = SlotMeaning("amount", "meant", ("half case",), 0.9)
    assert state(meaning("act", "answer", half), "Half a case.", 0.65).slots == ()
    assert state(meaning("act", "answer", half), "What fits on half a bicycle.", 0.65).slots == (half,)
    assert state(meaning("intent", "find_place", CHEAP), "somewhere cheap, I owe my brother", 0.65).slots == (CHEAP,)


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
        ({"hm": meaning("intent", "opening", indirect=0.1)}, "direct"),
        ({"hm": meaning("act", "yes-but", confidence=0.5)}, "uncertain"),
        ({"hm": meaning("act", "answer", indirect=0.1)}, "direct"),
        ({"hm": meaning("act", "answer", CHEAP, indirect=0.05), "Price range: cheap.": meaning("act", "answer", CHEAP)}, "direct"),
    ],
)
def test_without_a_sentence_the_turn_stays(answers: dict[str, TurnMeaning], reason: str) -> None:
    found = analysed("hm", answers)
    assert (found.decision, found.reason, found.text) == ("pass", reason, "hm")


def test_a_likely_meaning_is_said_though_the_reader_is_not_sure_of_it() -> None:
    known = {"hm": meaning("unknown", "yes", confidence=0.7), "Yes.": meaning("act", "yes")}
    replaced = PipelineSettings(mode="replace", rewrite_from=0.65)
    assert analysed("hm", known, replaced).text == "Yes."
    assert analysed("hm", known, PipelineSettings(mode="replace", rewrite_from=0.75)).text == "hm"


def test_an_answer_that_only_implies_its_value_needs_to_be_less_indirect() -> None:
    implied = meaning("act", "answer", CHEAP, indirect=0.18)
    known = {"I owe my brother": implied, "cheap one": implied, "Price range: cheap.": meaning("act", "answer", CHEAP)}
    assert analysed("I owe my brother", known, PipelineSettings(mode="replace")).text == "Price range: cheap."
    assert analysed("cheap one", known).reason == "direct"


def test_what_no_sentence_says_safely_is_asked() -> None:
    found = analysed("hm", {"hm": meaning("intent", "opening")})
    assert (found.decision, found.reason, found.text) == ("clarify", "uncertain", "hm")
    assert found.clarification is not None
    assert found.clarification.question == "Do you want to know when it is open, or something else?"


def test_what_says_the_same_already_stays() -> None:
    same = "I do not mind, any will do"
    found = analysed(same, {same: meaning("act", "any"), f"{same}.": meaning("act", "any")})
    assert (found.decision, found.reason) == ("pass", "unchanged")


def test_a_reader_that_fails_leaves_the_turn_alone() -> None:
    (found,) = Pipeline(Silent(), Silent(), reader=Silent()).predict(  # type: ignore[arg-type]
        [MeaningQuestion(Dialogue.of("hm"), BOT)]
    )
    assert (found.text, found.reason, found.failures[0].stage) == ("hm", "failed", "meaning")


def test_what_is_no_turn_is_refused() -> None:
    with pytest.raises(InputError, match="MeaningQuestion"):
        Pipeline(Silent(), Silent()).predict(["hm"])  # type: ignore[list-item]
