"""What the routes share: loaded models behind their queues, conversations, metrics."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from grice.middleware.access import ANYONE, ApiKey
from grice.middleware.access.quota import Quotas, SharedQuotas
from grice.middleware.alerts import AlertSettings
from grice.middleware.capabilities import CAPABILITIES, Capability
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.schemas.stores import open_schema_store
from grice.middleware.service.batcher import Asked, Batcher, BatchLimits, Predict, Result
from grice.middleware.service.capabilities.route import Route, route_of
from grice.middleware.service.conversations import Conversations
from grice.middleware.service.http.keys import REFUSED
from grice.middleware.service.http.metrics import Metrics
from grice.middleware.service.http.problems import Problem, Refused
from grice.middleware.service.nlu_server import NluServer
from grice.middleware.service.readiness import ReadinessCheck
from grice.middleware.service.waiting.call import apart
from grice.middleware.service.watch.live import LiveStreams
from grice.middleware.service.watch.watch import Watch
from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import DialogueStore

if TYPE_CHECKING:
    from grice.middleware.events import EventPublisher
    from grice.middleware.runtime.redis_connection import RedisProbe

Work = TypeVar("Work")

MOST_VIEWS = 10_000
"""Keys whose view of the engine is remembered; it is made anew for others."""


class Engine:
    """The service behind its routes.

    Args:
        models: of the capabilities that are offered, by name.
        store: where dialogues are kept.
        alerts: how alerts on the rates are raised; None: none are.

    Attributes:
        key: who calls; `of` gives the engine of another.
        readiness: whether requests should come.
        routes: the capabilities that are offered, by name.
        schemas: where schemas of bots are stored.
    """

    def __init__(
        self, models: Mapping[str, Any], store: DialogueStore, settings: ServiceSettings, alerts: AlertSettings | None
    ) -> None:
        self.key = ANYONE
        self.quotas = Quotas(_shared_quotas(settings))
        self.store = store
        self.settings = settings
        self.metrics = Metrics()
        self.conversations = Conversations(store)
        self.schemas = open_schema_store(settings)
        self.stream = open_stream(settings)
        self.nlu = NluServer(settings.nlu_url, settings.nlu_token, settings.nlu_timeout_ms / 1000) if settings.nlu_url else None
        self.watch = Watch(settings, MonitorMetrics(self.metrics.registry), alerts)
        self.live = LiveStreams(settings.live_every_s, settings.live_clients)
        self.metrics.live(lambda: self.live.clients)
        self._batchers: list[Batcher[Any, Any]] = []
        self._events_probe = _events_probe(settings)
        self.readiness = ReadinessCheck(store, self._events_probe, self._queue_age_s, settings.ready_queue_s)
        self._menus: Batcher[Callable[[], Any], Any] = self.batcher("menus", _do_each, lambda work: 1.0, size=1)
        self._views: OrderedDict[ApiKey, Engine] = OrderedDict()
        self.routes: dict[str, Route[Any, Any, Any]] = {
            name: route_of(CAPABILITIES[name])(self, CAPABILITIES[name], model) for name, model in models.items()
        }

    def of(self, key: ApiKey) -> Engine:
        """The engine as the holder of a key sees it: dialogues, schemas, rates and alarms are its tenant's; it pays the work."""
        if key == ANYONE:
            return self
        if key not in self._views:
            self._views[key] = self._view(key)
            if len(self._views) > MOST_VIEWS:
                self._views.popitem(last=False)
        return self._views[key]

    def _view(self, key: ApiKey) -> Engine:
        view = copy.copy(self)
        view.key = key
        view.store = self.store.of(key.tenant)
        view.schemas = self.schemas.of(key.tenant)
        view.watch = self.watch.of(key.tenant)
        view.conversations = Conversations(view.store)
        view.routes = {name: route.of(view) for name, route in self.routes.items()}
        return view

    @property
    def caller(self) -> str:
        """Who shares the models with others; empty: no key is asked for, and it is where a call comes from."""
        return "" if self.key == ANYONE else self.key.digest

    async def charge(self, work: int) -> None:
        """Count work that is about to be done for the caller.

        Raises:
            QuotaExceeded: its key has used up what it may.
        """
        if self.key.work_per_minute is None:
            return
        if self.quotas.shared is None:
            self.quotas.take_work(self.key, work)
        else:
            await run_in_threadpool(self.quotas.take_work, self.key, work)

    async def read_menu(self, units: int, work: Callable[..., Work], *args: Any, free: bool = False) -> Work:
        """What `work` makes of `args`: slow Python for a menu, done off the event loop, one piece at a time for all callers.

        Args:
            units: how much work it is, as queues count it.
            free: the caller's key does not pay for it.

        Raises:
            Overloaded, DeadlineExceeded: as for a model, in a queue of its own.
            Exception: what `work` raises.
        """
        made: Work
        with apart():
            pay = None if free else partial(self.charge, units)
            (made,) = await self._menus.submit([partial(work, *args)], [units], self.caller, pay)
        return made

    def batcher(
        self, name: str, predict: Predict[Asked, Result], work: Callable[[Any], float], size: int | None = None
    ) -> Batcher[Asked, Result]:
        """A queue in front of a model, which this engine starts and closes.

        Args:
            size: items of a batch; default: what the settings say.
        """
        chosen = self.settings
        batcher = Batcher(
            predict,
            BatchLimits(
                size or chosen.batch_size,
                chosen.batch_wait_ms,
                chosen.queue_size,
                chosen.batch_work_ms,
                chosen.most_wait_ms,
                chosen.call_deadline_ms,
            ),
            length=work,
            on_batch=lambda size: self.metrics.batch(name, size),
            on_refused=lambda items: self.metrics.rejection(name, items),
        )
        self.metrics.queue(name, lambda: batcher.waiting, lambda: batcher.age_s)
        self._batchers.append(batcher)
        return batcher

    def route(self, capability: Capability[Any, Any]) -> Route[Any, Any, Any]:
        """What offers a capability.

        Raises:
            Refused: its model is not loaded.
        """
        if capability.name not in self.routes:
            raise Refused(not_loaded(capability))
        return self.routes[capability.name]

    def models(self) -> dict[str, object]:
        """The loaded models by role."""
        return {role: model for route in self.routes.values() for role, model in route.capability.models(route.model).items()}

    def start(self) -> None:
        """Begin to serve; call it inside the event loop."""
        for batcher in self._batchers:
            batcher.start()
        self.watch.start()

    def drain(self) -> None:
        """The service is about to stop: it is not ready any more, and its streams end. Requests are still answered."""
        self.readiness.drain()
        self.live.close()

    def _queue_age_s(self) -> float:
        return max((batcher.age_s for batcher in self._batchers), default=0.0)

    async def close(self) -> None:
        """Serve what waits, then give everything back."""
        self.drain()
        for batcher in self._batchers:
            await batcher.close()
        for route in self.routes.values():
            route.close()
        await run_in_threadpool(self.watch.close)
        self.readiness.close()
        self.metrics.close()
        self.store.close()
        self.schemas.close()
        self.quotas.close()
        for each in (self.stream, self._events_probe):
            if each is not None:
                each.close()
        if self.nlu is not None:
            await self.nlu.close()


