"""The mind model's heads on invented dialogues: they learn, are kept as fitted, and never see what they are judged on."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from rectom_fixtures import DIALOGUES, QUESTIONS, write_rectom

from grice.models.data import rectom
from grice.models.errors import WeightsError
from grice.models.manifest import read_manifest
from grice.models.minds.model import MindModel
from grice.models.minds.questions import head_of
from grice.models.minds.sentence_heads import HEADS, MindHeads, membership
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.minds import chats as movie_chats
from grice.models.training.minds import recipe as mind
from grice.models.training.minds.joint_encoder import JointRecipe
from grice.models.training.minds.recipe import MindExample, MindRecipe, cross_validate, fit, read_examples, train_mind
from grice.models.training.set_networks import SetRecipe, Sets, fit_networks
from grice.models.training.trainer import Schedule

pytestmark = pytest.mark.slow

SMALL = MindRecipe(head=SetRecipe(networks=2, hidden=8, epochs=3), axes=4, reader=None, written=0, folds=3)
READER = JointRecipe(layers=1, pieces=400, batch=4, schedule=Schedule(epochs=4, learning_rate=5e-4, average=0.5))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rectom(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def examples(data: Path) -> list[MindExample]:
    return read_examples(data, load_sentence_encoder())


def test_networks_choose_sets_from_parts_and_whole_and_are_kept_as_fitted() -> None:
    random = np.random.default_rng(0)
    parts = [random.normal(size=(1 + row % 3, 4)).astype(np.float32) for row in range(120)]
    whole = random.normal(size=(120, 3)).astype(np.float32)
    members = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    first, second = np.array([part[:, 0].max() > 0.5 for part in parts]), whole[:, 1] > 0
    gold = np.where(first & second, 2, np.where(first, 0, 1))
    recipe = SetRecipe(networks=2, hidden=16, input_dropout=0, hidden_dropout=0, epochs=30, learning_rate=3e-2)
    sets = Sets.of(members, [0, 1, 1], gold.tolist())
    fitted = fit_networks(parts, whole, sets, recipe, seed=0)
    found = np.stack([fitted.predict(part, around, members) for part, around in zip(parts, whole, strict=True)])
    assert found.sum(1) == pytest.approx(1, abs=1e-5)
    assert (found.argmax(1) == gold).mean() > 0.9
    again = fit_networks(parts, whole, sets, recipe, seed=0)
    assert all((getattr(again, name) == value).all() for name, value in vars(fitted).items())


def test_the_loss_weighs_sets_and_coarser_sets() -> None:
    sets = Sets.of(np.eye(3, dtype=np.float32), [0, 1, 1], [1])
    values, gold = torch.log(torch.tensor([[0.5, 0.2, 0.3]])), torch.tensor([1])
    assert float(sets.loss(values, gold, 0.0)) == pytest.approx(-np.log(0.2), abs=1e-5)
    assert float(sets.loss(values, gold, 1.0)) == pytest.approx(-np.log(0.5), abs=1e-5)


def test_members_tell_what_sets_have_in_common() -> None:
    table = membership("intention-seeker", [frozenset({"like"}), frozenset({"seen"}), frozenset({"other"})])
    assert (table[0] * table[1]).sum() == 1  # both give feedback
    assert (table[0] * table[2]).sum() == 0
    assert membership("attitude", [frozenset({"seeker-seen-liked"})]).shape == (1, 4)


def test_heads_are_saved_and_loaded(examples: Sequence[MindExample], tmp_path: Path) -> None:
    heads = fit(examples, SMALL)
    heads.save(tmp_path / "heads.npz")
    loaded = MindHeads.load(tmp_path / "heads.npz", heads.sets)
    for head in HEADS:
        example = next(each for each in examples if head_of(each.question) == head)
        found = loaded.probabilities(head, example.inputs)
        assert found == pytest.approx(heads.probabilities(head, example.inputs), abs=1e-3)
        assert sum(found.values()) == pytest.approx(1, abs=1e-5)
    with pytest.raises(WeightsError, match="next-seeker has 1 sets, the manifest 0"):
        MindHeads.load(tmp_path / "heads.npz", {**heads.sets, "next-seeker": []})
    (tmp_path / "heads.npz").write_bytes(b"no archive")
    with pytest.raises(WeightsError, match="not the heads that were expected"):
        MindHeads.load(tmp_path / "heads.npz", heads.sets)


def test_a_fold_never_sees_its_dialogues_and_a_stopped_run_goes_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def noted(examples: Sequence[MindExample], recipe: MindRecipe) -> MindHeads:
        seen.append({example.question.dialogue_id for example in examples})
        return fit(examples, recipe)

    monkeypatch.setattr(mind, "fit", noted)
    content = json.loads(cross_validate(data, tmp_path, SMALL).read_text())
    assert len(content["folds"]) == DIALOGUES
    for name, fold in content["folds"].items():
        assert name not in seen[fold]
        assert all(name in others for number, others in enumerate(seen) if number != fold)
    assert {task: len(found) for task, found in content["predictions"].items()} == QUESTIONS
    monkeypatch.setattr(mind, "fit", None)  # a fold that is done is not fitted again
    assert json.loads(cross_validate(data, tmp_path, SMALL).read_text()) == content


def test_a_model_is_trained_loaded_and_bound_to_its_encoder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = movie_chats.written()[:20]
    monkeypatch.setattr(movie_chats, "written", lambda: few)
    manifest = read_manifest(train_mind(data, tmp_path, replace(SMALL, reader=READER)), "mind")
    encoder = load_sentence_encoder()
    model = MindModel(manifest, encoder)
    for task, questions in rectom.read(data).items():
        answers = model.answer(questions)
        assert len(answers) == QUESTIONS[task]
        for question, letters in zip(questions, answers, strict=True):
            assert letters <= {option.letter for option in question.options}
            assert letters
            assert question.has_several or len(letters) == 1
    settings = {**manifest.settings, "encoder": {"name": "other", "files": {"encoder.int8.onnx.gz": "0"}}}
    with pytest.raises(WeightsError, match="made for another encoder"):
        MindModel(replace(manifest, settings=settings), encoder)
