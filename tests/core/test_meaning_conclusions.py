"""What the reader of meaning makes of the networks' scores, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from grice.models.dialogue import Dialogue
from grice.models.meaning.reader import MeaningReader, load_meaning_reader
from grice.models.meaning.results import SAID, MeaningQuestion
from grice.models.meaning.scores import MeaningScores
from grice.models.results import SlotValues
from grice.models.schema import BotSchema, IntentSpec, SlotSpec
from grice.models.slots.by_meaning import SPOKEN_FROM, MeaningSlotResolver
from grice.models.slots.questions import SlotQuestion

TEXT = "The cheap tent, or the other one."
DIALOGUE = Dialogue.of(TEXT)
CAMP = BotSchema(
    (IntentSpec("rent_tent", "rent a tent"), IntentSpec("return_tent", "bring a tent back")),
    (SlotSpec("size", "how large the tent is", ("small", "large", "huge")), SlotSpec("camper", "name of the camper")),
)


@pytest.fixture(scope="module")
def reader() -> MeaningReader:
    return load_meaning_reader()


@pytest.fixture(scope="module")
def scores(reader: MeaningReader) -> MeaningScores:
    return reader.score([MeaningQuestion(DIALOGUE, CAMP)])[0]


def place_of(scores: MeaningScores, kind: str, name: str) -> int:
    return next(place for place, each in enumerate(scores.options) if (each.kind, each.name) == (kind, name))


def saying(scores: MeaningScores, said: str, best: int = 0) -> MeaningScores:
    """The same, but that the turn surely says this of the size, with its values in this order from the best on."""
    at = place_of(scores, "slot", "size")
    states = scores.slot_states.copy()
    states[at] = [-20.0, *(20.0 if each == said else 0.0 for each in SAID)]
    values = scores.values.copy()
    values[np.roll(scores.values_of(at), -best)] = [3.0, 2.0, 0.0]
    return replace(scores, slot_states=states, values=values)


def test_scores_are_divided_by_the_temperature_of_the_manifest(reader: MeaningReader, scores: MeaningScores) -> None:
    temperature = reader.manifest.settings["temperature"]
    assert temperature != 1
    said = np.exp(scores.meaning[scores.meanings].astype(float) / temperature)
    shares = sorted(said / said.sum(), reverse=True)
    found = reader.conclude(DIALOGUE, scores)
    assert [each.share for each in found.possible] == pytest.approx(shares[: len(found.possible)], rel=1e-4)
    assert found.margin == pytest.approx(shares[0] - shares[1], rel=1e-3)


@pytest.mark.parametrize(("above", "known"), [(0.0, True), (1e-6, False)])
def test_it_is_sure_from_the_threshold_on(
    reader: MeaningReader, scores: MeaningScores, above: float, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = reader.conclude(DIALOGUE, scores).confidence
    monkeypatch.setattr(reader, "threshold", sure + above)
    assert (reader.conclude(DIALOGUE, scores).kind != "unknown") == known


def odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


@pytest.mark.parametrize("weights", ["confidence", "indirect_weights", "spoken_weights", "value_weights"])
def test_what_is_weighed_follows_the_weights_that_were_fitted(
    reader: MeaningReader, scores: MeaningScores, weights: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = place_of(scores, "slot", "size")

    def weighed() -> float:
        found = reader.conclude(DIALOGUE, scores)
        if weights == "indirect_weights":
            return odds(found.indirect)
        if weights == "value_weights":
            return odds(next(slot.confidence for slot in found.slots if slot.slot == "size"))
        return odds(found.confidence if weights == "confidence" else reader.spoken(scores, at))

    monkeypatch.setattr(reader, "slot_threshold", 0.0)

    fitted = getattr(reader, weights)
    before = weighed()
    monkeypatch.setattr(reader, weights, [weight / 2 for weight in fitted])
    assert weighed() == pytest.approx(before / 2, rel=1e-3)
    monkeypatch.setattr(reader, weights, [0.5, *(0.0 for _ in fitted[1:])])
    assert weighed() == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("said", "values"),
    [("meant", ("large",)), ("not_this", ("large",)), ("any", ()), ("ambiguous", ("large", "huge"))],
)
def test_what_is_said_of_a_slot(
    reader: MeaningReader, scores: MeaningScores, said: str, values: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "slot_threshold", 0.0)
    found = {slot.slot: slot for slot in reader.conclude(DIALOGUE, saying(scores, said, best=1)).slots}
    assert (found["size"].said, found["size"].values) == (said, values)


@pytest.mark.parametrize(("above", "told"), [(0.0, True), (1e-6, False)])
def test_a_slot_is_told_from_its_threshold_on(
    reader: MeaningReader, scores: MeaningScores, above: float, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    surely = saying(scores, "meant")
    spoken = reader.spoken(surely, place_of(surely, "slot", "size"))
    monkeypatch.setattr(reader, "slot_threshold", spoken + above)
    assert ("size" in {slot.slot for slot in reader.conclude(DIALOGUE, surely).slots}) == told


@pytest.mark.parametrize(
    ("said", "spoken", "answer"),
    [
        ("meant", SPOKEN_FROM, ("small", False)),
        ("meant", SPOKEN_FROM - 1e-6, (None, False)),
        ("ambiguous", SPOKEN_FROM, (None, True)),
        ("ambiguous", SPOKEN_FROM - 1e-6, (None, False)),
        ("not_this", 1.0, (None, False)),
        ("any", 1.0, (None, False)),
    ],
)
def test_a_slot_question_is_answered_where_the_turn_speaks_of_the_slot(
    asked_of: Callable[[str, float], SlotValues], said: str, spoken: float, answer: tuple[str | None, bool]
) -> None:
    found = asked_of(said, spoken)
    assert (found.value, found.ambiguous) == answer
    assert found.not_mentioned == pytest.approx(1 - spoken)
    shares = np.exp([3.0, 2.0, 0.0]) / np.exp([3.0, 2.0, 0.0]).sum()
    assert found.probabilities == pytest.approx(tuple(spoken * shares), rel=1e-4)


@pytest.fixture
def asked_of(reader: MeaningReader, scores: MeaningScores, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, float], SlotValues]:
    """The answer to a question about the size, where the networks say this of it, and so likely that the turn speaks of it."""
    size = CAMP.slot("size")

    def answer(said: str, spoken: float) -> SlotValues:
        monkeypatch.setattr(reader, "score", lambda asked: [saying(scores, said)])
        monkeypatch.setattr(reader, "spoken", lambda each, slot: spoken)
        question = SlotQuestion(Dialogue.of(TEXT), size.name, size.description, size.values)
        return MeaningSlotResolver(reader).predict([question])[0]

    return answer
