"""The audit of accepted rewrites sees what guard and verifier must not let through."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from bench_fixtures import write_data

from grice.benchmarks.direct.guard_audit import AuditedRewrite, added_wishes, audit, rows_of, turned_polarity, unsupported
from grice.middleware import TurnAnalysis
from grice.models import Dialogue, Rewrite, Turn
from grice.models.data.split import part_of

DIALOGUE = Dialogue.of("We would be four, on Tuesday at 12:15", [Turn("bot", "The Golden Pot is in the north.")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Book the Golden Pot for four on Tuesday at 12:15, I would like that.", []),
        ("Book it for 6 at 12:30 please.", ["6", "12:30"]),
        ("Book it for Friday.", ["Friday"]),
        ("Find one in the south please.", ["south"]),
        ("Book the Silver Spoon please.", ["Silver", "Spoon"]),
    ],
)
def test_what_the_dialogue_does_not_have(text: str, expected: list[str]) -> None:
    assert list(dict.fromkeys(unsupported(DIALOGUE, text))) == expected


@pytest.mark.parametrize(
    ("turn", "text", "expected"),
    [
        ("I am between jobs.", "I want a cheap restaurant.", []),  # one may be what the turn hints at
        ("I am between jobs.", "I want a cheap hotel with free parking.", ["price", "parking", "hotel"]),
        ("I have my laptop with me.", "Does it have internet, and what is the phone number?", []),  # internet is spoken of
        ("Tell me about it.", "What is the phone number and the postcode?", ["phone", "postcode"]),
    ],
)
def test_more_than_one_wish_that_nobody_spoke_of_is_added(turn: str, text: str, expected: list[str]) -> None:
    assert added_wishes(Dialogue.of(turn), text) == expected


@pytest.mark.parametrize(
    ("turn", "text", "expected"),
    [
        ("I guess I could ask my wife.", "Yes, I need to book it.", "hesitates"),
        ("That is not what I had in mind.", "Yes, please book it.", "denies"),
        ("I don't have a car.", "No, I don't need parking.", ""),
        ("I can't wait!", "Yes, but not on Monday.", ""),
        ("My mouth is watering.", "Yes, book it please.", ""),
        ("I am not made of money.", "I want something cheap.", ""),  # it agrees to nothing
        ("Let me ask my wife first.", "Please don't book it now.", ""),
        ("Maybe my sister comes along.", "No, book it for four.", ""),
        ("Maybe my sister comes along.", "Now book it for four.", "hesitates"),
    ],
)
def test_a_yes_to_a_turn_that_is_none_is_turned(turn: str, text: str, expected: str) -> None:
    assert turned_polarity(turn, text) == expected


def test_only_accepted_rewrites_are_audited() -> None:
    class Scripted:
        def predict(self, dialogues: Sequence[Dialogue]) -> list[TurnAnalysis]:
            kept = TurnAnalysis("a", "a", "pass", "refused", rewrite=Rewrite("Book it for 9.", 0.9, 5))
            used = TurnAnalysis("a", "b", "rewrite", "indirect", rewrite=Rewrite("Book it for 7.", 0.9, 5))
            fine = TurnAnalysis("a", "b", "rewrite", "indirect", rewrite=Rewrite("That is for four.", 0.9, 5))
            return [kept, used, fine][: len(dialogues)]

    assert audit(Scripted(), [DIALOGUE] * 3, "test") == (2, [AuditedRewrite("Book it for 7.", ("7",), (), "", DIALOGUE.last.text)])


@pytest.mark.parametrize(("split", "parts"), [("dev", {"dev"}), ("ours", {"test"}), ("all", {"train", "dev", "test"})])
def test_the_part_that_is_audited(tmp_path: Path, split: str, parts: set[str]) -> None:
    assert {part_of(row.dialogue_id) for row in rows_of(write_data(tmp_path), split)} == parts
