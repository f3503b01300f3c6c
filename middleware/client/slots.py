"""The slot-value resolver as the REST service runs it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from grice.middleware.client.answers import slot_reports
from grice.middleware.client.service import RemoteService, item_of, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.slots.reports import MOST_SLOTS, SlotReport
from grice.models.slots.questions import SlotQuestion


class RemoteSlots:
    """Reports on slots as `SlotReporter` does, by `POST /v1/slots`; questions that follow each other on a dialogue are one item.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    def __init__(self, service: RemoteService | RemoteSettings) -> None:
        self.service = service if isinstance(service, RemoteService) else remote_service(service)

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotReport]:
        """One report a question, in order, within the deadline of the settings.

        Raises:
            CircuitOpen, DeadlineExceeded, ServiceError: as in `RemoteService.ask_items`.
        """
        parts = list(_parts(questions))
        rows = self.service.ask_items(
            "/v1/slots", [{**item_of(part[0].dialogue), "slots": list(map(_slot, part))} for part in parts]
        )
        return [report for row, part in zip(rows, parts, strict=True) for report in slot_reports(row, part)]


def _parts(questions: Sequence[SlotQuestion]) -> Iterator[list[SlotQuestion]]:
    """Questions about one dialogue, at most `MOST_SLOTS` together."""
    for _, same in itertools.groupby(questions, lambda question: question.dialogue):
        asked = list(same)
        yield from (asked[first : first + MOST_SLOTS] for first in range(0, len(asked), MOST_SLOTS))


def _slot(question: SlotQuestion) -> dict[str, object]:
    return {"name": question.slot, "description": question.description, "values": list(question.values)}
