"""The directness scorer as the REST service runs it."""

from __future__ import annotations

from collections.abc import Sequence

from grice.middleware.client.answers import directness
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.models.dialogue import Dialogue
from grice.models.results import Directness


class RemoteDirectness:
    """Scores turns as `DirectnessScorer` does, by `POST /v1/directness`.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    def __init__(self, service: RemoteService | RemoteSettings) -> None:
        self.service = service if isinstance(service, RemoteService) else remote_service(service)

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        """The directness of the last turn of each dialogue, in order, within the deadline of the settings.

        Raises:
            CircuitOpen, DeadlineExceeded, ServiceError: as in `RemoteService.ask`.
        """
        return [directness(row) for row in self.service.ask("/v1/directness", dialogues)]
