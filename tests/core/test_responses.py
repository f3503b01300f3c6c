from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware.responses.checks import ResponseChecks
from grice.middleware.responses.settings import ResponseSettings
from grice.middleware.responses.softening import CheckedSoftener, Unsoftened, still_the_bot
from grice.middleware.turns.analysis import Finding
from grice.middleware.turns.guard import Guard
from grice.models import Behaviors, Dialogue, Rewrite, Turn, UserFrustration
from grice.models.errors import InputError, SettingsError
from grice.models.results import BEHAVIORS

ASKED = Dialogue.of("Tell me your phone number.", [Turn("user", "Book it.")], "bot")


class Softener:
    """Gives one answer, or fails."""

    def __init__(self, answer: Rewrite | Exception) -> None:
        self.answer = answer

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return [self.answer] * len(dialogues)


class Monitor:
    """Finds what it is told to, and remembers what it was asked."""

    def __init__(self, **probabilities: float | None) -> None:
        self.found = Behaviors({name.replace("not_", "!"): value for name, value in probabilities.items()})  # type: ignore[misc]
        self.asked: list[Dialogue] = []

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        self.asked += dialogues
        return [self.found] * len(dialogues)


def softened(text: str, confidence: float = 0.9, **more: Any) -> ResponseChecks:
    return ResponseChecks(Softener(Rewrite(text, confidence, 5, **more)))


def test_nothing_is_done_without_models() -> None:
    checked = ResponseChecks().check(ASKED)
    assert checked.text == checked.original == ASKED.last.text
    assert (checked.rewrite, checked.behaviors, checked.exceeded, checked.failures) == (None, None, (), ())


def test_a_trusted_softer_form_is_used_and_is_what_is_scored() -> None:
    monitor = Monitor(not_Rel=0.4)
    softener = Softener(Rewrite("Could you tell me your phone number?", 0.9, 8))
    checked = ResponseChecks(softener, monitor).check(ASKED)
    assert checked.text == "Could you tell me your phone number?"
    assert checked.behaviors == monitor.found
    (asked,) = monitor.asked
    assert asked.turns == (Turn("user", "Book it."), Turn("bot", checked.text))


@pytest.mark.parametrize(
    "checks",
    [
        softened("Could you tell me your phone number?", confidence=0.5),
        softened("Could you tell me your phone number?", finished=False),
        softened("Could you tell me your phone number?", text_cut=True),
        softened("Could you tell me your phone number by 9:30?"),
        softened("tell me your phone number"),
        softened("  "),
        softened("!?"),
    ],
)
def test_a_softer_form_that_is_not_trusted_is_told_and_not_used(checks: ResponseChecks) -> None:
    checked = checks.check(ASKED)
    assert checked.text == ASKED.last.text
    assert checked.rewrite is not None
    assert checked.failures == ()


def test_softening_can_be_left_out() -> None:
    checked = softened("Could you tell me your phone number?").check(ASKED, soften=False)
    assert (checked.text, checked.rewrite) == (ASKED.last.text, None)


def test_a_softener_that_fails_leaves_the_monitor_at_work() -> None:
    monitor = Monitor(Red=0.2)
    checked = ResponseChecks(Softener(RuntimeError("broken")), monitor).check(ASKED)
    assert (checked.text, checked.behaviors) == (ASKED.last.text, monitor.found)
    assert [(failure.stage, failure.error, failure.message) for failure in checked.failures] == [
        ("softener", "RuntimeError", "broken")
    ]


def test_thresholds_count_what_was_scored() -> None:
    monitor = Monitor(not_Rel=0.8, Red=0.5, Ign=None)
    thresholds = {"!Rel": 0.79, "Red": 0.5, "Ign": 0.0, "!Fac": 0.0}
    checked = ResponseChecks(monitor=monitor, thresholds=thresholds).check(ASKED)  # type: ignore[arg-type]
    assert checked.exceeded == ("!Rel",)


