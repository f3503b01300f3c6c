"""The behaviour monitor's heads on invented dialogues: they learn, are packed as fitted, and never see what they are judged on."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from abceval_fixtures import invented
from behavior_data_fixtures import write_auxiliary
from data_fixtures import write_json
from sklearn.ensemble import ExtraTreesRegressor

from grice.models import Dialogue, Turn
from grice.models.behaviors.heads import BehaviorHeads, network_inputs
from grice.models.behaviors.monitor import BehaviorMonitor
from grice.models.data.abceval import FILE, FOLDER
from grice.models.errors import WeightsError
from grice.models.manifest import read_manifest
from grice.models.results import BEHAVIORS
from grice.models.runtime.heads import Forest, Networks
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.behaviors import members as behavior_members
from grice.models.training.behaviors import recipe as behaviors
from grice.models.training.behaviors.auxiliary import train_auxiliary
from grice.models.training.behaviors.members import BehaviorExamples, BehaviorRecipe, fit_members, read_examples
from grice.models.training.behaviors.recipe import best_threshold, calibrated, cross_validate, train_behaviors
from grice.models.training.cross_validation import fold_of
from grice.models.training.heads import NetworkRecipe, pack

pytestmark = pytest.mark.slow

TINY = NetworkRecipe(count=2, hidden=8, epochs=3)
SMALL = BehaviorRecipe(networks=TINY, auxiliary=TINY, spoilt=20, trees=7, folds=3, inner_folds=2, axes=(3, 2, 2))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_json(folder / FOLDER / FILE, invented())
    write_auxiliary(folder)
    return folder


@pytest.fixture(scope="module")
def examples(data: Path) -> BehaviorExamples:
    return read_examples(data, load_sentence_encoder())


@pytest.fixture(scope="module")
def auxiliary(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Networks:
    return train_auxiliary(data, tmp_path_factory.mktemp("auxiliary"), SMALL, load_sentence_encoder())


@pytest.fixture(scope="module")
def heads(examples: BehaviorExamples, auxiliary: Networks) -> BehaviorHeads:
    return fit_members(examples, auxiliary, SMALL)


def test_a_forest_is_packed_as_it_was_fitted() -> None:
    random = np.random.default_rng(0)
    table, wanted = random.normal(size=(80, 6)).astype(np.float32), random.random((80, len(BEHAVIORS)))
    fitted = ExtraTreesRegressor(9, min_samples_leaf=2, random_state=0).fit(table, wanted)
    packed = pack(fitted)
    ours = np.stack([packed.predict(row) for row in table])
    np.testing.assert_allclose(ours, fitted.predict(table), atol=1e-3)  # leaves are kept in half precision


def test_what_is_saved_is_what_was_fitted(heads: BehaviorHeads, examples: BehaviorExamples, tmp_path: Path) -> None:
    heads.save(tmp_path / "heads.npz")
    loaded = BehaviorHeads.load(tmp_path / "heads.npz")
    for inputs in examples.inputs[:5]:
        np.testing.assert_array_equal(loaded.probabilities(inputs), heads.probabilities(inputs))


def test_the_members_learn(heads: BehaviorHeads, examples: BehaviorExamples) -> None:
    """On what they were fitted to, the labels show in every member's sum."""
    found = behaviors.means(heads, examples)
    shares = examples.labels.mean(-1)
    for column in range(len(BEHAVIORS)):
        assert np.corrcoef(found[:, column], shares[:, column])[0, 1] > 0.3


def test_the_same_recipe_gives_the_same_heads(heads: BehaviorHeads, examples: BehaviorExamples, auxiliary: Networks) -> None:
    again = fit_members(examples, auxiliary, SMALL)
    np.testing.assert_array_equal(behaviors.means(again, examples), behaviors.means(heads, examples))
    other = fit_members(examples, auxiliary, replace(SMALL, seed=1))
    assert not np.array_equal(behaviors.means(other, examples), behaviors.means(heads, examples))


def test_calibrated_probabilities_have_the_share_of_the_labels(heads: BehaviorHeads, examples: BehaviorExamples) -> None:
    raw = behaviors.means(heads, examples)
    curved, thresholds = calibrated(heads, raw, examples.labels)
    found = np.stack([curved.probabilities(each) for each in examples.inputs])
    np.testing.assert_allclose(found.mean(0), examples.labels.mean((0, 2)), atol=0.02)
    assert set(thresholds) == set(BEHAVIORS)


def test_the_threshold_with_the_highest_expected_f1() -> None:
    # Of the first one: 2·0.9 / (1 + 1.6); of two: 2·1.5 / (2 + 1.6); of three: 2·1.6 / (3 + 1.6).
    assert best_threshold(np.array([0.1, 0.9, 0.6], np.float32)) == pytest.approx(0.6)
    assert best_threshold(np.array([0.9, 0.1, 0.1], np.float32)) == pytest.approx(0.9)


