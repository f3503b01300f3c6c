"""A rewrite is read before it is told: on a reader of fixed answers, and with the shipped one."""

from collections.abc import Sequence
from typing import Any

import pytest
from verifier_fakes import Indirect, Reader, Writer

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.verifier import OfferedRewrite, RewriteVerifier
from grice.models import Dialogue, load_meaning_reader
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.runtime.session import Session
from grice.models.schema import BotSchema, IntentSpec

TURN = Dialogue.of("hm", [("bot", "Shall I book it?")])


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


def test_a_mere_reply_passes_however_indirect_it_is_taken_for() -> None:
    pipeline = Pipeline(Indirect(), Writer("No, I do not mind."), PipelineSettings(mode="replace"), reader=Reader())
    found = pipeline.predict(
        [Dialogue.of(text, TURN.history) for text in ("No.", "none", "That is fine", "Not the one by the church")]
    )
    assert [(each.decision, each.reason) for each in found][:3] == [("pass", "direct")] * 3
    assert found[3].rewrite is not None


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


class Noting(Reader):
    """Notes what it is asked to read."""

    def __init__(self, **answers: tuple[float, str]) -> None:
        super().__init__(**answers)
        self.read: list[str] = []

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        self.read += [each.dialogue.last.text for each in asked]
        return super().predict(asked)


@pytest.mark.parametrize(
    ("own", "act", "is_read"),
    [
        (0.79, "none", False),
        (0.81, "none", False),
        (0.1, "answer", True),
        (0.81, "answer", False),
        (0.1, "yes", True),
        (0.81, "yes", True),
    ],
)
def test_a_rewrite_is_read_only_where_it_depends_on_what_it_says(own: float, act: str, is_read: bool) -> None:
    reader = Noting(hm=(own, act), said=(0.9, act))
    (verdict,) = RewriteVerifier(reader, 0.8).predict([OfferedRewrite(TURN, "said")])
    assert reader.read == ["hm", *["said"] * is_read]
    assert verdict.says == (act if is_read else None)
    assert is_read or not verdict.is_contrary
    assert is_read or verdict.share == pytest.approx(own)


def test_a_rewrite_that_only_thanks_is_read() -> None:
    thanks = "Thank you, bye."
    reader = Noting(hm=(0.9, "none"), **{thanks: (0.9, "courtesy")})
    (verdict,) = RewriteVerifier(reader, 0.8).predict([OfferedRewrite(TURN, thanks)])
    assert (reader.read, verdict.is_contrary) == (["hm", thanks], True)


def test_the_share_of_a_rewrite_that_was_not_read_is_the_most_that_it_can_be() -> None:
    mixed = TurnMeaning(
        "unknown",
        "",
        0.5,
        0.1,
        (PossibleMeaning("act", "yes", 0.5), PossibleMeaning("intent", "rewrite", 0.3), PossibleMeaning("act", "no", 0.2)),
        (),
        0.0,
        0.9,
        None,
        (),
    )

    class Mixed(Reader):
        def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
            return [mixed if each.dialogue.last.text == "hm" else self.found(0.9, "no") for each in asked]

    offered = [OfferedRewrite(TURN, "said")]
    (unread,), (read,) = RewriteVerifier(Mixed(), 0.61).predict(offered), RewriteVerifier(Mixed(), 0.6).predict(offered)
    assert (unread.share, unread.says) == (pytest.approx(0.6), None)
    assert (read.share, read.says) == (pytest.approx(0.3), "no")


def test_verdicts_stay_in_order() -> None:
    reader = Noting(hm=(0.9, "yes"), ah=(0.1, "none"))
    offered = [OfferedRewrite(Dialogue.of(turn), f"{turn} said") for turn in ("ah", "hm", "ah", "hm")]
    verdicts = RewriteVerifier(reader, 0.8).predict(offered)
    assert [verdict.says is None for verdict in verdicts] == [True, False, True, False]
    assert reader.read == ["ah", "hm", "ah", "hm", "hm said", "hm said"]


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


def test_a_turn_is_read_once_for_all_its_rewrites() -> None:
    reader = MeaningReader(load_meaning_reader().manifest)
    read: list[int] = []

    class Counting:
        def __init__(self, session: Session) -> None:
            self.session = session

        def run(self, outputs: Sequence[str], feed: Any) -> list[Any]:
            read.append(feed["ids"].shape[1])
            return self.session.run(outputs, feed)

    turn = Dialogue.of(
        "We have two small children with us, and a dog that barks at everybody who comes near the pram.", [("bot", "Yes?")]
    )
    alone = load_meaning_reader().predict([MeaningQuestion(turn, BotSchema((IntentSpec("rewrite", "Find a cot."),)))])
    reader.trunk = Counting(reader.trunk)  # type: ignore[assignment]
    menus = [BotSchema((IntentSpec("rewrite", text),)) for text in ("Find a family room.", "Find a cot.")]
    found = [reader.predict([MeaningQuestion(turn, menu)]) for menu in menus]
    assert read.count(max(read)) == 1  # the turn with its history is the longest text
    assert found[1] == alone
