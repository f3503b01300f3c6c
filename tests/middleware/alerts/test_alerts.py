"""Rules against rates: an alert is told once, and again only after it cleared."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from prometheus_client import CollectorRegistry
from redis_process import RedisServer, eventually
from scipy.stats import fisher_exact
from scored_fixtures import NOON, scored, several

from grice.middleware.alerts import (
    DEFAULT_RULES,
    Alert,
    AlertRule,
    Alerts,
    AlertSettings,
    ChangeRule,
    ThresholdRule,
    open_alerts,
    read_rules,
)
from grice.middleware.alerts.firing import Firing, FiringStore, MemoryFiring
from grice.middleware.alerts.formats import WebhookTarget
from grice.middleware.alerts.redis_firing import KEY, RedisFiring
from grice.middleware.alerts.rules import RuleOutcome, Verdict, probability_of_so_many
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.rates import MemoryRates, Rate
from grice.middleware.rates.redis import RedisRates
from grice.models.errors import SettingsError

HOUR, DAY = 3600, 86_400
OFTEN = ThresholdRule("often", ("Red", "Ign"), window_s=HOUR, above=0.2)
CHANGE = ChangeRule("change", ("Red",), window_s=900, baseline_s=DAY)


@pytest.fixture(params=["memory", "redis"])
def firing(request: pytest.FixtureRequest) -> Iterator[FiringStore]:
    store = MemoryFiring() if request.param == "memory" else RedisFiring(request.getfixturevalue("redis_server").url, 5.0)
    yield store
    store.close()


class Watched:
    """Rates, and alerts over them."""

    def __init__(self, firing: FiringStore, *rules: AlertRule, metrics: MonitorMetrics | None = None) -> None:
        self.rates = MemoryRates()
        self.told: list[Alert] = []
        self.alerts = Alerts(rules, self.rates, firing, self.told.append, metrics)

    def check(self, now: float) -> list[tuple[str, str, str]]:
        found = self.alerts.check(now)
        assert self.told[len(self.told) - len(found) :] == found
        return [(alert.rule, alert.behavior, alert.state) for alert in found]


def red(shown: int, scored: int, unscored: int = 0) -> Rate:
    return Rate("Red", None, None, shown, scored, unscored)


@pytest.mark.parametrize(
    ("rate", "outcome"),
    [
        (red(1, 2), "stays"),  # half of two is no alarm
        (red(29, 29), "stays"),
        (red(30, 30), "fires"),
        (red(7, 30), "stays"),  # above the limit, but not surely
        (red(40, 100), "fires"),
        (red(20, 100), "clears"),
        (red(0, 100), "clears"),
        (red(0, 0, 50), "clears"),
    ],
)
def test_a_limit_from_above(rate: Rate, outcome: RuleOutcome) -> None:
    assert OFTEN.verdict(rate) == Verdict(outcome, 0.2)


@pytest.mark.parametrize(
    ("rate", "outcome"), [(red(0, 100), "fires"), (red(15, 100), "stays"), (red(20, 100), "clears"), (red(0, 9), "stays")]
)
def test_a_limit_from_below(rate: Rate, outcome: RuleOutcome) -> None:
    rule = ThresholdRule("seldom", ("Red",), window_s=HOUR, below=0.2, min_scored=10)
    assert rule.verdict(rate) == Verdict(outcome, 0.2)


@pytest.mark.parametrize(
    ("rate", "with_before", "outcome", "baseline"),
    [
        (red(40, 100), red(140, 1100), "fires", 0.1),
        (red(14, 30), red(114, 1030), "fires", 0.1),
        (red(8, 30), red(108, 1030), "stays", 0.1),  # twice as many by chance
        (red(20, 29), red(120, 1029), "stays", 0.1),  # too few now
        (red(20, 30), red(22, 50), "stays", 0.1),  # too few before
        (red(150, 1000), red(1150, 11_000), "stays", 0.1),  # surely more, but not twice
        (red(140, 1000), red(1140, 11_000), "clears", 0.1),
        (red(20, 100), red(20, 1100), "fires", 0.0),
        (red(1, 100), red(1, 1100), "stays", 0.0),
        (red(0, 100), red(0, 1100), "clears", 0.0),
        (red(0, 0), red(100, 1000), "clears", None),
        (red(50, 100), red(50, 100), "clears", None),  # there was nothing before
        (red(50, 101), red(49, 100), "clears", None),  # buckets of another size
    ],
)
def test_a_change_upwards(rate: Rate, with_before: Rate, outcome: str, baseline: float | None) -> None:
    verdict = CHANGE.verdict(rate, with_before)
    assert (verdict.outcome, verdict.baseline) == (outcome, baseline)
    assert verdict.limit == (None if baseline is None else 2 * baseline)


@pytest.mark.parametrize(
    ("rate", "with_before", "outcome"),
    [
        (red(10, 100), red(410, 1100), "fires"),
        (red(2, 100), red(42, 1100), "stays"),  # half as many by chance
        (red(25, 100), red(425, 1100), "stays"),  # surely less, but not half
        (red(29, 100), red(429, 1100), "clears"),
    ],
)
def test_a_change_downwards(rate: Rate, with_before: Rate, outcome: str) -> None:
    rule = ChangeRule("less", ("Red",), window_s=900, baseline_s=DAY, direction="down")
    assert rule.verdict(rate, with_before).outcome == outcome


@pytest.mark.parametrize(
    "counts",
    [
        (1, 2, 3, 100),
        (5, 10, 0, 40),
        (0, 10, 3, 40),
        (30, 30, 1, 2),
        (9, 50, 40, 1000),
        (400, 2000, 900, 9000),
        (0, 5, 0, 5),
        (0, 5000, 4000, 9000),
    ],
)
def test_the_test_is_fishers(counts: tuple[int, int, int, int]) -> None:
    shown, scored, shown_before, scored_before = counts
    table = [[shown, scored - shown], [shown_before, scored_before - shown_before]]
    assert probability_of_so_many(*counts) == pytest.approx(fisher_exact(table, alternative="greater").pvalue, rel=1e-6)


def test_fires_once_until_it_clears(firing: FiringStore) -> None:
    watched = Watched(firing, OFTEN)
    assert watched.check(NOON) == []
    watched.rates.add(several("Red", 40, 100))
    assert watched.check(NOON) == [("often", "Red", "firing")]
    assert watched.check(NOON + 30) == []
    watched.rates.add(several("Red", 0, 60, at=NOON + 60))  # 25 %: not surely above, and not back either
    assert watched.check(NOON + 60) == []
    watched.rates.add(several("Red", 0, 60, at=NOON + 120))
    assert watched.check(NOON + 120) == [("often", "Red", "resolved")]
    assert watched.check(NOON + 150) == []
    watched.rates.add(several("Red", 100, 100, at=NOON + 180))
    assert watched.check(NOON + 180) == [("often", "Red", "firing")]
    begun, ended, again = watched.told
    assert begun.id == ended.id != again.id
    assert (begun.since, begun.at, ended.since, ended.at) == (NOON, NOON, NOON, NOON + 120)
    assert (begun.shown, begun.scored, begun.share, begun.limit, begun.baseline) == (40, 100, 0.4, 0.2, None)


def test_a_bot_that_falls_silent_resolves(firing: FiringStore) -> None:
    watched = Watched(firing, ThresholdRule("each", ("Red",), HOUR, above=0.2, by=["bot_version", "channel"]))
    watched.rates.add(several("Red", 90, 100, bot_version="1.0", channel="rest"))
    watched.rates.add(several("Red", 0, 100, bot_version="1.1", channel="rest"))
    assert watched.check(NOON) == [("each", "Red", "firing")]
    assert watched.check(NOON + 2 * HOUR) == [("each", "Red", "resolved")]
    begun, ended = watched.told
    assert (begun.bot_version, begun.channel) == (ended.bot_version, ended.channel) == ("1.0", "rest")
    assert ended.share is None
    assert ended.summary == "each: Red is resolved, bot version 1.0, channel rest: no response was scored in the last 60 minutes"


def test_each_bot_version_fires_by_itself(firing: FiringStore) -> None:
    watched = Watched(firing, ThresholdRule("each", ("Red",), HOUR, above=0.2, by=["bot_version"]), OFTEN)
    watched.rates.add(several("Red", 90, 100, bot_version="1.0"))
    watched.rates.add(several("Red", 0, 900, bot_version="1.1"))
    assert watched.check(NOON) == [("each", "Red", "firing")]
    watched.rates.add(several("Red", 900, 900, bot_version="1.1", at=NOON + 60))
    assert watched.check(NOON + 60) == [("each", "Red", "firing"), ("often", "Red", "firing")]
    assert [alert.bot_version for alert in watched.told] == ["1.0", "1.1", None]


def test_a_change_against_the_day_before(firing: FiringStore) -> None:
    watched = Watched(firing, CHANGE)
    for hour in range(1, 20):
        watched.rates.add(several("Red", 5, 100, at=NOON - hour * HOUR))
    watched.rates.add(several("Red", 5, 100))
    assert watched.check(NOON) == []
    watched.rates.add(several("Red", 60, 100, at=NOON + 60))
    assert watched.check(NOON + 60) == [("change", "Red", "firing")]
    (alert,) = watched.told
    assert (alert.shown, alert.scored, alert.baseline) == (65, 200, 0.05)
    assert alert.summary == (
        "change: Red is firing: in 32.5% of 200 responses of the last 15 minutes; the limit is 10.0%, it was 5.0% before"
    )
    watched.rates.add(several("Red", 5, 100, at=NOON + HOUR))
    assert watched.check(NOON + HOUR) == [("change", "Red", "resolved")]


def test_two_processes_tell_an_alert_once(redis_server: RedisServer) -> None:
    rates = RedisRates(redis_server.url, 5.0)
    rates.add(several("Red", 90, 100))
    stores = [RedisFiring(redis_server.url, 5.0) for _ in range(2)]
    told: list[Alert] = []
    one, two = (Alerts([OFTEN], rates, store, told.append) for store in stores)
    assert [len(one.check(NOON)), len(two.check(NOON))] == [1, 0]
    assert [len(two.check(NOON + 2 * HOUR)), len(one.check(NOON + 2 * HOUR))] == [1, 0]
    assert [alert.state for alert in told] == ["firing", "resolved"]
    begun, same = (stores[0].begin("key", Firing(name, NOON)) for name in ("a", "b"))
    assert (begun, same, stores[1].all()["key"].id) == (True, False, "a")
    assert [store.end("key") for store in stores] == [True, False]
    for store in stores:
        store.close()
    rates.close()


def test_a_redis_that_is_away_is_logged_and_counted(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    metrics = MonitorMetrics(CollectorRegistry())
    alerts = Alerts([OFTEN], RedisRates(redis_server.url, 0.2), RedisFiring(redis_server.url, 0.2), lambda _: None, metrics)
    redis_server.kill()
    assert alerts.check(NOON) == []
    assert "alerts could not be checked: Redis: alerts failed: ConnectionError" in caplog.text
    redis_server.start()
    with redis_server.client() as client:
        client.hset(KEY, "key", "no JSON")
    assert alerts.check(NOON) == []
    assert "holds something else than alerts" in caplog.text
    with redis_server.client() as client:
        client.delete(KEY)
    assert alerts.check(NOON) == []
    value = metrics.registry.get_sample_value
    assert value("grice_alert_checks_total", {"outcome": "failed"}) == 2
    assert value("grice_alert_checks_total", {"outcome": "done"}) == 1


def test_what_fires_is_counted(firing: FiringStore) -> None:
    metrics = MonitorMetrics(CollectorRegistry())
    watched = Watched(firing, OFTEN, metrics=metrics)
    value = metrics.registry.get_sample_value
    assert value("grice_alerts_firing") == 0
    watched.rates.add(several("Red", 90, 100))
    watched.check(NOON)
    assert value("grice_alerts_firing") == 1
    watched.check(NOON + 30)
    assert value("grice_alerts_firing") == 1
    watched.check(NOON + 2 * HOUR)
    assert value("grice_alerts_firing") == 0
    assert value("grice_alerts_total", {"rule": "often", "state": "firing"}) == 1
    assert value("grice_alerts_total", {"rule": "often", "state": "resolved"}) == 1


def test_the_watch_checks_by_itself_and_logs_without_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    rates = MemoryRates()
    watch = open_alerts(AlertSettings(alert_every_s=0.02), rates)
    watch.start()
    rates.add(several("Red", 90, 100, at=time.time()))
    eventually(lambda: "Red is firing" in caplog.text)
    watch.close()
    assert caplog.text.count("often: Red is firing: in 90.0% of 100 responses of the last 60 minutes; the limit is 30.0%") == 1
    assert "secret" not in caplog.text


class Broken(MemoryRates):
    """Fails in a way that nobody thought of."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def rates(self, *args: Any, **kwargs: Any) -> list[Rate]:
        self.asked += 1
        raise RuntimeError("a secret")