def not_loaded(capability: Capability[Any, Any]) -> Problem:
    """Why a capability is not offered, and how to change that."""
    switch = capability.switch or capability.name
    flag, variable = f"--no-{switch.replace('_', '-')}", f"GRICE_{switch.upper()}=false"
    detail = f"No {capability.title} is loaded here: start the service without {flag} (and without {variable})."
    return Problem(501, f"no-{switch.replace('_', '-')}", detail)


def _do_each(pieces: Sequence[Callable[[], Any]]) -> list[Any]:
    return [piece() for piece in pieces]


def _shared_quotas(settings: ServiceSettings) -> SharedQuotas | None:
    if settings.store != "redis" or not settings.keys_file:
        return None
    from grice.middleware.access.redis_quota import RedisQuotas

    return RedisQuotas(settings.redis_url, settings.store_timeout_ms / 1000)


def _events_probe(settings: ServiceSettings) -> RedisProbe | None:
    """What tries the servers of the stream of events, and of the counters of workers; None: the settings name none."""
    if not settings.events_stream and not (settings.store == "redis" and settings.events_redis_url):
        return None
    from grice.middleware.runtime.redis_connection import RedisProbe

    return RedisProbe(settings.events_redis_url or settings.redis_url, settings.store_timeout_ms / 1000)


def open_stream(settings: ServiceSettings) -> EventPublisher | None:
    """The stream of events that the settings name, if they do. Does not connect yet.

    Raises:
        MissingExtra: redis-py is not installed.
        SettingsError: the URL cannot be read.
    """
    if not settings.events_stream:
        return None
    from grice.middleware.events.redis_stream import RedisStreamPublisher

    return RedisStreamPublisher(
        settings.events_redis_url or settings.redis_url,
        settings.events_stream,
        settings.events_maxlen,
        settings.store_timeout_ms / 1000,
        settings.events_partitions,
    )


async def engine_of(request: Request) -> Engine:
    """The engine as the caller of a request sees it.

    Raises:
        Refused: nobody was asked for a key.
    """
    key: ApiKey | None = getattr(request.state, "caller", None)
    if key is None:  # a path that nobody was asked for a key at must not get at anybody's data
        raise Refused(REFUSED)
    engine: Engine = request.app.state.engine
    return engine.of(key)


async def _whole_engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


EngineOf = Annotated[Engine, Depends(engine_of)]
"""The engine as the caller sees it, for a route's parameters."""
WholeEngine = Annotated[Engine, Depends(_whole_engine)]
"""The engine of the application, for routes that need no key and show nobody's data."""
