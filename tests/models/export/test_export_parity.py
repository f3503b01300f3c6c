"""Exported graphs do what the PyTorch models do, on tiny random weights."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from bench_fixtures import tiny_bart
from tokenizers import Tokenizer
from transformers import BartForConditionalGeneration

from grice.models import Dialogue, Turn, load_directness_scorer, load_rewriter
from grice.models.export.encoders import export_directness
from grice.models.export.rewriter import export_rewriter
from grice.models.manifest import read_manifest
from grice.models.runtime.runtime import Runtime
from grice.models.text.template import QUERY_TAG, SourceFormat, encode_source, read_tokenizer, token_id
from grice.models.training.checkpoint import load_checkpoint, save_checkpoint
from grice.models.training.directness import DirectnessRecipe, empty_model, restore
from grice.models.training.low_bits import LowBits

LAYOUT = SourceFormat(history_turns=2, max_tokens=64)
TEXTS = [
    "I am a bit short of money",
    "the food?",
    "Could it be that there is a train to Ely on Tuesday at half past nine or so?",
    "no",
]
DIALOGUES = [
    Dialogue.of(text, [Turn("user", "a hotel please"), Turn("bot", "In which area?")][number % 3 :])
    for number, text in enumerate(TEXTS)
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return read_tokenizer(read_manifest("rewriter").tokenizer_path)


@pytest.fixture(scope="module")
def bart(tokenizer: Tokenizer) -> BartForConditionalGeneration:
    torch.manual_seed(3)
    return tiny_bart(tokenizer.get_vocab_size())


@pytest.fixture(scope="module")
def exported(bart: BartForConditionalGeneration, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bart")
    save_checkpoint(folder / "model", bart, tokenizer, {"recipe": "small", "layout": asdict(LAYOUT)})
    export_rewriter(folder / "model", folder / "onnx", ["fp32", "int8", "fp16"])
    return folder / "onnx"


@pytest.mark.parametrize("beams", [1, 4])
def test_fp32_generates_the_tokens_of_pytorch(exported: Path, bart: BartForConditionalGeneration, beams: int) -> None:
    rewriter = load_rewriter(exported, runtime=Runtime(precision="fp32"), beams=beams)
    sources = [encode_source(rewriter.tokenizer, d.last.text, d.history, "direct", LAYOUT).ids for d in DIALOGUES]
    ours = rewriter.generator.beam(sources, beams, max_new_tokens=20)
    for source, generated in zip(sources, ours, strict=True):
        theirs = bart.generate(torch.tensor([source]), max_new_tokens=20, num_beams=beams, do_sample=False)[0].tolist()
        assert generated.ids == [token for token in theirs[1:] if token not in (0, 3)]


def test_scores_are_pytorchs(exported: Path, bart: BartForConditionalGeneration, tokenizer: Tokenizer) -> None:
    rewriter = load_rewriter(exported, runtime=Runtime(precision="fp32"))
    targets = ["find me a cheap one", "which food do they have?", "book the train on tuesday", "no"]
    for dialogue, target, (log_prob, count) in zip(DIALOGUES, targets, rewriter.score(DIALOGUES, targets), strict=True):
        source = encode_source(tokenizer, dialogue.last.text, dialogue.history, "direct", LAYOUT).ids
        labels = [*tokenizer.encode(target, add_special_tokens=False).ids, 3]
        with torch.no_grad():
            logits = bart(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[2, *labels[:-1]]])).logits[0]
        expected = torch.log_softmax(logits, -1)[torch.arange(len(labels)), torch.tensor(labels)].sum().item()
        assert count == len(labels)
        assert log_prob == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("precision", ["int8", "fp16"])
def test_smaller_precisions_stay_near(exported: Path, precision: str) -> None:
    exact = load_rewriter(exported, runtime=Runtime(precision="fp32")).score(DIALOGUES, TEXTS)
    near = load_rewriter(exported, runtime=Runtime(precision=precision)).score(DIALOGUES, TEXTS)
    for (a, count), (b, _) in zip(exact, near, strict=True):
        assert b / count == pytest.approx(a / count, rel=0.05)


def test_int8_does_not_depend_on_the_batch(exported: Path) -> None:
    rewriter = load_rewriter(exported, runtime=Runtime(precision="int8"))
    alone = [rewriter.predict([dialogue])[0].text for dialogue in DIALOGUES]
    assert [result.text for result in rewriter.predict(DIALOGUES)] == alone


@pytest.fixture(scope="module")
def scorer(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("directness") / "model"
    folder.mkdir()
    recipe = DirectnessRecipe(layers=2)
    model = empty_model(tokenizer.get_vocab_size(), recipe)
    with torch.no_grad():  # int8 has them in four bits
        for name, weight in model.named_parameters():
            if weight.ndim == 2 and "position" not in name:
                weight.copy_(LowBits.of(weight).weight)
    torch.save(model.state_dict(), folder / "model.pt")
    tokenizer.save(str(folder / "tokenizer.json"))
    layout = {"history_turns": 1, "max_tokens": 112, "with_form": False}
    facts = {"recipe": {"layout": layout, "layers": 2}, "calibration": {"slope": 1.0, "offset": 0.0}}
    (folder / "training.json").write_text(json.dumps(facts))
    export_directness(folder, folder.parent / "onnx", ["fp32", "int8", "fp16"])
    return folder.parent


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-5), ("int8", 0.02), ("fp16", 0.01)])
def test_directness_scores_are_pytorchs(scorer: Path, tokenizer: Tokenizer, precision: str, tolerance: float) -> None:
    model = load_checkpoint(scorer / "model", restore).model
    loaded = load_directness_scorer(scorer / "onnx", runtime=Runtime(precision=precision))
    ours = [result.score for result in loaded.predict(DIALOGUES)]
    from grice.models.directness.scorer import directness_inputs

    rows = [encode_source(tokenizer, d.last.text, d.history, None, loaded.layout).ids for d in DIALOGUES]
    inputs = [torch.from_numpy(array) for array in directness_inputs(rows, token_id(tokenizer, QUERY_TAG))]
    with torch.no_grad():
        theirs = torch.sigmoid(model(*inputs)).numpy()
    np.testing.assert_allclose(ours, theirs, atol=tolerance)
