"""Sends things later, in order and in batches: a bounded queue, a thread, and tries that wait longer each time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from grice.middleware.runtime.backoff import Backoff, retry_after_s

Item = TypeVar("Item")

LONGEST_PAUSE_S = 300.0
"""Between two tries, also where the receiver asks for more."""
ENDS = "the process ends"
OutboxOutcome = Literal["delivered", "retried", "given_up", "dropped"]


@dataclass(frozen=True)
class Attempt:
    """What became of one try.

    Attributes:
        why: what went wrong; "": the receiver has all that was sent.
        again_s: for how many seconds it wants peace before the next try; None: it will never take it.
        status: of HTTP; 0: there is none.
    """

    why: str = ""
    again_s: float | None = None
    status: int = 0


DELIVERED = Attempt()


def attempt_of(status: int, retry_after: str = "") -> Attempt:
    """What an HTTP status says of a try: 2xx has it, 408, 425, 429 and 5xx may pass, all others will not."""
    if 200 <= status < 300:
        return Attempt(status=status)
    again = status >= 500 or status in (408, 425, 429)
    return Attempt(f"it answered {status}", retry_after_s(retry_after) if again else None, status)


@dataclass(frozen=True)
class OutboxLimits:
    """How much, and how often.

    Attributes:
        queue: things that wait at most; more are dropped.
        batch: sent together.
        tries: of one batch.
        retry_s: seconds before the second try, roughly; it doubles with each.
        close_s: how long closing waits for things to be delivered.
        join_s: and for the try under way.
    """

    queue: int
    batch: int
    tries: int
    retry_s: float
    close_s: float = 5.0
    join_s: float = 5.0


class Outbox(Generic[Item]):
    """Takes things at once and sends them later. What fails for good is told, never raised.

    Args:
        name: of the thread.
        send: sends a batch; must not raise. Called by one thread at a time.
        tell: told of each batch and outcome, and why; of one that is tried again too. Must not block.
    """

    def __init__(
        self,
        name: str,
        send: Callable[[Sequence[Item]], Attempt],
        limits: OutboxLimits,
        tell: Callable[[OutboxOutcome, Sequence[Item], str], None],
    ) -> None:
        self.limits = limits
        self._send = send
        self._tell = tell
        self._backoff = Backoff(limits.retry_s, LONGEST_PAUSE_S, spread=0.5)
        self._waiting: deque[Item] = deque()
        self._sending: Sequence[Item] = ()
        self._changed = threading.Condition()
        self._closing = False
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def put(self, items: Iterable[Item]) -> None:
        """Take things, all that there is room for; returns at once."""
        given = list(items)
        with self._changed:
            room = 0 if self._closing else max(0, self.limits.queue - len(self._waiting) - len(self._sending))
            closing = self._closing
            self._waiting.extend(given[:room])
            self._changed.notify_all()
        if given[room:]:
            self._tell("dropped", given[room:], "it came after closing" if closing else "too many wait")

    def close(self) -> None:
        """Send what waits, for `close_s` at most; what is left is dropped. A batch that waits for another try gets it at once."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting and not self._sending, self.limits.close_s)
            self._stopped = True
            left = list(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        if left:
            self._tell("dropped", left, ENDS)
        if self._thread.is_alive():
            self._thread.join(self.limits.join_s)
        if lost := self._settle():
            self._tell("dropped", lost, ENDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                self._sending = batch = [self._waiting.popleft() for _ in range(min(self.limits.batch, len(self._waiting)))]
            if not batch:
                return
            outcome, why = self._deliver(batch)
            if self._settle():
                self._tell(outcome, batch, why)

    def _settle(self) -> Sequence[Item]:
        """The batch under way, which is under way no more; nothing: somebody told already what became of it."""
        with self._changed:
            batch, self._sending = self._sending, ()
            self._changed.notify_all()
        return batch

    def _deliver(self, batch: Sequence[Item]) -> tuple[OutboxOutcome, str]:
        for number in range(1, self.limits.tries + 1):
            found = self._send(batch)
            if not found.why:
                return "delivered", ""
            if found.again_s is None or number == self.limits.tries:
                return "given_up", f"{found.why}, after {number} tries"
            if not self._stopped:
                self._tell("retried", batch, found.why)
            self._pause(max(found.again_s, self._backoff.wait_s(number)))
            if self._stopped:
                break
        return "dropped", ENDS

    def _pause(self, wait_s: float) -> None:
        """Wait for the next try; no longer than until closing begins, or stops."""
        with self._changed:
            closing = self._closing
            self._changed.wait_for(lambda: self._stopped or self._closing != closing, min(LONGEST_PAUSE_S, wait_s))
