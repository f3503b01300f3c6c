"""Scores of Langfuse: `POST /api/public/scores` with a list, and uncertain ones into an annotation queue.

Source: Langfuse's public API as its Python SDK 5.0.4 has it (`CreateScoreRequest`, `CreateAnnotationQueueItemRequest`). A score
that is sent again with the same id and timestamp overwrites the first; the timestamp is the response's own, so a response that is
scored again does that too.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from grice.middleware.runtime.outbox import DELIVERED, Attempt
from grice.middleware.sinks.receiver import Post
from grice.middleware.sinks.score import Score, moment_of
from grice.middleware.sinks.target import SETTING, SinkTarget
from grice.models.errors import SettingsError

PATH = "/api/public/scores"
OPTIONS = ("queue", "environment")
REMEMBERED = 10_000
"""Objects that were put into the queue: the scores of one may come in several batches."""


class Langfuse:
    """`langfuse+https://PUBLIC_KEY:SECRET_KEY@HOST?queue=ID&environment=NAME`; both options may be left out.

    Raises:
        SettingsError: a key is missing, or an option is unknown.
    """

    most: ClassVar[int] = 1000

    def __init__(self, target: SinkTarget) -> None:
        target.check_options(OPTIONS)
        if not (target.user and target.password):
            raise SettingsError(SETTING, "langfuse without keys", "langfuse+https://PUBLIC_KEY:SECRET_KEY@HOST")
        self._keys = f"{target.user}:{target.password}"
        self._queue = target.options.get("queue", "")
        self._asked: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._environment = target.options.get("environment", "")

    @property
    def headers(self) -> Mapping[str, str]:
        return {"authorization": f"Basic {base64.b64encode(self._keys.encode()).decode()}"}

    def places(self, score: Score) -> bool:
        return score.span is not None or bool(score.dialogue_id)

    def send(self, scores: Sequence[Score], post: Post) -> Attempt:
        answer = post(PATH, [self._row(score) for score in scores])
        found = answer.attempt
        if found.status == 400 and len(scores) > 1:  # a server before the list was taken
            found = next((each for score in scores if (each := post(PATH, self._row(score)).attempt).why), DELIVERED)
        if found.status == 207:  # its documentation: such a batch is not to be sent again
            rejected = answer.body.get("rejected", 0) if isinstance(answer.body, dict) else 0
            if rejected:
                return Attempt(f"it rejected {rejected} of {len(scores)} scores", None, 207)
        return found if found.why or not self._queue else self._ask_people(scores, post)

    def _ask_people(self, scores: Sequence[Score], post: Post) -> Attempt:
        """Put what uncertain scores are about into the queue, each once."""
        for kind, name in dict.fromkeys(_object_of(score) for score in scores if score.label == "uncertain"):
            if (kind, name) in self._asked:
                continue
            row = {"objectId": name, "objectType": kind, "status": "PENDING"}
            found = post(f"/api/public/annotation-queues/{quote(self._queue, safe='')}/items", row).attempt
            if found.why:
                return found
            self._asked[kind, name] = None
            if len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return DELIVERED

    def _row(self, score: Score) -> dict[str, Any]:
        if score.span is not None:
            about = {"traceId": score.span.trace_id, "observationId": score.span.span_id}
        else:
            about = {"sessionId": score.dialogue_id}
        return {
            "id": score.id,
            "name": score.name,
            "value": score.value,
            "dataType": "NUMERIC",
            **about,
            "comment": f"{score.label}; {score.explanation}",
            "metadata": dict(score.metadata),
            "timestamp": moment_of(score.said_at),
            **({"environment": self._environment} if self._environment else {}),
        }


def _object_of(score: Score) -> tuple[str, str]:
    return ("OBSERVATION", score.span.span_id) if score.span is not None else ("SESSION", score.dialogue_id)
