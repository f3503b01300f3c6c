"""What is read before it is asked for: the same results, and nothing is read twice."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from verifier_fakes import Indirect, Reader, Writer

from grice.middleware import Pipeline, PipelineSettings
from grice.models import Dialogue, load_rewriter
from grice.models.manifest import read_manifest
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import MeaningQuestion
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.schema import BotSchema, IntentSpec

TURN = Dialogue.of("hm", [("bot", "Shall I book it?")])
OTHER = Dialogue.of("I would rather not.", [("bot", "Shall I book it?")])
MENU = BotSchema((IntentSpec("book", "wants it booked"),))


class Ahead(Reader):
    """Notes what is read ahead, and breaks there if it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(hm=(0.9, "none"))
        self.ahead: list[tuple[list[str], int]] = []
        self.error = error

    def read_ahead(self, dialogues: Sequence[Dialogue], menus: Sequence[BotSchema] = (), /) -> None:
        self.ahead.append(([each.last.text for each in dialogues], len(menus)))
        if self.error is not None:
            raise self.error


def pipeline(reader: Any, workers: int, writer: Any = None) -> Pipeline:
    return Pipeline(Indirect(), writer or Writer("book it"), PipelineSettings(mode="replace", workers=workers), reader=reader)


def test_a_lone_turn_is_read_beside_the_rewriter_and_its_rewrite_beside_the_turn() -> None:
    reader = Ahead()
    (found,) = pipeline(reader, 2).predict([TURN])
    assert found.text == "book it"
    assert reader.ahead == [(["hm"], 0), (["hm"], 1)]


@pytest.mark.parametrize(("workers", "turns"), [(1, [TURN]), (2, [TURN, OTHER])])
def test_no_turn_is_read_before_its_rewrite_where_no_core_is_idle(workers: int, turns: list[Dialogue]) -> None:
    reader = Ahead()
    pipeline(reader, workers).predict(turns)
    assert all(menus for _, menus in reader.ahead)


def test_the_reader_reads_while_the_rewriter_writes() -> None:
    meeting = threading.Barrier(2, timeout=10)

    class Slow(Writer):
        def predict(self, asked: Sequence[Dialogue], /) -> list[Any]:
            meeting.wait()
            return super().predict(asked)

    class Meeting(Ahead):
        def read_ahead(self, dialogues: Sequence[Dialogue], menus: Sequence[BotSchema] = (), /) -> None:
            if not menus:
                meeting.wait()

    (found,) = pipeline(Meeting(), 2, Slow("book it")).predict([TURN])
    assert found.decision == "rewrite"


def test_a_reader_that_breaks_beside_the_rewriter_does_not_fail_it() -> None:
    class Once(Ahead):
        def read_ahead(self, dialogues: Sequence[Dialogue], menus: Sequence[BotSchema] = (), /) -> None:
            if not menus:
                raise RuntimeError("broken")

    (found,) = pipeline(Once(), 2).predict([TURN])
    assert (found.decision, found.failures) == ("rewrite", ())


def test_what_runs_meanwhile_is_waited_for_and_does_not_run_on_one_worker() -> None:
    done: list[str] = []
    assert Workers(2).meanwhile(lambda: 1, lambda: done.append("other")) == 1
    assert done == ["other"]
    assert Workers(1).meanwhile(lambda: 2, lambda: done.append("not this")) == 2
    assert done == ["other"]


def test_a_read_ahead_turn_is_not_read_again_and_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, ahead = (MeaningReader(read_manifest("meaning", "meaning"), Runtime(workers=count)) for count in (1, 2))
    questions = [MeaningQuestion(each, MENU) for each in (OTHER, Dialogue.of("That would make my day."))]
    plain = alone.predict(questions)
    ahead.read_ahead([each.dialogue for each in questions], [MENU])
    runs: list[str] = []
    original = Session.run

    def run(session: Session, *given: Any) -> list[Any]:
        runs.append(session.path.name)
        return original(session, *given)

    monkeypatch.setattr(Session, "run", run)
    assert ahead.predict(questions) == plain
    assert [name.partition(".")[0] for name in runs] == ["joint", "joint"]
    runs.clear()
    alone.read_ahead([Dialogue.of("Heights make me dizzy.")])
    assert runs == []


def test_alternatives_are_searched_without_encoding_the_turn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rewriter = load_rewriter()
    turn = Dialogue.of("We have never liked cold water much.")
    runs: list[Session] = []
    original = Session.run

    def run(session: Session, *given: Any) -> list[Any]:
        runs.append(session)
        return original(session, *given)

    monkeypatch.setattr(Session, "run", run)
    rewriter.predict([turn])
    (found,) = rewriter.candidates([turn])
    assert runs.count(rewriter.generator.encoder) == 1
    monkeypatch.undo()
    assert rewriter.candidates([Dialogue.of(f"{number}?") for number in range(5)] + [turn])[-1] == found


def test_a_prepared_pipeline_has_read_the_acts_that_stand_beside_every_rewrite(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = MeaningReader(read_manifest("meaning", "meaning"), Runtime(workers=1))
    prepared = Pipeline(Indirect(), Writer("book it"), PipelineSettings(workers=1, deadline_ms=1), reader=reader)
    prepared.prepare([Dialogue.of("Hello.")])
    runs: list[str] = []
    original = Session.run

    def run(session: Session, *given: Any) -> list[Any]:
        runs.append(session.path.name.partition(".")[0])
        return original(session, *given)

    monkeypatch.setattr(Session, "run", run)
    reader.predict([MeaningQuestion(TURN, BotSchema((IntentSpec("rewrite", "book it"),)))])
    assert runs == ["trunk", "trunk", "joint"]
