"""Turns of other bots' users that are lent to the examples that they are nearest to."""

from collections.abc import Sequence

import numpy as np

from grice.middleware.authoring.augment import AugmentSettings, Example, MeaningCheck, VariantModels, indirect_variants
from grice.middleware.authoring.augment.borrowed import HintFinder, WrittenHint, read_hints
from grice.models import Dialogue
from grice.models.dialogue import Turn
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.results import Rewrite
from grice.models.schema import BotSchema
from grice.models.training.meaning.written import CALIBRATION_HANDS, HELD_HANDS, read_hands

VECTORS = {"late?": (1.0, 0.0), "dear?": (0.0, 1.0), "Where is it?": (0.8, 0.6), "Is it lost?": (0.6, 0.8), "Hi": (-1.0, 0.0)}
HINTS = [WrittenHint("the mat is empty", "Where is it?"), WrittenHint("my purse hurts", "Is it lost?"), WrittenHint("oh", "Hi")]


class Encoder:
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([VECTORS[text] for text in texts], np.float32)


class NoWriter:
    def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
        return [[] for _ in dialogues]


class Reader:
    """Reads every turn as the intent `late`, and says of a slot what it is told."""

    def __init__(self, *slots: SlotMeaning) -> None:
        self.slots = slots

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        best = PossibleMeaning("intent", "late", 0.9)
        return [TurnMeaning("intent", "late", 0.9, 0.1, (best,), self.slots, 0.0, 0.9, None, ()) for _ in asked]


MENU = BotSchema.of({"intents": [{"name": "late"}, {"name": "dear", "slots": ["sum"]}], "slots": {"sum": None}})
EXAMPLES = [Example("late?", "late"), Example("dear?", "dear")]


def finder(*hints: WrittenHint) -> HintFinder:
    return HintFinder(Encoder(), hints or HINTS)  # type: ignore[arg-type]


def lent(reader: Reader, examples: Sequence[Example] = EXAMPLES, **settings: float) -> list[tuple[str, str]]:
    models = VariantModels(NoWriter(), meaning=MeaningCheck(reader, MENU), hints=finder())
    found = indirect_variants(examples, models, AugmentSettings(**settings))  # type: ignore[arg-type]
    assert all(variant.borrowed and variant.entities == () for variant in found.variants)
    return [(variant.intent, variant.text) for variant in found.variants]


def test_a_hint_goes_to_the_example_that_its_direct_form_is_nearest_to() -> None:
    near = finder().near(EXAMPLES, 0.5)
    assert {place: [each.text for each in found] for place, found in near.items()} == {
        0: ["the mat is empty"],
        1: ["my purse hurts"],
    }
    assert near[0][0].nearness == np.float32(0.8)


def test_what_is_not_near_enough_is_offered_to_nobody() -> None:
    assert finder().near(EXAMPLES, 0.81) == {}


def test_an_example_that_follows_other_turns_borrows_nothing() -> None:
    after = Example("late?", "late", history=(Turn("bot", "Is it?"),))
    assert finder().near([after, Example("/late", "late")], 0.0) == {}


def test_a_hint_is_kept_that_is_read_as_the_intent_of_its_example() -> None:
    assert lent(Reader()) == [("late", "the mat is empty")]


def test_a_hint_that_says_something_of_a_slot_is_not() -> None:
    assert lent(Reader(SlotMeaning("sum", "meant", ("5",), 0.9))) == []


def test_the_settings_bound_how_many_are_borrowed() -> None:
    assert lent(Reader(), borrowed=0) == []
    assert lent(Reader(), [Example("late?", "late")], min_nearness=0.0) == [
        ("late", "the mat is empty"),
        ("late", "my purse hurts"),
    ]
    assert lent(Reader(), [Example("late?", "late")], min_nearness=0.0, borrowed=1) == [("late", "the mat is empty")]


def test_no_hint_is_of_a_hand_that_something_is_evaluated_on() -> None:
    held = {
        turn.text for bots in read_hands(names=(*HELD_HANDS, *CALIBRATION_HANDS)).values() for bot in bots for turn in bot.turns
    }
    hints = read_hints()
    assert len(hints) > 5000
    assert not held & {hint.text for hint in hints}
    assert all(hint.direct for hint in hints)
