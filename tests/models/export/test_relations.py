"""The reader of relations: torch and ONNX say the same, the file gives the weights back, and a trained one is read by name."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from grice.models.dialogue import Dialogue, Turn
from grice.models.export.checkpoint import export_checkpoint
from grice.models.export.relations import ordinary_feeds, write_relation_graph
from grice.models.manifest import read_manifest, write_manifest
from grice.models.relations.inputs import KnownSpan, RelationTokens
from grice.models.relations.reader import RelationReader
from grice.models.relations.results import RelationQuestion
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.word_table import read_word_table
from grice.models.sentence_encoder import load_sentence_encoder
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.low_bits import BLOCK, LowBits
from grice.models.training.relations.calibration import UNCALIBRATED, calibrate
from grice.models.training.relations.loss import step_of
from grice.models.training.relations.network import RelationNetwork
from grice.models.training.relations.recipe import RelationRecipe, restore, shape_of
from grice.models.training.relations.samples import Clash, RelationSample, TaughtResponse
from grice.models.training.sentence_trunk import SentenceTrunk

ENCODER = Path(__file__).parents[3] / "models" / "pretrained" / "sentence_encoder"

SPANS = (
    KnownSpan("document", 0, "Parcels over 20 kg go by freight."),
    KnownSpan("fact", 0, "parcel: P-7; weight: 24 kg; price: 31 euros"),
    KnownSpan("user", 0, "Can my 24 kg parcel go by post?"),
)
SAMPLES = (
    RelationSample(
        "ours",
        "task",
        SPANS,
        (
            TaughtResponse("No, at 24 kg it goes by freight.", frozenset(), False),
            TaughtResponse("Yes, 24 kg may go by post.", frozenset(("!Fac",)), True, Clash(0, "over 20 kg", "by post")),
        ),
    ),
    RelationSample(
        "ours",
        "chat",
        (KnownSpan("bot", 0, "I never drink tea."), KnownSpan("user", 1, "And in the morning?")),
        (
            TaughtResponse("Then I have coffee, always black.", frozenset(), False),
            TaughtResponse("A pot of tea, as always.", frozenset(("!Sel",)), True, Clash(0, "never drink tea", "pot of tea")),
        ),
    ),
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(ENCODER / "tokenizer.json"))


@pytest.fixture(scope="module")
def network(tokenizer: Tokenizer) -> RelationNetwork:
    torch.manual_seed(1)
    shape = replace(shape_of(tokenizer.get_vocab_size()), layers=6)
    made = RelationNetwork(SentenceTrunk(shape), frozen=3)
    words = read_word_table(load_sentence_encoder().manifest, "encoder")
    made.trunk.words.weight.data = torch.from_numpy(words.steps * words.scales)
    for table in (made.kinds, made.ages):
        torch.nn.init.normal_(table.weight, std=0.5)
    for part in made.modules():
        if isinstance(part, torch.nn.LayerNorm):  # equal ones would share a weight in the file
            torch.nn.init.normal_(part.weight, 1.0, 0.05)
            torch.nn.init.normal_(part.bias, 0.0, 0.05)
    return made.eval()


@pytest.fixture(scope="module")
def written(network: RelationNetwork, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("relations")
    with torch.no_grad():
        dense = [each.weight for each in network.modules() if isinstance(each, torch.nn.Linear) and each.out_features >= BLOCK]
        for weight in dense:
            weight.copy_(LowBits.of(weight).weight)
    for precision in ("int8", "fp32"):
        write_relation_graph(network, out, precision, ordinary_feeds(network, SAMPLES, RelationTokens(tokenizer)))
    settings = {"most_context": 64, "encoder": load_sentence_encoder().identity, **UNCALIBRATED}
    facts = {"recipe": asdict(RelationRecipe()), "contexts": 2, "responses": 4}
    write_manifest(out, {"name": "relations", "version": "1", "task": "relations", "settings": settings, "training": facts})
    return out


def read(folder: Path, precision: str) -> RelationReader:
    return RelationReader(read_manifest(folder, "relations"), Runtime("cpu", precision=precision))


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 5e-3), ("int8", 0.03)])
def test_the_file_says_what_the_network_says(
    network: RelationNetwork, written: Path, tokenizer: Tokenizer, precision: str, tolerance: float
) -> None:
    reader = read(written, precision)
    with torch.no_grad():
        for sample in SAMPLES:
            wanted = network(step_of([sample], RelationTokens(tokenizer)).batch)
            found = [reader.score_beside(sample.spans, each.text) for each in sample.responses]
            assert np.allclose([each.bad for each in found], wanted.bad.numpy(), atol=tolerance)
            assert np.allclose([each.labels for each in found], wanted.labels.numpy(), atol=tolerance)
            shares = torch.softmax(wanted.context, 1).numpy()
            assert np.allclose([each.of_context for each in found], shares, atol=tolerance)


def test_the_file_gives_back_the_weights(network: RelationNetwork, written: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(export_checkpoint(written, tmp_path / "model"), restore)
    state = network.state_dict()
    for name, value in checkpoint.model.state_dict().items():
        if name not in ("trunk.positions.weight", "trunk.distances.weight"):  # in eight bits, not all of them; not used
            assert torch.allclose(value, state[name], atol=1e-3), name


def test_calibration_keeps_the_budget_on_what_it_was_fitted_to(written: Path) -> None:
    reader = read(written, "fp32")
    many = [replace(sample, setting=setting) for sample in SAMPLES for setting in ("chat", "task", "assistant")] * 20
    random.Random(0).shuffle(many)
    found = calibrate(reader, many)
    assert set(found["thresholds"]["settings"]) == {"chat", "task", "assistant"}
    assert all(0 < value <= 1.01 for value in found["thresholds"]["settings"].values())
    assert found["curves"]["bad"]["slope"] > 0


def test_what_is_found_quotes_both_sides(written: Path) -> None:
    turns = (Turn("bot", "I never drink tea. Only coffee."), Turn("user", "And in the morning?"), Turn("bot", "A pot of tea."))
    (found,) = read(written, "fp32").predict([RelationQuestion(Dialogue(turns), setting="chat")])
    assert found.setting == "chat"
    for finding in found.findings:
        assert finding.words is not None
        assert finding.words.text == turns[-1].text[finding.words.start : finding.words.end]
        if finding.about is not None:
            assert finding.about.text == turns[finding.about.place].text[finding.about.start : finding.about.end]
