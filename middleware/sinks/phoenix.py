"""Annotations of Arize Phoenix: `POST /v1/span_annotations`, and `/v1/session_annotations` where no span is known.

Source: `SpanAnnotationData`, `SessionAnnotationData` of arize-phoenix-client 3.5.0. What is sent again with the same span, name and
identifier overwrites the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from grice.middleware.runtime.outbox import DELIVERED, Attempt
from grice.middleware.sinks.receiver import Post
from grice.middleware.sinks.score import Score
from grice.middleware.sinks.target import SinkTarget


class Phoenix:
    """`phoenix+https://:API_KEY@HOST`; a server without keys needs none.

    Raises:
        SettingsError: an option is given; there are none.
    """

    most: ClassVar[int] = 1000

    def __init__(self, target: SinkTarget) -> None:
        target.check_options(())
        self._key = target.password or target.user

    @property
    def headers(self) -> Mapping[str, str]:
        return {"authorization": f"Bearer {self._key}"} if self._key else {}

    def places(self, score: Score) -> bool:
        return score.span is not None or bool(score.dialogue_id)

    def send(self, scores: Sequence[Score], post: Post) -> Attempt:
        spans = [_row(score, "span_id", score.span.span_id) for score in scores if score.span is not None]
        sessions = [_row(score, "session_id", score.dialogue_id) for score in scores if score.span is None]
        for path, rows in (("/v1/span_annotations", spans), ("/v1/session_annotations", sessions)):
            if rows and (found := post(path, {"data": rows}).attempt).why:
                return found
        return DELIVERED


def _row(score: Score, about: str, name: str) -> dict[str, Any]:
    return {
        about: name,
        "name": score.name,
        "annotator_kind": score.scorer,
        "result": {"label": score.label, "score": score.value, "explanation": score.explanation},
        "metadata": dict(score.metadata),
        "identifier": score.id,
    }
