"""The shipped slot-value resolver on turns that we wrote, where nothing but numpy, onnxruntime and tokenizers is installed."""

from __future__ import annotations

import pytest
from processor import needs_vnni

from grice.models import Dialogue, Turn
from grice.models.protocols import SlotPredictor
from grice.models.slots.questions import MOST_VALUES, SlotQuestion
from grice.models.slots.resolver import load_slot_resolver

DINNER = ("price_range", "how much the restaurant charges", ("cheap", "moderate", "expensive"))
PRICE = ("price_level", "how much the guest house charges", ("budget", "mid-range", "luxury"))
DOGS = ("dogs_welcome", "whether dogs may come along", ("True", "False"))


@pytest.fixture(scope="module")
def resolver() -> SlotPredictor:
    return load_slot_resolver()


def question(text: str, slot: tuple[str, str, tuple[str, ...]], bot: str = "") -> SlotQuestion:
    return SlotQuestion(Dialogue.of(text, [Turn("bot", bot)] if bot else []), *slot)


@pytest.mark.parametrize(
    ("text", "bot", "slot", "value"),
    [
        ("I can only afford a sandwich this month.", "", DINNER, "cheap"),
        ("Money is no object, it's our golden wedding.", "", PRICE, "luxury"),
        ("A luxury one, please.", "", PRICE, "luxury"),
        ("I never travel without my labrador.", "", DOGS, "True"),
        ("My son is terribly allergic to dogs, so there must not be any.", "", DOGS, "False"),
        ("Yes, please.", "Should dogs be welcome there?", DOGS, "True"),
        ("No, that isn't necessary.", "Should dogs be welcome there?", DOGS, "False"),
    ],
)
def test_a_value_is_understood(
    resolver: SlotPredictor, text: str, bot: str, slot: tuple[str, str, tuple[str, ...]], value: str
) -> None:
    found = resolver.predict([question(text, slot, bot)])[0]
    assert found.value == value
    assert not found.ambiguous


@pytest.mark.parametrize("slot", [PRICE, DOGS])
def test_a_turn_about_something_else_says_nothing_of_the_slot(
    resolver: SlotPredictor, slot: tuple[str, str, tuple[str, ...]]
) -> None:
    found = resolver.predict([question("Thanks a lot, goodbye!", slot)])[0]
    assert found.value is None
    assert found.not_mentioned > 0.5


def test_the_order_of_the_values_does_not_matter(resolver: SlotPredictor) -> None:
    asked = question("Something decent, but it need not be a palace.", PRICE)
    turned = question("Something decent, but it need not be a palace.", (*PRICE[:2], PRICE[2][::-1]))
    there, back = resolver.predict([asked, turned])
    assert there.probabilities == pytest.approx(back.probabilities[::-1], abs=1e-3)
    assert there.value == back.value


def test_as_many_values_as_there_may_be(resolver: SlotPredictor) -> None:
    values = tuple(f"route {number}" for number in range(MOST_VALUES))
    found = resolver.predict([question("I take route 17.", ("line", "the bus line", values))])[0]
    assert len(found.probabilities) == MOST_VALUES
    assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1.0, abs=1e-5)


def test_long_texts_are_read_in_part(resolver: SlotPredictor) -> None:
    found = resolver.predict([question("Money is no object. " * 200, PRICE, "What may it cost? " * 200)])[0]
    assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Nothing expensive, please.", DINNER),
        ("Something spicy.", ("cuisine", "what kind of food the restaurant serves", ("italian", "indian", "thai", "french"))),
        pytest.param(
            "It could be Saturday or Sunday, I don't know yet.",
            ("day", "the day of the visit", ("Saturday", "Sunday", "Monday")),
            marks=needs_vnni,
        ),
    ],
)
def test_a_turn_that_fits_several_values_is_ambiguous(
    resolver: SlotPredictor, text: str, slot: tuple[str, str, tuple[str, ...]]
) -> None:
    found = resolver.predict([question(text, slot)])[0]
    assert found.ambiguous
    assert found.value is None
    assert found.not_mentioned < 0.5
