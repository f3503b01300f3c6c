"""Without a menu: what a turn replies to the bot is told, and our rewriter is not asked about what it has not learnt."""

from collections.abc import Sequence
from typing import Any

import pytest
from verifier_fakes import Indirect, Writer

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.reply_rewriter import REPLY_FROM, ReplyRewriter
from grice.models import Dialogue, Rewriter
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning

TURN = Dialogue.of("hm", [("bot", "Your passport runs out this summer. Shall I renew it for you now?")])
SURE = REPLY_FROM + 0.05


class Reader:
    """Reads the turn as an act or as a request, and all else as it says."""

    def __init__(self, name: str, sure: float, indirect: float = 0.9) -> None:
        self.name, self.sure, self.indirect = name, sure, indirect

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        kind: Any = "intent" if self.name == "request" else "act"
        found = TurnMeaning(
            kind, self.name, self.sure, 0.5, (PossibleMeaning(kind, self.name, 0.8),), (), 0.0, self.indirect, None, ()
        )
        return [found for _ in asked]


class OfTowns(Rewriter):
    """Ours, and must not be asked."""

    def __init__(self) -> None:
        """Nothing is loaded."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Any]:
        raise AssertionError(dialogues)

    candidates = predict


@pytest.mark.parametrize(
    ("reader", "told"),
    [
        (Reader("yes", SURE), "Yes."),
        (Reader("no", SURE), "No."),
        (Reader("not-yet", SURE), "Not yet."),
        (Reader("yes-but", SURE), "Yes, but: hm"),
        (Reader("yes", REPLY_FROM - 0.05), None),
        (Reader("yes", SURE, indirect=0.2), None),
        (Reader("request", 0.99), None),
        (Reader("answer", 0.99), None),
        (Reader("courtesy", 0.99), None),
        (Reader("none", 0.99), None),
    ],
)
def test_what_is_told(reader: Reader, told: str | None) -> None:
    (found,) = ReplyRewriter(reader).predict([TURN])
    assert (found.rewrite.text if found.rewrite else None) == told
    assert found.is_direct == (reader.indirect < 0.3)
    assert found.act == ("" if reader.name == "request" else reader.name)


@pytest.mark.parametrize(
    ("reader", "decision", "reason", "text"),
    [
        (Reader("no", SURE), "rewrite", "indirect", "No."),
        (Reader("no", SURE, indirect=0.1), "pass", "direct", "hm"),
        (Reader("no", 0.1), "pass", "unknown", "hm"),
        (Reader("request", 0.99), "pass", "unknown", "hm"),
    ],
)
def test_of_no_town_our_rewriter_is_not_asked(reader: Reader, decision: str, reason: str, text: str) -> None:
    pipeline = Pipeline(Indirect(), OfTowns(), PipelineSettings(mode="replace", on_error="raise"), reader=reader)
    (found,) = pipeline.predict([TURN])
    assert (found.decision, found.reason, found.text) == (decision, reason, text)


def test_a_rewriter_of_ones_own_is_asked_where_no_reply_is_sure() -> None:
    def text(reader: Reader) -> str:
        pipeline = Pipeline(Indirect(), Writer("please wait"), PipelineSettings(mode="replace"), reader=reader)
        (found,) = pipeline.predict([TURN])
        assert found.rewrite is not None
        return found.rewrite.text

    assert text(Reader("no", SURE)) == "No."
    assert text(Reader("no", 0.1)) == "please wait"


@pytest.mark.parametrize("asked", ["Shall I book you a hotel, or would you rather go on to the next place?", "Shall I renew it?"])
def test_of_a_town_and_in_few_words_our_rewriter_is_asked(asked: str) -> None:
    town = Dialogue.of("hm", [("bot", asked)])
    pipeline = Pipeline(Indirect(), OfTowns(), PipelineSettings(on_error="raise"), reader=Reader("no", 0.1))
    with pytest.raises(AssertionError):
        pipeline.predict([town])
