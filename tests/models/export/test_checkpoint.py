"""A shipped model becomes a float checkpoint that says what the shipped one says, and a quantised model again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from processor import needs_vnni

from grice.middleware.cli import main
from grice.models import (
    Dialogue,
    SlotQuestion,
    Turn,
    load_behavior_monitor,
    load_directness_scorer,
    load_rewriter,
)
from grice.models.behaviors.heads import BehaviorHeads
from grice.models.directness.scorer import directness_inputs
from grice.models.errors import InputError, ModelNotFound, WeightsError
from grice.models.export.checkpoint import export_checkpoint
from grice.models.export.encoders import export_directness, export_joint_encoder, export_sentence_encoder
from grice.models.export.rewriter import export_rewriter
from grice.models.manifest import read_manifest
from grice.models.minds.joint_encoder import JOINT_HEADS, JointEncoder, attitude_reading, intention_reading
from grice.models.minds.model import sets_in
from grice.models.minds.questions import RoleTurn
from grice.models.minds.sentence_heads import membership
from grice.models.runtime.word_table import read_word_table
from grice.models.sentence_encoder import load_sentence_encoder
from grice.models.sentence_encoder.encoder import padded
from grice.models.text.template import QUERY_TAG, encode_source, token_id
from grice.models.training import directness
from grice.models.training.checkpoint import FACTS, load_checkpoint
from grice.models.training.minds import joint_encoder
from grice.models.training.rewriter import recipe as rewriter
from grice.models.training.sentence_encoder import recipe as sentence_encoder

HISTORY = [Turn("user", "I am looking for a hotel in the north."), Turn("bot", "There is an expensive one. Shall I book it?")]
TEXTS = (
    "I don't have that much money.",
    "Please book a table for 2 people at 18:30 on Tuesday.",
    "I wonder whether there is any train.",
    "It is a bit cold in here.",
    "Could you tell me where the museum is?",
)
DIALOGUES = [Dialogue.of(text, HISTORY) for text in TEXTS]
QUESTIONS = [
    SlotQuestion(Dialogue.of(text, HISTORY[1:]), "price_range", "how much the hotel charges", ("cheap", "moderate", "expensive"))
    for text in (*TEXTS, "Money is no object, it is our golden wedding.", "I can only afford a tent this month.")
]
CHAT = (
    RoleTurn("seeker", "Hello! I am looking for a good comedy."),
    RoleTurn("recommender", "Have you seen Lantern Bay (1999)?"),
    RoleTurn("seeker", "Yes, I have seen it and I loved it! Any others?"),
)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The checkpoint of a shipped model, made once."""
    folder = tmp_path_factory.mktemp("checkpoints")

    def export(name: str) -> Path:
        return folder / name if (folder / name).is_dir() else export_checkpoint(name, folder / name)

    return export


@needs_vnni
def test_directness(exported: Callable[[str], Path], tmp_path: Path) -> None:
    found = load_checkpoint(exported("directness"), directness.restore)
    ours = load_directness_scorer()
    rows = [encode_source(found.tokenizer, d.last.text, d.history, None, ours.layout).ids for d in DIALOGUES]
    inputs = directness_inputs(rows, token_id(found.tokenizer, QUERY_TAG))
    with torch.no_grad():
        raw = found.model(*map(torch.from_numpy, inputs))
    said = torch.sigmoid(ours.slope * raw + ours.offset).tolist()
    shipped = [result.score for result in ours.predict(DIALOGUES)]
    assert said == pytest.approx(shipped, abs=0.04)
    export_directness(found.folder, tmp_path, ["int8"])
    again = load_directness_scorer(tmp_path)
    assert [result.score for result in again.predict(DIALOGUES)] == pytest.approx(shipped, abs=1e-5)
    assert again.manifest.training["weights"] == found.facts["weights"]


def test_sentence_encoder(exported: Callable[[str], Path], tmp_path: Path) -> None:
    found = load_checkpoint(exported("sentence_encoder"), sentence_encoder.restore)
    ours = load_sentence_encoder()
    ids, mask = map(torch.from_numpy, padded([ours.ids(text) for text in TEXTS]))
    with torch.no_grad():
        vectors = sentence_encoder.vectors_of(found.model, ids, mask).numpy()
    assert ((vectors * ours.encode(TEXTS)).sum(1) > 0.995).all()
    export_sentence_encoder(found.folder, tmp_path, ["int8"])
    written = load_sentence_encoder(tmp_path)
    table = read_word_table(written.manifest, "encoder")
    words = found.model.embeddings.word_embeddings.weight.detach().numpy()
    assert np.abs(table.vectors(np.arange(len(words))) - words).max() < 0.01
    again = written.encode(TEXTS)
    assert ((again * ours.encode(TEXTS)).sum(1) > 0.99).all()


