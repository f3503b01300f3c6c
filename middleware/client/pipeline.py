"""The pipeline as the REST service runs it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from grice.middleware.client.answers import turn_analysis
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.settings import Mode
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis
from grice.models.dialogue import Dialogue
from grice.models.errors import CircuitOpen, GriceError

log = logging.getLogger(__name__)


class RemotePipeline:
    """Analyses turns as `Pipeline` does, by `POST /v1/turns`. What goes wrong leaves the turns unchanged and marked.

    Args:
        mode: what the NLU gets; None: as the service is set. The thresholds are the service's.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    def __init__(self, service: RemoteService | RemoteSettings, mode: Mode | None = None) -> None:
        self.service = service if isinstance(service, RemoteService) else remote_service(service)
        self.mode = mode

    def predict(self, dialogues: Sequence[Dialogue]) -> list[TurnAnalysis]:
        """Analyse the last turn of each dialogue, in order, within the deadline of the settings."""
        more = {} if self.mode is None else {"mode": self.mode}
        try:
            rows = self.service.ask("/v1/turns", dialogues, **more)
            return [turn_analysis(row, dialogue.last.text) for row, dialogue in zip(rows, dialogues, strict=True)]
        except GriceError as error:
            if not isinstance(error, CircuitOpen):  # the breaker has said it
                log.warning("the service failed, the turn passes unchanged: %s", type(error).__name__)
            failure = StageFailure("service", type(error).__name__, str(error))
            texts = [dialogue.last.text for dialogue in dialogues]
            return [TurnAnalysis(text, text, "pass", "failed", failures=(failure,)) for text in texts]
