"""What the auxiliary networks of the behaviour monitor learn from: other data, and responses spoilt by rule."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from behavior_data_fixtures import write_auxiliary

from grice.models import Turn
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.behaviors import auxiliary
from grice.models.training.behaviors.auxiliary import (
    SPOILT_BY,
    contradicted,
    read_examples,
    spoilt_responses,
    with_persons_swapped,
)
from grice.models.training.behaviors.members import BehaviorRecipe
from grice.models.training.heads import NetworkRecipe

DIALOGUES = [
    [
        Turn("user" if place % 2 else "bot", f"{text} {number}")
        for place, text in enumerate(("I have a boat", "I am tall", "My car is", "A"))
    ]
    + [Turn("bot", f"Fifth of {number}.")]
    for number in range(10, 60)
]


@pytest.mark.parametrize(
    ("statement", "opposite"),
    [
        ("I have a boat.", "I don't have a boat."),
        ("You are not late.", "You are late."),
        ("My house is here.", "My house isn't here."),
        ("Green, green grass.", None),
    ],
)
def test_a_statement_and_its_opposite(statement: str, opposite: str | None) -> None:
    assert contradicted(statement, random.Random(0)) == opposite


def test_another_number() -> None:
    found = contradicted("The 7 dwarfs.", random.Random(0))
    assert found is not None
    assert found != "The 7 dwarfs."
    assert found.startswith("The ")
    assert found.endswith(" dwarfs.")


def test_the_other_speaker_would_say() -> None:
    assert with_persons_swapped("I'm sure my dog likes you.") == "you're sure your dog likes I."


def test_half_of_the_responses_are_spoilt_in_one_way_each() -> None:
    found = list(spoilt_responses(DIALOGUES, 50, random.Random(0)))
    spoilt = [example for example in found if any(example.shares.values())]
    assert len(found) == 50
    assert 10 < len(spoilt) < 40
    assert all(sum(example.shares.values()) == 1 for example in spoilt)
    assert {label for example in spoilt for label, share in example.shares.items() if share} == set(SPOILT_BY)
    for example in found:
        original = f"Fifth of {example.dialogue.turns[0].text.split()[-1]}."
        assert (example.dialogue.last.text == original) == (example not in spoilt)
        assert example.dialogue.last.speaker == "bot"
        if example.shares["redundant"]:
            assert any(turn.text in example.dialogue.last.text for turn in example.dialogue.history if turn.speaker == "bot")


def test_every_data_set_gives_what_it_knows(tmp_path: Path) -> None:
    write_auxiliary(tmp_path)
    shares = [dict(example.shares) for example in read_examples(tmp_path, 5, 0)]
    assert {"breakdown": pytest.approx(2.5 / 3)} in shares
    assert {"breakdown": pytest.approx(0.5 / 3)} in shares
    assert {"self-contradiction": 1.0} in shares
    assert {"self-contradiction": 0.0} in shares
    assert {"attributable": 1.0} in shares
    assert {"attributable": 0.0} in shares
    assert any(set(each) == set(SPOILT_BY) for each in shares)


def test_the_networks_are_kept_until_the_recipe_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_auxiliary(tmp_path)
    encoder, recipe = load_sentence_encoder(), BehaviorRecipe(auxiliary=NetworkRecipe(count=1, hidden=4, epochs=1), spoilt=5)
    first = auxiliary.train_auxiliary(tmp_path, tmp_path / "out", recipe, encoder)
    reads: list[object] = []

    def read(*given: Any) -> Any:
        reads.append(given)
        return read_examples(*given)

    monkeypatch.setattr(auxiliary, "read_examples", read)
    again = auxiliary.train_auxiliary(tmp_path, tmp_path / "out", recipe, encoder)
    assert not reads
    np.testing.assert_array_equal(first.hidden_weights, again.hidden_weights)
    auxiliary.train_auxiliary(tmp_path, tmp_path / "out", BehaviorRecipe(auxiliary=recipe.auxiliary, spoilt=4), encoder)
    assert len(reads) == 1
