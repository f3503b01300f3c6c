"""Feedback of MLflow: `POST /api/3.0/mlflow/traces/TRACE/assessments`, what `mlflow.log_feedback` sends.

Source: the messages `CreateAssessment` and `Assessment` of mlflow-skinny 3.17.2. MLflow gives assessments ids of its own: one whose
answer was lost is there twice, with the same `grice.id` in its metadata.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from grice.middleware.runtime.outbox import DELIVERED, Attempt
from grice.middleware.sinks.receiver import Post
from grice.middleware.sinks.score import Score, moment_of
from grice.middleware.sinks.target import SinkTarget

SOURCES = {"CODE": "CODE", "LLM": "LLM_JUDGE"}


class MLflow:
    """`mlflow+http://USER:PASSWORD@HOST:5000`, or `mlflow+https://:TOKEN@HOST`; a server without accounts needs neither.

    Raises:
        SettingsError: an option is given; there are none.
    """

    most: ClassVar[int] = 1

    def __init__(self, target: SinkTarget) -> None:
        target.check_options(())
        self._user, self._password = target.user, target.password

    @property
    def headers(self) -> Mapping[str, str]:
        if self._user:
            return {"authorization": f"Basic {base64.b64encode(f'{self._user}:{self._password}'.encode()).decode()}"}
        return {"authorization": f"Bearer {self._password}"} if self._password else {}

    def places(self, score: Score) -> bool:
        return score.span is not None

    def send(self, scores: Sequence[Score], post: Post) -> Attempt:
        for score in scores:
            trace = trace_id_of(score)
            found = post(f"/api/3.0/mlflow/traces/{trace}/assessments", {"assessment": _row(score, trace)}).attempt
            if found.why:
                return found
        return DELIVERED


def trace_id_of(score: Score) -> str:
    """MLflow's name of an OpenTelemetry trace."""
    return "" if score.span is None else f"tr-{score.span.trace_id}"


def _row(score: Score, trace: str) -> dict[str, Any]:
    return {
        "assessment_name": score.name,
        "trace_id": trace,
        **({} if score.span is None else {"span_id": score.span.span_id}),
        "source": {"source_type": SOURCES[score.scorer], "source_id": score.model or "grice"},
        "create_time": moment_of(score.scored_at),
        "last_update_time": moment_of(score.scored_at),
        "feedback": {"value": score.value},
        "rationale": f"{score.label}; {score.explanation}",
        "metadata": {"grice.id": score.id, **{f"grice.{name}": str(value) for name, value in score.metadata.items()}},
    }
