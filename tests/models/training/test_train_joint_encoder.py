"""The joint encoder of the mind model on invented dialogues: it learns, goes on where it was stopped, runs as it was trained."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from bench_fixtures import assert_same_weights
from rectom_fixtures import write_rectom
from tokenizers import Tokenizer

from grice.models.data import rectom
from grice.models.errors import WeightsError
from grice.models.minds.joint_encoder import FILE, JOINT_HEADS, JointEncoder, JointTokens, mixed, reading_of
from grice.models.minds.questions import ATTITUDE, MindQuestion, head_of
from grice.models.runtime.heads import Floats
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.low_bit_encoder import rounded_encoder
from grice.models.training.minds import chats as movie_chats
from grice.models.training.minds.joint_encoder import JointItem, JointNetwork, JointRecipe, restore, train_joint_encoder
from grice.models.training.minds.recipe import TEACHING, MindRecipe, cross_validate
from grice.models.training.minds.sets import right_labels, sets_of, wanted
from grice.models.training.set_networks import SetRecipe
from grice.models.training.trainer import Schedule

pytestmark = pytest.mark.slow

SMALL = JointRecipe(layers=1, pieces=600, batch=8, written=1.0, schedule=Schedule(epochs=8, learning_rate=5e-4, average=0.5))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rectom(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def questions(data: Path) -> list[MindQuestion]:
    released = [question for each in rectom.read(data).values() for question in each if question.kind in TEACHING]
    return [*released, *movie_chats.written()[:40]]


@pytest.fixture(scope="module")
def out(questions: Sequence[MindQuestion], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("joint")
    train_joint_encoder(questions, out, SMALL)
    return out


def of_head(questions: Sequence[MindQuestion], name: str) -> list[MindQuestion]:
    return [question for question in questions if head_of(question) == name]


def load(out: Path, questions: Sequence[MindQuestion]) -> JointEncoder:
    sets = {name: sets_of(of_head(questions, name)) for name in JOINT_HEADS}
    return JointEncoder((out / "model").joinpath, sets)


def said(joint: JointEncoder, question: MindQuestion) -> Floats:
    reading = reading_of(question)
    assert reading is not None
    return joint.shares(head_of(question), reading)


def test_the_reader_learns_and_its_shares_add_up(out: Path, questions: Sequence[MindQuestion]) -> None:
    joint = load(out, questions)
    for name in JOINT_HEADS:
        own = of_head(questions, name)
        found = np.stack([said(joint, question) for question in own])
        assert found.sum(1) == pytest.approx(1, abs=1e-5)
        right = np.array([sets_of(own).index(right_labels(question)) for question in own])
        common = np.bincount(right).max() / len(right)
        learned = (found.argmax(1) == right).mean()
        assert learned > common if name == ATTITUDE else learned >= common  # of the others there are six


def test_the_exported_reader_says_what_the_trained_model_says(out: Path, questions: Sequence[MindQuestion]) -> None:
    sets = {name: wanted(name, of_head(questions, name)) for name in JOINT_HEADS}
    tokens = JointTokens(Tokenizer.from_file(str(out / "model" / "tokenizer.json")))
    model = JointNetwork(tokens.tokenizer.get_vocab_size(), SMALL.layers, sets)
    model.load_state_dict(torch.load(out / "finishing" / "best.pt", weights_only=True))
    model, joint = rounded_encoder(model).eval(), load(out, questions)
    for name in JOINT_HEADS:
        for question in of_head(questions, name)[:4]:
            reading = reading_of(question)
            assert reading is not None
            with torch.no_grad():
                expected = model([JointItem(name, tokens.inputs(reading), 0, ours=False)]).softmax(-1)[0].numpy()
            np.testing.assert_allclose(said(joint, question), expected, atol=0.03)


def test_a_stopped_run_goes_on_to_the_same_end(questions: Sequence[MindQuestion], out: Path, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    calls = 0
    original = JointNetwork.forward

    def forward(self: JointNetwork, items: Sequence[JointItem]) -> torch.Tensor:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise Stopped
        return original(self, items)

    recipe = replace(SMALL, schedule=replace(SMALL.schedule, checkpoint_every=5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JointNetwork, "forward", forward)
        with pytest.raises(Stopped):
            train_joint_encoder(questions, tmp_path / "stopped", recipe)
    folder = train_joint_encoder(questions, tmp_path / "stopped", recipe)
    assert folder == tmp_path / "stopped" / "model"
    again, once = load(tmp_path / "stopped", questions), load(out, questions)
    for question in questions[::7]:
        if reading_of(question):  # the last digits may differ, and then a weight is rounded to another step
            np.testing.assert_allclose(said(again, question), said(once, question), atol=0.1)
    log = [json.loads(line) for line in (tmp_path / "stopped" / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in log] == list(range(1, recipe.schedule.epochs + 1))


def test_training_may_begin_with_a_checkpoint(out: Path, questions: Sequence[MindQuestion], tmp_path: Path) -> None:
    still = Schedule(epochs=1, learning_rate=0.0)
    train_joint_encoder(questions, tmp_path, replace(SMALL, layers=3, schedule=still, finishing=still), out / "checkpoint")
    begun, ended = (load_checkpoint(folder / "checkpoint", restore) for folder in (out, tmp_path))
    assert_same_weights(begun.model, ended.model)
    name = next(name for name in JOINT_HEADS if name != ATTITUDE and len(sets_of(of_head(questions, name))) > 1)
    dropped = sets_of(of_head(questions, name))[0]
    few = [question for question in questions if head_of(question) != name or right_labels(question) != dropped]
    train_joint_encoder(few, tmp_path / "few", replace(SMALL, schedule=still, finishing=still), out / "checkpoint")
    other = load_checkpoint(tmp_path / "few" / "checkpoint", restore).model
    assert torch.equal(other.table, begun.model.table)
    assert torch.equal(other.of_tokens[ATTITUDE].get_parameter("weight"), begun.model.of_tokens[ATTITUDE].get_parameter("weight"))
    assert not other.of_tokens[name].get_parameter("weight").any()
    assert begun.model.of_tokens[name].get_parameter("weight").any()


def test_files_are_small_and_heads_of_other_sets_are_refused(out: Path, questions: Sequence[MindQuestion]) -> None:
    layer = 4 * 384 * 384 + 2 * 384 * 1536
    assert (out / "model" / FILE).stat().st_size < layer + 600 * 384  # less than a byte a weight
    sets = {name: sets_of(of_head(questions, name)) for name in JOINT_HEADS}
    with pytest.raises(WeightsError, match="attitude has 7 sets, expected 1; train it again"):
        JointEncoder((out / "model").joinpath, {**sets, "attitude": sets["attitude"][:1]})


def test_folds_are_answered_by_readers_that_saw_nothing_of_them(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def noted(questions: Sequence[MindQuestion], out: Path, recipe: JointRecipe, start: Path | None) -> Path:
        assert start is None
        seen.append({question.dialogue_id for question in questions})
        return train_joint_encoder(questions, out, recipe)

    monkeypatch.setattr("grice.models.training.minds.recipe.train_joint_encoder", noted)
    monkeypatch.setattr(movie_chats, "written", list)
    joint = replace(SMALL, schedule=replace(SMALL.schedule, epochs=1))
    recipe = MindRecipe(head=SetRecipe(networks=1, hidden=4, epochs=1), axes=4, reader=joint, folds=2)
    folds = json.loads(cross_validate(data, tmp_path, recipe).read_text())["folds"]
    assert len(seen) == 2
    for name, fold in folds.items():
        assert name not in seen[fold]
        assert name in seen[1 - fold]


def test_two_distributions_are_mixed_into_one() -> None:
    yes, no = frozenset({"yes"}), frozenset({"no"})
    found = mixed({yes: 0.9, no: 0.1}, {yes: 0.4, no: 0.6})
    assert sum(found.values()) == pytest.approx(1)
    assert found[yes] / found[no] == pytest.approx((0.9 * 0.4 / (0.1 * 0.6)) ** 0.5)
    assert mixed({yes: 1.0, no: 0.0}, {yes: 0.0, no: 1.0})[yes] == pytest.approx(0.5)
