"""The shipped behaviour monitor on dialogues of ours."""

import pytest

from grice.models import Dialogue, Turn, load_behavior_monitor
from grice.models.results import BEHAVIORS

PETS = [Turn("user", "Do you have any pets?"), Turn("bot", "I have a dog. Do you have any pets?"), Turn("user", "No, just plants.")]


def said(text: str, history: list[Turn] = PETS) -> dict[str, float]:
    found = load_behavior_monitor().predict([Dialogue.of(text, history, "bot")])[0].probabilities
    return {label: probability for label, probability in found.items() if probability is not None}


def test_every_behavior_has_a_probability() -> None:
    found = said("That is nice!")
    assert list(found) == list(BEHAVIORS)
    assert all(0 < probability < 1 for probability in found.values())


def test_a_repeated_question_is_redundant() -> None:
    assert said("Do you have any pets?")["Red"] > 2 * said("What plants do you have?")["Red"]


def test_comfort_is_empathetic() -> None:
    lost = [Turn("bot", "How are you?"), Turn("user", "My cat died yesterday and I cannot stop crying.")]
    comfort = said("I am so sorry for your loss. That must be very hard for you.", lost)
    cold = said("Okay. What is your favorite movie?", lost)
    assert comfort["Emp"] > 0.5 > cold["Emp"]
    assert cold["!Emp"] > comfort["!Emp"]
    assert cold["Ign"] > comfort["Ign"]


def test_the_earlier_turn_that_is_repeated() -> None:
    found = load_behavior_monitor().predict([Dialogue.of("Do you have any pets?", PETS, "bot")])[0]
    assert PETS[found.evidence["Red"]].text.endswith("Do you have any pets?")
    assert PETS[found.evidence["!Par"]].speaker == "user"
    assert PETS[found.evidence["!Sel"]].speaker == "bot"


def test_a_response_without_history() -> None:
    found = load_behavior_monitor().predict([Dialogue.of("Hello! How are you?", speaker="bot")])[0]
    assert found.evidence == {}
    assert found.history_read == 0


def test_the_same_dialogue_has_the_same_scores_whatever_was_asked_before() -> None:
    first = said("What plants do you have?")
    said("Trains are late again.", [])
    assert said("What plants do you have?") == pytest.approx(first, abs=1e-5)


def test_a_long_history_is_cut() -> None:
    history = [Turn("user" if n % 2 else "bot", f"Message number {n}.") for n in range(60)]
    found = load_behavior_monitor().predict([Dialogue.of("Fine.", history, "bot")])[0]
    assert (found.history_read, found.history_cut) == (40, 20)