def test_the_watch_outlives_every_failure(caplog: pytest.LogCaptureFixture) -> None:
    rates = Broken()
    watch = open_alerts(AlertSettings(alert_every_s=0.01), rates)
    watch.start()
    eventually(lambda: rates.asked > 3)
    watch.close()
    assert "alerts could not be checked: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_each_tenant_fires_by_itself(firing: FiringStore) -> None:
    watched = Watched(firing, OFTEN)
    watched.rates.add(several("Red", 90, 100, tenant="acme"))
    watched.rates.add(several("Red", 0, 900))
    assert watched.check(NOON) == [("often", "Red", "firing")]
    assert watched.told[0].tenant == "acme"
    assert watched.told[0].summary.startswith("often: Red is firing, tenant acme: in 90.0% of 100 responses")
    assert json.loads(watched.told[0].to_json())["tenant"] == "acme"
    watched.rates.add(several("Red", 900, 900, at=NOON + 60))
    assert watched.check(NOON + 60) == [("often", "Red", "firing")]
    assert [alert.tenant for alert in watched.told] == ["acme", "default"]
    assert watched.check(NOON + 2 * HOUR) == [("often", "Red", "resolved"), ("often", "Red", "resolved")]
    assert {alert.tenant for alert in watched.told[2:]} == {"acme", "default"}
    assert firing.all() == {}


