"""What a response is like beside what was said before it, on vectors of our choice."""

import numpy as np
import pytest

from grice.models.behaviors.features import PAIR_FEATURES, EncodedText, Nearest, features, pairs
from grice.models.dialogue import Speaker
from grice.models.text.wording import Wording


def said(speaker: Speaker, text: str, *direction: float) -> EncodedText:
    vector = np.array(direction, np.float32)
    return EncodedText(speaker, Wording.of(text), vector / np.linalg.norm(vector))


RESPONSE = said("bot", "I never sail. Do you?", 1, 1, 0)
SENTENCES = [said("bot", "I never sail.", 1, 0, 0), said("bot", "Do you?", 0, 1, 0)]
HISTORY = [
    said("user", "Hello", 0, 0, 1),
    said("bot", "I sail.", 1, 0.1, 0),
    said("user", "Do you swim?", 0, 1, 0.2),
    said("bot", "No.", 0, 0, 1),
    said("user", "Fine.", 0, 0, 1),
]


def test_a_pair_is_the_best_of_sentences_and_turns() -> None:
    values, nearest = pairs(SENTENCES, [HISTORY[1], HISTORY[3]])
    found = dict(zip(PAIR_FEATURES, values, strict=True))
    cosine = 1 / np.sqrt(1.01)
    assert nearest == 0
    assert found["nearest"] == pytest.approx(cosine)
    assert found["nearest_statement_with_negation_flipped"] == pytest.approx(cosine)
    assert found["nearest_own_statement_with_negation_flipped"] == pytest.approx(cosine)
    assert found["negation_flipped_to_nearest"] == 1
    assert found["shared"] == 1  # "sail" is all that the shorter one has
    assert found["nearest_question_to_question"] == 0
    assert found["mean_nearest"] == pytest.approx((cosine + 0.1 / np.sqrt(1.01)) / 2)


def test_questions_are_compared_with_questions() -> None:
    found = dict(zip(PAIR_FEATURES, pairs(SENTENCES, [HISTORY[2]])[0], strict=True))
    assert found["nearest_question_to_question"] == pytest.approx(1 / np.sqrt(1.04))
    assert found["nearest_statement_to_statement"] == 0


def test_nothing_before_is_zeros() -> None:
    assert pairs(SENTENCES, []) == ([0.0] * len(PAIR_FEATURES), 0)
    values, nearest = features(RESPONSE, SENTENCES, [])
    assert np.isfinite(values).all()
    assert nearest == {}


def test_the_nearest_turn_of_each_speaker() -> None:
    values, nearest = features(RESPONSE, SENTENCES, HISTORY)
    assert nearest == {
        "bot": Nearest(1, pytest.approx(1 / np.sqrt(1.01))),  # type: ignore[arg-type]
        "user": Nearest(2, pytest.approx(1 / np.sqrt(1.04))),  # type: ignore[arg-type]
    }
    assert values.dtype == np.float32
    assert len(values) == len(features(RESPONSE, SENTENCES, [])[0])


def test_only_the_bots_turns_before() -> None:
    _, nearest = features(RESPONSE, SENTENCES, [HISTORY[1]])
    assert set(nearest) == {"bot"}


def test_what_the_bot_said_of_what_it_is_asked() -> None:
    """The last six: how near the question is to an own turn, how near the answer is to that, and whether it is turned round."""
    history = [said("bot", "I sail 2 boats.", 1, 0, 0), said("bot", "Fine.", 0, 1, 0), said("user", "Do you sail?", 1, 0, 0.5)]
    values, _ = features(said("bot", "No, 3.", 1, 0, 0), [said("bot", "No, 3.", 1, 0, 0)], history)
    assert values[-6:] == pytest.approx([1 / np.sqrt(1.25), 1, 1, 1, 2, 1])
    assert values[-12:-6] == pytest.approx([0, 1, 1, 0, 0, 0])
    values, _ = features(RESPONSE, [said("bot", "I sail.", 1, 0, 0), said("bot", "I never swim.", 0, 1, 0)], [])
    assert values[-12:] == pytest.approx([0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0])
