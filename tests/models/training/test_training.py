"""Training on a small invented data folder: it learns, stops, goes on, and what it leaves can be exported and run."""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from bench_fixtures import assert_same_weights, word_pieces, write_data
from data_fixtures import sgd_dialogue, write_annotated_utterances, write_json, write_sgd
from torch import nn
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

from grice.models import Dialogue, load_directness_scorer, load_rewriter
from grice.models.data import direct
from grice.models.data.files import read_json
from grice.models.data.split import part_of
from grice.models.errors import DataNotFound, InputError, WeightsError
from grice.models.export.encoders import export_directness
from grice.models.export.quality import measure
from grice.models.export.rewriter import export_rewriter, ordinary_turns
from grice.models.manifest import read_manifest
from grice.models.runtime.runtime import Runtime
from grice.models.text.template import SourceFormat, TargetForm
from grice.models.training import corpora, directness
from grice.models.training.checkpoint import load_checkpoint, save_checkpoint
from grice.models.training.directness import DirectnessRecipe, calibration, ranking_loss, raw_scores, train_directness
from grice.models.training.paper import PaperRecipe, train_paper
from grice.models.training.rewriter import common_words
from grice.models.training.rewriter import recipe as rewriter
from grice.models.training.rewriter.data import corrupt, from_direct, to_direct
from grice.models.training.rewriter.recipe import SmallRecipe, SmallTraining
from grice.models.training.trainer import Objective, Schedule, Trainer, bucketed, choose_device

SHORT = Schedule(epochs=1, learning_rate=1e-3, average=0.9)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_data(tmp_path_factory.mktemp("data"))
    write_annotated_utterances(
        folder / "multiwoz21",
        "NEW1\t0\tI would like to borrow a map .\tLibrary-Inform(topic=maps)",
        "LIB0001\t0\tThis one is of the evaluated dialogues .\tLibrary-Inform(topic=maps)",
    )
    write_sgd(folder / "sgd", {"dialogues_001.json": [sgd_dialogue("1_1", "I look for a town by the sea.", "Which one?")]}, "train")
    return folder


