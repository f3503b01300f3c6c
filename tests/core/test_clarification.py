"""What the user is asked where the reader of meaning is torn between few things, on a reader of fixed answers."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.middleware.turns.clarification import clarify
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

BOT = BotSchema(
    (
        IntentSpec("find_place", "find a restaurant"),
        IntentSpec("opening", "when it is open"),
        IntentSpec("hours", "when it is open"),
        IntentSpec("lost", "a parcel was lost"),
    ),
    (SlotSpec("price_range", "", ("cheap", "moderate", "dear")),),
)
FIND, OPENING, HOURS, LOST = (("intent", intent.name) for intent in BOT.intents)
YES, NO, NOT_YET, COURTESY, YES_BUT = (("act", name) for name in ("yes", "no", "not-yet", "courtesy", "yes-but"))
TORN = SlotMeaning("price_range", "ambiguous", ("cheap", "moderate"), 0.9)


def read(*possible: tuple[Any, float], slots: Sequence[SlotMeaning] = (), kind: Any = "unknown", indirect: float = 0.9) -> Any:
    found = tuple(PossibleMeaning(meaning[0], meaning[1], share) for meaning, share in possible)
    return TurnMeaning(kind, "", 0.4, 0.1, found, tuple(slots), 0.0, indirect, None, ())


@pytest.mark.parametrize(
    ("possible", "question"),
    [
        ([(FIND, 0.5), (OPENING, 0.4)], "Do you want to find a restaurant, to know when it is open, or something else?"),
        ([(YES, 0.5), (NO, 0.4), (FIND, 0.1)], "Do you mean yes, no, or something else?"),
        ([(NO, 0.4), (NOT_YET, 0.3), (YES, 0.2)], "Do you mean no, that you are not sure yet, yes, or something else?"),
        (
            [(LOST, 0.5), (FIND, 0.25), (YES, 0.15)],
            "What do you mean: “a parcel was lost”, “I want to find a restaurant”, “Yes”, or something else?",
        ),
        ([(FIND, 0.9), (OPENING, 0.05)], "Do you want to find a restaurant, or something else?"),
        ([(FIND, 0.7), (OPENING, 0.2)], "Do you want to find a restaurant, to know when it is open, or something else?"),
    ],
)
def test_the_likeliest_meanings_are_asked_about(possible: Any, question: str) -> None:
    found = clarify(read(*possible), BOT, 0.8)
    assert found is not None
    assert (found.slot, found.question) == ("", question)
    options = [((option.kind, option.name), option.share) for option in found.options]
    assert options == possible[: len(options)]


@pytest.mark.parametrize(
    "possible",
    [
        [(FIND, 0.3), (OPENING, 0.3), (LOST, 0.15), (YES, 0.15)],  # too many
        [(FIND, 0.5), (OPENING, 0.25), (YES_BUT, 0.2)],  # what cannot be said without the user's words holds too much
        [(OPENING, 0.5), (HOURS, 0.45)],  # the same words
        [(FIND, 0.78), (OPENING, 0.04), (LOST, 0.04)],  # what is hardly meant is not asked about
        [],
    ],
)
def test_a_question_that_would_not_help_is_not_asked(possible: Any) -> None:
    assert clarify(read(*possible), BOT, 0.8) is None


def test_what_cannot_be_said_is_left_out() -> None:
    found = clarify(read((FIND, 0.5), (YES_BUT, 0.1), (LOST, 0.35)), BOT, 0.8)
    assert found is not None
    assert [option.text for option in found.options] == ["I want to find a restaurant.", "This is about: a parcel was lost."]


def test_the_values_of_an_ambiguous_slot_are_asked_about() -> None:
    unclear = [(FIND, 0.5), (YES_BUT, 0.4)]
    found = clarify(read(*unclear, slots=[TORN]), BOT, 0.8)
    assert found is not None
    assert (found.slot, found.question) == ("price_range", "Which price range do you mean: cheap or moderate?")
    assert [(option.kind, option.name, option.text, option.share) for option in found.options] == [
        ("value", "cheap", "Price range: cheap.", 0.45),
        ("value", "moderate", "Price range: moderate.", 0.45),
    ]
    assert clarify(read(*unclear, slots=[SlotMeaning("price_range", "meant", ("cheap",), 0.9)]), BOT, 0.8) is None
    assert clarify(read(*unclear, slots=[dataclasses.replace(TORN, confidence=0.49)]), BOT, 0.8) is None


class Reader:
    """Reads every turn alike."""

    def __init__(self, found: TurnMeaning) -> None:
        self.found = found

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        return [self.found] * len(asked)


class Silent:
    """A model that must not be asked."""

    def predict(self, asked: Sequence[Dialogue], /) -> list[Any]:
        raise AssertionError(asked)


def analysed(found: TurnMeaning, **settings: Any) -> TurnAnalysis:
    pipeline = Pipeline(Silent(), Silent(), PipelineSettings(**settings), reader=Reader(found))
    (analysis,) = pipeline.predict([MeaningQuestion(Dialogue.of("hm"), BOT)])
    return analysis


def test_the_pipeline_has_a_question_where_few_meanings_are_likely() -> None:
    torn = read((FIND, 0.5), (OPENING, 0.4))
    found = analysed(torn)
    assert (found.decision, found.reason, found.text) == ("clarify", "unknown", "hm")
    assert found.clarification == clarify(torn, BOT, 0.8)
    assert analysed(torn, clarify_from=0.95).decision == "pass"


@pytest.mark.parametrize(
    "found",
    [
        read((FIND, 0.5), (OPENING, 0.4), indirect=0.02),
        read((COURTESY, 0.4), (FIND, 0.3), (OPENING, 0.29)),
        read((("act", "none"), 0.4), (FIND, 0.3), (OPENING, 0.29)),
    ],
)
def test_who_is_direct_or_wants_nothing_is_not_asked(found: TurnMeaning) -> None:
    analysis = analysed(found, clarify_from=0.5)
    assert (analysis.decision, analysis.reason, analysis.clarification) == ("pass", "unknown", None)


def test_what_cannot_be_told_is_asked_about() -> None:
    known = TurnMeaning("act", "answer", 0.9, 0.5, (PossibleMeaning("act", "answer", 0.9),), (TORN,), 0.0, 0.9, None, ())
    found = analysed(known)
    assert (found.decision, found.reason) == ("clarify", "uncertain")
    assert found.clarification is not None
    assert found.clarification.slot == "price_range"
