"""A frustrated user on the way from the monitor to results, rates, metrics and alerts; it raises no alarm by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from scored_fixtures import NOON, scored

from grice.middleware.alerts.alert import Alert
from grice.middleware.alerts.alerts import Alerts
from grice.middleware.alerts.examples import QuotedResponses
from grice.middleware.alerts.firing import MemoryFiring
from grice.middleware.alerts.formats import WebhookTarget
from grice.middleware.alerts.rule_file import DEFAULT_RULES
from grice.middleware.alerts.rules import ThresholdRule
from grice.middleware.events.event import DialogueEvent
from grice.middleware.monitor import Monitor, MonitorSettings, ResponseReport, ScoredResponse
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.monitor.scored_response import Frustration, ResponseOrigin
from grice.middleware.rates import MemoryRates, Rate
from grice.middleware.service.watch.alarms import Alarms
from grice.middleware.service.watch.wire import wire_alarm
from grice.middleware.stream.scoring import ScoredEvent, score
from grice.models import Dialogue, Turn
from grice.models.errors import SettingsError
from grice.models.relations import FRUSTRATION
from grice.models.relations.results import QuotedSpan, RelationFinding, ResponseRelations
from grice.models.results import Behaviors

ANGRY = "I have told you twice already. Let me talk to a human."
SAID = Dialogue(
    (
        Turn("user", "My parcel 88 has not come."),
        Turn("bot", "What is the number of your parcel?"),
        Turn("user", ANGRY),
        Turn("bot", "I'll put you through to a colleague."),
    )
)
SPAN = QuotedSpan("user", 2, 0, 0, len(ANGRY), ANGRY)
SHOWN, CALM = Frustration(0.9, True, ANGRY, SPAN), Frustration(0.1, False)
HOUR = 3600


def response(probability: float | None, shown: bool, alarm: bool = False) -> ScoredResponse:
    findings = (RelationFinding(FRUSTRATION, probability, SPAN, None),) if shown and probability else ()
    relations = ResponseRelations(0.1, alarm, "task", {"Red": 0.1, FRUSTRATION: probability}, None, findings, ())
    origin = ResponseOrigin("e", "d", NOON, None, None, None)
    return ScoredResponse.of(ResponseReport(Behaviors(), relations=relations), SAID, object(), origin)


@pytest.mark.parametrize(
    ("probability", "shown", "told"),
    [(0.9, True, SHOWN), (0.1, False, CALM), (None, False, None)],
    ids=["shown", "calm", "not read"],
)
def test_it_travels_apart_from_faults(probability: float | None, shown: bool, told: Frustration | None) -> None:
    found = response(probability, shown)
    assert found.user_frustration == told
    assert (found.faults, found.is_alarming) == ((), False)
    assert ScoredResponse.from_json(found.to_json()) == found
    assert ("user_frustration" in json.loads(found.to_json())) is (told is not None)


def test_an_alarm_tells_it_on_the_wire() -> None:
    alarms = Alarms(5)
    alarms.add([response(0.9, True, alarm=True), response(None, False, alarm=True)])
    first, second = (wire_alarm(each).model_dump()["user_frustration"] for each in alarms.after(None))
    assert (first["words"], first["words_span"]["place"], first["words_span"]["end"]) == (ANGRY, 2, len(ANGRY))
    assert second is None


def many(shown: int, calm: int, unread: int, **changes: Any) -> list[ScoredResponse]:
    kinds = [SHOWN] * shown + [CALM] * calm + [None] * unread
    return [scored(alarm=False, user_frustration=each, **changes) for each in kinds]


def test_it_is_counted_of_those_where_it_was_read() -> None:
    rates = MemoryRates()
    rates.add([*many(2, 3, 4), *many(1, 0, 0, bot_version="2")])
    assert rates.user_frustration(HOUR, NOON) == [Rate(FRUSTRATION, None, None, 3, 6, unscored=4)]
    by_version = rates.user_frustration(HOUR, NOON, by=["bot_version"])
    assert by_version == [Rate(FRUSTRATION, "2", None, 1, 1), Rate(FRUSTRATION, "unknown", None, 2, 5, unscored=4)]
    assert rates.alarms(HOUR, NOON) == [Rate("alarm", None, None, 0, 10)]
    assert FRUSTRATION not in [rate.behavior for rate in rates.rates(HOUR, NOON)]


def test_metrics_count_it() -> None:
    metrics = MonitorMetrics(CollectorRegistry())
    for each in many(1, 2, 3):
        metrics.response(each)
    found = {
        result: metrics.registry.get_sample_value(
            "grice_user_frustration_total", {"result": result, "bot_version": "unknown", "channel": "unknown"}
        )
        for result in ("shown", "not_shown", "unscored")
    }
    assert found == {"shown": 1, "not_shown": 2, "unscored": 3}
    assert metrics.registry.get_sample_value("grice_alarms_total", {"setting": "unknown"}) == 0


class Uncounted:
    def alert(self, rule: str, state: str) -> None: ...

    def check(self, outcome: str) -> None: ...

    def rules(self, names: object) -> None: ...

    def firing(self, count: object) -> None: ...


def checked(*rules: Any) -> list[Alert]:
    """What the rules tell of an hour in which every fifth user was frustrated."""
    rates, told = MemoryRates(), list[Alert]()
    rates.add(many(40, 160, 300))
    Alerts(rules, rates, MemoryFiring(), told.append, Uncounted()).check(NOON)  # type: ignore[arg-type]
    return told


def test_a_rule_counts_it_and_quotes_users() -> None:
    (alert,) = checked(ThresholdRule("users", (), HOUR, above=0.1, source=FRUSTRATION))
    assert (alert.behavior, alert.state, alert.shown, alert.scored) == (FRUSTRATION, "firing", 40, 200)
    examples = QuotedResponses(1)
    for each in many(1, 5, 5):
        examples.add(each)
    (example,) = examples.of(alert)
    assert (example.text, example.evidence) == ("A secret text.", ANGRY)
    for url in ("https://x/", "slack+https://x/", "pagerduty+https://key@x/"):
        assert FRUSTRATION.encode() in WebhookTarget.of(url).body(alert)
    assert b"frustrated users" in WebhookTarget.of("slack+https://x/").body(alert)


def test_no_rule_counts_it_by_itself() -> None:
    assert checked(*DEFAULT_RULES) == []


def test_a_rule_about_it_has_no_behaviours() -> None:
    with pytest.raises(SettingsError, match="behaviors of rule users: got 'Red'; allowed: none, as its source is user_frustration"):
        ThresholdRule("users", ("Red",), HOUR, above=0.1, source=FRUSTRATION)


@pytest.mark.parametrize(
    ("settings", "told", "shown"),
    [
        ({}, True, True),
        ({"frustration_threshold": 1.0}, True, False),
        ({"frustration_model": ""}, False, False),
        ({"relations_model": ""}, False, False),
    ],
    ids=["by default", "another threshold", "without it", "without relations"],
)
def test_settings(settings: dict[str, Any], told: bool, shown: bool) -> None:
    (report,) = Monitor.load(MonitorSettings(**settings)).predict([SAID])
    found = Frustration.of(report.relations)
    assert (found is not None, found is not None and found.shown) == (told, shown)


def test_a_threshold_out_of_range() -> None:
    with pytest.raises(SettingsError, match=r"frustration_threshold: got 2; allowed: .*0 to 1"):
        MonitorSettings(frustration_threshold=2)


def test_a_worker_tells_it_in_its_results() -> None:
    event = DialogueEvent("e", "d", "bot", SAID.last.text, NOON)
    (found,) = score(Monitor.load(), [(event, SAID)], 1, lambda _: None)
    assert isinstance(found, ScoredEvent)
    told = json.loads(found.response.to_json())["user_frustration"]
    assert (told["shown"], told["words"], told["words_span"]["place"]) == (True, ANGRY, 2)
