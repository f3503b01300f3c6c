"""What is told without a menu, counted on a reader of fixed answers."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import pytest

from grice.benchmarks.meaning import without_menu
from grice.benchmarks.meaning.without_menu import sweep
from grice.models.dialogue import Dialogue
from grice.models.meaning.menu import ANY_REQUEST
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.samples import MenuTurns, Target

READ = {
    "it is hot in here": ("yes", 0.9, 0.9),
    "it is cold in here": ("no", 0.7, 0.9),
    "the sun is gone": ("not-yet", 0.7, 0.9),
    "the moon is out": ("request", 0.9, 0.9),
    "time to go": ("no", 0.9, 0.9),
    "Yes.": ("yes", 0.9, 0.1),
    "No.": ("no", 0.9, 0.1),
    "I am not sure yet.": ("not-yet", 0.9, 0.1),
}
"""By turn: what is read, how sure, and how far the turn is indirect."""


class Reader:
    def predict(self, questions: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        assert all(question.schema == ANY_REQUEST for question in questions)
        return [self._read(*READ[question.dialogue.last.text]) for question in questions]

    def _read(self, name: str, sure: float, indirect: float) -> TurnMeaning:
        kind: Any = "intent" if name == "request" else "act"
        return TurnMeaning(kind, name, sure, 0.5, (PossibleMeaning(kind, name, sure),), (), 0.0, indirect, None, ())


def test_every_threshold_is_counted_and_no_turn_s_menu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(without_menu, "REPLY_FROM", (0.6, 0.8, 0.95))
    given = [
        ("it is hot in here", Target(("act", "yes"), kind="indirect")),
        ("it is cold in here", Target(("act", "no"), kind="indirect")),
        ("the sun is gone", Target(("act", "no"), kind="indirect")),
        ("the moon is out", Target(("intent", "request"), kind="indirect")),
        ("time to go", Target(("act", "no"), kind="direct")),
    ]
    menu = MenuTurns("X", BotSchema((IntentSpec("open"),)), tuple((Dialogue.of(text), target) for text, target in given))
    assert [astuple(each) for each in sweep(Reader(), [menu])] == [
        pytest.approx((0.6, 75.0, 200 / 3, 25.0, 100.0)),
        pytest.approx((0.8, 25.0, 100.0, 0.0, 100.0)),
        pytest.approx((0.95, 0.0, 0.0, 0.0, 0.0)),
    ]
