"""Rates, alarms and behaviours as they travel."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from grice.middleware.capabilities.codec import encode
from grice.middleware.feedback import AlarmVerdict
from grice.middleware.monitor.reports import CountedLabel
from grice.middleware.rates import Rate
from grice.middleware.service.capabilities.responses import Probabilities, WireSpan
from grice.middleware.service.capabilities.wire import SchemaVersion, Wire
from grice.middleware.service.watch.alarms import Alarm
from grice.middleware.service.watch.watch import Rates
from grice.models.behaviors.definitions import Maxim
from grice.models.relations.labels import RelationLabel
from grice.models.results import Behavior, Share

_ALARM = ("event_id", "text", "timestamp", "channel", "bot_version", "action")


class WireRate(Wire):
    """How often a behaviour was shown, or how often there was an alarm, or a frustrated user before the response."""

    behavior: Annotated[
        CountedLabel,
        Field(description="Which; `alarm`: the alarms under the budget; `user_frustration`: of the user before the response."),
    ]
    shown: Annotated[int, Field(description="Responses that showed it, or raised an alarm, or came after frustration.")]
    scored: Annotated[int, Field(description="Responses of which that is known.")]
    unscored: Annotated[int, Field(description="Responses of which it is not known.")]
    share: Annotated[float | None, Field(description="Shown of scored, 0 to 1; null where nothing was scored.")]
    low: Annotated[float | None, Field(description="Lower end of the share's 95 % interval (Wilson).")]
    high: Annotated[float | None, Field(description="Its upper end.")]


class RatesAnswer(Wire):
    """Rates of the last seconds."""

    window_s: Annotated[int, Field(description="How many seconds.")]
    bot_version: Annotated[str | None, Field(description="Only of this version; null: of all.")]
    channel: Annotated[str | None, Field(description="Only of this channel; null: of all.")]
    rates: Annotated[list[WireRate], Field(description="One a behaviour.")]
    alarms: Annotated[
        WireRate, Field(description="How many raised an alarm, of those whose relations were read; the others are `unscored`.")
    ]
    user_frustration: Annotated[
        WireRate,
        Field(description="Before how many the user was frustrated, of the first responses to a turn; the others are `unscored`."),
    ]
    bot_versions: Annotated[list[str], Field(description="Versions seen within the window; `unknown`: none was given.")]
    channels: Annotated[list[str], Field(description="Channels seen within the window.")]
    schema_version: SchemaVersion = 1


class WireFault(Wire):
    """Something that the reader of relations finds wrong with a response."""

    label: Annotated[RelationLabel, Field(description="Its name.")]
    probability: Annotated[Share, Field(description="How likely the response has it.")]
    about: Annotated[str, Field(description="The words that it clashes with; empty where there are none.")]
    words: Annotated[str, Field(description="The response's own words.")]
    about_span: Annotated[
        WireSpan | None, Field(description="`about` with its places; turns count from 0, the oldest. Null where there is none.")
    ] = None
    words_span: Annotated[WireSpan | None, Field(description="`words` with their places. Null where there are none.")] = None


class WireFrustration(Wire):
    """How likely the user was frustrated before a response; no fault of the response."""

    probability: Annotated[Share, Field(description="How likely.")]
    shown: Annotated[bool, Field(description="Whether it reaches its threshold.")]
    words: Annotated[str, Field(description="The user's turn, where it is shown; otherwise empty.")]
    words_span: Annotated[WireSpan | None, Field(description="`words` with their places. Null where it is not shown.")] = None


class WireAlarm(Wire):
    """A response that somebody should look at."""

    place: Annotated[str, Field(description="Its place in the order; the id of its server-sent event.")]
    event_id: Annotated[str, Field(description="The response's name.")]
    dialogue_id: Annotated[str | None, Field(description="Its dialogue, where that has a name.")]
    text: Annotated[str, Field(description="What the bot said.")]
    timestamp: Annotated[float, Field(description="When, in Unix seconds.")]
    channel: Annotated[str | None, Field(description="The way it went.")]
    bot_version: Annotated[str | None, Field(description="Which version of the bot said it.")]
    action: Annotated[str | None, Field(description="What made the bot say it.")]
    shown: Annotated[list[Behavior], Field(description="The behaviours that it shows, desired ones too.")]
    probabilities: Annotated[Probabilities, Field(description="How likely it shows each behaviour; null: not scored.")]
    evidence: Annotated[dict[Behavior, str], Field(description="For a behaviour about an earlier turn: what was said there.")]
    faults: Annotated[list[WireFault], Field(description="What the reader of relations finds wrong, the likeliest first.")]
    user_frustration: Annotated[
        WireFrustration | None, Field(description="Of the user before the response; null where that was not read.")
    ] = None
    verdict: Annotated[
        AlarmVerdict | None, Field(description="What a person said of it; null: nothing. Events of `/v1/live` do not tell it.")
    ] = None


class AlarmsAnswer(Wire):
    """The last alarming responses."""

    alarms: Annotated[list[WireAlarm], Field(description="The newest first.")]
    schema_version: SchemaVersion = 1


class WireBehavior(Wire):
    """What a behaviour is."""

    label: Annotated[Behavior, Field(description="ABC-Eval's abbreviation.")]
    name: Annotated[str, Field(description="In full.")]
    maxim: Annotated[Maxim, Field(description="The maxim of conversation that it is about.")]
    because: Annotated[str, Field(description="Why that maxim.")]
    desired: Annotated[bool, Field(description="Whether a response should show it.")]
    question: Annotated[str, Field(description="Asked about a response, to be answered with yes or no.")]
    definition: Annotated[str, Field(description="When the answer is yes.")]
    threshold: Annotated[
        float | None, Field(description="The probability from which on it counts as shown here; null: it is not scored here.")
    ]


class BehaviorsAnswer(Wire):
    """The nine behaviours."""

    behaviors: Annotated[list[WireBehavior], Field(description="In ABC-Eval's order.")]
    schema_version: SchemaVersion = 1


def wire_rates(found: Rates) -> RatesAnswer:
    """Rates as they travel."""
    return RatesAnswer(
        **vars(found.query),
        rates=[_rate(each) for each in found.rates],
        alarms=_rate(found.alarms),
        user_frustration=_rate(found.user_frustration),
        bot_versions=list(found.bot_versions),
        channels=list(found.channels),
    )


def _rate(rate: Rate) -> WireRate:
    low, high = rate.interval or (None, None)
    return WireRate(
        behavior=rate.behavior,
        shown=rate.shown,
        scored=rate.scored,
        unscored=rate.unscored,
        share=rate.share,
        low=low,
        high=high,
    )


def wire_alarm(alarm: Alarm, verdict: AlarmVerdict | None = None) -> WireAlarm:
    """An alarm as it travels, with what a person said of it."""
    response = alarm.response
    return WireAlarm(
        place=alarm.place,
        dialogue_id=response.dialogue_id or None,
        shown=list(response.shown),
        probabilities=dict(response.probabilities),
        evidence=dict(response.evidence),
        faults=[WireFault(**encode(each)) for each in response.faults],
        user_frustration=None if response.user_frustration is None else WireFrustration(**encode(response.user_frustration)),
        verdict=verdict,
        **{name: getattr(response, name) for name in _ALARM},
    )
