"""When the monitor asks a judge, and what becomes of its answer."""

import logging
from collections.abc import Sequence

import pytest

from grice.middleware.monitor import Escalation, Judgement, Monitor, MonitorSettings
from grice.middleware.monitor.reports import JudgeQuestion, WatchedLabel, dialogue_of
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue
from grice.models.relations.budget import AlarmThresholds
from grice.models.relations.results import QuotedSpan, ResponseRelations
from grice.models.results import BEHAVIORS, Behavior, Behaviors

HALF: dict[Behavior, float] = dict.fromkeys(BEHAVIORS, 0.5)


class Scripted:
    """A model that gives every response the probabilities of its text: "Red=0.9 Ign=0.2"."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        return [self.found(dialogue.last.text) for dialogue in dialogues]

    def found(self, text: str) -> Behaviors:
        if text == "broken":
            raise RuntimeError("broken")
        parts = [part.split("=") for part in text.split() if "=" in part]
        return Behaviors({label: float(value) for label, value in parts})  # type: ignore[misc]


class Oracle:
    """A judge that decides by table, and has no decision where the table has none."""

    def __init__(self, **decisions: bool) -> None:
        self.decisions = decisions
        self.asked: list[tuple[str, WatchedLabel]] = []

    def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
        self.asked += [(dialogue_of(about).last.text, label) for about, label in questions]
        return [self.answer(label) for _, label in questions]

    def answer(self, label: WatchedLabel) -> Judgement:
        name = label.replace("!", "no")
        if name in self.decisions:
            return Judgement(label, self.decisions[name], "because")
        return Judgement(label, None, unscored="the budget of 1 calls an hour is used up", error="BudgetExhausted")


def said(*texts: str) -> list[Dialogue]:
    return [Dialogue.of(text, [("user", "Hello!")], speaker="bot") for text in texts]


def found(**probabilities: float) -> Behaviors:
    return Behaviors({name.replace("no", "!"): value for name, value in probabilities.items()})  # type: ignore[misc]


@pytest.mark.parametrize(
    ("when", "probability", "asks"),
    [
        ("never", 0.5, False),
        ("uncertain", 0.5, True),
        ("uncertain", 0.625, True),
        ("uncertain", 0.375, True),
        ("uncertain", 0.63, False),
        ("uncertain", 0.37, False),
        ("alarming", 0.5, True),
        ("alarming", 1.0, True),
        ("alarming", 0.49, False),
        ("both", 0.99, True),
        ("both", 0.4, True),
        ("both", 0.3, False),
    ],
)
def test_uncertain_and_alarming_behaviours_are_asked_about(when: str, probability: float, asks: bool) -> None:
    rule = Escalation(when, 0.125, ("!Fac",))  # type: ignore[arg-type]
    assert rule.asks(found(noFac=probability), HALF) == (("!Fac",) if asks else ())


def test_only_chosen_behaviours_are_asked_about() -> None:
    everything = Behaviors(dict.fromkeys(BEHAVIORS, 0.5))
    assert Escalation().asks(everything, HALF) == ("!Com", "!Fac", "!Sel", "!Par")
    assert Escalation(behaviors=("Red",)).asks(everything, HALF) == ("Red",)


def test_a_desired_behaviour_is_never_alarming() -> None:
    assert Escalation("alarming", 0.1, ("Emp",)).asks(found(Emp=0.9), HALF) == ()
    assert Escalation("both", 0.1, ("Emp",)).asks(found(Emp=0.55), HALF) == ("Emp",)


@pytest.mark.parametrize(
    ("when", "bad", "asks"),
    [
        ("never", 0.5, False),
        ("uncertain", 0.6, True),
        ("uncertain", 0.7, False),
        ("uncertain", 0.45, False),  # without an alarm there is nothing to take away
        ("alarming", 0.9, True),
        ("alarming", 0.45, False),
        ("both", 0.9, True),
    ],
)
def test_an_alarm_is_asked_about_in_the_same_cases(when: str, bad: float, asks: bool) -> None:
    thresholds = AlarmThresholds({"chat": 0.9, "task": 0.5, "assistant": 0.9}, {})
    about = QuotedSpan("user", 0, 0, 0, 6, "Hello!")
    found = ResponseRelations(bad, bad >= 0.5, "task", {}, about, (), ())
    rule = Escalation(when, 0.125)  # type: ignore[arg-type]
    assert rule.asks_alarm(found, thresholds) is asks
    assert rule.asks_alarm(found, None) is (asks and when != "uncertain")


def test_what_has_no_probability_or_no_threshold_is_not_asked_about() -> None:
    assert Escalation().asks(Behaviors(), HALF) == ()
    assert Escalation().asks(found(noFac=0.5), {}) == ()


def test_the_judge_decides_where_it_is_asked() -> None:
    judge = Oracle(noFac=False, noSel=True)
    monitor = Monitor(Scripted(), HALF, judge, Escalation("both", 0.1))
    first, second, third = monitor.predict(said("!Fac=0.9 Red=0.9", "!Sel=0.45 Emp=0.7", "!Com=0.2"))
    assert judge.asked == [("!Fac=0.9 Red=0.9", "!Fac"), ("!Sel=0.45 Emp=0.7", "!Sel")]
    assert (first.shown, second.shown, third.shown) == (("Red",), ("Emp", "!Sel"), ())
    assert (first.judgements[0].decision, second.judgements[0].decision, third.judgements) == (False, True, ())
    assert (first.suppressed, second.suppressed) == (("!Fac",), ())
    assert first.behaviors is not None
    assert first.behaviors.probabilities["!Fac"] == 0.9
    assert first.failures == second.failures == ()


def test_without_a_decision_the_models_stays_and_the_report_says_why() -> None:
    (report,) = Monitor(Scripted(), HALF, Oracle(noCom=True)).predict(said("!Fac=0.9 !Com=0.45"))
    assert (report.shown, report.suppressed) == (("!Com", "!Fac"), ())
    assert [each.decision for each in report.judgements] == [True, None]
    assert report.failures == (StageFailure("judge", "BudgetExhausted", "!Fac: the budget of 1 calls an hour is used up"),)


class Broken:
    """A judge that breaks its contract."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "error"), [(RuntimeError("quotes the response"), "RuntimeError"), ([], "JudgeError"), (None, "TypeError")]
)
def test_a_judge_that_fails_takes_no_response_with_it(answer: object, error: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reports = Monitor(Scripted(), HALF, Broken(answer)).predict(said("!Fac=0.9", "Red=0.9"))
    assert [report.shown for report in reports] == [("!Fac",), ("Red",)]
    assert reports[0].failures == (StageFailure("judge", error, "!Fac: the judge failed"),)
    assert reports[1].failures == ()
    assert "quotes" not in caplog.text
    assert f"the judge failed: {error}" in caplog.text


def test_undecided_questions_are_logged_by_their_errors_only(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    Monitor(Scripted(), HALF, Oracle(noCom=True)).predict(said("!Fac=0.9 !Com=0.5", "!Par=0.5"))
    assert [record.getMessage() for record in caplog.records] == ["the judge left 2 of 3 questions undecided: BudgetExhausted"]


def test_a_response_that_the_model_failed_on_is_not_judged() -> None:
    judge = Oracle(noFac=True)
    reports = Monitor(Scripted(), HALF, judge).predict(said("broken", "!Fac=0.9"))
    assert judge.asked == [("!Fac=0.9", "!Fac")]
    assert [failure.stage for failure in reports[0].failures] == ["monitor"]
    assert (reports[0].shown, reports[1].shown) == ((), ("!Fac",))


def test_nothing_to_ask_asks_nothing() -> None:
    assert Monitor(Scripted(), HALF, Broken(RuntimeError("asked"))).predict(said("Red=0.9"))[0].failures == ()
    assert Monitor(Scripted(), HALF, Broken(RuntimeError("asked"))).predict([]) == []


def test_the_rule_of_settings() -> None:
    given = MonitorSettings(
        escalate="uncertain", escalate_margin=0.2, escalate_behaviors=("Red", "!Com"), judge_url="http://x", judge_model="m"
    )
    assert Escalation.of(given) == Escalation("uncertain", 0.2, ("!Com", "Red"))
    assert Escalation.of(MonitorSettings()).when == "never"
