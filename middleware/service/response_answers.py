"""What the service answers about the bot's responses: their behaviours, rates and alarms."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from grice.middleware.service.answers import Failures, SchemaVersion
from grice.middleware.service.schemas import Wire
from grice.models.behaviors.definitions import Maxim
from grice.models.dialogue import Speaker
from grice.models.results import Behavior

Probabilities = dict[Behavior, Annotated[float | None, Field(ge=0, le=1)]]


class WireEvidence(Wire):
    """The earlier turn that a behaviour is about."""

    turn: Annotated[int, Field(description="Its place in `turns`, or in the kept dialogue; 0 is the oldest.")]
    speaker: Annotated[Speaker, Field(description="Who said it.")]
    text: Annotated[str, Field(description="What was said.")]


class WireJudgement(Wire):
    """What a large language model says of one behaviour."""

    behavior: Annotated[Behavior, Field(description="What it was asked about.")]
    decision: Annotated[bool | None, Field(description="Whether the response shows it; null: it gave no decision.")]
    reasoning: Annotated[str, Field(description="What it said before its decision.")]
    unscored: Annotated[str, Field(description="Why there is no decision; empty where there is one.")]
    error: Annotated[str, Field(description="The class of the error that kept it from an answer; empty where it answered.")]
    evidence: Annotated[int | None, Field(description="The place of the turn that the response was held against when it said yes.")]
    prompt_tokens: Annotated[int, Field(description="Tokens that it read, as its server counts them.")]
    completion_tokens: Annotated[int, Field(description="Tokens that it wrote.")]
    cost: Annotated[float | None, Field(description="US dollars; null: no price is known.")]
    cached: Annotated[bool, Field(description="The answer was remembered.")]


class ResponseResult(Wire):
    """A bot's response after the monitor."""

    event_id: Annotated[str, Field(description="Its name, the caller's or a new one.")]
    dialogue_id: Annotated[str | None, Field(description="The dialogue that it was kept in.")]
    probabilities: Annotated[
        Probabilities | None,
        Field(description="How likely it shows each behaviour, 0 to 1; null where it was not scored, which is neither yes nor no."),
    ]
    thresholds: Annotated[dict[Behavior, float], Field(description="The probability from which on a behaviour counts as shown.")]
    shown: Annotated[list[Behavior], Field(description="What it shows: as a judge decided, otherwise what reaches its threshold.")]
    evidence: Annotated[
        dict[Behavior, WireEvidence],
        Field(description="For `!Sel`, `!Par` and `Red`: the earlier turn it most likely clashes with."),
    ]
    judgements: Annotated[list[WireJudgement], Field(description="What a judge said, where one was asked.")]
    history_read: Annotated[int | None, Field(description="Turns of history that the model read; null where it failed.")]
    history_cut: Annotated[int | None, Field(description="Older turns that did not fit and were left out.")]
    text_cut: Annotated[bool | None, Field(description="The end of the response itself did not fit and was left out.")]
    failures: Failures


class ResponseAnswer(ResponseResult):
    """A single response after the monitor."""

    schema_version: SchemaVersion = 1


class WireRate(Wire):
    """How often a behaviour was shown."""

    behavior: Annotated[Behavior, Field(description="Which.")]
    shown: Annotated[int, Field(description="Responses that showed it.")]
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
    bot_versions: Annotated[list[str], Field(description="Versions seen within the window; `unknown`: none was given.")]
    channels: Annotated[list[str], Field(description="Channels seen within the window.")]
    schema_version: SchemaVersion = 1


class WireAlarm(Wire):
    """A response with an undesired behaviour."""

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