@pytest.fixture(scope="module")
def other_test_part(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same data, but for what the dialogues of our own test part say."""
    folder = Path(shutil.copytree(data, tmp_path_factory.mktemp("other"), dirs_exist_ok=True))
    path = folder / "direct" / "test.csv"
    with path.open(newline="") as lines:
        header, *rows = list(csv.reader(lines))
    forms = [header.index(name) for name in direct.COLUMNS[2:]]
    for row in rows:
        if part_of(row[1].removesuffix(".json")) == "test":
            for place, form in enumerate(forms):
                row[form] = f"Nobody may read this {place} time{'s' * place}."
    with path.open("w", newline="") as lines:
        csv.writer(lines).writerows([header, *rows])
    archive = folder / "multiwoz21" / "test.json.zip"
    dialogues = read_json(archive)
    for key, dialogue in dialogues.items():
        if part_of(key.removesuffix(".json")) == "test":
            dialogue["log"] = [{**entry, "text": "Nobody may read that .", "span_info": []} for entry in dialogue["log"]]
    archive.unlink()
    write_json(archive, dialogues)
    assert [row.original for row in direct.read(folder, parts=["test"])] != [
        row.original for row in direct.read(data, parts=["test"])
    ]
    assert direct.read(folder, parts=["train", "dev"]) == direct.read(data, parts=["train", "dev"])
    return folder


class Line(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


def fit(folder: Path, stop_after: int | None = None) -> torch.Tensor:
    """Train a line, or be interrupted after so many steps; returns the weights."""
    torch.manual_seed(0)
    steps = 0

    def batches(epoch: int) -> list[torch.Tensor]:
        return list(torch.randn(6, 4, 2, generator=torch.Generator().manual_seed(epoch)))

    def loss(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
        nonlocal steps
        if steps == stop_after:
            raise KeyboardInterrupt
        steps += 1
        return ((model(batch) - batch.sum(1, keepdim=True)) ** 2).mean()

    model = Line()
    schedule = Schedule(epochs=3, learning_rate=0.1, average=0.5, checkpoint_every=2)
    Trainer(model, folder, schedule, Objective(batches, loss, lambda _: (float(steps), {}), half=False), torch.device("cpu")).fit()
    return model.weight.detach().clone()


def test_interrupted_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    whole = fit(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "cut", stop_after=10)
    assert torch.equal(fit(tmp_path / "cut"), whole)
    assert (whole - 1).abs().max() < 0.7


def test_finished_training_is_not_repeated(tmp_path: Path) -> None:
    whole = fit(tmp_path)
    assert torch.equal(fit(tmp_path, stop_after=0), whole)


def test_checkpoint_of_another_schedule_is_refused(tmp_path: Path) -> None:
    fit(tmp_path)
    trainer = Trainer(
        Line(),
        tmp_path,
        SHORT,
        Objective(lambda _: [torch.zeros(1, 2)], lambda m, b: m(b).sum(), lambda _: (0.0, {})),
        torch.device("cpu"),
    )
    with pytest.raises(InputError, match="remove it to start again"):
        trainer.fit()


def test_unknown_device() -> None:
    with pytest.raises(InputError, match="device: got 'abacus'; allowed: auto, cpu"):
        choose_device("abacus")


def test_buckets_hold_every_index_once() -> None:
    lengths = [number % 7 for number in range(50)]
    batches = list(bucketed(lengths, 8, torch.Generator().manual_seed(1)))
    assert sorted(index for batch in batches for index in batch) == list(range(50))
    assert max(map(len, batches)) == 8


def test_texts_leave_out_evaluated_dialogues(data: Path) -> None:
    rows = direct.read(data, parts=["train"])
    texts = corpora.texts(data, rows)
    assert "I would like to borrow a map." in texts
    assert not any("evaluated dialogues" in text for text in texts)
    held_out = {row.dialogue_id for row in direct.read(data, parts=["dev", "test"])}
    assert held_out
    assert not held_out & {row.dialogue_id for row in rows}


def test_examples_of_a_row(data: Path) -> None:
    row = direct.read(data)[1]
    found = [(example.text, example.form, example.target) for example in from_direct([row])]
    assert found == [
        (row.indirect, "direct", row.direct),
        (row.direct, "indirect", row.indirect),
        (row.original, "direct", row.direct),
    ]
    assert to_direct([row]) == from_direct([row])[:1]


def test_noise_touches_only_the_turn() -> None:
    import random

    query = 9
    tokens = [2, 7, 5, 6, query, *range(20, 60)]
    noisy = corrupt(tokens, query, random.Random(1))
    assert noisy[:5] == tokens[:5]
    assert 4 in noisy[5:]
    assert len(noisy) < len(tokens)
    assert corrupt([2, query], query, random.Random(1)) == [2, query, 4]


def test_ranking_losses_are_the_papers() -> None:
    raw = torch.tensor([[2.0], [0.0], [-2.0]])
    pointwise = ((torch.sigmoid(torch.tensor(2.0)) - 1) ** 2 + 0 + torch.sigmoid(torch.tensor(-2.0)) ** 2) / 3
    pairwise = -(2 * torch.log(torch.sigmoid(torch.tensor(2.0))) + torch.log(torch.sigmoid(torch.tensor(4.0)))) / 3
    assert ranking_loss(raw, "pointwise") == pytest.approx(pointwise)
    assert ranking_loss(raw, "pairwise") == pytest.approx(pairwise)
    assert ranking_loss(raw, "both") == pytest.approx(pointwise + pairwise)


def test_calibration_recovers_a_known_curve() -> None:
    generator = torch.Generator().manual_seed(0)
    raw = torch.randn(3, 400, generator=generator) * 3 + torch.tensor([[4.0], [0.0], [-4.0]])
    slope, offset = calibration(raw.numpy())
    scores = torch.sigmoid(slope * raw + offset)
    assert scores.mean() == pytest.approx(0.5, abs=0.01)
    assert slope > 0


def test_directness_learns_exports_and_runs(data: Path, tmp_path: Path) -> None:
    recipe = DirectnessRecipe(layers=1, schedule=replace(SHORT, epochs=6, learning_rate=5e-4), triples_a_batch=8)
    exact = train_directness(data, tmp_path, recipe, "cpu")
    assert exact > 0.9
    trained = load_checkpoint(tmp_path / "model", directness.restore)
    dev = raw_scores(trained.model.eval(), trained.tokenizer, direct.read(data, parts=["dev"]), recipe.layout)
    assert [*trained.facts["calibration"].values()] == pytest.approx(calibration(dev), rel=1e-4)
    export_directness(tmp_path / "model", tmp_path / "onnx", ["int8"])
    indirect, plain = load_directness_scorer(tmp_path / "onnx").predict(
        [Dialogue.of("I wish I knew more of chess."), Dialogue.of("Find me a book on chess.")]
    )
    assert indirect.score < plain.score


def test_nothing_of_a_directness_scorer_is_from_the_test_part(data: Path, other_test_part: Path, tmp_path: Path) -> None:
    """Vocabulary, weights, calibration and figures: with another test part they are the same to the bit."""
    recipe = DirectnessRecipe(layers=1, schedule=SHORT, triples_a_batch=8)
    for name, folder in (("one", data), ("other", other_test_part)):
        train_directness(folder, tmp_path / name, recipe, "cpu")
    one, other = (load_checkpoint(tmp_path / name / "model", directness.restore) for name in ("one", "other"))
    assert_same_weights(one.model, other.model)
    assert one.facts == other.facts
    assert one.tokenizer.to_str() == other.tokenizer.to_str()


def test_nothing_of_a_rewriter_is_from_the_test_part(data: Path, other_test_part: Path, tmp_path: Path) -> None:
    recipe = SmallRecipe(
        decoder_layers=(2,), pretraining_turns=20, pretraining=SHORT, finetuning=SHORT, specialising=SHORT, batch_size=16, runs=1
    )
    for name, folder in (("one", data), ("other", other_test_part)):
        SmallTraining(folder, tmp_path / name, recipe, "cpu").run()
    one, other = (load_checkpoint(tmp_path / name / "model", rewriter.restore) for name in ("one", "other"))
    assert_same_weights(one.model, other.model)
    assert one.facts == other.facts
    assert one.tokenizer.to_str() == other.tokenizer.to_str()
    still = replace(SHORT, learning_rate=0.0, average=0.0)
    again = replace(recipe, finetuning=still, specialising=still)
    SmallTraining(data, tmp_path / "again", again, "cpu", tmp_path / "one" / "model").run()
    assert_same_weights(one.model, load_checkpoint(tmp_path / "again" / "model", rewriter.restore).model)
    assert not (tmp_path / "again" / "pretraining").exists()


def test_what_a_rewriter_is_rounded_for_is_not_from_the_test_part(
    data: Path, other_test_part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for folder in (data, other_test_part):
        monkeypatch.setenv("GRICE_DATA_DIR", str(folder))
        found.append(ordinary_turns())
    assert found[0] == found[1]
    assert {each.text for each in found[0]} <= {row.indirect for row in direct.read(data, parts=["train"])}


def test_words_are_not_counted_in_the_test_part(data: Path, other_test_part: Path) -> None:
    found = common_words.count(data)
    assert found == common_words.count(other_test_part)
    assert found.seen["chess"] > 0
    assert found.seen["nobody"] == 0


def test_a_precision_that_lost_too_much_is_refused(data: Path, tmp_path: Path) -> None:
    recipe = DirectnessRecipe(layers=1, schedule=replace(SHORT, epochs=6, learning_rate=5e-4), triples_a_batch=8)
    train_directness(data, tmp_path, recipe, "cpu")
    export_directness(tmp_path / "model", tmp_path / "onnx", ["int8"])
    export_directness(tmp_path / "model", tmp_path / "reference", ["fp32"])
    figures = measure(tmp_path / "onnx", tmp_path / "reference", data)
    assert (figures["metric"], figures["split"]) == ("exact_match", "DIRECT, our dev part")
    assert figures["n"] == len(direct.read(data, parts=["dev"])) != len(direct.read(data, parts=["test"]))
    assert figures["int8"] >= figures["fp32"] - figures["tolerance"] > 0.5
    assert read_manifest(tmp_path / "onnx").metrics == figures
    begun = load_checkpoint(tmp_path / "model", directness.restore)
    begun.model.head.weight.data.mul_(-1)
    save_checkpoint(tmp_path / "spoilt", begun.model, begun.tokenizer, begun.facts)
    export_directness(tmp_path / "spoilt", tmp_path / "onnx", ["int8"])
    with pytest.raises(WeightsError, match=r"int8 has exact_match 0\.000, fp32 .*: more than 0\.01 less"):
        measure(tmp_path / "onnx", tmp_path / "reference", data)
    assert read_manifest(tmp_path / "onnx").metrics == {}


def test_directness_may_begin_with_a_checkpoint(data: Path, tmp_path: Path) -> None:
    recipe = DirectnessRecipe(layers=1, schedule=SHORT, triples_a_batch=8)
    train_directness(data, tmp_path / "one", recipe, "cpu")
    still = replace(recipe, layers=3, schedule=replace(SHORT, learning_rate=0.0, average=0.0))
    train_directness(data, tmp_path / "two", still, "cpu", tmp_path / "one" / "model")
    one, two = (load_checkpoint(tmp_path / name / "model", directness.restore) for name in ("one", "two"))
    assert_same_weights(one.model, two.model)
    assert two.facts["calibration"] == one.facts["calibration"]


def test_small_recipe_trains_averages_exports_and_runs(data: Path, tmp_path: Path) -> None:
    recipe = SmallRecipe(
        decoder_layers=(2,), pretraining_turns=20, pretraining=SHORT, finetuning=SHORT, specialising=SHORT, batch_size=16
    )
    SmallTraining(data, tmp_path, recipe, "cpu").run_once(0)
    assert not (tmp_path / "model").exists()
    bleu = SmallTraining(data, tmp_path, recipe, "cpu").run()
    facts = json.loads((tmp_path / "model" / "training.json").read_text())
    assert facts["dev_bleu"] == bleu
    assert {"pretraining", "finetuning-0", "finetuning-1", "specialising-0", "specialising-1"} <= {
        path.name for path in tmp_path.iterdir()
    }
    export_rewriter(tmp_path / "model", tmp_path / "onnx", ["int8"])
    assert load_rewriter(tmp_path / "onnx").predict([Dialogue.of("I wish I knew more of chess.")])[0].tokens > 0


@pytest.mark.parametrize("form", ["direct", "indirect"])
def test_paper_recipe_on_a_tiny_base(data: Path, tmp_path: Path, form: TargetForm) -> None:
    folder = tmp_path / "data"
    write_data(folder)
    (folder / "direct" / "test.csv").rename(folder / "direct" / "train.csv")
    (folder / "multiwoz21" / "test.json.zip").rename(folder / "multiwoz21" / "train.json.zip")
    base = tmp_path / "base"
    tokens = PreTrainedTokenizerFast(
        tokenizer_object=word_pieces(), bos_token="[CLS]", eos_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]"
    )
    tokens.save_pretrained(base)
    config = BartConfig(
        vocab_size=len(tokens),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        decoder_start_token_id=3,
        forced_eos_token_id=None,
    )
    BartForConditionalGeneration(config).save_pretrained(base)
    layout = SourceFormat(history_turns=-1, max_tokens=48, with_form=False, start_token="[CLS]", end_token="[SEP]")
    recipe = PaperRecipe(base=str(base), form=form, layout=layout, schedule=replace(SHORT, average=0.0))
    assert train_paper(folder, tmp_path / "out", recipe, "cpu") > 0
    export_rewriter(tmp_path / "out" / "model", tmp_path / "onnx", ["fp32"])
    rewriter = load_rewriter(tmp_path / "onnx", form, runtime=Runtime(precision="fp32"))
    assert rewriter.manifest.settings["forms"] == [form]
    assert rewriter.predict([Dialogue.of("I wish I knew more of chess.")])[0].tokens > 0


def test_paper_recipe_without_train_csv_says_so(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"train\.csv"):
        train_paper(data, tmp_path, PaperRecipe(), "cpu")
