"""Checks the rules against the rates and tells what begins and what is over."""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.alerts.alert import Alert
from grice.middleware.alerts.firing import Firing, FiringStore
from grice.middleware.alerts.history import AlertHistory
from grice.middleware.alerts.rules import AlertRule, ThresholdRule, Verdict
from grice.middleware.monitor.reports import CountedLabel
from grice.middleware.rates import Rate, RateStore
from grice.models.errors import GriceError

log = logging.getLogger(__name__)


class AlertCounts(Protocol):
    """What is counted of alerts: a part of `MonitorMetrics`."""

    def rules(self, names: Sequence[str]) -> None: ...

    def alert(self, rule: str, state: str) -> None: ...

    def check(self, outcome: str) -> None: ...

    def webhook(self, outcome: str) -> None: ...

    def firing(self, count: Callable[[], int]) -> None: ...


class Uncounted:
    """Counts nothing."""

    def rules(self, names: Sequence[str]) -> None: ...

    def alert(self, rule: str, state: str) -> None: ...

    def check(self, outcome: str) -> None: ...

    def webhook(self, outcome: str) -> None: ...

    def firing(self, count: Callable[[], int]) -> None: ...


class Alerts:
    """Each rule fires once for a tenant, behaviour, bot version and channel, and again only after it cleared.

    An alert is taken note of before it is told: one process tells it, and one that dies in between tells it never.

    Args:
        rules: what is watched.
        rates: what it is watched in.
        firing: what fires already; shared by all processes that share the rates.
        tell: takes each alert; must neither block nor raise.
        counts: `MonitorMetrics`.
    """

    def __init__(
        self,
        rules: Sequence[AlertRule],
        rates: RateStore,
        firing: FiringStore,
        tell: Callable[[Alert], None],
        counts: AlertCounts | None = None,
    ) -> None:
        self.rules = tuple(rules)
        self._rates = rates
        self._firing = firing
        self._tell = tell
        self._counts = counts or Uncounted()
        self._number_firing = 0
        self._counts.rules([rule.name for rule in rules])
        self._counts.firing(lambda: self._number_firing)

    def check(self, now: float | None = None) -> list[Alert]:
        """What began and what is over since the last check, told already. A failure is logged and counted, never raised.

        Args:
            now: Unix seconds; None: the present.
        """
        told: list[Alert] = []
        try:
            at = time.time() if now is None else now
            before = self._firing.all()
            number = 0
            tenants = dict.fromkeys((DEFAULT_TENANT, *self._rates.tenants(), *map(_tenant_of, before)))
            for rule, tenant in itertools.product(self.rules, tenants):
                about = (rule.name, tenant)
                mine = {key: each for key, each in before.items() if (json.loads(key)[0], _tenant_of(key)) == about}
                for alert in self._changes(_Watched(rule, self._rates.of(tenant)), mine, at):
                    self._tell(alert)
                    self._counts.alert(alert.rule, alert.state)
                    told.append(alert)
                number += len(mine)
            started = sum(1 if alert.state == "firing" else -1 for alert in told)
            self._number_firing = number + started
            self._counts.check("done")
        except Exception as error:  # noqa: BLE001 - the next check comes; messages of others may hold anything
            log.error("alerts could not be checked: %s", error if isinstance(error, GriceError) else type(error).__name__)
            self._counts.check("failed")
        return told

    def firing(self, tenant: str) -> list[tuple[FiringKey, Firing]]:
        """What fires now of a tenant, the oldest first.

        Raises:
            StoreError: the store cannot be reached.
        """
        found = [(FiringKey.of(key), firing) for key, firing in self._firing.all().items()]
        mine = [(key, firing) for key, firing in found if key.tenant == tenant]
        return sorted(mine, key=lambda each: each[1].since)

    def _changes(self, watched: _Watched, firing: dict[str, Firing], at: float) -> Iterator[Alert]:
        found = {watched.key(rate): (rate, verdict) for rate, verdict in watched.verdicts(at)}
        for key in firing.keys() - found.keys():  # a bot version or channel that said nothing
            _, behavior, version, channel = json.loads(key)[:4]
            found[key] = Rate(behavior, version, channel, 0, 0), Verdict("clears")
        for key, (rate, verdict) in found.items():
            if verdict.outcome == "fires" and key not in firing:
                begun = Firing(uuid.uuid4().hex, at)
                if self._firing.begin(key, begun):
                    yield watched.alert(rate, verdict, begun, at)
            elif verdict.outcome == "clears" and key in firing and self._firing.end(key):
                yield watched.alert(rate, verdict, firing[key], at)


