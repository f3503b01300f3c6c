"""The behaviour monitor's model as the REST service runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grice.middleware.client.answers import behaviors, thresholds
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.models.dialogue import Dialogue
from grice.models.results import Behavior, Behaviors


class RemoteMonitor:
    """Scores the bot's responses by `POST /v1/responses`. No judge is asked: it would take longer than the deadline.

    Args:
        counted: whether the service adds them to its rates and alarms; false where it, or a worker, hears of them another way too.

    Attributes:
        thresholds: the service's, as its last answer gave them; None before the first.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    thresholds: Mapping[Behavior, float] | None = None

    def __init__(self, service: RemoteService | RemoteSettings, counted: bool = True) -> None:
        self.service = service if isinstance(service, RemoteService) else remote_service(service)
        self.counted = counted

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        """What the last turn of each dialogue does, in order, within the deadline of the settings.

        Raises:
            CircuitOpen, DeadlineExceeded, ServiceError: as in `RemoteService.ask`; a ServiceError too where the service's own model
                failed on one of them.
        """
        rows = self.service.ask("/v1/responses", dialogues, counted=self.counted, judged=False)
        found = [behaviors(row, dialogue) for row, dialogue in zip(rows, dialogues, strict=True)]
        self.thresholds = thresholds(rows[-1]) if rows else self.thresholds
        return found
