"""What a sink is told of a response: a score of a behaviour, whether it raises an alarm, how frustrated the user was. No text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Literal

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.monitor.reports import ALARM, CountedLabel
from grice.middleware.monitor.scored_response import ScoredResponse, ScoreLabel, label_of
from grice.middleware.rates.counters import is_scored
from grice.middleware.telemetry.trace_context import TraceParent, read_traceparent
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.relations.labels import FRUSTRATION
from grice.models.results import BEHAVIORS, Behavior

AnnotatorKind = Literal["CODE", "LLM"]


@dataclass(frozen=True)
class Score:
    """One score.

    Attributes:
        id: the same whenever the same model scores the same response: sending it again overwrites.
        name: the behaviour's label, such as `Red`, or `alarm`, or `user_frustration`.
        value: its probability, 0 to 1; 1 or 0 where a judge decided, and of an alarm.
        label: what it says.
        explanation: where it comes from, in words.
        scorer: our model, or a judge.
        model: name and version of the model.
        span: in which the response was made; None: nobody knows.
        dialogue_id: "" where it has no name.
        said_at, scored_at: when the response was said, and when it was scored, in Unix seconds. The first stays where a response is
            scored again.
        metadata: names and numbers beside it.
    """

    id: str
    name: CountedLabel
    value: float
    label: ScoreLabel
    explanation: str
    scorer: AnnotatorKind
    model: str
    span: TraceParent | None
    dialogue_id: str
    said_at: float
    scored_at: float
    metadata: Mapping[str, str | float]


def moment_of(seconds: float) -> str:
    """A time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat().replace("+00:00", "Z")


def scores_of(response: ScoredResponse) -> list[Score]:
    """The scores of a response: of those behaviours that were scored, of the alarm where relations were read, and of the user's
    frustration before it, where that was read."""
    found = [_of_behavior(response, behavior) for behavior in BEHAVIORS if is_scored(response, behavior)]
    if response.alarm is not None:
        found.append(_score(response, ALARM, float(response.alarm), "present" if response.alarm else "absent", None))
    if (told := response.user_frustration) is not None:
        label: ScoreLabel = "present" if told.shown else "absent"
        found.append(_score(response, FRUSTRATION, told.probability, label, told.probability))
    return found


def _of_behavior(response: ScoredResponse, behavior: Behavior) -> Score:
    probability = response.probabilities.get(behavior)
    decided = response.judged.get(behavior) is not None
    value = float(behavior in response.shown) if decided or probability is None else probability
    return _score(response, behavior, value, label_of(response, behavior), probability)


def _score(response: ScoredResponse, name: CountedLabel, value: float, label: ScoreLabel, probability: float | None) -> Score:
    decided = None if name == FRUSTRATION else response.judged.get(name)
    names = {
        "event_id": response.event_id,
        "bot_version": response.bot_version,
        "channel": response.channel,
        "action": response.action,
        "tenant": None if response.tenant == DEFAULT_TENANT else response.tenant,
        "model": response.model or None,
        "probability": probability,
        "label": label,
    }
    identity = [response.tenant, response.dialogue_id, response.event_id, name, response.model]
    return Score(
        hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32],
        name,
        value,
        label,
        f"{_about(response, name)}: {'a judge decided' if decided is not None else 'its probability'}",
        "CODE" if decided is None else "LLM",
        response.model,
        read_traceparent(response.traceparent),
        response.dialogue_id,
        response.timestamp,
        response.scored_at,
        {key: given for key, given in names.items() if given is not None},
    )


def _about(response: ScoredResponse, name: CountedLabel) -> str:
    if name == ALARM:
        return f"alarm under the budget of {response.setting or 'its setting'}"
    return "frustration of the user before the response" if name == FRUSTRATION else DEFINITIONS[name].name
