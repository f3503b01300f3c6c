"""Scored responses, rates and alarms as they travel."""

from __future__ import annotations

from typing import Any

from grice.middleware.service.alarms import Alarm
from grice.middleware.service.answers import wire_failures
from grice.middleware.service.response_answers import RatesAnswer, WireAlarm, WireEvidence, WireJudgement, WireRate
from grice.middleware.service.response_scoring import Scored
from grice.middleware.service.watch import Rates
from grice.models.dialogue import Dialogue
from grice.models.results import Behaviors

_ALARM = ("event_id", "text", "timestamp", "channel", "bot_version", "action")


def response_row(dialogue_id: str | None, scored: Scored, thresholds: dict[Any, float]) -> dict[str, Any]:
    """The fields of the answer on one response."""
    report, found = scored.report, scored.report.behaviors
    return {
        "event_id": scored.event_id,
        "dialogue_id": dialogue_id,
        "probabilities": found and dict(found.probabilities),
        "thresholds": thresholds,
        "shown": list(report.shown),
        "evidence": {} if found is None else _evidence(scored.dialogue, found),
        "judgements": [WireJudgement(**vars(judgement)) for judgement in report.judgements],
        "history_read": found and found.history_read,
        "history_cut": found and found.history_cut,
        "text_cut": found and found.text_cut,
        "failures": wire_failures((*report.failures, *scored.failures)),
    }


def _evidence(dialogue: Dialogue, found: Behaviors) -> dict[Any, WireEvidence]:
    turns = {label: (place, dialogue.turns[place]) for label, place in found.evidence.items()}
    return {label: WireEvidence(turn=place, speaker=turn.speaker, text=turn.text) for label, (place, turn) in turns.items()}


def wire_rates(found: Rates) -> RatesAnswer:
    """Rates as they travel."""
    rates = []
    for rate in found.rates:
        low, high = rate.interval or (None, None)
        rates.append(
            WireRate(
                behavior=rate.behavior,
                shown=rate.shown,
                scored=rate.scored,
                unscored=rate.unscored,
                share=rate.share,
                low=low,
                high=high,
            )
        )
    return RatesAnswer(**vars(found.query), rates=rates, bot_versions=list(found.bot_versions), channels=list(found.channels))


def wire_alarm(alarm: Alarm) -> WireAlarm:
    """An alarm as it travels."""
    response = alarm.response
    return WireAlarm(
        place=alarm.place,
        dialogue_id=response.dialogue_id or None,
        shown=list(response.shown),
        probabilities=dict(response.probabilities),
        evidence=dict(response.evidence),
        **{name: getattr(response, name) for name in _ALARM},
    )
