"""A rewrite is read before it is told: on a reader of fixed answers, and with the shipped one."""

from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.verifier import OfferedRewrite, RewriteVerifier
from grice.models import Dialogue, load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.results import Directness, Rewrite

TURN = Dialogue.of("hm", [("bot", "Shall I book it?")])


class Reader:
    """Gives the share of the rewrite and the likeliest act, by the text of the turn."""

    def __init__(self, **answers: tuple[float, str]) -> None:
        self.answers = answers

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        return [self.found(*self.answers.get(each.dialogue.last.text, (0.9, "none"))) for each in asked]

    def found(self, share: float, act: str) -> TurnMeaning:
        possible = (PossibleMeaning("act", act, 1 - share), PossibleMeaning("intent", "rewrite", share))
        return TurnMeaning("unknown", "", 0.5, 0.1, possible, (), 0.0, 0.9, None, ())


class Writer:
    """Rewrites everything alike, and has other candidates."""

    def __init__(self, text: str, *others: str, confidence: float = 0.01) -> None:
        self.texts = (text, *others)
        self.confidence = confidence

    def predict(self, asked: Sequence[Dialogue], /) -> list[Rewrite]:
        return [Rewrite(self.texts[0], self.confidence, 3) for _ in asked]

    def candidates(self, asked: Sequence[Dialogue], /) -> list[list[Rewrite]]:
        return [[Rewrite(text, self.confidence, 3) for text in self.texts[1:]] for _ in asked]


class Indirect:
    """Every turn is."""

    def predict(self, asked: Sequence[Dialogue], /) -> list[Directness]:
        return [Directness(0.2) for _ in asked]


def analysed(writer: Writer, reader: Any, **settings: Any) -> Any:
    pipeline = Pipeline(Indirect(), writer, PipelineSettings(mode="replace", **settings), reader=reader)
    (found,) = pipeline.predict([TURN])
    return found


def test_a_rewrite_that_the_turn_is_read_as_is_told_whatever_the_rewriter_thinks_of_it() -> None:
    found = analysed(Writer("book it"), Reader(hm=(0.81, "none")))
    assert (found.decision, found.reason, found.text) == ("rewrite", "indirect", "book it")
    assert analysed(Writer("book it"), None).reason == "uncertain"
    assert analysed(Writer("book it"), Reader(hm=(0.0, "yes")), verified_from=0.0).reason == "uncertain"
    assert analysed(Writer("book it", confidence=0.9), None).text == "book it"


def test_a_rewrite_that_it_is_not_read_as_is_refused() -> None:
    found = analysed(Writer("book it"), Reader(hm=(0.79, "none")))
    assert (found.decision, found.reason, found.text) == ("pass", "refused", "hm")
    assert [(finding.kind, finding.what, finding.value) for finding in found.findings] == [("added", "meaning", "book it")]
    assert found.rewrite.text == "book it"


def test_another_candidate_that_is_verified_takes_its_place() -> None:
    reader = Reader(hm=(0.81, "no"), yes=(0.9, "yes"), no=(0.9, "no"))
    assert analysed(Writer("yes", "no"), reader).text == "no"
    assert analysed(Writer("yes", "yes", "yes", "no"), reader).reason == "refused"


@pytest.mark.parametrize(
    ("does", "says", "contrary"),
    [
        ("yes", "no", True),
        ("no", "yes", True),
        ("not-yet", "yes", True),
        ("yes-but", "yes", True),
        ("none", "courtesy", True),
        ("courtesy", "courtesy", False),
        ("none", "yes", False),
        ("answer", "answer", False),
        ("not-yet", "not-yet", False),
    ],
)
def test_what_the_rewrite_must_not_do(does: str, says: str, contrary: bool) -> None:
    reader = Reader(hm=(0.8, does), said=(0.9, says))
    (verdict,) = RewriteVerifier(reader).predict([OfferedRewrite(TURN, "said")])
    assert (verdict.does, verdict.says, verdict.is_contrary) == (does, says, contrary)


def test_what_both_do_is_not_counted_against_the_rewrite() -> None:
    (verdict,) = RewriteVerifier(Reader(hm=(0.1, "answer"), said=(0.2, "answer"))).predict([OfferedRewrite(TURN, "said")])
    assert verdict.share == pytest.approx(1.0)
    (verdict,) = RewriteVerifier(Reader(hm=(0.1, "none"), said=(0.2, "none"))).predict([OfferedRewrite(TURN, "said")])
    assert verdict.share == pytest.approx(0.1)


def test_a_reader_that_fails_leaves_the_turn_alone() -> None:
    class Broken:
        def predict(self, asked: Any, /) -> list[Any]:
            raise RuntimeError("broken")

    found = analysed(Writer("book it"), Broken())
    assert (found.decision, found.reason, found.failures[0].stage) == ("pass", "failed", "meaning")


@pytest.mark.parametrize(
    ("bot", "turn", "rewrite"),
    [
        ("Shall I book it?", "Hold on, I should ask my husband first.", "Yes, I need to book it for my wife."),
        ("Shall I book it?", "I would rather not.", "Yes, please book it."),
        ("Would you like the upper deck?", "Heights make me dizzy.", "Yes, the upper deck."),
        ("Is there anything else?", "It is freezing in here.", "Thank you, that is all."),
    ],
)
def test_the_shipped_reader_refuses_what_was_not_meant(bot: str, turn: str, rewrite: str) -> None:
    (verdict,) = RewriteVerifier(load_meaning_reader()).predict([OfferedRewrite(Dialogue.of(turn, [("bot", bot)]), rewrite)])
    assert verdict.is_contrary or verdict.share < PipelineSettings().verified_from


@pytest.mark.parametrize(
    ("bot", "turn", "rewrite"),
    [
        (
            "I am looking for a place to eat. What price range would you like?",
            "I am on a tight budget",
            "I need the cheap price range",
        ),
        ("Shall I book it?", "That would make my day.", "Yes, please book it."),
        ("Would you like the upper deck?", "Heights make me dizzy.", "No, not the upper deck."),
    ],
)
def test_the_shipped_reader_knows_what_was_meant(bot: str, turn: str, rewrite: str) -> None:
    (verdict,) = RewriteVerifier(load_meaning_reader()).predict([OfferedRewrite(Dialogue.of(turn, [("bot", bot)]), rewrite)])
    assert not verdict.is_contrary
    assert verdict.share >= PipelineSettings().verified_from
