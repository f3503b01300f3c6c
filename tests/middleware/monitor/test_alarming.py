"""What is worth an alarm: what the reader of relations says where it was asked, otherwise any undesired behaviour."""

from __future__ import annotations

import json

import pytest

from grice.middleware.monitor import ResponseReport, ScoredResponse
from grice.middleware.monitor.scored_response import Fault, ResponseOrigin
from grice.middleware.service.watch.alarms import Alarms
from grice.middleware.service.watch.wire import wire_alarm
from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.results import QuotedSpan, RelationFinding, RelationQuestion, ResponseRelations
from grice.models.results import Behavior, Behaviors

DIALOGUE = Dialogue(
    (Turn("user", "Is it open on Sunday?"), Turn("bot", "It is closed on Sundays."), Turn("bot", "Come on Sunday!"))
)
ABOUT = QuotedSpan("bot", 1, 0, 6, 12, "closed")
FINDING = RelationFinding("!Sel", 0.9, ABOUT, QuotedSpan("response", 2, 0, 0, 15, "Come on Sunday!"))
KIND = RelationFinding("Emp", 0.8, None, None)


def scored(shown: tuple[Behavior, ...], alarm: bool | None) -> ScoredResponse:
    relations = None
    if alarm is not None:
        relations = ResponseRelations(0.9, alarm, "task", {"!Sel": 0.9}, ABOUT, (FINDING, KIND), ())
    report = ResponseReport(Behaviors(), shown, relations=relations)
    return ScoredResponse.of(report, DIALOGUE, object(), ResponseOrigin("e", "d", 1.0, None, None, None))


@pytest.mark.parametrize(
    ("shown", "alarm", "alarming"),
    [(("Red",), None, True), (("Emp",), None, False), (("Red",), False, False), ((), True, True), ((), None, False)],
)
def test_relations_decide_where_they_are_read(shown: tuple[Behavior, ...], alarm: bool | None, alarming: bool) -> None:
    response = scored(shown, alarm)
    assert response.is_alarming is alarming
    alarms = Alarms(5)
    alarms.add([response])
    assert [each.response for each in alarms.after(None)] == ([response] if alarming else [])


def test_faults_travel_with_their_words_and_without_what_is_good() -> None:
    response = scored((), True)
    assert response.faults == (Fault("!Sel", 0.9, "closed", "Come on Sunday!", ABOUT, FINDING.words),)
    assert ScoredResponse.from_json(response.to_json()) == response


def test_faults_tell_where_their_words_stand() -> None:
    (fault,) = json.loads(scored((), True).to_json())["faults"]
    assert fault["about_span"] == {"kind": "bot", "place": 1, "sentence": 0, "start": 6, "end": 12, "text": "closed"}
    assert (fault["words_span"]["place"], fault["words_span"]["start"], fault["words_span"]["end"]) == (2, 0, 15)
    alarms = Alarms(5)
    alarms.add([scored((), True)])
    (alarm,) = alarms.after(None)
    (shown,) = wire_alarm(alarm).model_dump()["faults"]
    assert shown == fault


def test_faults_of_an_older_version_have_no_places() -> None:
    values = json.loads(scored((), True).to_json())
    for fault in values["faults"]:
        del fault["about_span"], fault["words_span"]
    read = ScoredResponse.from_json(json.dumps(values))
    assert read.faults == (Fault("!Sel", 0.9, "closed", "Come on Sunday!"),)


def test_a_response_without_relations_reads_as_it_always_did() -> None:
    line = scored(("Red",), None).to_json()
    assert "alarm" not in line
    assert "faults" not in line
    assert ScoredResponse.from_json(line).alarm is None


def test_what_the_bot_knew_travels_with_an_alarm_only() -> None:
    known = RelationQuestion(DIALOGUE, ("Closed on Sundays.",), ({"day": "Sunday"},), ("Be kind.",))
    origin = ResponseOrigin("e", "d", 1.0, None, None, None)
    for alarm in (True, False):
        report = ResponseReport(Behaviors(), relations=ResponseRelations(0.9, alarm, "task", {}, ABOUT, (), ()))
        response = ScoredResponse.of(report, known, object(), origin)
        assert response.setting == "task"
        kept = (known.documents, known.facts, known.policy) if alarm else ((), (), ())
        assert (response.documents, response.facts, response.policy) == kept
        assert ScoredResponse.from_json(response.to_json()) == response
