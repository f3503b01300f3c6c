"""Training the detector of frustration on invented hands: it learns, is packed as fitted, and no hand judges itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grice.models import Dialogue, Turn, load_frustration_detector
from grice.models.errors import DataNotFound
from grice.models.frustration.heads import FrustrationHeads
from grice.models.manifest import PRETRAINED
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.frustration.recipe import (
    PARTS,
    FrustrationExamples,
    FrustrationRecipe,
    compare_parts,
    fit,
    read_examples,
    score_held_hands,
    train_frustration,
)
from grice.models.training.frustration.written import HELD_HAND

TALK = """
== {setting} | {what}
u Where is my {what}?
b Which {what} do you mean?
F 1 | I told you already, are you not reading what I write about the {what}?
F 1 | forget it, I will call a human about the {what}
F 0 | The blue {what}, please.
F 0 | Sorry, I meant the {what} of my sister!
"""
HANDS = {"FA": ("kettle", "bicycle", "letter"), "FB": ("ticket", "coat", "lamp"), "FC": ("parcel", "fridge", "ring")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("hands")
    for hand, things in HANDS.items():
        talks = [
            TALK.format(setting=setting, what=what) for setting, what in zip(("task", "chat", "assistant"), things, strict=True)
        ]
        (found / f"{hand}.txt").write_text("\n".join(talks), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def examples(folder: Path) -> FrustrationExamples:
    return read_examples(load_sentence_encoder(), folder=folder)


def test_examples_are_the_last_turns_in_order(examples: FrustrationExamples) -> None:
    assert examples.hands == ("FA",) * 12 + ("FB",) * 12 + ("FC",) * 12
    assert examples.frustrated.tolist() == [True, True, False, False] * 9


def test_it_learns_and_is_packed_as_fitted(examples: FrustrationExamples, tmp_path: Path) -> None:
    heads = fit(examples, FrustrationRecipe())
    scores = np.array([heads.score(each) for each in examples.inputs])
    assert scores[examples.frustrated].min() > scores[~examples.frustrated].max()
    heads.save(tmp_path / "heads.npz")
    kept = FrustrationHeads.load(tmp_path / "heads.npz", load_sentence_encoder().width)
    assert [kept.score(each) for each in examples.inputs] == pytest.approx(scores.tolist(), abs=1e-6)


def test_no_hand_judges_itself(examples: FrustrationExamples) -> None:
    honest = score_held_hands(examples, FrustrationRecipe())
    lying = FrustrationExamples(
        examples.inputs, np.where(np.array(examples.hands) == "FA", ~examples.frustrated, examples.frustrated), examples.hands
    )
    found = score_held_hands(lying, FrustrationRecipe())
    own = np.array(examples.hands) == "FA"
    np.testing.assert_allclose(found[own], honest[own])
    assert not np.allclose(found[~own], honest[~own])


def test_what_each_part_is_worth(examples: FrustrationExamples) -> None:
    found = compare_parts(examples, FrustrationRecipe())
    assert set(found) == {*PARTS, "all"}
    assert found["words"]["auc"] > 0.9
    assert set(found["all"]) == {"auc", "recall_at_5", "recall_at_2"}
    nothing = fit(examples, FrustrationRecipe(reads=()))
    assert len({round(nothing.score(each), 5) for each in examples.inputs}) == 1


def test_a_trained_model_loads(folder: Path, tmp_path: Path) -> None:
    figures = train_frustration(tmp_path, folder=folder)
    detector = load_frustration_detector(tmp_path / "model")
    assert detector.manifest.metrics == {"one hand held out at a time": figures}
    asked = (Turn("user", "Where is my spoon?"), Turn("bot", "Which spoon do you mean?"))
    angry, calm = detector.predict(
        [Dialogue((*asked, Turn("user", text))) for text in ("I told you already, are you not reading?", "The blue one, please.")]
    )
    assert angry.probability is not None
    assert calm.probability is not None
    assert angry.probability > calm.probability


def test_a_hand_that_is_missing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "FA.txt").write_text((folder / "FA.txt").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(DataNotFound, match="no hand FB; there are FA"):
        train_frustration(tmp_path / "out", folder=tmp_path)


@pytest.mark.slow
def test_the_shipped_weights_are_what_training_gives(tmp_path: Path) -> None:
    """Weights differ in the second digit between processors, as the int8 encoder does; what they say of turns does not."""
    train_frustration(tmp_path)
    encoder = load_sentence_encoder()
    held = read_examples(encoder, (HELD_HAND,)).inputs
    folders = (tmp_path / "model", PRETRAINED / "frustration")
    one, other = (
        [heads.score(each) for each in held]
        for heads in (FrustrationHeads.load(folder / "heads.npz", encoder.width) for folder in folders)
    )
    assert np.corrcoef(one, other)[0, 1] > 0.998
    slope, offset = np.polyfit(other, one, 1)
    assert slope == pytest.approx(1, abs=0.05)
    assert offset == pytest.approx(0, abs=0.05)
