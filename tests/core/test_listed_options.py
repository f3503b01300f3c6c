"""Which of the options that a bot listed a turn names."""

from __future__ import annotations

import pytest

from grice.models.meaning.listed_options import choose_option, read_options

TABLES = "We have a table by the window, one near the kitchen or one in the garden."
NUMBERED = "1. Express\n2. Standard\n3. Collect it yourself"
LETTERED = "You can (a) pay now or (b) pay at the desk."


@pytest.mark.parametrize(
    ("pending", "options"),
    [
        (TABLES, ("table by the window", "one near the kitchen", "one in the garden")),
        (NUMBERED, ("Express", "Standard", "Collect it yourself")),
        (LETTERED, ("pay now", "pay at the desk")),
        ("We offer 1) foam, 2) wool and 3) silk. Which?", ("foam", "wool", "silk")),
        ("Choose:\n- red wine\n- white wine", ("red wine", "white wine")),
        ("Tea or coffee?", ("Tea", "coffee")),
        ("Would you like tea, coffee, or cocoa?", ("tea", "coffee", "cocoa")),
        ("Okay, sure, in blue or in green, which one?", ("in blue", "in green")),
        ("Which monitor would you like, the large one or the small one?", ("the large one", "the small one")),
        ("We have Mia, who does yoga, or Mrs. Bo, who does judo.", ("have Mia", "Mrs. Bo")),
        ("I have blue and green. Which one?", ("blue", "green")),
        ("For a family, the blue van or the red car.", ()),
        ("What is your name?", ()),
        ("", ()),
    ],
)
def test_the_options_of_a_turn(pending: str, options: tuple[str, ...]) -> None:
    assert read_options(pending) == options


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("The first.", 1),
        ("The third.", 3),
        ("the second one please", 2),
        ("I'd like the second one, thanks.", 2),
        ("Let’s go with the 3rd option.", 3),
        ("third", 3),
        ("The last one sounds good.", 3),
        ("Number two please.", 2),
        ("option 3", 3),
        ("No. 1", 1),
        ("#2", 2),
        ("A", 1),
        ("b, please", 2),
        ("Option B", 2),
        ("The one by the window.", 1),
        ("the one in the garden please", 3),
        ("I'll take the kitchen one because my knees hurt.", 2),
        ("Well, the second one, near the kitchen.", 2),
    ],
)
def test_an_option_that_is_named(text: str, option: int) -> None:
    assert choose_option(text, TABLES) == option


@pytest.mark.parametrize(
    "text",
    [
        "My wife likes to watch the street.",
        "The smell of onions gives me a headache.",
        "Not the first one.",
        "The first one is too dear.",
        "The first or the second.",
        "The first one. No wait, the second one.",
        "Any table.",
        "The fourth one.",
        "The last time I sat by the window it was cold.",
        "First, do you have parking?",
        "Is the first one free?",
        "Give me a second.",
        "No one.",
        "Both.",
        "The window or the garden.",
        "Two.",
        "I'd like a",
        "",
    ],
)
def test_what_names_no_option_or_several(text: str) -> None:
    assert choose_option(text, TABLES) is None


@pytest.mark.parametrize(("text", "option"), [("2", 2), ("one", 1), ("Three, please.", 3), ("Express!", 1), ("4", None)])
def test_a_number_alone_names_one_of_a_numbered_list(text: str, option: int | None) -> None:
    assert choose_option(text, NUMBERED) == option


@pytest.mark.parametrize(
    ("text", "option"), [("The former.", 1), ("the latter please", 2), ("a", 1), ("B.", 2), ("At the desk.", 2)]
)
def test_one_of_two(text: str, option: int) -> None:
    assert choose_option(text, LETTERED) == option


def test_of_three_none_is_the_latter() -> None:
    assert choose_option("The latter.", TABLES) is None


def test_words_and_place_that_say_different_things_name_none() -> None:
    days = "You can come on the 2nd or on the 5th."
    assert choose_option("The 2nd.", days) is None
    assert choose_option("The 5th.", days) == 2


def test_without_a_list_a_place_is_enough_and_the_last_is_unknown() -> None:
    assert choose_option("The third one.", "Here they are.") == 3
    assert choose_option("The last one.", "Here they are.") is None
    assert choose_option("The latter.", "") == 2