@dataclass(frozen=True)
class FiringKey:
    """What fires: a rule's name, and what it fires for; None where the rule does not tell bot versions or channels apart."""

    rule: str
    behavior: CountedLabel
    bot_version: str | None
    channel: str | None
    tenant: str = DEFAULT_TENANT

    @classmethod
    def of(cls, key: str) -> FiringKey:
        """From the key in a `FiringStore`."""
        return cls(*json.loads(key))


@dataclass(frozen=True)
class _Watched:
    """A rule in the rates of one tenant."""

    rule: AlertRule
    rates: RateStore

    def verdicts(self, at: float) -> Iterator[tuple[Rate, Verdict]]:
        rule = self.rule
        watched = self._rates_of(rule.window_s, at)
        if isinstance(rule, ThresholdRule):
            for rate in watched:
                yield rate, rule.verdict(rate)
            return
        before = {self.key(rate): rate for rate in self._rates_of(rule.baseline_s, at)}
        for rate in watched:
            yield rate, rule.verdict(rate, before.get(self.key(rate), rate))

    def _rates_of(self, window_s: int, at: float) -> list[Rate]:
        if self.rule.source == "alarms":
            return self.rates.alarms(window_s, at, by=self.rule.by)
        if self.rule.source == "user_frustration":
            return self.rates.user_frustration(window_s, at, by=self.rule.by)
        return [rate for rate in self.rates.rates(window_s, at, by=self.rule.by) if rate.behavior in self.rule.behaviors]

    def key(self, rate: Rate) -> str:
        """What fires; the default tenant is not named, so that what fired before there were tenants is found."""
        tenant = [] if self.rates.tenant == DEFAULT_TENANT else [self.rates.tenant]
        return json.dumps([self.rule.name, rate.behavior, rate.bot_version, rate.channel, *tenant], ensure_ascii=False)

    def alert(self, rate: Rate, verdict: Verdict, firing: Firing, at: float) -> Alert:
        return Alert(
            firing.id,
            "firing" if verdict.outcome == "fires" else "resolved",
            self.rule.name,
            self.rule.kind,
            rate.behavior,
            rate.bot_version,
            rate.channel,
            self.rule.window_s,
            rate.shown,
            rate.scored,
            rate.share,
            verdict.limit,
            verdict.baseline,
            firing.since,
            at,
            tenant=self.rates.tenant,
        )


def _tenant_of(key: str) -> str:
    tenant: str = [*json.loads(key)[4:], DEFAULT_TENANT][0]
    return tenant


class AlertWatch:
    """Runs `Alerts.check` from `start` to `close`.

    Args:
        alerts: what is checked.
        every_s: seconds between two checks.
        begin, end: start what tells the alerts, and give back what they use.
        history: the alerts that were told.
    """

    def __init__(
        self, alerts: Alerts, every_s: float, begin: Callable[[], None], end: Callable[[], None], history: AlertHistory
    ) -> None:
        self.alerts = alerts
        self.history = history
        self._every_s = every_s
        self._begin = begin
        self._end = end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="grice-alerts", daemon=True)

    def start(self) -> None:
        """Check now and from now on."""
        self._begin()
        self._thread.start()

    def close(self) -> None:
        """End, once the check under way is done and alerts that wait for the webhook are delivered or given up."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._end()

    def _run(self) -> None:
        while True:
            self.alerts.check()
            if self._stop.wait(self._every_s):
                return
