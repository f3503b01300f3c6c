"""The sentence encoder on invented texts: it learns from its teacher, is exported as trained, and a vector is the text's alone."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from behavior_data_fixtures import write_auxiliary
from bench_fixtures import assert_same_weights

from grice.models.errors import InputError
from grice.models.export.encoders import export_sentence_encoder
from grice.models.manifest import read_manifest
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder, padded
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.sentence_encoder.recipe import SentenceRecipe, restore, train_sentence_encoder, vectors_of
from grice.models.training.trainer import Schedule

pytestmark = pytest.mark.slow

SMALL = SentenceRecipe(layers=(0, 5), vocabulary=900, max_tokens=16, schedule=Schedule(epochs=2, learning_rate=1e-3))
TEXTS = [
    "I have goats.",
    "Do you like milk?",
    "It rains and rains and rains and rains and rains and rains and rains and rains.",
    "No.",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_auxiliary(folder)
    questions = [
        {
            "History": ["Goats", "farms"],
            "QuAC_dialog_id": "C_1",
            "Question": f"Who owns {n} goats?",
            "Question_no": n,
            "Rewrite": f"Who has {n}?",
        }
        for n in range(150)
    ]
    (folder / "canard").mkdir()
    (folder / "canard" / "dev.json").write_text(json.dumps(questions))
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("encoder")
    train_sentence_encoder(data, out, SMALL, "cpu")
    export_sentence_encoder(out / "model", out / "onnx", ["int8", "fp32"])
    return out


def test_the_student_comes_near_its_teacher(trained: Path) -> None:
    first, *_, last = [json.loads(line)["held_out_cosine"] for line in (trained / "log.jsonl").read_text().splitlines()]
    assert last > first
    assert json.loads((trained / "onnx" / "manifest.json").read_text())["training"]["held_out_cosine"] == pytest.approx(
        last, abs=1e-3
    )


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-4), ("int8", 0.05)])
def test_the_exported_encoder_gives_the_vectors_of_pytorch(trained: Path, precision: str, tolerance: float) -> None:
    model = load_checkpoint(trained / "model", restore).model
    encoder = SentenceEncoder(read_manifest(trained / "onnx"), runtime=Runtime(precision=precision))
    for text in TEXTS:
        ids, mask = padded([encoder.ids(text)])
        with torch.no_grad():
            expected = vectors_of(model, torch.from_numpy(ids), torch.from_numpy(mask))[0].numpy()
        vector = encoder.encode([text])[0]
        assert 1 - vector @ expected < tolerance


def test_training_may_begin_with_a_checkpoint(trained: Path, data: Path, tmp_path: Path) -> None:
    still = replace(SMALL, layers=(0,), schedule=Schedule(epochs=1, learning_rate=0.0))
    train_sentence_encoder(data, tmp_path, still, "cpu", trained / "model")
    begun, ended = (load_checkpoint(folder / "model", restore) for folder in (trained, tmp_path))
    assert_same_weights(begun.model, ended.model)


def test_a_vector_does_not_depend_on_the_other_texts(trained: Path) -> None:
    encoder = SentenceEncoder(read_manifest(trained / "onnx"))
    together = encoder.encode([*TEXTS, TEXTS[0]])
    np.testing.assert_array_equal(together[0], together[-1])
    for text, vector in zip(TEXTS, together, strict=False):
        alone = SentenceEncoder(read_manifest(trained / "onnx")).encode([text])[0]
        np.testing.assert_allclose(vector, alone, atol=1e-5)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(5), abs=1e-5)


def test_what_is_read_of_a_text(trained: Path) -> None:
    encoder = SentenceEncoder(read_manifest(trained / "onnx"))
    assert encoder.fits(TEXTS[0])
    assert not encoder.fits(TEXTS[2])
    assert len(encoder.ids(TEXTS[2])) == SMALL.max_tokens
    assert encoder.encode([]).shape == (0, 384)


def test_more_texts_than_are_remembered(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grice.models.sentence_encoder.encoder.REMEMBERED", 2)
    encoder = SentenceEncoder(read_manifest(trained / "onnx"))
    first = encoder.encode(TEXTS)
    np.testing.assert_allclose(encoder.encode(TEXTS), first, atol=1e-5)


def test_the_shipped_encoder_knows_what_is_alike() -> None:
    pets, animals, trains = load_sentence_encoder().encode(
        ["Do you have any pets?", "Do you keep animals?", "The train leaves at nine."]
    )
    assert pets @ animals > 0.5 > pets @ trains


def test_unknown_precision() -> None:
    with pytest.raises(InputError, match="precision"):
        load_sentence_encoder(runtime=Runtime(precision="int3"))