def test_a_rule_about_alarms_counts_those_under_the_budget(firing: FiringStore) -> None:
    rule = ThresholdRule("many", (), HOUR, above=0.1, by=["bot_version"], source="alarms")
    change = ChangeRule("more", (), window_s=900, baseline_s=DAY, source="alarms")
    metrics = MonitorMetrics(CollectorRegistry())
    watched = Watched(firing, rule, change, metrics=metrics)
    watched.rates.add([scored(alarm=False, at=NOON - 2 * HOUR) for _ in range(100)])
    watched.rates.add(several("Red", 90, 100, alarm=False, bot_version="1"))  # behaviours raise none of these alerts
    assert watched.check(NOON) == []
    watched.rates.add([scored(alarm=True, bot_version="2") for _ in range(40)])
    assert watched.check(NOON) == [("many", "alarm", "firing"), ("more", "alarm", "firing")]
    assert (watched.told[0].bot_version, watched.told[0].shown, watched.told[0].scored) == ("2", 40, 40)
    assert watched.told[0].summary.startswith("many: alarm is firing, bot version 2: in 100.0% of 40 responses")
    for url in ("https://x/", "slack+https://x/", "pagerduty+https://key@x/"):
        assert b"alarm" in WebhookTarget.of(url).body(watched.told[0])
    assert set(watched.check(NOON + 2 * DAY)) == {("many", "alarm", "resolved"), ("more", "alarm", "resolved")}


