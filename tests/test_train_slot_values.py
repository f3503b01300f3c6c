"""The slot-value resolver on invented data: it learns, is exported as trained, and says what it cannot read."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from behavior_data_fixtures import write_auxiliary
from data_fixtures import sgd_dialogue, write_direct, write_multiwoz, write_sgd

from grice.models import Dialogue, Turn
from grice.models.errors import InputError, WeightsError
from grice.models.export.slot_values import export_slot_values, load_checkpoint
from grice.models.manifest import read_manifest
from grice.models.sentence_encoder import load_sentence_encoder
from grice.models.slot_inputs import NOT_MENTIONED, SlotTexts
from grice.models.slot_questions import MOST_VALUES, SlotQuestion
from grice.models.slot_values import SlotResolver
from grice.models.training import slot_examples
from grice.models.training.slot_examples import read, written
from grice.models.training.slot_values import SlotRecipe, asked, calibration, log_shares, small_model, states_of, train_slot_values
from grice.models.training.trainer import Schedule

SMALL = SlotRecipe(questions=24, batch=8, dev=0.3, schedule=Schedule(epochs=1, learning_rate=1e-3))
QUESTION = SlotQuestion(
    Dialogue.of("I am short of money.", [Turn("bot", "How dear?")]), "price_range", "how dear it is", ("low", "high")
)


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


def test_what_we_wrote_never_says_its_value() -> None:
    examples = list(written())
    assert len(examples) > 500
    assert not any(example.verbatim for example in examples)
    assert all(sum(example.shares) == pytest.approx(1) for example in examples)
    assert 0.1 < np.mean([max(example.shares) < 1 for example in examples]) < 0.3


def test_what_we_wrote_to_learn_from_is_not_what_is_evaluated() -> None:
    ours = Path(slot_examples.__file__).parents[2] / "benchmarks" / "data" / "indirect_requests_ours.jsonl"
    evaluated = [json.loads(line) for line in ours.read_text(encoding="utf-8").splitlines()]
    learned = [json.loads(line) for line in slot_examples.WRITTEN.read_text(encoding="utf-8").splitlines()]
    assert not {each["utterance"].casefold() for each in evaluated} & {each["utterance"].casefold() for each in learned}
    assert not {each["service"] for each in evaluated} & {each["service"] for each in learned}


def test_examples_of_sgd_say_what_is_meant_and_what_is_not(data: Path) -> None:
    found = [each for each in read(data, 0) if each.question.description == "How dear"]
    assert found
    assert all(each.question.values == ("low", "high") for each in found)
    assert not any(each.mentioned for each in found)  # the fixture's turns inform of a city alone


def test_texts_of_a_question() -> None:
    texts = SlotTexts.of(QUESTION)
    assert (texts.turn, texts.before) == ("I am short of money.", "How dear?")
    assert texts.hypotheses[0] == "price range, how dear it is: low"
    assert texts.hypotheses[-1] == f"price range, how dear it is: {NOT_MENTIONED}"
    assert SlotTexts.of(replace(QUESTION, values=("True", "False"))).short[:2] == ("price range yes", "price range no")
    assert SlotTexts.of(replace(QUESTION, dialogue=Dialogue.of("No."))).before is None


def test_the_answers_of_a_question_add_up_to_one_whatever_its_batch() -> None:
    encoder, model = load_sentence_encoder(), small_model(SMALL).eval()
    examples = list(written())[:6]
    states = states_of(encoder, (text for each in examples for text in SlotTexts.of(each.question).all))
    with torch.no_grad():
        together = log_shares(model, asked(examples, states))
        for number, example in enumerate(examples):
            alone = log_shares(model, asked([example], states))[0]
            np.testing.assert_allclose(together[number, : len(alone)], alone, atol=2e-4)
            assert alone.exp().sum() == pytest.approx(1, abs=1e-5)


def test_calibration_finds_the_margin_of_requests_that_fit_several_values() -> None:
    examples = list(written())[:40]
    encoder, model = load_sentence_encoder(), small_model(SMALL).eval()
    states = states_of(encoder, (text for each in examples for text in SlotTexts.of(each.question).all))
    temperature, margin = calibration(model, examples, states, 8)
    assert 0.5 <= temperature <= 4
    assert 0 <= margin <= 0.9


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_the_exported_resolver_says_what_the_trained_model_says(trained: Path, precision: str) -> None:
    model, _ = load_checkpoint(trained / "model")
    encoder = load_sentence_encoder()
    resolver = SlotResolver(read_manifest(trained / "onnx", "slot-values"), encoder, precision=precision)
    found = resolver.predict([QUESTION])[0]
    texts = SlotTexts.of(QUESTION)
    example = slot_examples.SlotExample("a", QUESTION, (1.0, 0.0))
    with torch.no_grad():
        raw = log_shares(model, asked([example], states_of(encoder, texts.all)))[0] / resolver.temperature
    expected = torch.softmax(raw, -1).numpy()
    np.testing.assert_allclose([*found.probabilities, found.not_mentioned], expected, atol=0.06 if precision == "int8" else 1e-3)
    assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1, abs=1e-5)


def test_a_stopped_training_goes_on(trained: Path, data: Path) -> None:
    before = (trained / "log.jsonl").read_text()
    train_slot_values(data, trained, SMALL, device="cpu")  # all epochs are done: nothing is trained again
    assert (trained / "log.jsonl").read_text() == before


def test_a_value_that_the_encoder_cannot_read(trained: Path) -> None:
    resolver = SlotResolver(read_manifest(trained / "onnx", "slot-values"), load_sentence_encoder())
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


def test_layers_of_another_encoder_are_refused(trained: Path) -> None:
    manifest = json.loads((trained / "onnx" / "manifest.json").read_text())
    manifest["settings"]["encoder"]["files"]["tokenizer.json"] = "0"
    (trained / "onnx" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(WeightsError, match="made for another encoder"):
        SlotResolver(read_manifest(trained / "onnx", "slot-values"), load_sentence_encoder())
