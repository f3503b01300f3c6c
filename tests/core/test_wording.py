"""What is told of a turn by its words."""

import pytest

from grice.models.text.wording import FUNCTION_WORDS, Wording, sentences


def test_words_content_names_and_numbers() -> None:
    found = Wording.of("Last  May we saw 12 boats near Whitby. Paula counted\tthem.")
    assert found.text == "Last May we saw 12 boats near Whitby. Paula counted them."
    assert found.words == ("last", "may", "we", "saw", "12", "boats", "near", "whitby", "paula", "counted", "them")
    assert found.content == {"last", "may", "saw", "12", "boats", "near", "whitby", "paula", "counted", "them"}
    assert found.names == ("May", "Whitby")  # Paula starts a sentence
    assert found.numbers == ("12",)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("I don't sail.", True),
        ("I don’t sail.", True),
        ("We never sail", True),
        ("Cannot say", True),
        ("Nobody sails", False),
        ("I know a knot.", False),
    ],
)
def test_negation(text: str, negated: bool) -> None:
    assert Wording.of(text).negated is negated


def test_who_it_is_about_and_what_it_asks() -> None:
    found = Wording.of("I like yours! Is it new?")
    assert (found.first_person, found.second_person, found.question, found.questions, found.exclamations) == (
        True,
        True,
        True,
        1,
        1,
    )
    found = Wording.of("Is it new? It shines.")
    assert (found.first_person, found.second_person, found.question, found.questions) == (False, False, False, 1)


@pytest.mark.parametrize(
    ("text", "affirms", "denies", "asks"),
    [
        ("Yes, on Monday.", True, False, False),
        ("I don't sail, yes.", False, True, False),
        ("No. Do you?", False, True, False),
        ("Do you sail?", False, False, True),
        ("Nobody knows.", False, False, False),
    ],
)
def test_how_it_starts(text: str, affirms: bool, denies: bool, asks: bool) -> None:
    found = Wording.of(text)
    assert (found.affirms, found.denies, found.asks) == (affirms, denies, asks)


def test_runs_of_words() -> None:
    assert Wording.of("one two three").runs(2) == {("one", "two"), ("two", "three")}
    assert Wording.of("one two").runs(3) == frozenset()


def test_sentences() -> None:
    assert sentences("Hello! I sail.  Do you?", 8) == ["Hello!", "I sail.", "Do you?"]
    assert sentences("Hello! I sail. Do you?", 2) == ["Hello!", "I sail. Do you?"]
    assert sentences("well... , yes", 8) == ["well...", "yes"]
    assert sentences("?!", 8) == ["?!"]


def test_function_words_are_listed_once_and_lower_case() -> None:
    assert {"the", "i'm", "you"} <= FUNCTION_WORDS
    assert all(word == word.lower() for word in FUNCTION_WORDS)
