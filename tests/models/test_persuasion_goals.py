"""Face acts with any goal: which heads read them, what a refusal does to agreement, and goals that are far from all known ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grice.models import Dialogue, Turn
from grice.models.errors import InputError, WeightsError
from grice.models.face_acts import PersuasionQuestion, load_intention_detector
from grice.models.face_acts.goals import KnownGoals

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