def test_a_monitor_of_the_wrong_length_is_a_failure() -> None:
    class Empty:
        def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
            return []

    checked = ResponseChecks(monitor=Empty(), thresholds={"!Rel": 0.0}).check(ASKED)
    assert [(failure.stage, failure.error) for failure in checked.failures] == [("monitor", "ModelError")]
    assert checked.exceeded == ()


def test_what_is_shown_is_a_matter_of_the_monitors_own_thresholds() -> None:
    monitor = Monitor(not_Rel=0.8, Red=0.5, Ign=None)
    assert ResponseChecks(monitor=monitor, thresholds={"Red": 0.1}).check(ASKED).shown is None
    monitor.thresholds = {"!Rel": 0.81, "Red": 0.5, "Ign": 0.0}  # type: ignore[attr-defined]
    checked = ResponseChecks(monitor=monitor).check(ASKED)
    assert (checked.shown, checked.exceeded) == (("Red",), ())


def test_thresholds_that_cannot_be_used_leave_the_scores() -> None:
    monitor = Monitor(not_Rel=0.8)
    monitor.thresholds = ["!Rel"]  # type: ignore[attr-defined]
    checked = ResponseChecks(monitor=monitor, thresholds={"!Rel": 0.5}).check(ASKED)
    assert (checked.behaviors, checked.exceeded, checked.shown) == (monitor.found, ("!Rel",), None)
    assert [(failure.stage, failure.error) for failure in checked.failures] == [("monitor", "AttributeError")]


def test_evidence_is_a_turn_before_the_response() -> None:
    monitor = Monitor()
    monitor.found = Behaviors({"Red": 0.9}, {"Red": 0})
    checked = ResponseChecks(monitor=monitor).check(ASKED)
    assert checked.evidence == {"Red": Turn("user", "Book it.")}
    monitor.found = Behaviors({"Red": 0.9}, {"Red": 1})
    checked = ResponseChecks(monitor=monitor, thresholds={"Red": 0.5}).check(ASKED)
    assert (checked.behaviors, checked.evidence, checked.exceeded) == (None, {}, ())
    assert [(failure.stage, failure.error) for failure in checked.failures] == [("monitor", "ModelError")]


