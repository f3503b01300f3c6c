"""The reader of meaning on two invented bots: it learns, goes on where it was stopped, and runs as it was trained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from bench_fixtures import assert_same_weights
from meaning_fixtures import item, write_items

from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.export.checkpoint import export_checkpoint
from grice.models.export.meaning import export_meaning
from grice.models.manifest import read_manifest
from grice.models.meaning.inputs import MeaningTokens
from grice.models.meaning.reader import OUTPUTS, MeaningReader
from grice.models.meaning.results import MOST_POSSIBLE, MeaningQuestion
from grice.models.runtime.runtime import Runtime
from grice.models.schema import BotSchema, IntentSpec, SlotSpec
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.meaning.loss import step_loss
from grice.models.training.meaning.network import MeaningNetwork
from grice.models.training.meaning.recipe import MeaningRecipe, restore, train_meaning
from grice.models.training.meaning.samples import MenuTurns, as_written
from grice.models.training.meaning.steps import Step, step_of
from grice.models.training.meaning.written import read_hands
from grice.models.training.trainer import Schedule

BOT = """
== {0} | sells {0}
i order_{0} | ask for {0} to be kept
i cancel_order | call an order off
i ask_hours | ask when it is open
s size | how big | small; large
b Shall I keep one for you?
> i | yes | | we have guests tonight | Yes, keep one. | No.
b Shall I keep one for you?
> i | no | | my purse is empty | No. | Yes.
> i | order_{0} | size=large | a table for nine, and nothing on it | I'd like a large one. | I want to complain.
> i | cancel_order | | the guests are not coming | Cancel my order. | Keep it.
> c | - | | lovely morning | Good morning. |
> d | - | size=small | small | Small. |
"""
SHOP = BotSchema(
    (IntentSpec("order_tea", "ask for tea to be kept", ("keep me some tea",)), IntentSpec("ask_hours", "ask when it is open")),
    (SlotSpec("size", "how big", ("small", "large")), SlotSpec("name", "of the customer")),
)

pytestmark = pytest.mark.slow
DIALOGUE = Dialogue.of("the little one, for Ada", [("bot", "Which one, and for whom?")])


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> MeaningRecipe:
    hands = tmp_path_factory.mktemp("hands")
    for hand, goods in (("Y", ("cheese", "tea")), ("Z", ("bread", "fish", "soap"))):
        (hands / f"{hand}.txt").write_text("".join(BOT.format(each) for each in goods), encoding="utf-8")
    schedule = Schedule(epochs=10, learning_rate=3e-4)
    return MeaningRecipe(held_hands=("Y",), dev=0.1, hands=str(hands), sources=(), schedule=schedule)


@pytest.fixture(scope="module")
def trained(recipe: MeaningRecipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("meaning")
    train_meaning(out, out, recipe)
    return out / "model"


@pytest.fixture(scope="module")
def exported(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("onnx")
    export_meaning(trained, out, ["int8", "fp32"])
    return out


@pytest.fixture(scope="module")
def back(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_checkpoint(exported, tmp_path_factory.mktemp("float"))


def question(dialogue: Dialogue) -> MeaningQuestion:
    return MeaningQuestion(dialogue, SHOP)


def test_it_learns_what_it_is_shown(recipe: MeaningRecipe, trained: Path) -> None:
    found = load_checkpoint(trained, restore)
    tokens = MeaningTokens(found.tokenizer)
    bread = read_hands(Path(recipe.hands), ["Z"])["Z"][0]
    step = step_of(as_written(bread), tokens)
    with torch.no_grad():
        options = found.model.read_options(step.texts, step.kinds, step.owners)
        readings = found.model([pieces for _, pieces, _ in step.turns], options)
    meanings = [(option.kind, option.name) for option in step.menu.meanings]
    read = [meanings[int(row)] for row in readings.meaning[:, : len(meanings)].argmax(1)]
    assert sum(each == target.meaning for each, (_, _, target) in zip(read, step.turns, strict=True)) >= 5
    assert found.facts["bots"] == 2
    assert found.facts["held_out"]["Y/n_indirect"] == 8


def test_a_stopped_run_goes_on_as_if_it_had_not_been(
    recipe: MeaningRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(recipe, turns=4, schedule=replace(recipe.schedule, epochs=2, checkpoint_every=1))
    train_meaning(tmp_path, tmp_path / "whole", short)
    steps = iter(range(3))

    def stop(network: MeaningNetwork, step: Step) -> torch.Tensor:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return step_loss(network, step)

    with monkeypatch.context() as patched:
        patched.setattr("grice.models.training.meaning.recipe.step_loss", stop)
        with pytest.raises(KeyboardInterrupt):
            train_meaning(tmp_path, tmp_path / "stopped", short)
    train_meaning(tmp_path, tmp_path / "stopped", short)
    one, other = (load_checkpoint(tmp_path / name / "model", restore).model for name in ("whole", "stopped"))
    assert_same_weights(one, other)


def test_training_may_begin_with_a_checkpoint(recipe: MeaningRecipe, trained: Path, tmp_path: Path) -> None:
    still = replace(recipe, size="large", schedule=Schedule(epochs=1, learning_rate=0.0))
    train_meaning(tmp_path, tmp_path, still, "cpu", trained)
    begun, ended = (load_checkpoint(folder, restore) for folder in (trained, tmp_path / "model"))
    assert_same_weights(begun.model, ended.model)
    assert ended.facts["recipe"]["size"] == "small"


def test_layers_that_were_left_alone_learn_when_they_are_thawed(recipe: MeaningRecipe, tmp_path: Path) -> None:
    short = replace(recipe, frozen=2, schedule=replace(recipe.schedule, epochs=1))
    train_meaning(tmp_path, tmp_path / "first", short)
    start = tmp_path / "first" / "model"
    train_meaning(tmp_path, tmp_path / "still", short, start=start)
    train_meaning(tmp_path, tmp_path / "thawed", replace(short, thaw=True), start=start)
    begun, still, thawed = (
        load_checkpoint(folder, restore) for folder in (start, tmp_path / "still" / "model", tmp_path / "thawed" / "model")
    )
    lowest, *others = (found.model.trunk.state_dict()["layers.0.wide.weight"] for found in (begun, still, thawed))
    assert [torch.equal(lowest, other) for other in others] == [True, False]
    assert thawed.facts["recipe"]["frozen"] == 0


def test_the_graphs_read_as_the_network_does(back: Path, exported: Path) -> None:
    reader = MeaningReader(read_manifest(exported, "meaning"), Runtime("cpu", precision="fp32"))
    (scores,) = reader.score([question(DIALOGUE)])
    network = load_checkpoint(back, restore).model
    step = step_of(MenuTurns("", SHOP, ()), reader.tokens)
    with torch.no_grad():
        options = network.read_options(step.texts, step.kinds, step.owners)
        readings = network([reader.tokens.read_turn(DIALOGUE)], options)
    for name in OUTPUTS[:5]:
        expected = getattr(readings, name)[0].numpy()
        assert np.allclose(getattr(scores, name), expected, atol=0.03 * np.abs(expected[np.abs(expected) < 1e3]).max()), name


def test_four_bits_read_nearly_the_same(exported: Path) -> None:
    manifest = read_manifest(exported, "meaning")
    (small,), (whole,) = (
        MeaningReader(manifest, Runtime("cpu", precision=precision)).score([question(DIALOGUE)]) for precision in ("int8", "fp32")
    )
    assert np.corrcoef(small.meaning, whole.meaning)[0, 1] > 0.99
    assert np.allclose(small.cosines, whole.cosines, atol=0.05)


def test_order_does_not_matter(exported: Path) -> None:
    reader = MeaningReader(read_manifest(exported, "meaning"), Runtime("cpu"))
    turned = BotSchema(SHOP.intents[::-1], SHOP.slots[::-1])
    one, other = (reader.predict([MeaningQuestion(DIALOGUE, schema)])[0] for schema in (SHOP, turned))
    shares = {each.name: each.share for each in one.possible}
    assert {each.name: each.share for each in other.possible} == pytest.approx(shares, abs=2e-3)
    assert {slot.slot: slot.values for slot in one.slots} == {slot.slot: slot.values for slot in other.slots}


def test_shares_margin_and_evidence(exported: Path) -> None:
    (found,) = MeaningReader(read_manifest(exported, "meaning"), Runtime("cpu")).predict([question(DIALOGUE)])
    shares = [each.share for each in found.possible]
    assert len(shares) == MOST_POSSIBLE
    assert 0.9 < sum(shares) <= 1 + 1e-5
    assert shares == sorted(shares, reverse=True)
    assert found.margin == pytest.approx(shares[0] - shares[1])
    assert found.kind == "unknown" or found.meaning == found.possible[0].name
    for each in found.evidence:
        assert DIALOGUE.last.text[each.start : each.end] == each.text


def test_an_unknown_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="huge"):
        train_meaning(tmp_path, tmp_path, MeaningRecipe(size="huge"))


def test_weights_go_there_and_back(back: Path, tmp_path: Path) -> None:
    export_meaning(back, tmp_path / "onnx", ["int8"])
    again = export_checkpoint(tmp_path / "onnx", tmp_path / "again")
    one, other = (load_checkpoint(folder, restore).model.trunk.state_dict() for folder in (back, again))
    for name, value in one.items():
        assert torch.allclose(value, other[name], atol=1e-6), name


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5])
def test_a_share_of_nothing_is_refused(tmp_path: Path, share: float) -> None:
    with pytest.raises(InputError, match=r"share: got .*; allowed: above 0, up to 1"):
        train_meaning(tmp_path, tmp_path, MeaningRecipe(share=share))


def test_own_turns_are_learnt_from_without_a_data_folder(recipe: MeaningRecipe, tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.jsonl", *(item(number) for number in range(3)))
    short = replace(recipe, items=str(items), schedule=replace(recipe.schedule, epochs=1))
    train_meaning(tmp_path / "nowhere", tmp_path / "out", short)
    assert torch.load(tmp_path / "out" / "checkpoint.pt", weights_only=True)["step"] == 3  # two bots, and the items' menu


def test_as_many_steps_as_are_asked_for_whatever_the_share(recipe: MeaningRecipe, tmp_path: Path) -> None:
    one = replace(recipe, share=0.7, steps=5)
    train_meaning(tmp_path, tmp_path / "out", one)
    facts = load_checkpoint(tmp_path / "out" / "model", restore).facts
    assert torch.load(tmp_path / "out" / "checkpoint.pt", weights_only=True)["step"] == 5
    assert (facts["recipe"]["share"], facts["recipe"]["steps"]) == (0.7, 5)
