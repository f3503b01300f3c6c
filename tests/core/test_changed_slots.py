"""Which slots a turn changes: what it says of them beside what was said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.changed import CHANGES_FROM, LOOKS_BACK, SURELY_FROM, find_changed, find_said
from grice.models.meaning.reader import MeaningReader, load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, SaidOfSlot, SlotMeaning
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

SIZES = ("small", "large", "extra large")
SHOP = BotSchema(
    (IntentSpec("order_pizza", "order a pizza"), IntentSpec("opening_hours", "ask when it is open")),
    (SlotSpec("size", "how big the pizza is", ("small", "medium", "large")), SlotSpec("name", "who it is for")),
)


def said(*turns: str) -> list[Turn]:
    """Turns, `u` or `b` before each."""
    return [Turn("user" if turn[0] == "u" else "bot", turn[2:]) for turn in turns]


@pytest.mark.parametrize(
    ("history", "value"),
    [
        (["u A large one, please."], "large"),
        (["u Large please.", "b One large pizza, noted.", "u No, small."], "small"),
        (["u The one for a family.", "b Large it is. Anything to drink?"], "large"),
        (["u I am hungry.", "b Shall it be a large one?"], None),
        (["b We sell large ones only."], None),
        (["u Small or large?"], None),
        (["u Large.", "b Small or large?", "u Hm."], "large"),
        (["u A pizza."], None),
        ([], None),
    ],
)
def test_what_was_said_last_or_confirmed(history: Sequence[str], value: str | None) -> None:
    assert find_said(said(*history), ("small", "large")) == value


@pytest.mark.parametrize(
    ("what", "values", "changes"),
    [
        ("meant", ("small",), True),
        ("meant", ("large",), False),
        ("not_this", ("large",), True),
        ("not_this", ("small",), False),
        ("any", (), True),
        ("ambiguous", ("small", "extra large"), True),
        ("ambiguous", ("small", "large"), False),
    ],
)
def test_a_slot_is_changed_where_what_was_said_does_not_hold(what: SaidOfSlot, values: tuple[str, ...], changes: bool) -> None:
    slots = (SlotMeaning("size", what, values, 0.5), SlotMeaning("name", "meant", ("large",), 0.5))
    listed = {"size": SIZES, "name": ()}

    def changed(likely: float, *history: str) -> tuple[str, ...]:
        return find_changed(said(*history), slots, listed, likely)

    assert changed(CHANGES_FROM, "u Large, please.") == (("size",) if changes else ())
    assert changed(CHANGES_FROM - 1e-6, "u Large, please.") == ()
    assert changed(SURELY_FROM, "u Large, please.") == ("size",)
    assert changed(SURELY_FROM, "u A pizza, please.") == ()
    assert changed(SURELY_FROM, "u Large.", *["b Hm."] * LOOKS_BACK) == ()


@pytest.fixture(scope="module")
def reader() -> MeaningReader:
    return load_meaning_reader()


CHANGED = Dialogue.of("Actually make it a small one.", said("u A large pizza, please.", "b A large one, noted."))


def test_the_shipped_reader_says_what_is_changed(reader: MeaningReader) -> None:
    (found,) = reader.predict([MeaningQuestion(CHANGED, SHOP)])
    assert [(slot.slot, slot.values) for slot in found.slots] == [("size", ("small",))]
    assert found.changed == ("size",)
    (first,) = reader.predict([MeaningQuestion(Dialogue.of("A small pizza, please."), SHOP)])
    assert (first.slots[0].values, first.changed) == (("small",), ())


@pytest.mark.parametrize(("changes", "told"), [(CHANGES_FROM, ("size",)), (CHANGES_FROM - 1e-6, ())])
def test_nothing_is_changed_by_a_turn_that_takes_nothing_back(reader: MeaningReader, changes: float, told: tuple[str, ...]) -> None:
    (scores,) = reader.score([MeaningQuestion(CHANGED, SHOP)])
    assert reader.conclude(CHANGED, replace(scores, changes=changes)).changed == told