@pytest.mark.parametrize(("deadline_ms", "of_service"), [(300, 200), (1, 1), (600_000, 60_000)])
def test_a_service_has_two_thirds_of_the_deadline(deadline_ms: int, of_service: int) -> None:
    keys = {"monitor": "http", "url": "http://127.0.0.1:8300", "api_key": "sesame", "deadline_ms": deadline_ms}
    settings = ResponseSettings.of(keys)
    assert settings.remote.deadline_ms == of_service
    assert settings.remote.api_key == "sesame"
    assert "sesame" not in repr(settings)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"monitor": "http"}, "setting url: got ''; allowed: the address of the service"),
        ({"monitor": "local", "url": "http://127.0.0.1"}, "setting url: got 'a value'; allowed: only with monitor: http"),
        ({"behaviors_model": "behaviors"}, "setting behaviors_model: got 'a value'; allowed: only with monitor: local"),
        ({"monitor": "my_bot.load", "counted": True}, "setting counted: got 'a value'; allowed: only with monitor: http"),
    ],
)
def test_keys_belong_to_a_kind_of_monitor(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        ResponseSettings.of(keys)
    assert message in str(caught.value)


def test_behaviors_have_all_nine_labels() -> None:
    found = Behaviors({"!Rel": 0.3})
    assert tuple(found.probabilities) == BEHAVIORS
    assert (found.probabilities["!Rel"], found.probabilities["Emp"]) == (0.3, None)
    assert found == Behaviors({"!Rel": 0.3, "Emp": None})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Rel": 0.3}, "behavior: got 'Rel'; allowed: Emp, !Emp, !Com, !Fac, !Sel, !Par, Red, Ign, !Rel"),
        ({"!Rel": 1.3}, "probability of !Rel: got 1.3; allowed: 0 to 1, or None"),
        ({"!Rel": float("nan")}, "probability of !Rel: got nan"),
    ],
)
def test_behaviors_that_cannot_be(given: dict[Any, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Behaviors(given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("response", "softer"),
    [
        ("Shall I book the table?", "I need to book the table."),
        ("Shall I book the table?", "The table is there to be booked."),
        ("I recommend Saffron Cellar.", "Can you recommend Saffron Cellar?"),
        ("What area would you like?", "I am looking for an area, which one?"),
        ("Which hotel do you want?", "Could you find me a hotel, please?"),
        ("Please give me your post code.", "I think that sounds great. Could you please give me your post code?"),
        ("There is a table at Saffron Cellar.", "My table at Saffron Cellar would be nice."),
    ],
)
def test_a_softer_form_that_is_no_longer_the_bots(response: str, softer: str) -> None:
    assert not still_the_bot(response, softer)


@pytest.mark.parametrize(
    ("response", "softer"),
    [
        ("Shall I book the table?", "Would it suit you if I booked the table?"),
        ("Tell me your phone number.", "Your phone number would be helpful."),
        ("I would like to know the day.", "I would like to hear of the day."),
    ],
)
def test_a_softer_form_of_the_bots(response: str, softer: str) -> None:
    assert still_the_bot(response, softer)


def test_a_turn_whose_softer_form_is_not_trusted_stays_and_says_what_was_refused() -> None:
    question = Dialogue.of("Shall I book it for you?", speaker="bot")
    answered = Rewrite("I think that will work. Please book it.", 0.9, 8)
    (found,) = CheckedSoftener(Softener(answered)).predict([question])
    assert found == Unsoftened(question.last.text, 0.9, 8, refused=answered.text)
    softer = Rewrite("Would it suit you if I booked it for you?", 0.9, 8)
    assert CheckedSoftener(Softener(softer)).predict([question]) == [softer]
    same = Rewrite(question.last.text, 0.9, 8)
    assert CheckedSoftener(Softener(same)).predict([question]) == [same]


def test_a_softer_form_that_cannot_be_checked_is_not_trusted() -> None:
    class Broken(Guard):
        def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
            raise RuntimeError("broken")

    softener = CheckedSoftener(Softener(Rewrite("Could you tell me your phone number?", 0.9, 8)), Broken())
    (found,) = softener.predict([ASKED])
    assert (type(found), found.text) == (Unsoftened, ASKED.last.text)


def test_the_user_does_not_speak_in_the_bots_place() -> None:
    checked = softened("I need to book the table?").check(Dialogue.of("Shall I book the table?", speaker="bot"))
    assert checked.text == "Shall I book the table?"


class Detector:
    """Finds every last turn frustrated, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked: list[Dialogue] = []

    def predict(self, dialogues: Sequence[Dialogue]) -> list[UserFrustration]:
        if self.error is not None:
            raise self.error
        self.asked += dialogues
        return [UserFrustration(0.9, True, len(each.turns) - 1) for each in dialogues]


def test_frustration_is_told_of_the_turn_that_is_answered() -> None:
    detector = Detector()
    checked = ResponseChecks(frustration=detector).check(ASKED)
    assert (checked.frustration, checked.answered) == (UserFrustration(0.9, True, 0), Turn("user", "Book it."))
    assert detector.asked == [Dialogue(ASKED.history)]
    assert (checked.text, checked.exceeded, checked.failures) == (ASKED.last.text, (), ())


def test_a_second_response_and_a_first_word_tell_no_frustration() -> None:
    detector = Detector()
    for dialogue in (Dialogue.of("Hello!", (), "bot"), Dialogue.of("Anything else?", ASKED.turns, "bot")):
        checked = ResponseChecks(frustration=detector).check(dialogue)
        assert (checked.frustration, checked.answered) == (None, None)
    assert detector.asked == []


def test_a_detector_that_fails_changes_nothing() -> None:
    checked = ResponseChecks(frustration=Detector(RuntimeError("it broke"))).check(ASKED)
    assert (checked.text, checked.frustration) == (ASKED.last.text, None)
    assert [(each.stage, each.error) for each in checked.failures] == [("frustration", "RuntimeError")]
