"""What a sink is told: one score of one behaviour of one response. It holds no text of the conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Literal

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.monitor.scored_response import ScoredResponse, ScoreLabel, label_of
from grice.middleware.rates.counters import is_scored
from grice.middleware.telemetry.trace_context import TraceParent, read_traceparent
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.results import BEHAVIORS, Behavior

AnnotatorKind = Literal["CODE", "LLM"]


@dataclass(frozen=True)
class Score:
    """One score.

    Attributes:
        id: the same whenever the same model scores the same response: sending it again overwrites.
        name: the behaviour's label, such as `Red`.
        value: its probability, 0 to 1; 1 or 0 where a judge decided.
        label: what it says.
        explanation: where it comes from, in words.
        scorer: our model, or a judge.
        model: name and version of the model.
        span: in which the response was made; None: nobody knows.
        dialogue_id: "" where it has no name.
        at: when it was scored, in Unix seconds.
        metadata: names and numbers beside it.
    """

    id: str
    name: Behavior
    value: float
    label: ScoreLabel
    explanation: str
    scorer: AnnotatorKind
    model: str
    span: TraceParent | None
    dialogue_id: str
    at: float
    metadata: Mapping[str, str | float]

    @property
    def moment(self) -> str:
        """`at` as ISO 8601, in UTC."""
        return datetime.fromtimestamp(self.at, timezone.utc).isoformat().replace("+00:00", "Z")


def scores_of(response: ScoredResponse) -> list[Score]:
    """The scores of a response: of those behaviours that were scored."""
    return [_score(response, behavior) for behavior in BEHAVIORS if is_scored(response, behavior)]


def _score(response: ScoredResponse, behavior: Behavior) -> Score:
    probability, decided = response.probabilities.get(behavior), response.judged.get(behavior)
    value = probability if decided is None and probability is not None else float(behavior in response.shown)
    names = {
        "event_id": response.event_id,
        "bot_version": response.bot_version,
        "channel": response.channel,
        "action": response.action,
        "tenant": None if response.tenant == DEFAULT_TENANT else response.tenant,
        "model": response.model or None,
        "probability": probability,
        "label": label_of(response, behavior),
    }
    identity = [response.tenant, response.dialogue_id, response.event_id, behavior, response.model]
    return Score(
        hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32],
        behavior,
        value,
        label_of(response, behavior),
        f"{DEFINITIONS[behavior].name}: {'a judge decided' if decided is not None else 'its probability'}",
        "CODE" if decided is None else "LLM",
        response.model,
        read_traceparent(response.traceparent),
        response.dialogue_id,
        response.scored_at,
        {name: given for name, given in names.items() if given is not None},
    )
