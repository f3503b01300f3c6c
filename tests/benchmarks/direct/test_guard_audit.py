"""The audit of accepted rewrites sees what a guard must not let through."""

from collections.abc import Sequence

import pytest

from grice.benchmarks.direct.guard_audit import audit, unsupported
from grice.middleware import TurnAnalysis
from grice.models import Dialogue, Rewrite, Turn

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


def test_only_accepted_rewrites_are_audited() -> None:
    class Scripted:
        def predict(self, dialogues: Sequence[Dialogue]) -> list[TurnAnalysis]:
            kept = TurnAnalysis("a", "a", "pass", "refused", rewrite=Rewrite("Book it for 9.", 0.9, 5))
            used = TurnAnalysis("a", "b", "rewrite", "indirect", rewrite=Rewrite("Book it for 7.", 0.9, 5))
            return [kept, used][: len(dialogues)]

    assert audit(Scripted(), [DIALOGUE, DIALOGUE], "test") == (1, [("Book it for 7.", ["7"])])
