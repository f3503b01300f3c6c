"""Which turn of the seeker shows how they stand to an item, and what "the second one" is."""

from __future__ import annotations

from grice.models import Dialogue, Turn
from grice.models.minds import RecommendationDialogue, load_mind_model
from grice.models.minds.questions import RoleTurn
from grice.models.minds.reactions import ordinals_named, reaction_to

ITEMS = ("Corvo E2", "Kestrel Town 8")


def talk(*texts: str) -> tuple[RoleTurn, ...]:
    """Turns by turns, the recommender first."""
    return tuple(RoleTurn("seeker" if place % 2 else "recommender", text) for place, text in enumerate(texts))


def test_later_words_on_an_item_count_until_another_is_named() -> None:
    turns = talk(
        "Try the Corvo E2.", "Is it heavy?", "Twenty kilos.", "Too heavy, not for me.", "Then the Kestrel Town 8?", "Sold."
    )
    assert [reaction_to(turns, item, ITEMS) for item in ITEMS] == [3, 5]
    assert reaction_to(turns[:3], "Corvo E2", ITEMS) == 1
    assert reaction_to(turns[:1], "Corvo E2", ITEMS) is None


def test_thanks_and_questions_do_not_count_after_a_first_reaction() -> None:
    turns = talk("Try the Corvo E2.", "I love it.", "Anything else?", "No thanks, bye!", "Goodbye.", "Are you open on Sunday?")
    assert reaction_to(turns, "Corvo E2", ITEMS) == 1


def test_of_a_movie_with_its_year_a_later_turn_counts_where_it_refuses() -> None:
    item = "Grey Dust (2001)"
    chat = "How about Grey Dust (2001)?", "Sounds good.", "It is three hours long."
    assert reaction_to(talk(*chat, "My sister has a long sofa."), item, (item,)) == 1
    assert reaction_to(talk(*chat, "Then I'd rather not."), item, (item,)) == 3


def test_the_second_one_is_the_second_of_those_listed_last() -> None:
    turns = talk(
        "The Corvo E2 or the Kestrel Town 8?", "The second one sounds good.", "Good choice.", "Not the latter, the first one!"
    )
    named = ordinals_named(turns, ITEMS)
    assert [turn.text for turn in named if turn.role == "seeker"] == [
        "Kestrel Town 8 sounds good.",
        "Not Kestrel Town 8, Corvo E2!",
    ]
    assert reaction_to(named, "Corvo E2", ITEMS) == 3


def test_what_is_no_choice_among_items_stays() -> None:
    turns = talk(
        "The Corvo E2 or the Kestrel Town 8?", "I saw the first season, the third one?", "Try the Corvo E2.", "The second time?"
    )
    assert ordinals_named(turns, ITEMS) == turns


def test_a_later_refusal_turns_an_attitude_round() -> None:
    said = ["Then the Corvo E2 is worth a look.", "Sounds great, I will try it.", "It weighs thirty kilos."]
    turns = [Turn("user" if place % 2 else "bot", text) for place, text in enumerate(said)]
    model = load_mind_model()
    (before,) = model.predict([RecommendationDialogue(Dialogue(tuple(turns)))])[0].items
    refused = (*turns, Turn("user", "Oh no, that is too heavy. Not for me, I don't like it."))
    (after,) = model.predict([RecommendationDialogue(Dialogue(refused))])[0].items
    assert (before.item, before.place, after.place) == ("Corvo E2", 1, 3)
    assert before.liked > 0.5 > after.liked