@needs_vnni
def test_rewriter(exported: Callable[[str], Path], tmp_path: Path) -> None:
    found = load_checkpoint(exported("rewriter"), rewriter.restore)
    ours = load_rewriter()
    targets = ["Find me a cheap hotel.", "book a table for 2", "is there a train?", "close the window", "where is the museum?"]
    exact = ours.score(DIALOGUES, targets)
    for dialogue, target, (log_prob, count) in zip(DIALOGUES, targets, exact, strict=True):
        source = encode_source(found.tokenizer, dialogue.last.text, dialogue.history, "direct", ours.layout).ids
        labels = [*found.tokenizer.encode(target, add_special_tokens=False).ids, 3]
        with torch.no_grad():
            logits = found.model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[2, *labels[:-1]]])).logits[0]
        said = torch.log_softmax(logits, -1)[torch.arange(len(labels)), torch.tensor(labels)].sum().item()
        assert said / count == pytest.approx(log_prob / count, abs=0.1)
    export_rewriter(found.folder, tmp_path, ["int8"])
    again = load_rewriter(tmp_path)
    assert [each / count for each, count in again.score(DIALOGUES, targets)] == pytest.approx(
        [each / count for each, count in exact], abs=0.1
    )
    assert [result.text for result in again.predict(DIALOGUES[:3])] == [result.text for result in ours.predict(DIALOGUES[:3])]
    assert again.manifest.settings == ours.manifest.settings


def test_joint_encoder(exported: Callable[[str], Path], tmp_path: Path) -> None:
    found = load_checkpoint(exported("mind"), joint_encoder.restore)
    manifest = read_manifest("mind")
    sets = sets_in(manifest)
    ours = JointEncoder(manifest.path, sets)
    heads = {name: found.model.head(name) for name in JOINT_HEADS}
    again = JointEncoder(export_joint_encoder(found.model, heads, found.tokenizer, tmp_path).joinpath, sets)
    for head, reading in (
        ("intention-recommender", intention_reading(CHAT, 1)),
        ("intention-seeker", intention_reading(CHAT, 2)),
        ("attitude", attitude_reading(CHAT, "Lantern Bay (1999)")),
    ):
        shipped = ours.shares(head, reading)
        with torch.no_grad():
            said = found.model([joint_encoder.JointItem(head, ours.tokens.inputs(reading), 0, ours=False)])[0].softmax(-1).numpy()
        assert np.abs(said - shipped).max() < 0.06
        assert np.abs(again.shares(head, reading) - shipped).max() < 1e-4
        assert membership(head, sets[head]).shape[0] == len(said)


def test_heads_are_written_in_full_precision(exported: Callable[[str], Path]) -> None:
    heads = BehaviorHeads.load(exported("behaviors") / "heads.npz")
    kept = load_behavior_monitor().heads
    np.testing.assert_array_equal(heads.words.weights, kept.words.weights)
    with np.load(exported("behaviors") / "heads.npz") as stored:
        assert not {stored[name].dtype for name in stored.files} & {np.dtype(np.float16)}


def test_the_command_says_that_weights_are_dequantised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "checkpoint", "sentence-encoder", "--out", str(tmp_path)]) == 0
    said = "dequantised from sentence_encoder 1 (encoder.int8.onnx.gz): what was rounded stays rounded"
    assert said in capsys.readouterr().out
    assert read_manifest(tmp_path).training["weights"] == said
    assert json.loads((tmp_path / FACTS).read_text())["weights"] == said
    assert read_manifest(tmp_path).path("model.pt").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["checkpoint"], "NAME: got None; allowed: a shipped model or a folder after `export checkpoint`"),
        (["rewriter", "directness"], "NAME: got 'directness'"),
        (["checkpoint", "no-such"], "model 'no-such' not found; shipped models: behaviors, directness"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_what_is_no_checkpoint_of_the_model(exported: Callable[[str], Path], tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="nothing-here"):
        load_checkpoint(tmp_path / "nothing-here", directness.restore)
    with pytest.raises(WeightsError, match="not a checkpoint of this model"):
        load_checkpoint(exported("sentence_encoder"), directness.restore)
    with pytest.raises(InputError, match="task of the model: got 'checkpoint-directness'"):
        export_checkpoint(exported("directness"), tmp_path)
