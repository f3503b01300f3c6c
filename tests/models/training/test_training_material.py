"""What we wrote to learn from, beside the released data: it is in order, and none of it is evaluated."""

import json
from collections import Counter

from grice.models.minds.labels import BELIEFS
from grice.models.minds.wording import names
from grice.models.results import FACE_ACTS
from grice.models.training.face_acts import examples as face_examples
from grice.models.training.minds import chats as movie_chats

PERSUADER_NEVER, PERSUADEE_NEVER = {"spos-", "sneg+"}, {"hneg+"}


def test_movie_chats_end_in_the_seekers_reaction_to_a_movie_that_is_named() -> None:
    questions = movie_chats.written()
    assert len(questions) > 1000
    for question in questions:
        assert question.turns[-1].role == "seeker"
        assert any(names(turn.text, question.about) for turn in question.turns)
        assert question.labels_of(question.gold) < set(BELIEFS)
    assert {label for question in questions for label in question.labels_of(question.gold)} == set(BELIEFS)


def test_a_movie_is_suggested_by_who_names_it_first() -> None:
    wrong = [
        question.question_id
        for question in movie_chats.written()
        for (label,) in [question.labels_of(question.gold)]
        if next(turn.role for turn in question.turns if names(turn.text, question.about)) != label.partition("-")[0]
    ]
    assert len(wrong) < 0.03 * len(movie_chats.written()), wrong


def test_dialogues_with_face_acts_have_the_rare_ones_often() -> None:
    utterances = [
        tuple(each)
        for line in face_examples.WRITTEN.read_text(encoding="utf-8").splitlines()
        for each in json.loads(line)["utterances"]
    ]
    counts = Counter(label for _, _, label in utterances)
    assert set(counts) == set(FACE_ACTS)
    assert min(counts[label] for label in ("spos-", "hpos-", "sneg+", "hneg+")) > 0.08 * len(utterances)
    assert not {label for role, _, label in utterances if role == "persuader"} & PERSUADER_NEVER
    assert not {label for role, _, label in utterances if role == "persuadee"} & PERSUADEE_NEVER
