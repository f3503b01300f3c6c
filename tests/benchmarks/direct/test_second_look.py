"""The sweep of the gate's second look, on fixed answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from grice.benchmarks.direct import second_look
from grice.benchmarks.direct.second_look import ScoredTurn, areas, passed, score
from grice.benchmarks.meaning import hand_menus
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.results import Directness
from grice.models.schema import BotSchema, IntentSpec
from grice.models.training.meaning.samples import MenuTurns, Target

SAID = {"cash": (0.4, 0.1), "the lamp is dark": (0.3, 0.95), "open the shop": (0.9, 0.2), "it is cold": (0.6, 0.99)}
"""By turn: how direct the scorer finds it, how indirect the reader."""


class Scorer:
    def predict(self, asked: Sequence[Dialogue], /) -> list[Directness]:
        return [Directness(SAID[each.last.text][0]) for each in asked]


class Reader:
    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        possible = (PossibleMeaning("intent", "request", 1.0),)
        return [
            TurnMeaning("unknown", "", 0.5, 0.1, possible, (), 0.0, SAID[each.dialogue.last.text][1], None, ()) for each in asked
        ]


def menu() -> MenuTurns:
    turns = [
        (Dialogue.of("cash"), Target(None, kind="direct")),
        (Dialogue.of("the lamp is dark"), Target(None, kind="indirect")),
        (Dialogue.of("open the shop"), Target(None, kind="direct")),
        (Dialogue.of("it is cold"), Target(None, kind="indirect")),
        (Dialogue.of("a bird"), Target(None, kind="out_of_scope")),
        (Dialogue.of("I need a hotel"), Target(None, kind="direct")),
    ]
    return MenuTurns("X", BotSchema((IntentSpec("open"),)), tuple(turns))


def test_turns_about_a_town_and_those_out_of_scope_are_left_out() -> None:
    assert score([menu()], Scorer(), Reader()) == [
        ScoredTurn("direct", 0.4, 0.1),
        ScoredTurn("indirect", 0.3, 0.95),
        ScoredTurn("direct", 0.9, 0.2),
        ScoredTurn("indirect", 0.6, 0.99),
    ]


def test_either_may_let_a_turn_pass() -> None:
    scored = score([menu()], Scorer(), Reader())
    assert passed(scored, 0.45, 0.0) == ["1 of 2", "0 of 0", "1 of 2"]
    assert passed(scored, 0.45, 0.9) == ["2 of 2", "0 of 0", "1 of 2"]
    assert passed(scored, 0.45, 0.97) == ["2 of 2", "0 of 0", "2 of 2"]


def test_areas_are_those_of_either_model() -> None:
    found = areas(score([menu()], Scorer(), Reader()))
    assert found["reader of meaning"].startswith("1.000")
    assert found["directness scorer"].startswith("0.750")


def test_the_command_prints_both(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(hand_menus, "read_hands", lambda names: {"X": [menu()]})
    monkeypatch.setattr(hand_menus, "as_written", lambda bot: bot)
    monkeypatch.setattr(second_look, "load_directness_scorer", Scorer)
    monkeypatch.setattr(second_look, "load_meaning_reader", Reader)
    monkeypatch.setattr(sys, "argv", ["second_look", "--hands", "X"])
    second_look.main()
    printed = capsys.readouterr().out
    assert "reader of meaning: area 1.000" in printed
    assert "2 of 2" in printed
