"""Events for a scored response, as OpenTelemetry's conventions for generative AI have them.

One for each behaviour, one for its alarm, one for the user's frustration before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.monitor.reports import ALARM, CountedLabel
from grice.middleware.monitor.scored_response import ScoredResponse, label_of
from grice.middleware.rates.counters import is_scored
from grice.middleware.telemetry import genai_names as names
from grice.middleware.telemetry.spans import SCOPE
from grice.middleware.telemetry.trace_context import HEADER
from grice.models.relations.labels import FRUSTRATION
from grice.models.results import BEHAVIORS, Behavior

try:
    from opentelemetry._logs import LogRecord, SeverityNumber, get_logger
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError:
    HAS_EVENTS = False
else:
    HAS_EVENTS = True

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider

UNSCORED = "unscored"


def record_evaluation(response: ScoredResponse, provider: LoggerProvider | None = None) -> None:
    """Emit events `gen_ai.evaluation.result`, where OpenTelemetry is installed and a provider of logs is set; else nothing.

    There is one a behaviour, and where relations were read one named `alarm`, whose score is 1 or 0; where the
    user's turn before it was read, one named `user_frustration`.

    They hold no texts, and of names the event's id (as that of the response), the dialogue's, the bot's version and the channel.
    Where it is known in which span the response was made, they belong to it. A behaviour that was not scored has an `error.type`
    and no score.

    Args:
        response: what was scored.
        provider: None: the process's.
    """
    if not HAS_EVENTS:
        return
    logger = get_logger(SCOPE, logger_provider=provider)
    carrier = {HEADER: response.traceparent}
    context = TraceContextTextMapPropagator().extract(carrier) if response.traceparent else None
    labels: list[CountedLabel] = [*BEHAVIORS]
    labels += [] if response.alarm is None else [ALARM]
    labels += [] if response.user_frustration is None else [FRUSTRATION]
    for label in labels:
        record = LogRecord(
            timestamp=int(response.scored_at * 1e9),
            context=context,
            severity_number=SeverityNumber.INFO,
            event_name=names.EVALUATION_EVENT,
            attributes=_attributes(response, label),
        )
        logger.emit(record)


def _attributes(response: ScoredResponse, label: CountedLabel) -> Mapping[str, str | float]:
    found: dict[str, str | float] = {names.EVALUATION_NAME: label, names.RESPONSE_ID: response.event_id}
    if response.dialogue_id:
        found[names.CONVERSATION_ID] = response.dialogue_id
    if response.bot_version is not None:
        found[names.AGENT_VERSION] = response.bot_version
    if response.channel is not None:
        found["grice.channel"] = response.channel
    if response.tenant != DEFAULT_TENANT:
        found["grice.tenant"] = response.tenant
    if label == ALARM:
        found[names.SCORE_VALUE] = float(bool(response.alarm))
        found[names.SCORE_LABEL] = "present" if response.alarm else "absent"
        by_judge = response.judged.get(ALARM) is not None
        within = f"how likely anything is wrong, against the budget of {response.setting or 'its setting'}"
        found[names.EXPLANATION] = "a judge decided" if by_judge else within
        return found
    if label == FRUSTRATION:
        told = response.user_frustration
        if told is not None:
            found[names.SCORE_VALUE] = told.probability
            found[names.SCORE_LABEL] = "present" if told.shown else "absent"
        found[names.EXPLANATION] = "how likely the user was frustrated before the response, against its threshold"
        return found
    return {**found, **_of_behavior(response, label)}


def _of_behavior(response: ScoredResponse, behavior: Behavior) -> Mapping[str, str | float]:
    probability, judged = response.probabilities.get(behavior), response.judged.get(behavior)
    found: dict[str, str | float] = {}
    if not is_scored(response, behavior):
        return {names.ERROR_TYPE: response.failures[0].error if response.failures else UNSCORED}
    if probability is not None:
        found[names.SCORE_VALUE] = probability
    found[names.SCORE_LABEL] = label_of(response, behavior)
    found[names.EXPLANATION] = (
        "a judge decided" if judged is not None else f"its probability against its threshold, by {response.model or 'the model'}"
    )
    return found
