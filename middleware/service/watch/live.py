"""Server-sent events: rates, and each new alarming response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from grice.middleware.service.capabilities.wire import Wire
from grice.middleware.service.watch.watch import RateQuery, Watch
from grice.middleware.service.watch.wire import wire_alarm, wire_rates
from grice.models.errors import Overloaded, StoreError

RETRY_MS = 2000
HEARTBEAT = ": still here\n\n"
FILLING = (":" + "." * 1022 + "\n") * 32
"""A part of a proof; comments, which readers of server-sent events pass over."""
PROOF_PARTS = 16
"""With this many parts a proof is half a megabyte: more than the system, here and at the caller, keeps of what nobody reads, unless
the caller asked it for more."""
FIRST_PROOF_S = 3.0
LONGEST_PROOF_S = 300.0


class LiveStreams:
    """Streams of events, one a caller. Closing it ends them all, so that the server can stop.

    What is told is so little that the system would keep hours of it for a caller who does not read. So a stream is filled with
    comments 3 s after its begin, and then after pauses that double up to 5 minutes. A caller who reads passes over them; with one
    who does not the server finds an answer left unread, and ends the connection (`write_timeout_s`).

    Args:
        every_s: seconds between two looks at the rates; where they are as before, a comment tells that the stream lives.
        clients: callers of one tenant at a time.
    """

    def __init__(self, every_s: float, clients: int) -> None:
        self._every_s = every_s
        self._clients = clients
        self._closing = False
        self._waiting: dict[asyncio.Event, str] = {}
        self._looks: dict[tuple[str, RateQuery], _Look] = {}

    @property
    def clients(self) -> int:
        """Callers now."""
        return len(self._waiting)

    def check_room(self, watch: Watch) -> None:
        """Return if there is room for one more caller of the tenant.

        Raises:
            Overloaded: there is none, or the service is stopping.
        """
        if self._closing:
            raise Overloaded("the service is stopping")
        watching = sum(tenant == watch.tenant for tenant in self._waiting.values())
        if watching >= self._clients:
            raise Overloaded(f"{watching} callers watch already; allowed: {self._clients}; try again later", 10.0)

    def close(self) -> None:
        """End all streams; call it inside the event loop."""
        self._closing = True
        for woken in self._waiting:
            woken.set()

    async def events(
        self, watch: Watch, query: RateQuery, after: str | None, is_welcome: Callable[[], bool] = lambda: True
    ) -> AsyncIterator[str]:
        """First the alarms after that place (None: all that are kept) and the rates, then whatever is new.

        Args:
            watch: what there is to tell.
            is_welcome: whether the caller may still have it; the stream ends where not.
        """
        with self._seat(watch) as woken:
            yield f"retry: {RETRY_MS}\n\n"
            told, due, clock = "", 0.0, asyncio.get_running_loop().time
            proofs = _Proofs(clock())
            while not self._closing and is_welcome():
                woken.clear()
                if proofs.is_due(clock()):
                    for _ in range(PROOF_PARTS):
                        yield FILLING
                    yield "\n"
                now, news = clock(), ""
                if now >= due:
                    news, due = await self._rates(watch, query), now + self._every_s
                for alarm in watch.alarms.after(after):  # those that the rates count come before the rates
                    after = alarm.place
                    yield _event("alarm", wire_alarm(alarm), alarm.place)
                if news:
                    yield HEARTBEAT if news == told else news
                    told = news
                await _within(woken, min(due, proofs.due) - clock())

    async def _rates(self, watch: Watch, query: RateQuery) -> str:
        """The event of the rates; callers who ask the same share one look."""
        loop, name = asyncio.get_running_loop(), (watch.tenant, query)
        old = loop.time() - self._every_s / 2
        look = self._looks.get(name)
        if look is None or look.since <= old:
            self._looks = {name: look for name, look in self._looks.items() if look.since > old}
            look = self._looks[name] = _Look(loop.time(), loop.create_task(_rates(watch, query)))
        return await asyncio.shield(look.event)

    @contextmanager
    def _seat(self, watch: Watch) -> Iterator[asyncio.Event]:
        woken, loop = asyncio.Event(), asyncio.get_running_loop()
        self._waiting[woken] = watch.tenant
        try:
            with watch.alarms.waking(lambda: loop.call_soon_threadsafe(woken.set)):
                yield woken
        finally:
            del self._waiting[woken]


@dataclass(frozen=True)
class _Look:
    since: float
    event: asyncio.Task[str]


class _Proofs:
    """When a caller has to show next that it reads; times are the loop's."""

    def __init__(self, now: float) -> None:
        self._pause_s = FIRST_PROOF_S
        self.due = now + self._pause_s

    def is_due(self, now: float) -> bool:
        """Whether it has to now; if so, the next time comes later."""
        if now < self.due:
            return False
        self._pause_s = min(2 * self._pause_s, LONGEST_PROOF_S)
        self.due = now + self._pause_s
        return True


async def _rates(watch: Watch, query: RateQuery) -> str:
    try:
        return _event("rates", wire_rates(await run_in_threadpool(watch.rates, query)))
    except StoreError as error:
        return f"event: unavailable\ndata: {error}\n\n"


async def _within(woken: asyncio.Event, seconds: float) -> None:
    with suppress(asyncio.TimeoutError):  # not the built-in one on Python 3.10
        await asyncio.wait_for(woken.wait(), max(seconds, 0.0))


def _event(kind: str, data: Wire, place: str = "") -> str:
    name = f"id: {place}\n" if place else ""
    return f"event: {kind}\n{name}data: {data.model_dump_json()}\n\n"