def test_dialogues_are_dealt_to_folds_as_a_whole() -> None:
    folds = fold_of(["a", "b", "a", "c", "d", "b"], 2, seed=0)
    assert folds[0] == folds[2]
    assert folds[1] == folds[5]
    assert sorted(np.bincount(folds[[0, 1, 3, 4]])) == [2, 2]


def test_no_response_is_scored_by_heads_that_saw_its_dialogue(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members, calibration and thresholds of a fold come from `fit`: what it is given is not what it is judged on."""
    given: list[set[str]] = []

    def noted(
        examples: BehaviorExamples, auxiliary: Networks, recipe: BehaviorRecipe
    ) -> tuple[BehaviorHeads, behaviors.Thresholds]:
        given.append(set(examples.dialogues))
        return fit(examples, auxiliary, recipe)

    fit = behaviors.fit
    monkeypatch.setattr(behaviors, "fit", noted)
    content = json.loads(cross_validate(data, tmp_path, SMALL).read_text())
    dialogues = set(invented())
    assert len(given) == SMALL.folds
    for number, seen in enumerate(given):
        unseen = {key for key, fold in content["folds"].items() if fold == number}
        assert seen | unseen == dialogues
        assert not seen & unseen


def test_a_stopped_cross_validation_goes_on(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def stopped(
        examples: BehaviorExamples, auxiliary: Networks, recipe: BehaviorRecipe
    ) -> tuple[BehaviorHeads, behaviors.Thresholds]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return fit(examples, auxiliary, recipe)

    fit = behaviors.fit
    monkeypatch.setattr(behaviors, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        cross_validate(data, tmp_path / "a", SMALL)
    went_on = cross_validate(data, tmp_path / "a", SMALL).read_text()
    assert calls == 1 + 1 + (SMALL.folds - 1)
    monkeypatch.setattr(behaviors, "fit", fit)
    assert cross_validate(data, tmp_path / "b", SMALL).read_text() == went_on
    other = cross_validate(data, tmp_path / "a", replace(SMALL, trees=3)).read_text()  # kept folds are of another recipe
    assert other != went_on


def test_calibration_is_on_dialogues_that_the_members_did_not_see(examples: BehaviorExamples, auxiliary: Networks) -> None:
    """Labels drawn by lot can be learned by heart and not told beforehand: a curve that knows that is nearly flat."""
    lot = np.random.default_rng(0).integers(0, 2, (len(examples.inputs), len(BEHAVIORS), 1)).astype(float)
    drawn = replace(examples, labels=np.repeat(lot, 2, axis=2))
    eager = NetworkRecipe(count=1, hidden=32, hidden_dropout=0, input_dropout=0, epochs=40)
    recipe = replace(SMALL, trees=20, leaf=1, word_strength=1000.0, networks=eager)
    heads, thresholds = behaviors.fit(drawn, auxiliary, recipe)
    assert np.median(np.abs(heads.slope)) < 0.5
    learned, _ = calibrated(heads, behaviors.means(heads, drawn), drawn.labels)
    assert learned.slope.min() > 3
    assert max(thresholds.values()) < 0.8


def test_a_trained_monitor_scores_with_its_encoder(data: Path, tmp_path: Path) -> None:
    folder = train_behaviors(data, tmp_path, SMALL)
    encoder = load_sentence_encoder()
    monitor = BehaviorMonitor(read_manifest(folder, "behaviors"), encoder)
    dialogue = Dialogue.of("Beans like sun.", [Turn("bot", "Beans like sun."), Turn("user", "And rain?")], "bot")
    found = monitor.predict([dialogue])[0]
    assert set(found.probabilities) == set(BEHAVIORS)
    assert found.evidence == {"!Sel": 0, "!Par": 1, "Red": 0}
    assert 0 < monitor.thresholds["Red"] < 1
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["encoder"]["files"]["tokenizer.json"] = "0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(WeightsError, match=r"made for another encoder than .* \(sentence_encoder\)"):
        BehaviorMonitor(read_manifest(folder, "behaviors"), encoder)


def test_heads_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "heads.npz"
    path.write_bytes(b"not a zip file")
    with pytest.raises(WeightsError, match="not the heads"):
        BehaviorHeads.load(path)
    np.savez(path, slope=np.ones(9))
    with pytest.raises(WeightsError, match="not the heads"):
        BehaviorHeads.load(path)


def test_inputs_of_the_networks(examples: BehaviorExamples) -> None:
    inputs = examples.inputs[0]
    found = network_inputs(inputs)
    width = len(inputs.response)
    np.testing.assert_array_equal(found[2 * width : 3 * width], inputs.response * inputs.last)
    assert len(found) == 3 * width + len(inputs.features)
    assert max(inputs.words) < behavior_members.WORD_SLOTS


def test_a_tree_of_one_leaf() -> None:
    leaf = Forest(
        np.array([0], np.int32),
        np.array([-1], np.int16),
        np.zeros(1, np.float32),
        np.zeros(1, np.int32),
        np.full((1, 9), 0.5, np.float16),
    )
    np.testing.assert_array_equal(leaf.predict(np.zeros(3, np.float32)), np.full(9, 0.5))
