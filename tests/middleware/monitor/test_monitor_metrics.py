"""What Prometheus reads of the monitor."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from scored_fixtures import NOON, scored

from grice.middleware.monitor import Judgement
from grice.middleware.monitor.metrics import MAX_NAMES, MonitorMetrics
from grice.middleware.turns.analysis import StageFailure
from grice.models.results import BEHAVIORS

Value = Callable[..., "float | None"]


@pytest.fixture
def metrics() -> MonitorMetrics:
    return MonitorMetrics(CollectorRegistry())


@pytest.fixture
def value(metrics: MonitorMetrics) -> Value:
    return lambda name, **labels: metrics.registry.get_sample_value(name, labels)


def test_a_response_counts_each_behaviour_once(metrics: MonitorMetrics, value: Value) -> None:
    names = {"bot_version": "1.0", "channel": "unknown"}
    metrics.response(scored("Red", bot_version="1.0", probabilities={**scored().probabilities, "!Fac": None}))
    for result, label in (("shown", "Red"), ("unscored", "!Fac"), ("not_shown", "Emp")):
        found = {
            each: value("grice_behaviors_total", behavior=label, result=each, **names)
            for each in ("shown", "not_shown", "unscored")
        }
        assert found == {**dict.fromkeys(found, 0.0), result: 1.0}
    assert value("grice_responses_total", **names) == 1


def test_failures_and_delay_of_a_response(metrics: MonitorMetrics, value: Value) -> None:
    failures = (StageFailure("monitor", "RuntimeError", "a secret"),)
    metrics.response(scored(probabilities={}, timestamp=NOON - 20, failures=failures))
    metrics.response(scored(timestamp=NOON + 20))  # a clock that is ahead
    assert value("grice_monitor_failures_total", stage="monitor", error="RuntimeError") == 1
    assert (value("grice_monitor_delay_seconds_count"), value("grice_monitor_delay_seconds_sum")) == (2, 20)
    assert b"secret" not in generate_latest(metrics.registry)


def test_versions_and_channels_are_bounded(metrics: MonitorMetrics, value: Value) -> None:
    for number in range(MAX_NAMES + 10):
        metrics.response(scored(bot_version=f"v{number}", channel="rest"))
    found = {
        sample.labels["bot_version"]
        for metric in metrics.registry.collect()
        for sample in metric.samples
        if "bot_version" in sample.labels
    }
    assert len(found) == MAX_NAMES + 1
    assert value("grice_responses_total", bot_version="other", channel="other") == 10


def test_pairs_are_bounded_together_and_long_names_cut(metrics: MonitorMetrics) -> None:
    """Whatever names 3,000 responses bring in: at most a megabyte is shown."""
    for number in range(3000):
        metrics.response(scored(bot_version=f"{number % 60}" + "\U0001f600" * 196, channel=f"{number % 50}" + "é" * 198))
    shown = generate_latest(metrics.registry)
    assert len(shown) < 1_000_000
    pairs = {
        (sample.labels["bot_version"], sample.labels["channel"])
        for metric in metrics.registry.collect()
        for sample in metric.samples
        if "bot_version" in sample.labels
    }
    assert len(pairs) == MAX_NAMES + 1


def test_names_of_other_tenants_are_not_shown(metrics: MonitorMetrics, value: Value) -> None:
    metrics.response(scored(bot_version="theirs", channel="theirs", tenant="acme"))
    metrics.response(scored(bot_version="ours", channel="rest"))
    assert b"theirs" not in generate_latest(metrics.registry)
    assert value("grice_responses_total", bot_version="other", channel="other") == 1
    assert value("grice_responses_total", bot_version="ours", channel="rest") == 1


def test_the_judge(metrics: MonitorMetrics, value: Value) -> None:
    paid = Judgement("Red", True, prompt_tokens=100, completion_tokens=20, cost=0.5)
    remembered = Judgement("Red", False, prompt_tokens=100, completion_tokens=20, cost=0.5, cached=True)
    metrics.judgements([paid, remembered, Judgement("Ign", None, prompt_tokens=7)])
    assert value("grice_judge_questions_total", behavior="Red", answer="yes", from_cache="no") == 1
    assert value("grice_judge_questions_total", behavior="Red", answer="no", from_cache="yes") == 1
    assert value("grice_judge_questions_total", behavior="Ign", answer="unscored", from_cache="no") == 1
    assert value("grice_judge_tokens_total", kind="prompt") == 107
    assert value("grice_judge_tokens_total", kind="completion") == 20
    assert value("grice_judge_cost_usd_total") == 0.5


def test_alarms_that_the_judge_takes_away(metrics: MonitorMetrics, value: Value) -> None:
    metrics.response(scored("Ign", suppressed=("Red", "!Par")))
    metrics.response(scored("Ign", suppressed=("Red",)))
    assert value("grice_judge_suppressed_alarms_total", behavior="Red") == 2
    metrics.response(scored(alarm=False, suppressed=("alarm",)))
    assert value("grice_judge_suppressed_alarms_total", behavior="!Par") == 1
    assert value("grice_judge_suppressed_alarms_total", behavior="alarm") == 1


def test_alarms_are_counted_by_setting(metrics: MonitorMetrics, value: Value) -> None:
    metrics.response(scored(alarm=True, setting="chat"))
    metrics.response(scored(alarm=True))  # of a worker that does not tell the setting
    metrics.response(scored("Red", alarm=False, setting="task"))
    found = {setting: value("grice_alarms_total", setting=setting) for setting in ("chat", "task", "assistant", "unknown")}
    assert found == {"chat": 1, "task": 0, "assistant": 0, "unknown": 1}


def test_the_worker(metrics: MonitorMetrics, value: Value) -> None:
    metrics.event("scored", 3)
    metrics.stream(lag=5, pending=2)
    metrics.trimmed("events", 4)
    metrics.dead_letter("RuntimeError")
    metrics.batch(0.2)
    assert value("grice_worker_events_total", outcome="scored") == 3
    assert (value("grice_stream_lag"), value("grice_stream_pending")) == (5, 2)
    assert value("grice_stream_trimmed_total", stream="events") == 4
    assert value("grice_dead_letters_total", error="RuntimeError") == 1
    assert value("grice_monitor_batch_seconds_sum") == pytest.approx(0.2)


def test_what_can_be_named_beforehand_starts_at_nothing(metrics: MonitorMetrics, value: Value) -> None:
    metrics.rules(["often"])
    assert value("grice_alerts_total", rule="often", state="firing") == 0
    assert value("grice_webhook_deliveries_total", outcome="given_up") == 0
    assert value("grice_alert_checks_total", outcome="failed") == 0
    assert value("grice_stream_trimmed_total", stream="dead") == 0


def test_labels_hold_nothing_that_a_caller_chose_but_versions_and_channels(metrics: MonitorMetrics) -> None:
    metrics.response(scored("Red", dialogue_id="secret", action="secret", evidence={"Red": "secret"}, model="secret"))
    metrics.judgements([Judgement("Red", True, reasoning="secret", unscored="secret")])
    shown = generate_latest(metrics.registry)
    assert b"secret" not in shown
    assert all(label.encode() in shown for label in BEHAVIORS)
