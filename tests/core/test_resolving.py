"""What the meaning of a turn fills and overrules."""

from __future__ import annotations

import pytest

from grice.middleware.meaning.resolving import MeaningEffect, NluReading, ResolvingSettings, resolve
from grice.models.errors import SettingsError
from grice.models.meaning.results import MeaningKind, SaidOfSlot, SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, SlotSpec

SETTINGS = ResolvingSettings()
CHEAP = SlotMeaning("price", "meant", ("cheap",), 0.9)
UNSURE = NluReading("greet", 0.4)
MENU = BotSchema((), (SlotSpec("price", "", ("cheap", "dear", "dontcare")), SlotSpec("area", "", ("north", "south"))))


def meaning(
    kind: MeaningKind, name: str, confidence: float = 0.9, slots: tuple[SlotMeaning, ...] = (), changes: float = 0.0
) -> TurnMeaning:
    return TurnMeaning(kind, name, confidence, 0.5, (), slots, changes, 0.5, None, ())


@pytest.mark.parametrize(
    ("found", "nlu", "intent"),
    [
        (meaning("intent", "inform"), UNSURE, "inform"),
        (meaning("intent", "faq/hours"), UNSURE, "faq"),
        (meaning("intent", "inform", 0.8), UNSURE, "inform"),
        (meaning("intent", "inform", 0.79), UNSURE, ""),
        (meaning("intent", "inform"), NluReading("greet", 0.7), ""),
        (meaning("intent", "inform"), NluReading("", 0.0), "inform"),
        (meaning("intent", "greet"), UNSURE, ""),
        (meaning("act", "yes"), UNSURE, ""),
        (meaning("unknown", ""), UNSURE, ""),
    ],
)
def test_an_intent_is_overruled_only_where_the_nlu_is_unsure_and_the_reader_sure(
    found: TurnMeaning, nlu: NluReading, intent: str
) -> None:
    assert resolve(found, nlu, SETTINGS, MENU).intent == intent


@pytest.mark.parametrize(
    ("nlu", "changes", "filled"),
    [
        (NluReading("inform", 0.99), 0.0, True),
        (NluReading("inform", 0.99, {"price"}), 1.0, False),
        (NluReading("inform", 0.99, (), {"price"}), 0.4, False),
        (NluReading("inform", 0.99, (), {"price"}), 0.5, True),
    ],
)
def test_a_slot_is_filled_where_it_is_free_or_the_user_takes_it_back(nlu: NluReading, changes: float, filled: bool) -> None:
    found = meaning("act", "answer", slots=(CHEAP,), changes=changes)
    assert resolve(found, nlu, SETTINGS, MENU).slots == ((CHEAP,) if filled else ())


@pytest.mark.parametrize("said", ["not_this", "ambiguous"])
def test_a_value_that_is_excluded_or_only_possible_fills_nothing(said: SaidOfSlot) -> None:
    found = meaning("act", "answer", slots=(SlotMeaning("price", said, ("cheap",), 0.9),))
    assert resolve(found, UNSURE, SETTINGS, MENU) == MeaningEffect()


def test_a_user_who_does_not_mind_gets_the_bots_own_value_for_that() -> None:
    found = meaning("act", "answer", slots=tuple(SlotMeaning(slot, "any", (), 0.9) for slot in ("price", "area")))
    filled = resolve(found, UNSURE, SETTINGS, MENU).slots
    assert [(slot.slot, slot.said, slot.values, slot.confidence) for slot in filled] == [("price", "any", ("dontcare",), 0.9)]


@pytest.mark.parametrize(
    ("value", "fills"), [("Don't care", True), ("no_preference", True), ("any", True), ("anytime soon", False)]
)
def test_bots_call_it_in_many_ways(value: str, fills: bool) -> None:
    menu = BotSchema((), (SlotSpec("price", "", ("cheap", value)),))
    found = meaning("act", "any", slots=(SlotMeaning("price", "any", (), 0.9),))
    assert bool(resolve(found, UNSURE, SETTINGS, menu).slots) is fills


@pytest.mark.parametrize(("confidence", "filled"), [(0.5, True), (0.49, False)])
def test_a_value_that_is_not_sure_enough_fills_nothing(confidence: float, filled: bool) -> None:
    found = meaning("act", "answer", slots=(SlotMeaning("price", "meant", ("cheap",), confidence),))
    assert bool(resolve(found, UNSURE, SETTINGS, MENU).slots) == filled


def test_where_the_meaning_is_unknown_sure_values_fill_and_the_intent_stays() -> None:
    unsure = SlotMeaning("area", "meant", ("north",), 0.49)
    assert resolve(meaning("unknown", "", 0.99, (CHEAP, unsure)), UNSURE, SETTINGS, MENU) == MeaningEffect("", (CHEAP,))


def test_settings_are_shares() -> None:
    with pytest.raises(SettingsError, match=r"sure_nlu: got 2; allowed: 0\.0 to 1\.0"):
        ResolvingSettings(sure_nlu=2)
