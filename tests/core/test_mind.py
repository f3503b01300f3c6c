"""The shipped mind model on recommendation dialogues of ours."""

import random

import pytest

from grice.models import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.minds.labels import COARSE, FINE, MIND_ROLES, MindRole, best_fine, coarse_of
from grice.models.minds.model import HISTORY_TURNS, MindTracker, load_mind_model
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import MindReading, TurnIntentions

TURNS = (
    Turn("user", "Hello! I am looking for a good comedy."),
    Turn("bot", "Hi! Have you seen Lantern Bay (1999)?"),
    Turn("user", "Yes, I have seen it and I loved it! Any others?"),
    Turn("bot", "You could try Grey Dust (2001). It is very funny."),
    Turn("user", "I have not seen that one. It sounds good, I will watch it. Thank you, bye!"),
)


def read(turns: tuple[Turn, ...] = TURNS, **given: object) -> MindReading:
    return load_mind_model().predict([RecommendationDialogue(Dialogue(turns), **given)])[0]  # type: ignore[arg-type]


def test_nothing_in_nothing_out() -> None:
    assert load_mind_model().predict([]) == []
    assert load_mind_model().answer([]) == []


def test_what_is_found_in_a_plain_dialogue() -> None:
    reading = read()
    assert [turn.role for turn in reading.turns] == ["seeker", "recommender", "seeker", "recommender", "seeker"]
    assert "ask-for-recommendation" in reading.turns[0].coarse
    assert "recommend" in reading.turns[1].coarse
    assert "inquire-about-item" in reading.turns[1].fine
    assert {"recommend", "explain"} <= set(reading.turns[3].coarse)
    assert "give-feedback" in reading.turns[4].coarse
    first, second = reading.items
    assert (first.item, first.place, first.attitude.label) == ("Lantern Bay (1999)", 2, "recommender-seen-liked")
    assert (second.item, second.place, second.attitude.label) == ("Grey Dust (2001)", 4, "recommender-unseen-liked")
    assert first.seen > 0.5 > second.seen
    assert second.likely_to_watch
    assert (reading.next.role, reading.history_read, reading.history_cut) == ("recommender", 4, 0)
    assert reading.next.effective("other")
    with pytest.raises(InputError, match="strategy of the recommender: got 'sell'; allowed: request, respond"):
        reading.next.effective("sell")


def test_what_is_disliked_and_what_nobody_answered_yet() -> None:
    turns = (*TURNS[:3], Turn("bot", "What about Red Mill (2011)?"), Turn("user", "I hated that one, it was so boring."))
    reading = read((*turns, Turn("bot", "Maybe Blue Hill (2014)?")))
    assert [item.item for item in reading.items] == ["Lantern Bay (1999)", "Red Mill (2011)"]
    assert not reading.items[1].likely_to_watch
    assert reading.next.role == "seeker"
    assert reading.next.effective("give-feedback")


def test_items_may_be_given_and_roles_turned_round() -> None:
    reading = read(items=("Grey Dust", "Nowhere Said"))
    assert [item.item for item in reading.items] == ["Grey Dust"]
    turned = read(tuple(Turn("bot" if turn.speaker == "user" else "user", turn.text) for turn in TURNS), seeker="bot")
    assert turned == read()


def test_what_one_side_says_in_a_row_is_one_turn() -> None:
    reading = read((TURNS[0], Turn("user", "Something new, please."), *TURNS[1:]))
    assert [turn.place for turn in reading.turns] == [0, 2, 3, 4, 5]


def test_a_long_dialogue_is_cut_and_keeps_its_places() -> None:
    reading = read(TURNS[:4] * 20)
    assert (reading.history_read, reading.history_cut) == (HISTORY_TURNS, 79 - HISTORY_TURNS)
    assert reading.turns[-1].place == 79


def test_a_tracker_says_after_each_turn_what_the_model_says_of_all() -> None:
    tracker = MindTracker(load_mind_model())
    for count, turn in enumerate(TURNS, start=1):
        assert tracker.add(turn) == read(TURNS[:count])


def test_what_is_in_a_batch_does_not_change_a_result() -> None:
    asked = [RecommendationDialogue(Dialogue(TURNS[:count])) for count in (1, 3, 5)]
    together = load_mind_model().predict(asked * 3)
    assert together == [load_mind_model().predict([each])[0] for each in asked] * 3


def test_fine_and_coarse_never_disagree_on_any_turns() -> None:
    """Any words in any order: the fine intentions are those that imply the most probable coarse ones."""
    words = [
        *[
            "a",
            "film",
            "I",
            "like",
            "seen",
            "no",
            "yes",
            "what",
            "it",
            "bye",
            "hello",
            "?",
            "!",
            "...",
            "(1999)",
            "Lantern",
            "Bay",
            "☺",
            "0",
            "'",
        ],
        "\n",
        "x" * 300,
    ]
    chance = random.Random(0)
    for _ in range(25):
        said = [" ".join(chance.choices(words, k=chance.randint(1, 12))) + " a" for _ in range(chance.randint(1, 6))]
        turns = tuple(Turn(chance.choice(("user", "bot")), text) for text in said)
        for turn in read(turns).turns:
            assert set(turn.coarse) == coarse_of(turn.role, turn.fine)
            assert turn.fine
            assert all(0 <= value <= 1 for value in turn.probabilities.values())


@pytest.mark.parametrize("role", MIND_ROLES)
def test_fine_and_coarse_never_disagree_whatever_the_probabilities(role: MindRole) -> None:
    chance = random.Random(1)
    for _ in range(200):
        sets = {frozenset(chance.sample(FINE[role], chance.randint(1, 4))) for _ in range(chance.randint(1, 20))}
        shares = [chance.random() for _ in sets]
        probabilities = {labels: share / sum(shares) for labels, share in zip(sets, shares, strict=True)}
        coarse = {coarse_of(role, labels): 0.0 for labels in sets}
        for labels, share in probabilities.items():
            coarse[coarse_of(role, labels)] += share
        chosen = best_fine(role, probabilities)
        assert chosen in sets
        assert coarse[coarse_of(role, chosen)] == max(coarse.values())
        assert coarse_of(role, chosen) <= set(COARSE[role])


def test_an_intention_of_the_other_role_is_refused() -> None:
    with pytest.raises(InputError, match="fine intentions of the seeker"):
        TurnIntentions(0, "seeker", ("show-item",), {})


@pytest.mark.parametrize("items", [("Grey Dust", "Grey Dust"), tuple(f"Film {number}" for number in range(33)), (" ",)])
def test_items_that_cannot_be_used_are_refused(items: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="item"):
        RecommendationDialogue(Dialogue(TURNS), items)


def test_an_unknown_seeker_is_refused() -> None:
    with pytest.raises(InputError, match="seeker: got 'both'; allowed: user or bot"):
        RecommendationDialogue(Dialogue(TURNS), None, "both")  # type: ignore[arg-type]