def test_where_relations_are_not_read_a_rule_about_alarms_is_quiet() -> None:
    watched = Watched(MemoryFiring(), ThresholdRule("many", (), HOUR, above=0.1, source="alarms"))
    watched.rates.add(several("Red", 90, 100))
    assert watched.check(NOON) == []


def test_an_alert_as_json() -> None:
    watched = Watched(MemoryFiring(), OFTEN)
    watched.rates.add(several("Red", 90, 100))
    watched.check(NOON)
    values = json.loads(watched.told[0].to_json())
    assert len(values.pop("id")) == 32
    assert values == {
        "state": "firing",
        "rule": "often",
        "kind": "threshold",
        "behavior": "Red",
        "bot_version": None,
        "channel": None,
        "window_s": HOUR,
        "shown": 90,
        "scored": 100,
        "share": 0.9,
        "limit": 0.2,
        "baseline": None,
        "since": NOON,
        "at": NOON,
        "schema_version": 1,
        "summary": "often: Red is firing: in 90.0% of 100 responses of the last 60 minutes; the limit is 20.0%",
    }


@pytest.fixture
def written(tmp_path: Path) -> Callable[[object], Path]:
    def write(content: object) -> Path:
        path = tmp_path / "alerts.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


THRESHOLD = {"kind": "threshold", "name": "a", "behaviors": ["Red"], "window_s": 900, "above": 0.1}
CHANGED = {"kind": "change", "name": "b", "behaviors": ["Emp"], "window_s": 900, "baseline_s": DAY, "direction": "down"}


