"""The shipped slot-value resolver on turns that we wrote, where nothing but numpy, onnxruntime and tokenizers is installed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from processor import needs_vnni

from grice.models import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.manifest import read_manifest
from grice.models.slots.questions import MOST_VALUES, SlotQuestion
from grice.models.slots.resolver import SlotResolver, load_slot_resolver

DINNER = ("price_range", "how much the restaurant charges", ("cheap", "moderate", "expensive"))
PRICE = ("price_level", "how much the guest house charges", ("budget", "mid-range", "luxury"))
DOGS = ("dogs_welcome", "whether dogs may come along", ("True", "False"))


@pytest.fixture(scope="module")
def resolver() -> SlotResolver:
    found = load_slot_resolver()
    assert isinstance(found, SlotResolver)
    return found


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
    resolver: SlotResolver, text: str, bot: str, slot: tuple[str, str, tuple[str, ...]], value: str
) -> None:
    found = resolver.predict([question(text, slot, bot)])[0]
    assert found.value == value
    assert not found.ambiguous


@pytest.mark.parametrize("slot", [PRICE, DOGS])
def test_a_turn_about_something_else_says_nothing_of_the_slot(
    resolver: SlotResolver, slot: tuple[str, str, tuple[str, ...]]
) -> None:
    found = resolver.predict([question("Thanks a lot, goodbye!", slot)])[0]
    assert found.value is None
    assert found.not_mentioned > 0.5


def test_the_order_of_the_values_does_not_matter(resolver: SlotResolver) -> None:
    asked = question("Something decent, but it need not be a palace.", PRICE)
    turned = question("Something decent, but it need not be a palace.", (*PRICE[:2], PRICE[2][::-1]))
    there, back = resolver.predict([asked, turned])
    assert there.probabilities == pytest.approx(back.probabilities[::-1], abs=1e-3)
    assert there.value == back.value


def test_as_many_values_as_there_may_be(resolver: SlotResolver) -> None:
    values = tuple(f"route {number}" for number in range(MOST_VALUES))
    found = resolver.predict([question("I take route 17.", ("line", "the bus line", values))])[0]
    assert len(found.probabilities) == MOST_VALUES
    assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1.0, abs=1e-5)


def test_long_texts_are_read_in_part(resolver: SlotResolver) -> None:
    found = resolver.predict([question("Money is no object. " * 200, PRICE, "What may it cost? " * 200)])[0]
    assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1.0, abs=1e-5)


def test_values_in_another_script_are_refused(resolver: SlotResolver) -> None:
    with pytest.raises(InputError, match="value of slot price_level: got 'дорого'; allowed: a value with Latin letters or digits"):
        resolver.predict([question("Hello", (*PRICE[:2], ("cheap", "дорого")))])


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Nothing expensive, please.", DINNER),
        ("Something spicy.", ("cuisine", "what kind of food the restaurant serves", ("italian", "indian", "thai", "french"))),
        pytest.param(
            "Saturday or Sunday suits me.", ("day", "the day of the visit", ("Saturday", "Sunday", "Monday")), marks=needs_vnni
        ),
    ],
)
def test_a_turn_that_fits_several_values_is_ambiguous(
    resolver: SlotResolver, text: str, slot: tuple[str, str, tuple[str, ...]]
) -> None:
    found = resolver.predict([question(text, slot)])[0]
    assert found.ambiguous
    assert found.value is None
    assert found.not_mentioned < 0.5


def test_the_temperature_and_the_margin_are_those_of_the_manifest() -> None:
    manifest = read_manifest("slot_values", "slot-values")
    asked = [question("I can only afford a sandwich this month.", DINNER), question("Nothing too fancy.", PRICE)]

    def shares(**settings: float) -> list[list[float]]:
        found = SlotResolver(replace(manifest, settings={**manifest.settings, **settings})).predict(asked)
        return [[*each.probabilities, each.not_mentioned] for each in found]

    plain, flat = shares(temperature=1.0), shares(temperature=4.0)
    for one, other, shipped in zip(plain, flat, shares(), strict=True):
        for temperature, expected in ((4.0, other), (manifest.settings["temperature"], shipped)):
            powers = [value ** (1 / temperature) for value in one]
            assert expected == pytest.approx([value / sum(powers) for value in powers], rel=1e-3)
    sure = SlotResolver(replace(manifest, settings={**manifest.settings, "margin": 0.0})).predict(asked)
    unsure = SlotResolver(replace(manifest, settings={**manifest.settings, "margin": 1.0})).predict(asked)
    assert [each.ambiguous for each in sure] == [False, False]
    assert [each.ambiguous for each in unsure] == [True, True]


def test_the_reader_of_meaning_answers_too() -> None:
    resolver = load_slot_resolver("meaning")
    said, silent = resolver.predict([question("A luxury one, please.", PRICE), question("Thanks a lot, goodbye!", PRICE)])
    assert said.value == "luxury"
    assert sum(said.probabilities) + said.not_mentioned == pytest.approx(1, abs=1e-5)
    assert silent.value is None
    assert not silent.ambiguous
    assert silent.not_mentioned > said.not_mentioned
    assert resolver.predict([]) == []
