"""The detector's heads on invented persuasions: they learn, are packed as fitted, and never see what they are judged on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from persuasion_fixtures import DIALOGUES, face_act_rows, write_face_acts, write_units

from grice.models import Dialogue
from grice.models.errors import InputError, WeightsError
from grice.models.face_acts.detector import FaceActDetector
from grice.models.face_acts.heads import FaceHeads, agreement_inputs
from grice.models.manifest import read_manifest
from grice.models.results import FACE_ACTS
from grice.models.runtime.heads import FARTHEST, softmax
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.face_acts import members as face_members
from grice.models.training.face_acts import recipe as intentions
from grice.models.training.face_acts.examples import FaceExample, read_examples
from grice.models.training.face_acts.members import IntentionRecipe, calibration, fit, leaning
from grice.models.training.face_acts.recipe import cross_validate, train_intentions
from grice.models.training.recurrent_networks import UNKNOWN, RecurrentExample, RecurrentRecipe, _RecurrentNetwork, fit_recurrent

pytestmark = pytest.mark.slow

SMALL = IntentionRecipe(networks=RecurrentRecipe(hidden=8, units=6, epochs=3), committee=2, folds=3)
COPIES = 6
"""Of each invented dialogue."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    many = {f"{key}{copy}": said for copy in range(COPIES) for key, said in DIALOGUES.items()}
    write_face_acts(folder, *face_act_rows(many))
    write_units(folder, ("a", 0, 0, "Hello there!", "greeting", None, None, None))
    return folder


@pytest.fixture(scope="module")
def examples(data: Path) -> list[FaceExample]:
    return read_examples(data, load_sentence_encoder())


@pytest.fixture(scope="module")
def heads(examples: list[FaceExample]) -> FaceHeads:
    return fit(examples, SMALL)


def test_networks_in_numpy_say_what_torch_says() -> None:
    random = np.random.default_rng(0)
    turns = random.normal(size=(7, 5)).astype(np.float32)
    possible = np.ones((7, 3), bool)
    example = RecurrentExample(turns, np.array([0, 1, 2, 0, 1, 2, 0]), possible, np.full(7, UNKNOWN))
    recipe = RecurrentRecipe(hidden=4, units=3, epochs=1)
    fitted = fit_recurrent([example], [[0], [0]], recipe, 0)
    model = _RecurrentNetwork(5, 3, 1, recipe).eval()
    for number in range(2):
        alone = fitted.alone(number)
        with torch.no_grad():
            for name, kept in (
                ("hidden.weight", alone.hidden_weights[0].T),
                ("hidden.bias", alone.hidden_bias[0]),
                ("units.weight_ih_l0", alone.input_gates[0].T),
                ("units.bias_ih_l0", alone.input_bias[0]),
                ("units.weight_hh_l0", alone.state_gates[0].T),
                ("units.bias_hh_l0", alone.state_bias[0]),
                ("output.weight", alone.output_weights[0].T),
                ("output.bias", alone.output_bias[0]),
            ):
                model.get_parameter(name).copy_(torch.from_numpy(np.ascontiguousarray(kept)))
            scaled = np.clip((turns - fitted.middle) / fitted.spread, -FARTHEST, FARTHEST)
            said = model(torch.from_numpy(scaled)[None])[0][0].softmax(-1).numpy()
        np.testing.assert_allclose(alone.predict(turns, possible), said, atol=1e-5)


def test_a_turn_is_not_read_in_the_light_of_later_ones(heads: FaceHeads, examples: list[FaceExample]) -> None:
    inputs = examples[0].inputs
    part = replace(inputs, roles=inputs.roles[:3], turns=inputs.turns[:3], words=inputs.words[:3])
    whole = heads.probabilities(inputs)
    np.testing.assert_allclose(heads.probabilities(part), whole[:3], atol=1e-6)
    np.testing.assert_allclose(heads.agrees(part, whole[:3]), heads.agrees(inputs, whole)[:3], atol=1e-6)


def test_probabilities_sum_to_one_and_none_is_of_the_other_role(heads: FaceHeads, examples: list[FaceExample]) -> None:
    found = heads.probabilities(examples[0].inputs)
    assert found.sum(1) == pytest.approx(1, abs=1e-5)
    persuadees = examples[0].inputs.persuadees == 1
    assert (found[persuadees][:, FACE_ACTS.index("hneg+")] == 0).all()
    assert (found[~persuadees][:, FACE_ACTS.index("sneg+")] == 0).all()


