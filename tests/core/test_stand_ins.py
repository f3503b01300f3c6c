"""Intents of a menu that stand for replies."""

from __future__ import annotations

import numpy as np
import pytest

from grice.models import BotSchema, Dialogue, MeaningQuestion
from grice.models.meaning import MeaningReader, load_meaning_reader
from grice.models.meaning.menu import MenuOption
from grice.models.meaning.stand_ins import NO_SHARE, find_stand_ins, give_to_stand_ins, leave_out_answers
from grice.models.runtime.heads import softmax

ACTS = [MenuOption("act", name, (name,)) for name in ("yes", "no", "yes-but", "answer")]
VECTORS = np.eye(4, dtype=np.float32)


def intents(*names: str) -> list[MenuOption]:
    return [MenuOption("intent", name, (name,)) for name in names]


def near(place: int, cosine: float) -> np.ndarray:
    """A vector of unit length at that cosine to the act at a place, and at less to the next."""
    found = np.zeros(4, np.float32)
    found[place], found[(place + 1) % 4] = cosine, np.sqrt(1 - cosine**2) * 0.5
    return found


def test_an_intent_stands_for_the_act_it_is_like_and_for_its_kin() -> None:
    vectors = np.vstack([near(0, 0.7), near(3, 0.9), near(1, 0.5), VECTORS])
    assert find_stand_ins([*intents("affirm", "give_number", "refund"), *ACTS], vectors) == {"yes": "affirm", "yes-but": "affirm"}


def test_where_two_are_alike_neither_stands_for_it() -> None:
    vectors = np.vstack([near(0, 0.7), near(0, 0.8), VECTORS])
    assert find_stand_ins([*intents("affirm", "agree"), *ACTS], vectors) == {}


def test_a_menu_of_one_intent_lists_no_replies() -> None:
    assert find_stand_ins([*intents("affirm"), *ACTS], np.vstack([near(0, 0.7), VECTORS])) == {}


def test_the_share_of_the_act_goes_to_the_intent() -> None:
    options = [*intents("affirm", "refund"), *ACTS]
    before = np.array([0.5, 1.0, 2.0, 0.0, 0.3, -1.0], np.float32)
    after = give_to_stand_ins(before, options, {"yes": "affirm"})
    assert softmax(after)[0] == pytest.approx(softmax(before)[[0, 2]].sum(), rel=1e-5)
    assert softmax(after)[2] == pytest.approx(0, abs=1e-12)
    assert softmax(after)[[1, 3, 4, 5]] == pytest.approx(softmax(before)[[1, 3, 4, 5]], rel=1e-5)
    assert before[2] == 2.0


def test_a_first_turn_answers_nothing() -> None:
    options = [*intents("affirm"), *ACTS, MenuOption("act", "none", ("none",))]
    scores = np.arange(6, dtype=np.float32)
    assert leave_out_answers(scores, options).tolist() == [0, *[NO_SHARE] * 4, 5]


@pytest.fixture(scope="module")
def reader() -> MeaningReader:
    return load_meaning_reader()


@pytest.mark.parametrize(
    ("name", "description", "text"),
    [("affirm", "says yes to the question", "Yes please."), ("nope", "turns the offer down", "No, thank you.")],
)
def test_the_shipped_reader_reads_a_listed_reply(reader: MeaningReader, name: str, description: str, text: str) -> None:
    menu = BotSchema.of(
        {"intents": [{"name": name, "description": description}, {"name": "renew", "description": "keep a book for longer"}]}
    )
    (found,) = reader.predict([MeaningQuestion(Dialogue.of(text, [("bot", "Shall I renew it?")]), menu)])
    assert (found.kind, found.meaning) == ("intent", name)
    act = {"affirm": "yes", "nope": "no"}[name]
    assert all(each.share < 1e-6 for each in found.possible if (each.kind, each.name) == ("act", act))
