"""What the reader of meaning chooses from."""

import pytest

from grice.models.meaning.menu import ACTS, Menu, say_intent, say_name, say_value
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

SIZE = SlotSpec("shoeSize", "how long the foot is", ("38", "39"))
SHOP = BotSchema(
    (IntentSpec("return_shoes", "give shoes back", ("these pinch",)), IntentSpec("ask-price")), (SIZE, SlotSpec("name"))
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("order_status", "order status"),
        ("orderStatus", "order status"),
        ("faq/Opening-hours", "faq opening hours"),
        ("7", "7"),
        ("??", "??"),
    ],
)
def test_names_become_words(name: str, words: str) -> None:
    assert say_name(name) == words


def test_options_are_said_in_words() -> None:
    menu = Menu.of(SHOP)
    assert [option.name for option in menu.meanings] == ["return_shoes", "ask-price", *ACTS]
    assert menu.meanings[0].texts == ("return shoes: give shoes back", "these pinch")
    assert say_intent(SHOP.intents[1]) == "ask price"
    assert say_value(SIZE, "38") == "shoe size, how long the foot is: 38"
    assert say_value(SlotSpec("shoeSize"), "38") == "shoe size: 38"


def test_values_stand_behind_their_slot() -> None:
    menu = Menu.of(SHOP)
    behind = menu.options[len(menu.meanings) :]
    assert [(option.kind, option.name, option.value) for option in behind] == [
        ("slot", "shoeSize", ""),
        ("value", "shoeSize", "38"),
        ("value", "shoeSize", "39"),
        ("slot", "name", ""),
    ]
