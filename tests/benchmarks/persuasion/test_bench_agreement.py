"""The figures on agreement, from numbers written here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from persuasion_fixtures import write_face_acts

from grice.benchmarks.core.folds import StoredFolds, read_folds
from grice.benchmarks.persuasion.agreement import estimates, scores, shipped_agreement, stored_agreement
from grice.benchmarks.persuasion.folds import TRAINS
from grice.models.data import face_acts
from grice.models.errors import DataCorrupt, DataNotFound


def test_estimates_in_the_middle_and_at_the_end(tmp_path: Path) -> None:
    write_face_acts(tmp_path)
    dialogues = face_acts.read(tmp_path)  # both persuadees give
    stored = {"7": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "9": [0.9, 0.8, 0.7, 0.6, 0.3]}
    half, end = (estimates(dialogues, stored, share) for share in (0.5, 1.0))
    assert half["grice"].tolist() == [0.4, 0.7]
    assert end["grice"].tolist() == [0.8, 0.3]
    assert (end["authors"].tolist(), end["majority"].tolist()) == ([0.5, 0.5], [1, 1])
    accuracy, brier = scores(dialogues, half["grice"])
    assert (accuracy.value, accuracy.n) == (50, 2)
    assert brier.value == pytest.approx((0.6**2 + 0.3**2) / 2)


def test_stored_estimates_fall_after_a_refusal_as_those_of_the_detector_do(tmp_path: Path) -> None:
    write_face_acts(tmp_path)
    dialogues = face_acts.read(tmp_path)
    refusing = [replace(each, utterances=tuple(replace(one, text="I refuse.") for one in each.utterances)) for each in dialogues]
    counts = {each.dialogue_id: len(each.utterances) for each in dialogues}
    content: dict[str, dict[str, Any]] = {
        "agreement": {name: [0.5] * count for name, count in counts.items()},
        "predictions": {name: ["other"] * count for name, count in counts.items()},
    }
    stored = StoredFolds(tmp_path / "folds.json", TRAINS, content)
    assert shipped_agreement(dialogues, stored) == content["agreement"]
    for each in refusing:
        found = shipped_agreement([each], stored)[each.dialogue_id]
        fell = [place for place, share in enumerate(found) if share < 0.5]
        assert fell == [place for place, one in enumerate(each.utterances) if place and one.role == "persuadee"]


def test_folds_without_estimates(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="grice train intentions --folds"):
        stored_agreement(read_folds(tmp_path / "folds.json", TRAINS))
    (tmp_path / "folds.json").write_text(json.dumps({"about": {}, "folds": {}}))
    with pytest.raises(DataCorrupt, match="agreement"):
        stored_agreement(read_folds(tmp_path / "folds.json", TRAINS))
