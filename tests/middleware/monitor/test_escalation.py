"""The monitor with a judge behind it, from the response to the report, against a real server on loopback."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import threading
from collections.abc import Iterator

import pytest
from fake_models import FakeBehaviors
from loopback_server import hanging
from openai_server import OpenAiServer, Script, chat, openai_server, refusing
from redis_process import RedisServer
from relation_fixtures import WRONG, WordReader

from grice.middleware.judge import LlmJudge, open_judge
from grice.middleware.monitor import Escalation, Monitor, MonitorSettings, ResponseReport, ScoredResponse
from grice.middleware.monitor.scored_response import ResponseOrigin
from grice.models.dialogue import Dialogue
from grice.models.relations.results import RelationQuestion
from grice.models.results import BEHAVIORS

YES, NO = "Reasoning: so it is.\nDecision: [YES]", "Reasoning: it is not.\nDecision: [NO]"
PRIVATE = "Wendelin"


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between the tests and loopback."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def said(*texts: str) -> list[Dialogue]:
    return [Dialogue.of(text, [("user", f"My name is {PRIVATE}.")], speaker="bot") for text in texts]


def monitor_of(settings: MonitorSettings) -> tuple[Monitor, LlmJudge]:
    judge = open_judge(settings)
    assert judge is not None
    return Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), judge, Escalation.of(settings), WordReader()), judge


@contextlib.contextmanager
def watching(script: Script, **settings: object) -> Iterator[tuple[OpenAiServer, Monitor]]:
    """A server with a script, and a monitor that escalates to it."""
    with openai_server(script) as server:
        chosen = MonitorSettings(judge_url=server.url, judge_model="m", judge_workers=1, escalate="both")
        monitor, judge = monitor_of(dataclasses.replace(chosen, **settings))  # type: ignore[arg-type]
        with contextlib.closing(judge.chat):
            yield server, monitor


def why(reports: list[ResponseReport]) -> list[list[str]]:
    return [[failure.error for failure in report.failures] for report in reports]


def test_only_alarming_responses_are_asked_about_and_the_judge_decides() -> None:
    with watching([chat(NO, (100, 10)), chat(YES)], judge_prompt_price=1, judge_completion_price=1) as (server, monitor):
        reports = monitor.predict(said("That is !Fac.", "That is Red.", "That is fine.", "That is !Par."))
    assert [report.shown for report in reports] == [(), ("Red",), (), ("!Par",)]
    assert why(reports) == [[], [], [], []]
    assert [PRIVATE in prompt for prompt in server.prompts] == [True, True]
    (judgement,) = reports[0].judgements
    assert (judgement.behavior, judgement.decision, judgement.reasoning) == ("!Fac", False, "it is not.")
    assert (judgement.prompt_tokens, judgement.cost) == (100, pytest.approx(110e-6))


def test_an_exhausted_budget_is_in_the_report() -> None:
    with watching([chat(NO)], judge_budget_per_hour=1) as (_, monitor):
        reports = monitor.predict(said("That is !Fac.", "That is !Com."))
    assert [report.shown for report in reports] == [(), ("!Com",)]
    assert why(reports) == [[], ["BudgetExhausted"]]
    assert reports[1].failures[0].stage == "judge"
    assert reports[1].failures[0].message == "!Com: the budget of 1 calls an hour is used up"


def test_dollars_are_kept_too() -> None:
    prices: dict[str, object] = {"judge_prompt_price": 1000, "judge_completion_price": 1000}
    with watching([chat(NO, (900, 100))], judge_budget_usd_per_day=0.5, **prices) as (_, monitor):
        reports = monitor.predict(said("That is !Fac.", "That is !Com."))
    assert why(reports) == [[], ["BudgetExhausted"]]


def test_two_workers_share_a_budget_in_redis(redis_server: RedisServer) -> None:
    shared: dict[str, object] = {"judge_budget_per_hour": 1, "judge_budget_store": "redis", "redis_url": redis_server.url}
    with watching([chat(NO)], **shared) as (_, one), watching([], **shared) as (_, other):
        assert why(one.predict(said("That is !Fac."))) == [[]]
        assert why(other.predict(said("That is !Fac."))) == [["BudgetExhausted"]]
        redis_server.kill()
        assert why(other.predict(said("That is !Fac."))) == [["StoreError"]]


def test_a_judge_that_hangs_is_not_waited_for_and_then_not_asked() -> None:
    with watching(lambda _: hanging(threading.Event()), judge_timeout_s=0.3, judge_deadline_s=1.5) as (server, monitor):
        server.healthy = False
        first = monitor.predict(said("That is !Fac.", "That is Ign."))
        second = monitor.predict(said("That is !Fac."))
        asked = len(server.requests)
        third = monitor.predict(said("That is !Fac."))
        assert len(server.requests) == asked
    assert [report.shown for report in (*first, *second, *third)] == [("!Fac",), ("Ign",), ("!Fac",), ("!Fac",)]
    assert why(first) == [["DeadlineExceeded"], []]
    assert why(third) == [["CircuitOpen"]]


def test_answers_without_a_decision_leave_the_models() -> None:
    with watching([chat("Hard to say."), chat(None, refusal="no")]) as (_, monitor):
        reports = monitor.predict(said("That is !Fac.", "That is !Sel."))
    assert [report.shown for report in reports] == [("!Fac",), ("!Sel",)]
    assert [report.failures[0].message for report in reports] == [
        "!Fac: the judge's answer has no decision",
        "!Sel: the judge refused to answer",
    ]


def test_nothing_private_is_logged_or_in_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    quoting = refusing("400 Bad Request", f"{PRIVATE} {PRIVATE}", f"cannot read 'My name is {PRIVATE}' with key topsecret")
    with watching([quoting, chat(f"{PRIVATE} is a name.")], judge_api_key="topsecret") as (_, monitor):
        reports = monitor.predict(said("That is !Fac.", "That is !Sel."))
    failures = [failure for report in reports for failure in report.failures]
    assert len(failures) == 2
    assert "undecided: JudgeError" in caplog.text
    for text in (caplog.text, repr(failures)):
        assert PRIVATE not in text
        assert "topsecret" not in text


def alarms(reports: list[ResponseReport]) -> list[bool | None]:
    return [None if report.relations is None else report.relations.alarm for report in reports]


def test_a_no_takes_an_alarm_away_and_nothing_else_does() -> None:
    with watching([chat(NO), chat(YES), chat("Hard to say.")]) as (server, monitor):
        asked = said(f"All {WRONG}.", f"The gate is {WRONG}.", f"So {WRONG}.", "All grey.")
        reports = monitor.predict(asked)
    assert alarms(reports) == [False, True, True, False]
    assert [report.suppressed for report in reports] == [("alarm",), (), (), ()]
    assert why(reports) == [[], [], ["JudgeError"], []]
    assert "Is anything wrong with the response?" in server.requests[0]["messages"][0]["content"]
    origin = ResponseOrigin("e", "d", 1.0, None, None, None)
    quiet, loud = (ScoredResponse.of(reports[place], asked[place], monitor.model, origin) for place in (0, 1))
    assert (quiet.is_alarming, quiet.judged, quiet.suppressed) == (False, {"alarm": False}, ("alarm",))
    assert (loud.is_alarming, loud.judged, loud.suppressed) == (True, {"alarm": True}, ())
    assert ScoredResponse.from_json(quiet.to_json()) == quiet


def test_the_judge_of_an_alarm_reads_what_the_bot_knew() -> None:
    known = RelationQuestion(said(f"All {WRONG}.")[0], ("The shed is <green>.",), ({"roof": "grey"},), ("Be brief.",), "task")
    with watching([chat(NO)]) as (server, monitor):
        (report,) = monitor.predict([known])
    assert report.suppressed == ("alarm",)
    assert '"known": {"documents": ["The shed is \\u003cgreen\\u003e."], "facts": [{"roof": "grey"}]' in server.prompts[0]
    assert '"policy": ["Be brief."]' in server.prompts[0]


def test_where_only_the_uncertain_is_asked_about_a_clear_alarm_stands() -> None:
    with watching([chat(NO)], escalate="uncertain") as (_, monitor):
        reports = monitor.predict(said(f"All {WRONG}.", f"All {WRONG}, so {WRONG}."))  # 0.6 and 1.0; alarms begin at 0.5
    assert alarms(reports) == [False, True]
