"""The slot-value resolver on invented data: it learns, is exported as trained, and says what it cannot read."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from behavior_data_fixtures import write_auxiliary
from bench_fixtures import assert_same_weights
from data_fixtures import sgd_dialogue, write_direct, write_multiwoz, write_sgd

from grice.models import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.export.checkpoint import export_checkpoint
from grice.models.export.encoders import export_slot_values
from grice.models.manifest import read_manifest
from grice.models.results import SlotValues
from grice.models.runtime.runtime import Runtime
from grice.models.slots.inputs import NOT_MENTIONED, SEGMENTS, SlotTexts, SlotTokens
from grice.models.slots.questions import MOST_VALUES, SlotQuestion
from grice.models.slots.resolver import SlotResolver
from grice.models.training import vocabulary
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.low_bit_encoder import rounded_encoder
from grice.models.training.low_bits import BLOCK, LowBits, rounded
from grice.models.training.overlap import runs_of_all
from grice.models.training.slots import examples as slot_examples
from grice.models.training.slots.examples import SlotExample, read, written
from grice.models.training.slots.items import AskedSlots, collate
from grice.models.training.slots.model import SlotModel, restore, small_model
from grice.models.training.slots.plain_requests import plain_requests
from grice.models.training.slots.recipe import SlotRecipe, calibration, log_shares, predictions, train_slot_values
from grice.models.training.trainer import Schedule

SMALL = SlotRecipe(
    layers=1, pieces=2000, questions=24, written=0, low_bits=1, batch=8, dev=0.01, schedule=Schedule(epochs=2, learning_rate=1e-3)
)
QUESTION = SlotQuestion(
    Dialogue.of("I am short of money.", [Turn("bot", "How dear?")]), "price_range", "how dear it is", ("low", "high")
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_auxiliary(folder)
    write_multiwoz(folder / "multiwoz21")
    write_direct(folder)
    write_sgd(folder / "sgd", {"dialogues_001.json": [sgd_dialogue("2", "Find bread.", "Where?", "In Ulm.")]}, "dev")
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("slots")
    train_slot_values(data, out, SMALL, device="cpu")
    export_slot_values(out / "model", out / "onnx", ["int8", "fp32"])
    return out


@pytest.fixture(scope="module")
def words() -> vocabulary.Vocabulary:
    return vocabulary.cut([example.question.dialogue.last.text for example in written()], (), 1, 2000)


@pytest.fixture(scope="module")
def model(words: vocabulary.Vocabulary) -> SlotModel:
    torch.manual_seed(0)
    return small_model(words, 1).eval()


def test_what_we_wrote_leaves_its_value_unsaid() -> None:
    examples = list(written())
    alone = [each for each in examples if each.mentioned and not each.question.dialogue.history]
    assert len(alone) > 10_000
    assert not any(example.verbatim for example in alone if max(example.shares) == 1)
    assert all(sum(example.shares) == pytest.approx(float(example.mentioned)) for example in examples)
    assert 0.05 < np.mean([0 < max(example.shares) < 1 for example in examples]) < 0.3


def test_yes_no_slots_are_spoken_of_plainly_too() -> None:
    said = list(plain_requests("has_garage", ["When do you open?"], random.Random(0), 50))
    assert [value for _, value in said].count("True") == 50
    assert any(turns == ("I don't need garage.",) and value == "False" for turns, value in said)
    assert any("When do you open?" in turns[0] for turns, _ in said)
    for turns, value in said:
        if len(turns) == 1:
            assert "garage" in turns[0].lower()
            assert any(word in turns[0].lower() for word in ("n't", "no", "without", "skip", "leave")) == (value == "False")
    assert all("need" not in turns[0] for turns, _ in plain_requests("is_vegan", [], random.Random(0), 50))


def test_what_we_wrote_to_learn_from_is_not_what_is_evaluated() -> None:
    ours = Path(slot_examples.__file__).parents[3] / "benchmarks" / "indirect_requests" / "ours.jsonl"
    evaluated = [json.loads(line) for line in ours.read_text(encoding="utf-8").splitlines()]
    learned = [json.loads(line) for line in slot_examples.WRITTEN.read_text(encoding="utf-8").splitlines()]
    said = {example.question.dialogue.last.text.casefold() for example in written()}
    assert not {each["utterance"].casefold() for each in evaluated} & said
    assert not runs_of_all((each["utterance"] for each in evaluated), 8) & runs_of_all(said, 8)
    assert not {each["service"] for each in evaluated} & {each["service"] for each in learned}


def test_examples_of_sgd_say_what_is_meant_and_what_is_not(data: Path) -> None:
    examples = read(data, 0)
    found = [each for each in examples if each.question.description == "How dear"]
    assert found
    assert all(each.question.values == ("low", "high") for each in found)
    assert not any(each.mentioned for each in found)  # the fixture's turns inform of a city alone
    cities = [each for each in examples if each.question.slot == "city" and not each.decided]
    assert cities  # any city may be said: those of other dialogues stand beside the right one
    assert all("another" in each.question.values and sum(each.shares) == 1 for each in cities)


def test_texts_of_a_question() -> None:
    texts = SlotTexts.of(QUESTION)
    assert texts == SlotTexts("I am short of money.", "How dear?", "price range: how dear it is", ("low", "high", NOT_MENTIONED))
    assert SlotTexts.of(replace(QUESTION, values=("True", "False"))).values[:2] == ("yes", "no")
    assert SlotTexts.of(replace(QUESTION, dialogue=Dialogue.of("No."))).before == ""


def test_all_values_begin_at_the_same_position(words: vocabulary.Vocabulary) -> None:
    inputs = SlotTokens(words.tokenizer).inputs(SlotTexts("Hi", "", "price", ("low", "very high", NOT_MENTIONED)))
    starts = [int(inputs.positions[inputs.owners == number][0]) for number in (1, 2, 3)]
    assert len(set(starts)) == 1
    assert starts[0] == (inputs.owners == 0).sum()
    assert [SEGMENTS[each] for each in np.unique(inputs.segments[inputs.owners > 0])] == ["value"]


def test_the_answer_does_not_depend_on_the_batch_or_on_the_order_of_the_values(
    words: vocabulary.Vocabulary, model: SlotModel
) -> None:
    items = AskedSlots(SlotTokens(words.tokenizer))
    examples = list(written())[:6]
    with torch.no_grad():
        together = log_shares(model, collate([items.plain(each) for each in examples]))
        for number, example in enumerate(examples):
            alone = log_shares(model, collate([items.plain(example)]))[0]
            np.testing.assert_allclose(together[number, : len(alone)], alone, atol=2e-4)
            assert alone.exp().sum() == pytest.approx(1, abs=1e-5)
            turned = replace(example, question=replace(example.question, values=example.question.values[::-1]))
            other = log_shares(model, collate([items.plain(replace(turned, shares=example.shares[::-1]))]))[0]
            np.testing.assert_allclose(other[:-1].flip(0), alone[:-1], atol=2e-4)


def test_questions_are_varied_without_losing_the_answer(words: vocabulary.Vocabulary) -> None:
    items, chance = AskedSlots(SlotTokens(words.tokenizer)), random.Random(0)
    for example in list(written())[:300]:
        varied = items.varied(example, chance)
        assert sum(varied.shares) == pytest.approx(1)
        assert 3 <= len(varied.shares) <= len(example.shares) + 1
        assert max(varied.shares[:-1]) == pytest.approx(max(example.shares))
        assert varied.inputs.owners.max() == len(varied.shares)


def test_calibration_finds_the_margin_of_requests_that_fit_several_values(words: vocabulary.Vocabulary, model: SlotModel) -> None:
    items, examples = AskedSlots(SlotTokens(words.tokenizer)), list(written())[:40]
    temperature, margin = calibration(examples, predictions(model, [items.plain(each) for each in examples], 8))
    assert 0.5 <= temperature <= 4
    assert 0 <= margin <= 0.9


def test_four_bits_are_near_and_fit_into_eight() -> None:
    weight = torch.randn(7, 3 * BLOCK, generator=torch.Generator().manual_seed(0), requires_grad=True)
    bits = LowBits.of(weight)
    assert bits.whole.abs().max() <= 126
    assert torch.equal(bits.whole, bits.whole.round())
    assert (bits.weight - weight).norm() / weight.norm() < 0.15
    rounded(weight).sum().backward()
    assert weight.grad is not None
    assert torch.equal(weight.grad, torch.ones_like(weight))


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_the_exported_resolver_says_what_the_trained_model_says(trained: Path, precision: str) -> None:
    model = load_checkpoint(trained / "model", restore).model
    resolver = SlotResolver(read_manifest(trained / "onnx", "slot-values"), runtime=Runtime(precision=precision))
    found = resolver.predict([QUESTION])[0]
    item = AskedSlots(resolver.tokens).plain(SlotExample("a", QUESTION, (1.0, 0.0)))
    with torch.no_grad():
        raw = log_shares(rounded_encoder(model), collate([item]))[0] / resolver.temperature
    expected = torch.softmax(raw, -1).numpy()
    np.testing.assert_allclose([*found.probabilities, found.not_mentioned], expected, atol=0.03 if precision == "int8" else 1e-3)
    assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1, abs=1e-5)


def test_weights_go_there_and_back(trained: Path, tmp_path: Path) -> None:
    back = export_checkpoint(trained / "onnx", tmp_path / "float")
    export_slot_values(back, tmp_path / "onnx", ["int8"])
    folders = (trained / "onnx", tmp_path / "onnx")
    one, other = (SlotResolver(read_manifest(folder, "slot-values")).predict([QUESTION])[0] for folder in folders)
    assert one.probabilities == pytest.approx(other.probabilities, abs=1e-5)


def test_the_temperature_and_the_margin_are_those_of_the_manifest(trained: Path) -> None:
    manifest = read_manifest(trained / "onnx", "slot-values")

    def found(**settings: float) -> SlotValues:
        return SlotResolver(replace(manifest, settings={**manifest.settings, **settings})).predict([QUESTION])[0]

    plain, flat = ([*each.probabilities, each.not_mentioned] for each in (found(temperature=1.0), found(temperature=4.0)))
    powers = [value**0.25 for value in plain]
    assert flat == pytest.approx([value / sum(powers) for value in powers], rel=1e-3)


@pytest.mark.parametrize(
    ("raw", "margin", "value", "ambiguous"),
    [
        ((2.0, 1.0, -9.0), 0.4, "low", False),  # shares of 0.73 and 0.27
        ((1.0, 2.0, -9.0), 0.4, "high", False),
        ((2.0, 1.0, -9.0), 0.5, None, True),
        ((2.0, 1.9, 9.0), 1.0, None, False),  # nothing is said of the slot
    ],
)
def test_two_values_within_the_margin_are_ambiguous(
    trained: Path, raw: tuple[float, ...], margin: float, value: str | None, ambiguous: bool
) -> None:
    manifest = read_manifest(trained / "onnx", "slot-values")
    resolver = SlotResolver(replace(manifest, settings={**manifest.settings, "margin": margin, "temperature": 1.0}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resolver, "_raw", lambda texts: np.array(raw, np.float32))
        (found,) = resolver.predict([QUESTION])
    assert (found.value, found.ambiguous) == (value, ambiguous)


def test_weights_of_four_bits_take_half_the_file(trained: Path) -> None:
    model = load_checkpoint(trained / "model", restore).model
    numbers = sum(each.numel() for each in model.state_dict().values())
    assert (trained / "onnx" / "reader.int8.onnx.gz").stat().st_size < 0.6 * numbers


def test_a_stopped_training_goes_on(trained: Path, data: Path) -> None:
    before = (trained / "log.jsonl").read_text()
    train_slot_values(data, trained, SMALL, device="cpu")  # all epochs are done: nothing is trained again
    assert (trained / "log.jsonl").read_text() == before


def test_training_may_begin_with_a_checkpoint(trained: Path, data: Path, tmp_path: Path) -> None:
    still = replace(SMALL, layers=3, schedule=Schedule(epochs=1, learning_rate=0.0))
    train_slot_values(data, tmp_path, still, "cpu", trained / "model")
    begun, ended = (load_checkpoint(folder / "model", restore) for folder in (trained, tmp_path))
    assert_same_weights(begun.model, ended.model)
    assert ended.facts["started_from"] == "a checkpoint of ours"


def test_a_value_that_the_model_cannot_read(trained: Path) -> None:
    resolver = SlotResolver(read_manifest(trained / "onnx", "slot-values"))
    with pytest.raises(InputError, match="value of slot price_range: got '高い'; allowed"):
        resolver.predict([replace(QUESTION, values=("low", "高い"))])


@pytest.mark.parametrize(
    ("values", "message"),
    [((), "0 values"), (("low",), "1 values"), (("low", "low"), "each value once"), (("low", " "), "printable")],
)
def test_values_that_are_no_choice(values: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(QUESTION, values=values)


def test_too_many_values() -> None:
    with pytest.raises(InputError, match=f"500 values.* 2 to {MOST_VALUES}"):
        replace(QUESTION, values=tuple(map(str, range(500))))
