"""Server-sent events: rates, and each new alarming response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.concurrency import run_in_threadpool

from grice.middleware.service.capabilities.wire import Wire
from grice.middleware.service.watch.watch import RateQuery, Watch
from grice.middleware.service.watch.wire import wire_alarm, wire_rates
from grice.models.errors import Overloaded, StoreError

RETRY_MS = 2000
HEARTBEAT = ": still here\n\n"


class LiveStreams:
    """Streams of events, one a caller. Closing it ends them all, so that the server can stop.

    Args:
        every_s: seconds between two looks at the rates; where they are as before, a comment tells that the stream lives.
        clients: callers of one tenant at a time.
    """

    def __init__(self, every_s: float, clients: int) -> None:
        self._every_s = every_s
        self._clients = clients
        self._closing = False
        self._waiting: dict[asyncio.Event, str] = {}

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
            told, due = "", 0.0
            while not self._closing and is_welcome():
                woken.clear()
                for alarm in watch.alarms.after(after):
                    after = alarm.place
                    yield _event("alarm", wire_alarm(alarm), alarm.place)
                now = asyncio.get_running_loop().time()
                if now >= due:
                    news = await _rates(watch, query)
                    yield HEARTBEAT if news == told else news
                    told, due = news, now + self._every_s
                await _within(woken, due - asyncio.get_running_loop().time())

    @contextmanager
    def _seat(self, watch: Watch) -> Iterator[asyncio.Event]:
        woken, loop = asyncio.Event(), asyncio.get_running_loop()
        self._waiting[woken] = watch.tenant
        try:
            with watch.alarms.waking(lambda: loop.call_soon_threadsafe(woken.set)):
                yield woken
        finally:
            del self._waiting[woken]


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
