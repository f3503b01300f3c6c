"""The shape of the written responses does not give away which are faulty: length, question marks and digits tell little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from grice.benchmarks.responses.systems import PLAIN, shape_of
from grice.models.relations.labels import SETTINGS, Setting
from grice.models.training.relations.calibration import fit_weights
from grice.models.training.relations.evaluate import auc
from grice.models.training.responses.written import read_contexts

PARTS = 5

Row = tuple[str, bool, str]
"""Its hand, whether it is faulty, and its text."""


@pytest.fixture(scope="module")
def rows() -> dict[Setting, list[Row]]:
    found: dict[Setting, list[Row]] = {setting: [] for setting in SETTINGS}
    for hand, contexts in read_contexts().items():
        for context in contexts:
            found[context.setting] += [(hand, not each.is_fine, each.text) for each in context.responses]
    return found


def told_by_shape(rows: Sequence[Row], marks: int) -> float:
    """The area under the curve of a classifier on the first `marks` of a shape; each hand is told by one fitted to others."""
    hands = sorted({hand for hand, _, _ in rows})
    parts = np.array([hands.index(hand) % PARTS for hand, _, _ in rows])
    bad = np.array([bad for _, bad, _ in rows])
    shapes = np.array([shape_of(text)[:marks] for _, _, text in rows])
    scores = np.zeros(len(rows))
    for part in range(PARTS):
        weights = fit_weights(shapes[parts != part], bad[parts != part], np.zeros(marks))
        scores[parts == part] = shapes[parts == part] @ weights
    return auc(scores.tolist(), bad.tolist())


@pytest.mark.parametrize("setting", SETTINGS)
def test_length_question_marks_and_digits_do_not_tell_which_responses_are_faulty(
    rows: dict[Setting, list[Row]], setting: Setting
) -> None:
    assert len(rows[setting]) > 5000
    assert told_by_shape(rows[setting], PLAIN) < 0.6


@pytest.mark.parametrize(("setting", "most"), [("chat", 0.66), ("task", 0.6), ("assistant", 0.6)])
def test_all_marks_tell_little_more(rows: dict[Setting, list[Row]], setting: Setting, most: float) -> None:
    """In open talk the fine ones of some hands have more and shorter sentences than the faulty ones."""
    assert told_by_shape(rows[setting], len(shape_of(""))) < most


@pytest.mark.parametrize("given_away", ["{}?", "{} 1", "{0} {0}"])
def test_a_shape_that_gives_it_away_is_seen(rows: dict[Setting, list[Row]], given_away: str) -> None:
    marked = [
        (hand, bad, given_away.format(text) if bad and place % 2 else text)
        for place, (hand, bad, text) in enumerate(rows["chat"][:4000])
    ]
    assert told_by_shape(marked, PLAIN) > 0.6
