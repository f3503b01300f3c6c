"""How turns of a recommendation dialogue are marked and cut for the joint encoder."""

import numpy as np
import pytest

from grice.models.manifest import read_manifest
from grice.models.minds.joint_encoder import (
    MOST_ASKED,
    MOST_TOKENS,
    SEGMENTS,
    TAGS,
    JointTokens,
    attitude_reading,
    intention_reading,
)
from grice.models.minds.questions import RoleTurn
from grice.models.text.template import read_tokenizer

TURNS = (
    RoleTurn("seeker", "Hi! I liked Hidden Harbour (1987)."),
    RoleTurn("recommender", "Then try Grey Dust (2001) or The Red Mill: Part Two (2011)."),
    RoleTurn("seeker", "Grey dust was dull, but red mill sounds good. Is it like Hidden Harbour?"),
)
TAKEN = [SEGMENTS.index(name) for name in ("recommender", "asked")]


@pytest.fixture(scope="module")
def tokens() -> JointTokens:
    return JointTokens(read_tokenizer(read_manifest("mind", "mind").tokenizer_path))


def test_the_movie_and_the_others_are_marked_with_and_without_their_year() -> None:
    reading = attitude_reading(TURNS, "The Red Mill: Part Two (2011)")
    assert [text for _, text, _ in reading.turns] == [
        "then try [a] or [this] .",
        "[a] was dull, but [this] sounds good. is it like [b] ?",
    ]
    assert [segment for _, _, segment in reading.turns] == TAKEN
    assert reading.facts == (0.0, 1.0)
    assert reading.of_item


def test_who_names_a_movie_first_is_told() -> None:
    assert attitude_reading(TURNS, "Hidden Harbour (1987)").facts == (1.0, 0.0)
    assert attitude_reading(TURNS, "Never Named (1999)").facts == (0.0, 0.0)


def test_a_sequel_is_not_the_movie_that_its_name_begins_with() -> None:
    said = (
        RoleTurn("recommender", "I saw Grey Dust 2 (2005)! Or Alan Lee Grey Dust  (2001)?"),
        RoleTurn("seeker", "I only know grey dust, not Grey Dust 2. And the harbour? Hidden Harbour: The Return"),
        RoleTurn("recommender", "Hidden Harbour: The Start (1985) came first"),
    )
    assert [text for _, text, _ in attitude_reading(said, "Grey Dust (2001)").turns] == [
        "i saw [a] ! or alan lee [this] ?",
        "i only know [this] , not [a] . and the harbour? [b] : the return",
        "[b] came first",
    ]
    assert attitude_reading(said, "Grey Dust 2 (2005)").turns[0][1] == "i saw [this] ! or [a] ?"
    assert "[this]" in attitude_reading(said, "Hidden Harbour: The Return").turns[0][1]


def test_more_movies_than_tags_share_one() -> None:
    named = " ".join(f"Film Number {number} (199{number})," for number in range(8))
    reading = attitude_reading((RoleTurn("recommender", named), RoleTurn("seeker", "The last.")), "Film Number 7 (1997)")
    text = reading.turns[0][1]
    assert [text.count(tag) for tag in TAGS[:7]] == [1, 2, 1, 1, 1, 1, 1]


def test_tags_that_somebody_types_are_no_tags() -> None:
    said = (RoleTurn("recommender", "[This] [CLS] \ue000 This (2010)?"), RoleTurn("seeker", "[a] [recommender] no"))
    reading = attitude_reading(said, "Another (2012)")
    assert [text for _, text, _ in reading.turns] == ["[cls] [a] ?", "no"]


def test_a_movie_named_long_ago_is_read_where_it_was_named() -> None:
    talk = [RoleTurn("seeker" if number % 2 else "recommender", f"turn {number}") for number in range(1, 20)]
    reading = attitude_reading((RoleTurn("recommender", "Grey Dust (2001)?"), *talk[1:]), "Grey Dust (2001)")
    assert reading.turns[0][1] == "[this] ?"
    assert reading.turns[1][1] == "turn 12"
    assert reading.turns[-1] == ("seeker", "turn 19", SEGMENTS.index("asked"))


def test_for_intentions_the_turn_and_those_before_it_are_read() -> None:
    talk = [RoleTurn("seeker" if number % 2 else "recommender", f"turn {number}") for number in range(10)]
    reading = intention_reading(talk, 5)
    assert [text for _, text, _ in reading.turns] == [f"turn {number}" for number in range(3, 6)]
    assert [SEGMENTS[segment] for _, _, segment in reading.turns] == ["seeker", "recommender", "asked"]
    assert intention_reading(talk[:6], 5) == reading  # the reply does not matter
    assert (reading.facts, intention_reading(talk, 0).facts) == ((0.0, 0.0), (1.0, 0.0))


def test_pieces_are_marked_and_the_first_turns_of_a_long_reading_left_out(tokens: JointTokens) -> None:
    inputs = tokens.inputs(attitude_reading(TURNS, "Grey Dust (2001)"))
    this = tokens.tokenizer.token_to_id("[this]")
    np.testing.assert_array_equal(inputs.marked > 0, inputs.ids == this)
    assert inputs.marked.sum() == 2
    assert set(inputs.segments[inputs.asked > 0]) == {SEGMENTS.index("asked")}
    long = tokens.inputs(intention_reading([RoleTurn("seeker", "so " * 400), RoleTurn("recommender", "well " * 400)] * 2, 3))
    assert len(long.ids) <= MOST_TOKENS + 1
    assert long.asked.sum() == MOST_ASKED + 1
    assert long.marked[0] == 1
    assert long.marked.sum() == 1


@pytest.mark.parametrize("text", ["?", "☺", "ß" * 500, " . "])
def test_any_text_has_a_turn_to_read(tokens: JointTokens, text: str) -> None:
    inputs = tokens.inputs(attitude_reading((RoleTurn("seeker", text),), "Grey Dust (2001)"))
    assert inputs.asked.sum() >= 2
    assert len(inputs.ids) == len(inputs.segments) == len(inputs.marked) == len(inputs.asked)
