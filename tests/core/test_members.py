"""How members of an ensemble are weighed, and what an answer takes from probabilities: written out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grice.models import Dialogue, Turn, load_behavior_monitor, load_intention_detector
from grice.models.behaviors.heads import network_inputs, with_auxiliary
from grice.models.behaviors.inputs import read_inputs
from grice.models.directness.scorer import DirectnessModel
from grice.models.face_acts import inputs as face_inputs
from grice.models.face_acts.heads import LEAST, word_shares
from grice.models.manifest import read_manifest
from grice.models.minds import MindQuestion, Option, RoleTurn
from grice.models.minds.labels import MindRole
from grice.models.minds.questions import Task, answer

DIALOGUE = Dialogue.of("I have never been there.", [Turn("bot", "I was there in May."), Turn("user", "Where?")], "bot")
SAID = [("persuader", "Would you give a dollar to our food bank?"), ("persuadee", "I am not sure. What is it for?")]


def test_a_behaviour_is_two_parts_networks_two_parts_trees_and_one_part_words() -> None:
    monitor = load_behavior_monitor()
    heads, inputs = monitor.heads, read_inputs(monitor.encoder, DIALOGUE)
    told = with_auxiliary(inputs, heads.auxiliary)
    networks, words = heads.networks.predict(network_inputs(told)), heads.words.predict(told.words)
    trees = heads.forest.predict(heads.forest_inputs(told))
    np.testing.assert_allclose(heads.mean(inputs), 0.4 * networks + 0.4 * trees + 0.2 * words, rtol=1e-5)
    odds = np.log(heads.mean(inputs) / (1 - heads.mean(inputs)))
    curve = 1 / (1 + np.exp(-(heads.slope * odds + heads.offset)))
    found = monitor.predict([DIALOGUE])[0].probabilities
    np.testing.assert_allclose(np.array([*found.values()], float), curve, rtol=1e-4)


def test_face_acts_are_mixed_with_the_weights_that_were_fitted() -> None:
    detector = load_intention_detector()
    heads, inputs = detector.heads, face_inputs.read_inputs(detector.encoder, SAID)  # type: ignore[arg-type]
    possible = heads.possible[inputs.persuadees] > 0
    networks, words = heads.networks.predict(inputs.turns, possible), word_shares(heads.words, inputs, possible)
    logs = [np.log(np.clip(each, LEAST, 1)) for each in (networks, words)]
    values = np.where(possible, heads.mixing[0] * logs[0] + heads.mixing[1] * logs[1] + heads.offsets, -np.inf)
    shares = np.exp(values) / np.exp(values).sum(1, keepdims=True)
    np.testing.assert_allclose(heads.probabilities(inputs), shares, rtol=1e-4, atol=1e-6)


def test_a_face_act_is_chosen_with_the_leaning_that_was_fitted() -> None:
    heads = load_intention_detector().heads
    probabilities = np.array([[0.5, 0.44, *[0.01] * 6]], np.float32)
    none, second = np.zeros(8, np.float32), np.array([0, 0.2, *[0] * 6], np.float32)  # 0.44 times e to 0.2 is more than 0.5
    assert heads.leaning.any()
    assert replace(heads, leaning=none).labels(probabilities).tolist() == [0]
    assert replace(heads, leaning=second).labels(probabilities).tolist() == [1]


@pytest.mark.parametrize("times", [0.0, 1.0, 2.0])
def test_directness_is_on_the_curve_of_the_manifest(times: float) -> None:
    manifest = read_manifest("directness")
    curve = manifest.settings["calibration"]

    def odds(factor: float) -> float:
        settings = {**manifest.settings, "calibration": {name: factor * value for name, value in curve.items()}}
        (found,) = DirectnessModel(replace(manifest, settings=settings)).predict([Dialogue.of("Find me a bakery.")])
        return float(np.log(found.score / (1 - found.score)))

    assert odds(times) == pytest.approx(times * odds(1.0), rel=1e-4, abs=1e-6)


def asked(task: Task, role: MindRole, labels: tuple[str, ...]) -> MindQuestion:
    options = tuple(Option(chr(ord("A") + number), label, label) for number, label in enumerate(labels))
    return MindQuestion("1/1/0", task, "1", (RoleTurn(role, "Hm."),), "", "Hm.", 0, options, frozenset("A"))


FINE = asked("fine-intention-seeker", "seeker", ("like", "first-query", "further-query", "other"))
COARSE = asked("coarse-intention-seeker", "seeker", ("give-feedback", "ask-for-recommendation", "other"))


@pytest.mark.parametrize(
    ("shares", "fine", "coarse"),
    [
        ((0.4, 0.3, 0.2, 0.1), {"first-query"}, {"ask-for-recommendation"}),
        ((0.6, 0.2, 0.1, 0.1), {"like"}, {"give-feedback"}),
        ((0.3, 0.1, 0.1, 0.5), {"other"}, {"other"}),
    ],
)
def test_fine_and_coarse_questions_about_a_turn_get_one_answer(shares: tuple[float, ...], fine: set[str], coarse: set[str]) -> None:
    """The most probable coarse set decides, and of the fine ones that imply it the most probable."""
    labels = ("like", "first-query", "further-query", "other")
    probabilities = {frozenset({label}): share for label, share in zip(labels, shares, strict=True)}
    assert FINE.labels_of(answer(FINE, probabilities)) == fine
    assert COARSE.labels_of(answer(COARSE, probabilities)) == coarse