def test_rules_from_a_file(written: Callable[[object], Path]) -> None:
    rules = read_rules(written({"rules": [{**THRESHOLD, "by": ["channel"], "min_scored": 5}, CHANGED]}))
    assert rules == (
        ThresholdRule("a", ["Red"], 900, above=0.1, min_scored=5, by=["channel"]),
        ChangeRule("b", ["Emp"], 900, DAY, direction="down"),
    )
    assert read_rules(written({"rules": []})) == ()
    about = {name: value for name, value in THRESHOLD.items() if name != "behaviors"}
    (rule,) = read_rules(written({"rules": [{**about, "source": "alarms"}]}))
    assert (rule.behaviors, rule.watched) == ((), ("alarm",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "setting alert_rules: got .*alerts.json.*; allowed: a file of JSON"),
        ([], r"setting alert_rules: got \[\]; allowed: a JSON object"),
        ({"rules": [], "more": 1}, "setting alert_rules: got .*more"),
        ({"rules": [{"kind": "other"}]}, "a rule of alert_rules: got .*other.*allowed: an object with kind: threshold, change"),
        ({"rules": [{**THRESHOLD, "kind": ["threshold"]}]}, "allowed: an object with kind: threshold, change"),
        (
            {"rules": [{**THRESHOLD, "abvoe": 0.1}]},
            "setting abvoe of a rule: got 'a value'; allowed: no such key; there are: kind, name",
        ),
        ({"rules": [{"kind": "threshold", "name": "a"}]}, "an object with what it needs .*behaviors"),
        ({"rules": [{**THRESHOLD, "below": 0.1}]}, "setting rule a: got '2 limits'; allowed: either above or below"),
        ({"rules": [{**THRESHOLD, "above": "0.1"}]}, "setting limit of rule a: got '0.1'; allowed: 0.0 to 1.0"),
        ({"rules": [{**THRESHOLD, "window_s": 5}]}, "setting window_s of rule a: got 5; allowed: 10 to 604800"),
        ({"rules": [{**THRESHOLD, "behaviors": ["Rude"]}]}, "setting behaviors of rule a: got 'Rude'; allowed: Emp, !Emp"),
        ({"rules": [{**THRESHOLD, "behaviors": "Red"}]}, "setting behaviors of rule a: got 'Red'; allowed: a list"),
        ({"rules": [{**THRESHOLD, "behaviors": []}]}, "setting behaviors of rule a: got 'none'"),
        ({"rules": [{**THRESHOLD, "source": "alarms"}]}, "behaviors of rule a: got 'Red'; allowed: none, as its source is alarms"),
        ({"rules": [{**THRESHOLD, "source": "rumours"}]}, "setting source: got 'rumours'; allowed: behaviors, alarms"),
        ({"rules": [{**THRESHOLD, "by": ["bot"]}]}, "setting by of rule a: got 'bot'; allowed: bot_version, channel"),
        ({"rules": [{**THRESHOLD, "min_scored": 0}]}, "setting min_scored of rule a: got 0"),
        ({"rules": [{**THRESHOLD, "name": ""}]}, "setting name of a rule: got ''"),
        ({"rules": [THRESHOLD, THRESHOLD]}, "setting name of a rule: got 'a'; allowed: a name that no other rule has"),
        ({"rules": [{**CHANGED, "baseline_s": 900}]}, "setting baseline_s of rule b: got 900; allowed: 901 to 604800"),
        ({"rules": [{**CHANGED, "factor": 1}]}, "setting factor of rule b: got 1"),
        ({"rules": [{**CHANGED, "direction": "sideways"}]}, "setting direction: got 'sideways'; allowed: up, down"),
    ],
)
def test_rules_that_cannot_be_used_are_named(written: Callable[[object], Path], content: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_rules(written(content))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="FileNotFoundError"):
        open_alerts(AlertSettings(alert_rules=str(tmp_path / "none.json")), MemoryRates())


