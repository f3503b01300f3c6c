"""Replies of people, which thresholds of alarms are fitted with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_fixtures import needs_released_data

from grice.models.relations.budget import DEFAULT_BUDGET, STEPS, share_above
from grice.models.relations.inputs import KnownSpan
from grice.models.relations.labels import LABELS, SETTINGS, Setting
from grice.models.training.relations.calibration import calibrate, fit_curve
from grice.models.training.relations.people import EACH, people_samples, read_people, save_people
from grice.models.training.relations.samples import RelationSample, TaughtResponse

SPANS = (KnownSpan("fact", 0, "room: Blue"), KnownSpan("user", 0, "A room?"))


def sample(score: float, bad: bool | None, source: str = "ours", setting: Setting = "task") -> RelationSample:
    """A response of which the scripted reader says `score`."""
    return RelationSample(source, setting, SPANS, (TaughtResponse(str(score), frozenset(), bad),))


@dataclass
class _Read:
    bad: float
    labels: Any = field(default_factory=lambda: np.zeros(len(LABELS)))


class _Reader:
    def score_beside(self, spans: Any, response: str) -> _Read:
        return _Read(float(response))


@pytest.mark.parametrize("theirs", ["task", "chat"])
def test_the_budget_of_a_setting_holds_for_peoples_replies_in_it_too(theirs: Setting) -> None:
    chance = np.random.default_rng(0)
    own = [
        *(sample(score, False, "ours", theirs) for score in chance.normal(-3, 1, 400)),
        *(sample(score, True, "ours", theirs) for score in chance.normal(2, 1, 400)),
    ]
    people = [sample(score, False, "people", theirs) for score in chance.normal(-1, 1, 300)]
    reader: Any = _Reader()
    alone, beside = (calibrate(reader, own, others)["thresholds"]["settings"] for others in ((), people))
    assert beside[theirs] > alone[theirs]
    assert all(beside[setting] == alone[setting] for setting in SETTINGS if setting != theirs)
    curve = calibrate(reader, own)["curves"]["bad"]
    shares = [1 / (1 + np.exp(-(curve["slope"] * float(each.responses[0].text) + curve["offset"]))) for each in people]
    assert share_above(shares, beside[theirs]) <= DEFAULT_BUDGET / 100 < share_above(shares, alone[theirs])


def test_thresholds_of_other_budgets_are_those_of_calibration() -> None:
    chance = np.random.default_rng(0)
    own = [*(sample(score, False) for score in chance.normal(-3, 1, 200)), *(sample(3, True) for _ in range(200))]
    reader: Any = _Reader()
    found = calibrate(reader, own, [sample(score, False, "people") for score in chance.normal(-1, 1, 100)])
    for setting in SETTINGS:
        steps, threshold = found["fine"][setting], found["thresholds"]["settings"][setting]
        assert steps[int(2 * DEFAULT_BUDGET)] == pytest.approx(threshold, abs=2e-6)
        assert len(steps) == STEPS


def test_a_curve_is_found_for_steep_scores_too() -> None:
    chance = np.random.default_rng(1)
    flags = np.array([True] * 500 + [False] * 300)
    scores = np.where(flags, 8.0, -8.0) + 9 * chance.normal(size=800)
    found = fit_curve(scores, flags)
    assert 0.05 < found["slope"] < 1
    assert abs(found["offset"]) < 2


def test_replies_are_kept_beside_a_checkpoint(tmp_path: Path) -> None:
    assert read_people(tmp_path) == []
    given = [sample(0.5, False), sample(1.5, False, "star"), sample(2.5, False, "persuasion", "chat")]
    save_people(tmp_path, given)
    assert read_people(tmp_path) == given


@needs_released_data
def test_replies_of_each_data_set_are_fine_and_the_same_again() -> None:
    data = Path(os.environ["GRICE_DATA_DIR"])
    found = people_samples(data)
    assert found == people_samples(data)
    for name, setting in (("star", "task"), ("sgd", "task"), ("persuasion", "chat")):
        own = [each for each in found if each.source == name]
        assert len(own) == EACH
        assert {each.setting for each in own} == {setting}
        assert any(span.kind == "fact" for each in own for span in each.spans) == (setting == "task")
        assert all(response.bad is False for each in own for response in each.responses)
        assert sum(each.spans[-1].kind == "user" for each in own) > 0.9 * EACH
