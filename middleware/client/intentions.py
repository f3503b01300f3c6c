"""The intention detector as the REST service runs it."""

from __future__ import annotations

from collections.abc import Sequence

from grice.middleware.client.answers import intentions
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.models.dialogue import Dialogue
from grice.models.results import Intentions, PersuasionRole


class RemoteIntentions:
    """Finds face acts as `IntentionDetector` does, by `POST /v1/intentions`.

    Args:
        user_role: whether the user is the one to be persuaded or persuades.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    def __init__(self, service: RemoteService | RemoteSettings, user_role: PersuasionRole = "persuadee") -> None:
        self.service = service if isinstance(service, RemoteService) else remote_service(service)
        self.user_role = user_role

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Intentions]:
        """What the turns of each dialogue do to face, in order, within the deadline of the settings.

        Raises:
            CircuitOpen, DeadlineExceeded, ServiceError: as in `RemoteService.ask`.
        """
        rows = self.service.ask("/v1/intentions", dialogues, user_role=self.user_role)
        return [intentions(row, dialogue) for row, dialogue in zip(rows, dialogues, strict=True)]
