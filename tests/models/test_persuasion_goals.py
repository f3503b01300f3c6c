"""Face acts with any goal: which heads read them, what a refusal does to agreement, and goals that are far from all known ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grice.models import Dialogue, Turn
from grice.models.errors import InputError, WeightsError
from grice.models.face_acts import PersuasionQuestion, load_intention_detector
from grice.models.face_acts.detector import after_refusals
from grice.models.face_acts.goals import KnownGoals
from grice.models.results import FaceAct, PersuasionRole

CHOIR = "get the neighbour to join the choir"


def asked(*texts: str, goal: str = CHOIR) -> PersuasionQuestion:
    turns = tuple(Turn("user" if place % 2 else "bot", text) for place, text in enumerate(texts))
    return PersuasionQuestion(Dialogue(turns), goal)


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("", "charity"),
        ("Donate two dollars", "charity"),
        ("a charity for donkeys", "charity"),
        (CHOIR, "other"),
        ("sell a bike", "other"),
    ],
)
def test_the_goal_says_which_heads_read(goal: str, kind: str) -> None:
    assert asked("Hello.", goal=goal).kind == kind
    (found,) = load_intention_detector().predict([asked("Would you sing with us?", goal=goal)])
    assert found.read_as == kind


def test_a_dialogue_alone_is_read_as_before() -> None:
    detector = load_intention_detector()
    question = asked("Would you like to donate?", "I have no money.", goal="")
    assert detector.predict([question.dialogue]) == detector.predict([question])


def test_other_goals_are_read_by_other_heads() -> None:
    texts = ("Would you come to our open evening on Thursday?", "I can't sing to save my life.")
    other, charity = load_intention_detector().predict([asked(*texts), asked(*texts, goal="")])
    assert other.labels == ("hneg-", "sneg+")
    assert other.probabilities != charity.probabilities


def test_agreement_falls_after_a_flat_refusal() -> None:
    said = (
        "Come and join our choir, we meet on Thursdays.",
        "Thursdays? That could suit me, who sings there?",
        "All of our street.",
    )
    refused, agreed = load_intention_detector().predict(
        [asked(*said, "No. I won't do it. Leave me alone with that."), asked(*said, "Oh, I'd love to, yes! I'll be there.")]
    )
    assert refused.agreement[-1] < refused.agreement[-2]
    assert refused.agreement[-1] < agreed.agreement[-1]


TALKS = {
    "sell a gym membership": (
        "Our gym has a new spring offer.",
        "Maybe. What does it cost?",
        "29 euros a month, the first one is free.",
    ),
    "get the employee to take the weekend shift": ("We are short on Saturday, could you take the shift?",),
    "convince the patient to get a flu vaccination": ("The flu season starts soon. Would you like a vaccination?",),
    "get the citizen to vote in the local election": (
        "Vote on Sunday!",
        "Hello. Where is it?",
        "In the school, from eight to six.",
    ),
    "negotiate a lower price for the used car": (
        "Would you take 4,000?",
        "It has new tyres.",
        "But the belt is due, that costs 600.",
    ),
    "donate to Save the Children": ("Would you like to donate?", "What do they do?", "They help children in wars with food."),
}


@pytest.mark.parametrize("goal", TALKS)
@pytest.mark.parametrize(
    "refusal",
    [
        "No. I won't do it.",
        "No, absolutely not. Please stop asking me.",
        "Not interested.",
        "I said no and I mean no. Goodbye.",
        "No thanks.",
        "Count me out.",
        "I refuse.",
        "Leave me alone.",
        "The answer is no.",
    ],
)
def test_a_flat_refusal_lowers_agreement_whatever_the_goal(goal: str, refusal: str) -> None:
    (found,) = load_intention_detector().predict([asked(*TALKS[goal], refusal, goal=goal)])
    assert found.agreement[-1] < found.agreement[-2]


def test_only_refusals_of_the_persuadee_lower_it_more_than_the_model_does() -> None:
    said: list[tuple[PersuasionRole, str, FaceAct]] = [
        ("persuader", "No thanks to me, but it works.", "other"),
        ("persuadee", "No, I have never heard of it.", "hpos-"),
        ("persuadee", "No way, that is wonderful!", "hpos+"),
        ("persuadee", "No way.", "sneg+"),
        ("persuadee", "It is definitely not easy for them.", "other"),
        ("persuader", "Please!", "hneg-"),
    ]
    assert after_refusals([0.5] * 6, said) == [0.5, 0.5, 0.5, pytest.approx(0.45), 0.5, 0.5]
    assert after_refusals([0.5, 0.2], said[2:4]) == [0.5, 0.2]
    assert after_refusals([0.5], [("persuadee", "I refuse.", "other")]) == [0.5]


def test_a_goal_unlike_all_others_is_said_to_be_far() -> None:
    near, far = load_intention_detector().predict(
        [asked("Please come.", goal=CHOIR), asked("Please come.", goal="zxqv 7741 hexadecimal register overflow")]
    )
    assert (near.far, far.far) == (False, True)


def test_goals_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="printable"):
        PersuasionQuestion(Dialogue((Turn("user", "Hello."),)), " \n")
    KnownGoals(np.eye(3, dtype=np.float32), np.array([0.5], np.float32)).save(tmp_path / "goals.npz")
    known = KnownGoals.load(tmp_path / "goals.npz")
    assert known.is_far(np.full(3, 0.3, np.float32))
    assert not known.is_far(np.array([0.9, 0, 0], np.float32))
    KnownGoals(np.zeros(3, np.float32), np.array([0.5], np.float32)).save(tmp_path / "flat.npz")
    with pytest.raises(WeightsError, match="expected \\(goals, width\\)"):
        KnownGoals.load(tmp_path / "flat.npz")
