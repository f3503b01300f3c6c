"""Alert rules, what fires, and what people say of alarms, as they travel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import Field

from grice.middleware.alerts import AlertRule
from grice.middleware.feedback import AlarmVerdict, Feedback
from grice.middleware.monitor.reports import CountedLabel
from grice.middleware.service.capabilities.wire import SchemaVersion, Wire, WireTurn
from grice.middleware.service.watch.watch import WatchedAlerts

MOST_TURNS = 200
"""Turns that feedback may bring."""


class WireFiring(Wire):
    """An alert that fires now."""

    id: Annotated[str, Field(description="The alert's.")]
    rule: Annotated[str, Field(description="The name of the rule.")]
    behavior: Annotated[
        CountedLabel, Field(description="What it fires for; `alarm`: the alarms under the budget; `user_frustration`: users.")
    ]
    bot_version: Annotated[str | None, Field(description="Of which version; null: the rule does not tell them apart.")]
    channel: Annotated[str | None, Field(description="Of which channel; null: the rule does not tell them apart.")]
    since: Annotated[float, Field(description="When it began, in Unix seconds.")]


class WireRule(Wire):
    """A rule that is watched."""

    name: Annotated[str, Field(description="Its name.")]
    kind: Annotated[Literal["threshold", "change"], Field(description="Whether it looks at the share, or at its change.")]
    behaviors: Annotated[
        list[CountedLabel], Field(description="Each is watched by itself; `alarm`: the alarms; `user_frustration`: users.")
    ]
    window_s: Annotated[int, Field(description="Seconds that the share is of.")]
    says: Annotated[str, Field(description="When it fires, in words.")]
    firing: Annotated[int, Field(description="Alerts of it that fire now.")]


class WireTold(WireFiring):
    """An alert that was told."""

    state: Annotated[Literal["firing", "resolved"], Field(description="It began, or it is over.")]
    at: Annotated[float, Field(description="When that was found, in Unix seconds.")]
    shown: Annotated[int, Field(description="Responses that showed the behaviour.")]
    scored: Annotated[int, Field(description="Responses of which that is known.")]
    share: Annotated[float | None, Field(description="Shown of scored, 0 to 1.")]
    limit: Annotated[float | None, Field(description="The share that the rule allows.")]
    window_s: Annotated[int, Field(description="Seconds that they are counted over.")]
    summary: Annotated[str, Field(description="One sentence for people.")]


class AlertsAnswer(Wire):
    """The state of the alerts."""

    watched: Annotated[bool, Field(description="False: this service watches no rules.")]
    rules: Annotated[list[WireRule], Field(description="As they are set.")]
    firing: Annotated[list[WireFiring], Field(description="What fires now, the oldest first.")]
    history: Annotated[list[WireTold], Field(description="Alerts that were told, the newest first; at most 200 are kept.")]
    schema_version: SchemaVersion = 1


class FeedbackItem(Wire):
    """What a person says of an alarm."""

    verdict: Annotated[
        AlarmVerdict, Field(description="`seen`: acknowledged; `wrong`: the response is fine; `right`: the response is faulty.")
    ]
    turns: Annotated[
        list[WireTurn] | None,
        Field(max_length=MOST_TURNS, description="What was said before. Default: as the dialogue is kept, if it is."),
    ] = None


class FeedbackAnswer(Wire):
    """What is kept of it."""

    place: Annotated[str, Field(description="Of the alarm.")]
    verdict: Annotated[AlarmVerdict, Field(description="The newest verdict; it replaces an earlier one.")]
    turns: Annotated[int, Field(description="Turns before the response that are kept with it.")]
    schema_version: SchemaVersion = 1


def wire_alerts(state: WatchedAlerts | None) -> AlertsAnswer:
    """The state of the alerts as it travels; None: no rules are watched."""
    if state is None:
        return AlertsAnswer(watched=False, rules=[], firing=[], history=[])
    firing = [
        WireFiring(
            id=each.id,
            rule=key.rule,
            behavior=key.behavior,
            bot_version=key.bot_version,
            channel=key.channel,
            since=each.since,
        )
        for key, each in state.firing
    ]
    told = [
        WireTold(
            **{name: value for name, value in {**asdict(each), "summary": each.summary}.items() if name in WireTold.model_fields}
        )
        for each in state.told
    ]
    return AlertsAnswer(watched=True, rules=[_rule(rule, firing) for rule in state.rules], firing=firing, history=told)


def wire_feedback(feedback: Feedback) -> FeedbackAnswer:
    """Feedback as it travels."""
    return FeedbackAnswer(place=feedback.place, verdict=feedback.verdict, turns=len(feedback.turns))


def _rule(rule: AlertRule, firing: Sequence[WireFiring]) -> WireRule:
    return WireRule(
        name=rule.name,
        kind=rule.kind,  # type: ignore[arg-type]
        behaviors=list(rule.watched),
        window_s=rule.window_s,
        says=rule.says,
        firing=sum(each.rule == rule.name for each in firing),
    )
