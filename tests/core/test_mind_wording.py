"""What is told by the words of turns about movies."""

import pytest

from grice.models.minds.wording import ANOTHER, CUES, MOST_PARTS, THIS, cues, masked, movies, names, parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Have you seen Lantern Bay (1999)?", ["Lantern Bay (1999)"]),
        ("Yes Lantern Bay (1999) or The Sound of Rain  (2004)...What about It (2017)", None),
        ("I was born in that town (1985).", []),
        ("We met in 1999, at Lantern Bay.", []),
    ],
)
def test_movies_are_named_with_their_year(text: str, found: list[str] | None) -> None:
    assert movies(text) == (["Lantern Bay (1999)", "The Sound of Rain  (2004)", "It (2017)"] if found is None else found)


@pytest.mark.parametrize(
    ("text", "item", "named"),
    [
        ("I loved lantern bay!", "Lantern Bay (1999)", True),
        ("I loved Lantern.", "Lantern Bay (1999)", False),
        ("The Grey Dust was fine", "Grey Dust: The Return (2001)", True),
        ("Grey Dust was fine", "The Grey Dust", True),
        ("I like it", "It (2017)", False),
        ("It (2017) scared me", "It (2017)", True),
        ("a+b is a film", "a+b", True),
    ],
)
def test_a_movie_may_be_named_in_short(text: str, item: str, named: bool) -> None:
    assert names(text, item) is named


def test_titles_are_masked() -> None:
    text = "I saw Lantern Bay (1999) and Grey Dust (2001)"
    assert masked(text, "Lantern Bay (1999)") == f"I saw {THIS} and {ANOTHER}"
    assert masked(text) == f"I saw {THIS} and {THIS}"
    assert masked("Grey Dust (2001)", "Lantern Bay (1999)") == ANOTHER


def test_parts_are_messages_and_sentences() -> None:
    assert parts("Hi! How are you?...Any film for me") == ["Hi!", "How are you?", "Any film for me"]
    assert parts("...") == ["..."]
    assert len(parts("One. " * 50)) == MOST_PARTS


def test_praise_and_blame_turn_round_after_a_negation() -> None:
    assert cues("great").shape == (CUES,)
    tones = [cues(text)[-5] for text in ("I liked it", "I did not like it", "It was boring", "It was not boring", "It was long")]
    assert tones == [1, -1, -1, 1, 0]
    assert not (cues("I liked it") == cues("I did not like it")).all()


def test_long_texts_are_read_in_time() -> None:
    for text in ("A" * 10_000, "A.a " * 2_500, "The " * 2_500, "(1999) " * 1_400):
        assert isinstance(movies(text), list)
        assert isinstance(names(text, "The The"), bool)
