"""The sweep that chooses from when on a turn with a menu is rewritten: on a reader of fixed answers."""

from collections.abc import Sequence
from dataclasses import astuple

import pytest

from grice.benchmarks.meaning import rewrite_thresholds
from grice.benchmarks.meaning.rewrite_thresholds import choose, says_what_is_meant, sweep
from grice.middleware.turns.statement import Statement
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.samples import MenuTurns, Target
from grice.models.training.meaning.written import SlotMention

OPEN, CLOSE = IntentSpec("open", "open the shop"), IntentSpec("close", "sell the shop")
READ = {
    "it is hot in here": ("open", 0.9, 0.9),
    "it is cold in here": ("open", 0.7, 0.9),
    "the sun is gone": ("close", 0.7, 0.9),
    "time to go": ("close", 0.9, 0.35),
    "I want to open the shop.": ("open", 0.9, 0.1),
    "I want to sell the shop.": ("close", 0.9, 0.1),
}
"""By turn: the intent that is read, how sure, and how far the turn is indirect."""


def read(name: str, sure: float, indirect: float, *slots: SlotMeaning) -> TurnMeaning:
    return TurnMeaning("intent", name, sure, 0.5, (PossibleMeaning("intent", name, sure),), slots, 0.0, indirect, None, ())


class Reader:
    def __init__(self) -> None:
        self.asked = 0

    def predict(self, questions: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        self.asked += len(questions)
        return [read(*READ[question.dialogue.last.text]) for question in questions]


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[MenuTurns]:
    monkeypatch.setattr(rewrite_thresholds, "INDIRECT_FROM", (0.3, 0.5))
    monkeypatch.setattr(rewrite_thresholds, "REWRITE_FROM", (0.6, 0.8))
    given = [
        ("it is hot in here", Target(("intent", "open"), kind="indirect")),
        ("it is cold in here", Target(("intent", "close"), kind="indirect")),
        ("the sun is gone", Target(("intent", "close"), kind="indirect")),
        ("time to go", Target(("intent", "close"), kind="direct")),
    ]
    return [MenuTurns("X", BotSchema((OPEN, CLOSE)), tuple((Dialogue.of(text), target) for text, target in given))]


def test_every_pair_of_thresholds_is_counted(turns: list[MenuTurns]) -> None:
    reader = Reader()
    effects = sweep(reader, turns)
    third = 100 / 3
    assert [astuple(each) for each in effects] == [
        pytest.approx((0.3, 0.6, 100.0, 2 * third, third, 100.0)),
        pytest.approx((0.3, 0.8, third, 100.0, 0.0, 100.0)),
        pytest.approx((0.5, 0.6, 100.0, 2 * third, third, 0.0)),
        pytest.approx((0.5, 0.8, third, 100.0, 0.0, 0.0)),
    ]
    assert reader.asked == len(READ)


def test_of_the_pairs_within_the_bars_the_one_is_chosen_that_rewrites_most(turns: list[MenuTurns]) -> None:
    effects = sweep(Reader(), turns)
    assert choose(effects) == effects[3]
    assert choose(effects[:3]) is None


def test_a_rewrite_is_right_only_with_its_values() -> None:
    slot = SlotMeaning("day", "meant", ("monday",), 0.9)
    said = Statement("hm", read("open", 0.9, 0.9, slot), "intent", "open", (slot,), 0.8, 0.7)
    assert says_what_is_meant(said, Target(("intent", "open"), {"day": SlotMention("meant", ("monday",))}))
    assert says_what_is_meant(said, Target(("intent", "open"), {"day": SlotMention("meant", words="next Monday")}))
    assert not says_what_is_meant(said, Target(("intent", "open"), {"day": SlotMention("not_this", ("monday",))}))
    assert not says_what_is_meant(said, Target(("intent", "open")))
    assert not says_what_is_meant(said, Target(("intent", "close"), {"day": SlotMention("meant", ("monday",))}))
