"""Which names in running text are items, found without a list."""

from __future__ import annotations

import pytest

from grice.benchmarks.rectom.found_items import HELD_HANDS, rates
from grice.models.dialogue import Dialogue, Turn
from grice.models.minds.item_names import items_in
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.training.minds.written import HANDS, read_talks


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Have you seen Hidden Harbour (1987)? Maybe try Silver Tide (2016).", ["Hidden Harbour (1987)", "Silver Tide (2016)"]),
        ("Understood. Then The Thin Red Line (1998)", ["The Thin Red Line (1998)"]),
        ("Sure! How about Mr. Deeds (2002)?", ["Mr. Deeds (2002)"]),
        ("Monsters, Inc. (2001) or What About Bob? (1991)", ["Monsters, Inc. (2001)", "What About Bob? (1991)"]),
        ("Then the Corvo E2 is worth a look.", ["Corvo E2"]),
        ('I loved "Gone Girl" and I read The Name of the Wind on Monday.', ["Gone Girl", "The Name of the Wind"]),
        ("Have you been to Nonna Stays Home? Or try the Nordeo Slim 13.", ["Nonna Stays Home", "Nordeo Slim 13"]),
        ("Three fit: 1. Stack-a-Bear – a game. 2. The Rainy Day Box, calmer.", ["Stack-a-Bear", "The Rainy Day Box"]),
        ("What about Dune? I think AntennaPod has it, too.", ["Dune", "AntennaPod"]),
        ("How about the botanical garden?", ["the botanical garden"]),
    ],
)
def test_names_are_found_in_running_text(text: str, items: list[str]) -> None:
    assert items_in([text]) == items


@pytest.mark.parametrize(
    "text",
    [
        "I am Peter. We live in New York. On Tuesday I go to the gym.",
        "Hello! I'm looking for a laptop. My budget is 900 euros, until April 4.",
        "Dear Mr Feld, how about a comedy? Have you tried anything like it before?",
        "I like Tom Hanks and Brad Pitt. Does it play in Paris, Maria?",
        "Wonderful! Impossible. Absolutely NOT. Understood.",
        "The second one sounds good. How about the first one?",
    ],
)
def test_people_places_days_and_beginnings_are_no_items(text: str) -> None:
    assert items_in([text]) == []


def test_a_word_that_begins_a_sentence_counts_where_it_comes_again() -> None:
    assert items_in(["Billow, perhaps.", "I know that."]) == []
    assert "Billow" in items_in(["Billow, perhaps.", "No, Billow crashes."])


def test_a_dialogue_names_each_item_once_in_order() -> None:
    turns = (
        Turn("bot", "The Corvo E2 or the Kestrel Town 8?"),
        Turn("user", "The Corvo E2 is too heavy. I once had Hallgrim Gråvik."),
    )
    assert RecommendationDialogue(Dialogue(turns)).found_items() == ("Corvo E2", "Kestrel Town 8", "Hallgrim Gråvik")


def test_most_items_of_hands_that_were_not_looked_at_are_found() -> None:
    hands = read_talks(HANDS, HELD_HANDS)
    recall, precision = rates([talk for talks in hands.values() for talk in talks])
    assert recall > 75
    assert precision > 85