def test_saved_heads_say_the_same(heads: FaceHeads, examples: list[FaceExample], tmp_path: Path) -> None:
    heads.save(tmp_path / "heads.npz")
    loaded = FaceHeads.load(tmp_path / "heads.npz")
    np.testing.assert_array_equal(loaded.probabilities(examples[0].inputs), heads.probabilities(examples[0].inputs))
    (tmp_path / "heads.npz").write_bytes(b"nothing")
    with pytest.raises(WeightsError, match="not the heads that were expected"):
        FaceHeads.load(tmp_path / "heads.npz")


def test_calibration_trusts_the_member_that_is_right() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 8, 400)
    right = np.log(np.where(np.eye(8)[labels] == 1, 0.65, 0.05))
    wrong = np.log(softmax(random.normal(size=(400, 8)).astype(np.float32)))
    mixing, _ = calibration(np.stack([right, wrong]).astype(np.float32), np.ones((400, 8), bool), labels)
    assert mixing[0] > 5 * abs(mixing[1])


def test_members_are_weighed_by_what_they_say_of_dialogues_that_they_did_not_see(examples: list[FaceExample]) -> None:
    """Of labels drawn by lot they know nothing, however well they learned them by heart."""
    chance = np.random.default_rng(0)
    drawn = [replace(each, labels=chance.integers(0, 8, len(each.labels))) for each in examples]
    eager = RecurrentRecipe(hidden=16, units=8, epochs=40, hidden_dropout=0, input_dropout=0, auxiliary=0)
    heads = fit(drawn, replace(SMALL, networks=eager, word_strength=1000.0))
    assert heads.mixing.sum() < 0.2


def test_leaning_finds_a_rare_label_that_comes_second() -> None:
    labels = np.array([7] * 40 + [3] * 4)
    probabilities = np.full((44, 8), 0.01, np.float32)
    probabilities[:40, 7], probabilities[:40, 3] = 0.8, 0.1
    probabilities[40:, 7], probabilities[40:, 3] = 0.5, 0.4
    added = leaning(probabilities, labels)
    assert ((np.log(probabilities) + added).argmax(1) == labels).all()


def test_what_agreement_is_told_from_counts_the_newest_turns_most() -> None:
    probabilities = np.eye(8, dtype=np.float32)[[0, 2, 2]]
    table = agreement_inputs(np.array([0, 1, 1]), probabilities)
    assert table.shape == (3, 32)
    assert table[:, 0].tolist() == pytest.approx([0.5, 0.5, 0.5])  # one turn of the persuader's
    assert table[:, 16 + 2].tolist() == pytest.approx([0, 0.5, 2 / 3])
    assert table[:, 24 + 2].tolist() == pytest.approx([0, 0.3, 0.51])


def test_nothing_of_a_dialogue_is_known_to_the_heads_that_judge_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def noted(examples: list[FaceExample], recipe: IntentionRecipe, written: list[FaceExample]) -> FaceHeads:
        seen.append({example.dialogue_id for example in (*examples, *written)})
        return face_members.fit(examples, recipe, written)

    monkeypatch.setattr(intentions, "fit", noted)
    content = json.loads(cross_validate(data, tmp_path, SMALL).read_text())
    for name, fold in content["folds"].items():
        assert name not in seen[fold]
        assert all(name in others for number, others in enumerate(seen) if number != fold)
    assert {len(values) for values in (content[part] for part in ("folds", "predictions", "probabilities", "agreement"))} == {12}
    assert np.sum(content["probabilities"]["70"], axis=1) == pytest.approx(1, abs=1e-3)
    assert set(content["predictions"]["70"]) <= set(FACE_ACTS)

    def never(*_: object) -> FaceHeads:
        raise AssertionError("a fold that is done is not fitted again")

    monkeypatch.setattr(intentions, "fit", never)
    assert json.loads(cross_validate(data, tmp_path, SMALL).read_text()) == content


def test_a_detector_is_trained_loaded_and_bound_to_its_encoder(data: Path, tmp_path: Path) -> None:
    manifest = read_manifest(train_intentions(data, tmp_path, SMALL), "intentions")
    encoder = load_sentence_encoder()
    asked = Dialogue.of("It reads to children.", [("user", "What does it do?")], "bot")
    (found,) = FaceActDetector(manifest, encoder).predict([asked])
    assert (found.roles, len(found.agreement), found.history_read) == (("persuadee", "persuader"), 2, 1)
    (reversed_,) = FaceActDetector(manifest, encoder, "persuader").predict([asked])
    assert reversed_.roles == ("persuader", "persuadee")
    with pytest.raises(InputError, match="user_role: got 'seller'; allowed: persuader, persuadee"):
        FaceActDetector(manifest, encoder, "seller")  # type: ignore[arg-type]
    settings = {**manifest.settings, "encoder": {"name": "other", "files": {"encoder.int8.onnx.gz": "0"}}}
    with pytest.raises(WeightsError, match="made for another encoder"):
        FaceActDetector(replace(manifest, settings=settings), encoder)