def test_default_rules_watch_every_behaviour() -> None:
    watched = [behavior for rule in DEFAULT_RULES for behavior in rule.behaviors]
    assert watched.count("Emp") == 1
    assert all(watched.count(label) == 2 for label in ("!Emp", "!Com", "!Fac", "!Sel", "!Par", "Red", "Ign", "!Rel"))


def day_of(before: float, then: float, per_hour: int, minutes: int, seed: int) -> Iterator[str]:
    """What the default rule says each minute, after a day of responses that show a behaviour with one share, then with another."""
    rule = next(rule for rule in DEFAULT_RULES if isinstance(rule, ChangeRule) and rule.direction == "up")
    chance, day = np.random.default_rng(seed), DAY // 60
    scored = chance.poisson(per_hour / 60, day + minutes)
    shown = chance.binomial(scored, np.repeat([before, then], [day, minutes]))
    so_far, shown_so_far = (np.concatenate([[0], np.cumsum(each)]).tolist() for each in (scored, shown))
    for end in range(day, day + minutes):

        def within(length: int, end: int = end) -> Rate:
            return red(shown_so_far[end] - shown_so_far[end - length], so_far[end] - so_far[end - length])

        yield rule.verdict(within(rule.window_s // 60), within(day)).outcome


@pytest.mark.parametrize("per_hour", [120, 600, 3000])
@pytest.mark.parametrize("share", [0.02, 0.2])
def test_days_on_which_nothing_changes_raise_no_alarm(per_hour: int, share: float) -> None:
    assert "fires" not in set(day_of(share, share, per_hour, minutes=5 * DAY // 60, seed=7))


@pytest.mark.parametrize(("per_hour", "minutes"), [(120, 240), (600, 45), (3000, 20)])
def test_three_times_as_many_raise_an_alarm(per_hour: int, minutes: int) -> None:
    assert "fires" in set(day_of(0.1, 0.3, per_hour, minutes, seed=7))
