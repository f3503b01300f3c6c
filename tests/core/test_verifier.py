"""A rewrite is read before it is told: on a reader of fixed answers, and with the shipped one."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from verifier_fakes import Indirect, Reader, Writer

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.turns.verifier import OfferedRewrite, RewriteVerifier
from grice.models import Dialogue, load_meaning_reader
from grice.models.meaning.menu import ANY_REQUEST
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.results import Directness
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
    assert analysed(Writer("yes", "yes", "yes", "yes", "no"), reader).text == "no"
    assert analysed(Writer("yes", "yes", "yes", "yes", "yes", "no"), reader).reason == "refused"


class ByRewrite(Reader):
    """Gives shares by the rewrite that is read against, whatever the turn."""

    def __init__(self, **shares: float) -> None:
        super().__init__()
        self.shares = shares

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        return [self.found(self.shares.get(each.schema.intents[0].description, 0.0), "none") for each in asked]


def test_of_other_candidates_the_best_verified_one_is_told_whatever_the_rewriter_thinks_of_them() -> None:
    reader = ByRewrite(first=0.1, good=0.85, better=0.95)
    for others in (("good", "better"), ("better", "good")):
        assert analysed(Writer("first", *others), reader).text == "better"
    assert analysed(Writer("first", "first", "good"), reader).text == "good"
    assert analysed(Writer("first", "first", "first"), reader).reason == "refused"


def test_other_candidates_of_several_turns_are_verified_together() -> None:
    asked: list[int] = []

    class Together(ByRewrite):
        def predict(self, questions: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
            asked.append(len(questions))
            return super().predict(questions)

    pipeline = Pipeline(
        Indirect(),
        Writer("first", "good", "better"),
        PipelineSettings(mode="replace"),
        reader=Together(first=0.1, good=0.85, better=0.95),
    )
    assert {found.text for found in pipeline.predict([TURN, Dialogue.of("ah", TURN.history)])} == {"better"}
    assert max(asked) == 4


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


def test_a_rewrite_that_could_not_be_verified_is_not_called_unsupported() -> None:
    class BrokenThen(Reader):
        def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
            if asked[0].schema != ANY_REQUEST:
                raise RuntimeError("broken")
            return super().predict(asked)

    found = analysed(Writer("book it"), BrokenThen())
    assert (found.reason, found.findings, found.rewrite.text) == ("failed", (), "book it")


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


class Plain(Reader):
    """Takes every turn for one that says what it means."""

    def found(self, share: float, act: str) -> TurnMeaning:
        return dataclasses.replace(super().found(share, act), indirect=0.29)


def test_a_turn_that_the_reader_takes_for_direct_passes_and_is_not_rewritten() -> None:
    class Asleep:
        def predict(self, asked: Any, /) -> list[Any]:
            raise AssertionError("the rewriter was asked")

    pipeline = Pipeline(Indirect(), Asleep(), PipelineSettings(mode="replace", on_error="raise"), reader=Plain())
    found = pipeline.predict([TURN, Dialogue.of("ah", TURN.history)])
    assert [(each.decision, each.reason, each.text) for each in found] == [("pass", "direct", "hm"), ("pass", "direct", "ah")]
    assert all(each.rewrite is None and each.directness is not None for each in found)


def test_without_a_verifier_the_directness_scorer_decides_alone() -> None:
    settings = PipelineSettings(mode="replace", verified_from=0.0)
    pipeline = Pipeline(Indirect(), Writer("book it", confidence=0.9), settings, reader=Plain())
    assert pipeline.predict([TURN])[0].text == "book it"


def test_a_direct_turn_is_not_read() -> None:
    class Direct:
        def predict(self, asked: Sequence[Dialogue], /) -> list[Directness]:
            return [Directness(0.9) for _ in asked]

    reader = Noting()
    assert Pipeline(Direct(), Writer("book it"), reader=reader).predict([TURN])[0].reason == "direct"
    assert reader.read == []


@pytest.fixture(scope="module")
def shipped() -> Pipeline:
    return Pipeline.load(PipelineSettings(on_error="raise", deadline_ms=600_000))


@pytest.mark.parametrize(
    ("bot", "turn"),
    [
        ("Any dietary wishes?", "vegan, please"),
        ("Which car shall it be?", "a minibus"),
        ("Crime, poetry or travel?", "poetry I guess"),
        ("Tablets, drops or syrup?", "drops"),
        ("", "Can I pause my membership for two months?"),
        ("", "Put us on the guided tour at three."),
        ("", "Give me a quote for a new boiler."),
    ],
)
def test_an_answer_to_the_bot_s_question_is_direct_in_any_domain_and_so_is_a_request(
    shipped: Pipeline, bot: str, turn: str
) -> None:
    dialogue = Dialogue.of(turn, [("bot", bot)] if bot else [])
    (found,) = shipped.predict([dialogue])
    assert found.directness is not None
    assert found.directness.score < shipped.settings.direct_from
    assert (found.decision, found.reason) == ("pass", "direct")


@pytest.mark.parametrize(
    ("bot", "turn"),
    [
        ("Any dietary wishes?", "I stopped eating anything that had a mother when I was nine"),
        ("Your card ends in 0417. Shall I block it?", "it's at the bottom of the canal, along with my keys"),
        ("", "half of my face has been drumming since two in the morning"),
    ],
)
def test_an_answer_that_only_hints_is_not(shipped: Pipeline, bot: str, turn: str) -> None:
    (found,) = shipped.predict([Dialogue.of(turn, [("bot", bot)] if bot else [])])
    assert found.reason != "direct"
