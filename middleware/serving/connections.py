"""All connections of a listener: which are ended because they take too long, and which because there are too many."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from grice.middleware.settings import ConnectionSettings

if TYPE_CHECKING:
    from grice.middleware.serving.connection import CallerConnection, ConnectionPhase

SWEEP_S = 0.5
"""Seconds between two looks at all connections."""
LOOKS = 64
"""Connections that are looked at before others have their turn in the event loop."""
LOOKS_OF_ENDED, LOOKS_OF_READ = 16, 4
"""As how many looks it counts to end a connection, and to read from one: the loop has work with it after the look."""
FRESH_S = 1.0
"""A request that came within this is not cut for another while there are older ones."""
LAST_IDLE_S = 1.0
"""How long a connection may be idle while the server stops: a request that is on its way arrives within this."""
CAUSES = ("head", "body", "idle", "write", "room", "refused", "handshake", "files", "not_http")
"""Why connections are ended, for metrics and the log: headers, body or first byte took too long, or nobody read the answer; another
needed room; there was none; the TLS handshake failed; there were no more files; what came is not HTTP."""

log = logging.getLogger(__name__)


class CallerConnections:
    """Those that are open now, of each phase the one that has been in it longest first.

    No look at all of them keeps the event loop for long, and none is needed where room is made: thousands may come at once, and be
    due to be ended at once.

    Args:
        limits: what each may take.
        on_end: told why each was ended that was not ended by its caller or its last answer, as one of `CAUSES`.
    """

    def __init__(self, limits: ConnectionSettings, on_end: Callable[[str], None] = lambda cause: None) -> None:
        self._limits = limits
        self._on_end = on_end
        self._phase_of: dict[CallerConnection, ConnectionPhase] = {}
        self._open: dict[ConnectionPhase, OrderedDict[CallerConnection, None]] = {
            phase: OrderedDict() for phase in ("head", "body", "answer", "close")
        }
        self._beginning: set[CallerConnection] = set()
        self._stopping = False

    @property
    def beginning(self) -> int:
        """How many are about to be open."""
        return len(self._beginning)

    def __len__(self) -> int:
        return len(self._phase_of)

    def begin(self, connection: CallerConnection) -> None:
        """It is about to be open."""
        self._beginning.add(connection)

    def end_begin(self, connection: CallerConnection) -> None:
        """It is open, or will not be."""
        self._beginning.discard(connection)

    def add(self, connection: CallerConnection) -> None:
        """It is open."""
        self.end_begin(connection)
        self._phase_of[connection] = phase = connection.waits_for
        self._open[phase][connection] = None

    def discard(self, connection: CallerConnection) -> None:
        """It is not any more."""
        phase = self._phase_of.pop(connection, None)
        if phase is not None:
            del self._open[phase][connection]

    def sort(self, connection: CallerConnection) -> None:
        """It may wait for something else now."""
        before = self._phase_of.get(connection)
        if before not in (None, connection.waits_for):
            self.touch(connection)

    def touch(self, connection: CallerConnection) -> None:
        """It was of use just now."""
        if connection in self._phase_of:
            self.discard(connection)
            self.add(connection)

    def count(self, cause: str) -> None:
        """A connection was ended, or not taken. The log is told too; it shows a line a minute and cause."""
        self._on_end(cause)
        log.warning("connection ended", extra={"cause": cause})

    def stop(self) -> None:
        """From now on idle ones are ended soon."""
        self._stopping = True
        self._limits = replace(self._limits, idle_timeout_s=min(self._limits.idle_timeout_s, LAST_IDLE_S))

    def make_room(self) -> bool:
        """End the connection that has been idle longest, or else the one whose body takes longest; whether there is one.

        One that is fresh is ended only if all are.
        """
        now = asyncio.get_running_loop().time()
        phases: tuple[ConnectionPhase, ...] = ("head", "body")
        longest = [each for phase in phases if (each := self._longest(phase)) is not None]
        for each in sorted(longest, key=lambda each: each.waited_s(now) < FRESH_S)[:1]:
            self.count("room")
            each.cut()
            self.discard(each)
        return bool(longest)

    def _longest(self, phase: ConnectionPhase) -> CallerConnection | None:
        """Which has waited longest of those that wait for it."""
        waiting = self._open[phase]
        while waiting:
            each = next(iter(waiting))
            self.sort(each)
            if each in waiting:
                return each
        return None

    def abort(self) -> None:
        """End all."""
        for each in list(self._phase_of):
            each.cut()

    async def watch(self) -> None:
        """End those that take too long, until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_S)
            await self.sweep()

    async def sweep(self) -> None:
        """Look at each once, and end those that take too long. Others have their turn in between."""
        loop, looks = asyncio.get_running_loop(), 0
        read: list[CallerConnection] = []
        for each in list(self._phase_of):
            if each not in self._phase_of:
                continue
            looks += 1
            if self._check(each, loop.time()):
                looks += LOOKS_OF_ENDED
            elif each.read_if_slow(loop.time()):
                looks += LOOKS_OF_READ
                read.append(each)
            if looks >= LOOKS:
                await _give_way(read)
                looks = 0
        await _give_way(read)

    def _check(self, each: CallerConnection, now: float) -> bool:
        """End it if it takes too long; whether it did."""
        self.sort(each)
        limits, waits_for, waited_s = self._limits, each.waits_for, each.waited_s(now)
        if each.stalled_since is not None and now - each.stalled_since > limits.write_timeout_s:
            self.count("write")
            each.cut()
        elif waits_for == "close" and waited_s > limits.write_timeout_s:
            each.cut()
        elif waits_for == "body" and waited_s > limits.body_timeout_s:
            self.count("body")
            each.refuse(408, "body-timeout", f"The body did not come within {limits.body_timeout_s:g} s.")
        else:
            return waits_for == "head" and self._check_head(each, waited_s)
        return True

    def _check_head(self, each: CallerConnection, waited_s: float) -> bool:
        begun, limits = each.has_begun, self._limits
        if begun and waited_s > limits.head_timeout_s:
            self.count("head")
            each.refuse(408, "head-timeout", f"The headers did not come within {limits.head_timeout_s:g} s.")
        elif not begun and waited_s > (limits.idle_timeout_s if each.cycle or self._stopping else limits.head_timeout_s):
            if each.cycle is None and not self._stopping:
                self.count("idle")
            each.transport.close()
        else:
            return False
        return True


async def _give_way(read: list[CallerConnection]) -> None:
    """Let the event loop go round: once to find what those sent that are read, and once to read it."""
    await asyncio.sleep(0)
    if read:
        await asyncio.sleep(0)
    for each in read:
        each.rest()
    read.clear()
