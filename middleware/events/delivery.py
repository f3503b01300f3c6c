"""Takes events at once and delivers them later, in order."""

from __future__ import annotations

import atexit
import itertools
import logging
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.settings import DeliverySettings
from grice.middleware.events.spool import SPOOL_ERRORS, Spool
from grice.middleware.runtime.backoff import Backoff
from grice.models.errors import DeliveryError, EventsRefused, InputError

LOOK_S = 1.0
"""How often the spool file is looked at while there is nothing to do."""

log = logging.getLogger(__name__)


class EventPublisher(Protocol):
    """Sends events to one receiver. Called by one thread at a time."""

    def publish(self, events: Sequence[DialogueEvent]) -> None:
        """Return once the receiver has all events, in order.

        Raises:
            EventsRefused: it will never take at least one of them; some of the others may have arrived.
            DeliveryError: it cannot be reached or cannot take them now; some may have arrived, and all may be sent again.
        """
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


@dataclass
class Counts:
    """What became of events since the start.

    Attributes:
        delivered: the receiver has them; one that was sent twice counts twice.
        spooled: written to the spool file, and delivered from there later.
        refused: the receiver will never take them; they are in the file `….refused`.
        lost: they fitted nowhere.
    """

    delivered: int = 0
    spooled: int = 0
    refused: int = 0
    lost: int = 0


class Delivery:
    """A bounded queue, a thread that empties it, and a spool file for what the receiver does not take.

    Events leave in the order in which they came, those in the spool file first. Each arrives at least once, unless the process is
    killed while events wait in memory. Every other trouble is logged as an error, without texts, and counted.

    Args:
        publisher: the way to the receiver; used by the thread only, and closed in the end.
        settings: sizes and times.
    """

    def __init__(self, publisher: EventPublisher, settings: DeliverySettings) -> None:
        self.settings = settings
        self.counts = Counts()
        self._publisher = publisher
        self._backoff = Backoff(settings.retry_ms / 1000, settings.max_retry_ms / 1000)
        self._spool = Spool(settings.spool_path, settings.spool_max_bytes)
        self._waiting: deque[DialogueEvent] = deque()
        self._changed = threading.Condition()
        self._spilling = threading.Lock()  # taken before `_changed`, so that what is spilled stays in order
        self._closing = False
        self._down = False
        self._thread = threading.Thread(target=self._run, name="grice-events", daemon=True)

    def start(self) -> None:
        """Begin to deliver, what an earlier process left in the spool file first."""
        self._thread.start()
        atexit.register(self.close)

    def put(self, event: DialogueEvent) -> None:
        """Take an event. Returns at once; a full queue is moved to the spool file first, which takes some milliseconds."""
        with self._changed:
            if len(self._waiting) < self.settings.queue_size and not self._closing:
                self._waiting.append(event)
                self._changed.notify()
                return
        self._spill("the queue was full" if not self._closing else "it came after closing", event)

    def close(self) -> None:
        """Deliver what waits, for `close_ms` at most; the rest goes to the spool file."""
        with self._changed:
            if self._closing:
                return
            self._closing = True
            self._changed.notify()
        atexit.unregister(self.close)
        if self._thread.is_alive():
            self._thread.join(self.settings.close_ms / 1000)
        self._spill("the process ends")
        if not self._thread.is_alive():
            self._give_back()

    def _run(self) -> None:
        try:
            self._deliver()
        finally:  # also when closing did not wait for it: another process may use the spool file
            self._give_back()

    def _give_back(self) -> None:
        self._publisher.close()
        self._spool.close()

    def _deliver(self) -> None:
        failures = 0
        while True:
            try:
                failures = 0 if self._deliver_some() else failures
                done = self._closing and not self._waiting
            except Exception as error:  # noqa: BLE001 - the next events are tried; its message may quote a turn
                self._note_down(str(error) if isinstance(error, DeliveryError) else type(error).__name__)
                failures += 1
                self._wait(self._backoff.wait_s(failures))
                done = self._closing
            if done:
                return

    def _deliver_some(self) -> bool:
        """Send the oldest events; whether any were sent.

        Raises:
            DeliveryError: the receiver cannot take them now; they are in the spool file.
        """
        if not self._spool.is_empty():
            self._spill("older events are in the spool file")
            return self._send_spooled()
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing, LOOK_S)
            batch = list(itertools.islice(self._waiting, self.settings.batch_size))
        if not batch:
            return False
        try:
            self._send(batch)
        except DeliveryError:
            self._spill("the receiver could not be reached")
            raise
        with self._changed:
            if self._waiting and self._waiting[0] is batch[0]:  # not spilled in the meantime
                for _ in batch:
                    self._waiting.popleft()
        self._note_up()
        return True

    def _send_spooled(self) -> bool:
        lines = self._spool.oldest(self.settings.batch_size)
        if not lines:  # another process sends them
            self._wait(self._backoff.first_s)
            return False
        events, others = _read(lines)
        if events:
            self._send(events)
        for line in others:
            self._refuse(line, "a line of the spool file is no event")
        self._spool.done()
        self._note_up()
        return True

    def _send(self, events: Sequence[DialogueEvent]) -> None:
        try:
            self._publisher.publish(events)
            self.counts.delivered += len(events)
        except EventsRefused as error:
            if len(events) == 1:
                self._refuse(events[0].to_json().encode(), str(error))
                return
            for event in events:
                self._send([event])

    def _spill(self, why: str, last: DialogueEvent | None = None) -> None:
        """Move all that waits, and then `last`, to the spool file."""
        with self._spilling:
            with self._changed:
                events = [*self._waiting, *([last] if last else [])]
                self._waiting.clear()
            if not events:
                return
            fitting = 0
            try:
                fitting = self._spool.add([event.to_json() for event in events])
            except SPOOL_ERRORS as error:
                why = f"{why}; {type(error).__name__}"
            self.counts.spooled += fitting
            self.counts.lost += len(events) - fitting
        if fitting:
            log.error("%d events were written to %s: %s", fitting, self.settings.spool_path, why)
        if fitting < len(events):
            log.error("%d events are LOST, %s did not take them: %s", len(events) - fitting, self.settings.spool_path, why)

    def _refuse(self, line: bytes, why: str) -> None:
        with self._spilling:
            try:
                kept = self._spool.refuse(line)
            except OSError as error:
                kept, why = False, f"{why}; {type(error).__name__}"
            self.counts.refused += 1
            self.counts.lost += not kept
        log.error("an event is refused and %s %s.refused: %s", "is in" if kept else "LOST, not in", self.settings.spool_path, why)

    def _note_down(self, why: str) -> None:
        if not self._down:
            log.error("events cannot be delivered; they go to %s until they can be: %s", self.settings.spool_path, why)
        self._down = True

    def _note_up(self) -> None:
        if self._down:
            log.warning("events can be delivered again")
        self._down = False

    def _wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing, seconds)


def _read(lines: Sequence[bytes]) -> tuple[list[DialogueEvent], list[bytes]]:
    """The events among the lines, and the lines that are none."""
    events, others = [], []
    for line in lines:
        try:
            events.append(DialogueEvent.from_json(line))
        except InputError:
            others.append(line)
    return events, others
