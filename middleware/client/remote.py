"""Capabilities as the REST service offers them, behind the same protocol as the models in process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic

from grice.middleware.capabilities import Capability
from grice.middleware.capabilities.capability import Asked, Result
from grice.middleware.capabilities.responses import RESPONSES, read_thresholds
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.monitor.reports import MonitorQuestion
from grice.models.errors import GriceError
from grice.models.results import Behavior, Behaviors


class Remote(Generic[Asked, Result]):
    """Finds by `POST /v1/NAME` what the capability's model finds in process.

        Remote(INTENTIONS, RemoteSettings("http://127.0.0.1:8300"), user_role="persuader").predict([dialogue])

    Args:
        fields: what each item says beside the dialogue; what the service does by default may be left out.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    def __init__(self, capability: Capability[Asked, Result], service: RemoteService | RemoteSettings, **fields: object) -> None:
        self.capability = capability
        self.service = service if isinstance(service, RemoteService) else remote_service(service)
        self.fields = fields

    def predict(self, asked: Sequence[Asked], /) -> list[Result]:
        """One result for each that is asked, in order, within the deadline of the settings.

        Raises:
            InputError: what is asked is not what the capability reads.
            CircuitOpen, DeadlineExceeded, ServiceError: as in `RemoteService.ask`; not where the capability says what the result is
                then, as a user turn passes unchanged.
        """
        self.capability.check(asked)
        try:
            rows = self.service.ask(self.capability.path, [{**self.capability.encode(each), **self.fields} for each in asked])
            return self.read(rows, asked)
        except GriceError as error:
            if self.capability.give_up is None:
                raise
            return [self.capability.give_up(each, error) for each in asked]

    def read(self, rows: Sequence[object], asked: Sequence[Asked]) -> list[Result]:
        """The rows of an answer as results.

        Raises:
            ServiceError: one is none.
        """
        return [self.capability.read(row, each) for row, each in zip(rows, asked, strict=True)]


class RemoteMonitor(Remote[MonitorQuestion, Behaviors]):
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
        super().__init__(RESPONSES, service, counted=counted, judged=False)

    def read(self, rows: Sequence[object], asked: Sequence[MonitorQuestion]) -> list[Behaviors]:
        """As `Remote`, and the thresholds; a ServiceError too where the service's own model failed on one of them."""
        found = super().read(rows, asked)
        self.thresholds = read_thresholds(rows[-1]) if rows else self.thresholds
        return found
