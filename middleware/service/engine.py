"""What the routes share: models behind batchers, conversations, metrics."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from grice.middleware.alerts import AlertSettings
from grice.middleware.events import EventPublisher
from grice.middleware.monitor import Monitor, ResponseReport
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.service.batcher import Batcher, Predict, characters
from grice.middleware.service.conversations import Conversations
from grice.middleware.service.live import Live
from grice.middleware.service.metrics import Metrics
from grice.middleware.service.mind_wire import MindItem
from grice.middleware.service.nlu_server import NluServer
from grice.middleware.service.response_scoring import ResponseScoring
from grice.middleware.service.schemas import Item, TurnItem
from grice.middleware.service.slot_batches import Reports, SlotBatcher, by_item, hypotheses
from grice.middleware.service.slot_items import SlotItem
from grice.middleware.service.watch import Watch
from grice.middleware.settings import ServiceSettings
from grice.middleware.slots.reports import SlotReporter
from grice.middleware.stores import DialogueStore
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis
from grice.middleware.turns.pipeline import Pipeline
from grice.models.dialogue import Dialogue, Speaker
from grice.models.errors import DeadlineExceeded
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import MindReading
from grice.models.protocols import MindPredictor, Model, SlotPredictor
from grice.models.results import Intentions, Rewrite
from grice.models.text.template import TargetForm

Asked = TypeVar("Asked")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Found(Generic[Result]):
    """What a model found for one item, and what of the store failed on the way."""

    result: Result
    failures: tuple[StageFailure, ...] = ()


class Engine:
    """Runs the items of a request through a model, after their history."""

    def __init__(
        self,
        pipeline: Pipeline,
        softener: Model[Rewrite],
        monitor: Monitor | None,
        store: DialogueStore,
        settings: ServiceSettings,
        metrics: Metrics,
        alerts: AlertSettings | None,
        resolver: SlotPredictor | None,
        detector: Model[Intentions] | None,
        mind: MindPredictor | None,
    ) -> None:
        self.pipeline = pipeline
        self.softener = softener
        self.store = store
        self.settings = settings
        self.metrics = metrics
        self.conversations = Conversations(store)
        self.stream = open_stream(settings)
        self.nlu = NluServer(settings.nlu_url, settings.nlu_token, settings.nlu_timeout_ms / 1000) if settings.nlu_url else None
        self.turns = self._batcher("turns", isolated(pipeline.predict))
        self.directness = self._batcher("directness", pipeline.directness.predict)
        self.rewriters: dict[TargetForm, Batcher[Dialogue, Rewrite]] = {
            "direct": self._batcher("rewriter", pipeline.rewriter.predict),
            "indirect": self._batcher("softener", softener.predict),
        }
        self.watch = Watch(settings, MonitorMetrics(metrics.registry), alerts)
        self.live = Live(self.watch, settings.live_every_s, settings.live_clients)
        metrics.live(lambda: self.live.clients)
        self.responses = None if monitor is None else self._scoring(monitor)
        self.detector = detector
        self.intentions = None if detector is None else self._batcher("intentions", detector.predict)
        self.mind = mind
        self.minds = None if mind is None else self._batcher("mind", mind.predict, length=lambda asked: characters(asked.dialogue))
        self.resolver = resolver
        self.slots = (
            None if resolver is None else self._batcher("slots", by_item(SlotReporter(resolver).predict), length=hypotheses)
        )

    def _batcher(
        self, name: str, predict: Predict[Asked, Result], length: Callable[[Any], int] = characters
    ) -> Batcher[Asked, Result]:
        chosen = self.settings
        batcher = Batcher(
            predict,
            size=chosen.batch_size,
            wait_ms=chosen.batch_wait_ms,
            queue_size=chosen.queue_size,
            length=length,
            on_batch=lambda size: self.metrics.batch(name, size),
            on_refused=lambda items: self.metrics.rejection(name, items),
        )
        self.metrics.queue(name, lambda: batcher.waiting)
        return batcher

    def _scoring(self, monitor: Monitor) -> ResponseScoring:
        def predict(dialogues: Sequence[Dialogue]) -> list[ResponseReport]:
            began = time.perf_counter()
            reports = monitor.score(dialogues)
            self.watch.metrics.batch(time.perf_counter() - began)
            return reports

        return ResponseScoring(monitor, self._batcher("behaviors", predict), self.conversations, self.watch)

    def start(self) -> None:
        """Begin to serve; call it inside the event loop."""
        for batcher in self._batchers():
            batcher.start()
        self.watch.start()

    async def close(self) -> None:
        """Serve what waits, then give everything back."""
        self.live.close()
        for batcher in self._batchers():
            await batcher.close()
        if self.responses is not None:
            self.responses.close()
        await run_in_threadpool(self.watch.close)
        self.store.close()
        if self.stream is not None:
            self.stream.close()
        if self.nlu is not None:
            await self.nlu.close()

    def _batchers(self) -> tuple[Batcher[Any, Any], ...]:
        behaviors = () if self.responses is None else (self.responses.reports,)
        more = [each for each in (self.slots, self.intentions, self.minds) if each is not None]
        return (self.turns, self.directness, *self.rewriters.values(), *behaviors, *more)

    async def find(
        self, batcher: Batcher[Dialogue, Result], items: Sequence[Item], speaker: Speaker = "user"
    ) -> list[Found[Result]]:
        """What a model finds for each item, in order; `text` is `speaker`'s.

        Raises:
            Overloaded: the queue is full.
        """
        return await self._found(batcher, await self._dialogues(items, speaker))

    async def resolve(self, slots: SlotBatcher, items: Sequence[SlotItem]) -> list[Found[Reports]]:
        """What each user turn says of its slots, in order.

        Raises:
            Overloaded: the queue is full.
            InputError: a value is in a script that the resolver does not read.
        """
        dialogues = await self._dialogues(items, "user")
        asked = [Found(item.questions(dialogue.result), dialogue.failures) for item, dialogue in zip(items, dialogues, strict=True)]
        return await self._found(slots, asked)

    async def read_minds(
        self, minds: Batcher[RecommendationDialogue, MindReading], items: Sequence[MindItem]
    ) -> list[Found[MindReading]]:
        """What recommender and seeker have in mind after each turn, in order.

        Raises:
            Overloaded: the queue is full.
        """
        dialogues = await self._dialogues(items, "user")
        asked = [Found(item.asked(dialogue.result), dialogue.failures) for item, dialogue in zip(items, dialogues, strict=True)]
        return await self._found(minds, asked)

    async def _dialogues(self, items: Sequence[Item], speaker: Speaker) -> list[Found[Dialogue]]:
        histories = await self.conversations.recall([item.dialogue_id for item in items])
        return [
            Found(item.dialogue((), speaker), (history,))
            if isinstance(history, StageFailure)
            else Found(item.dialogue(history, speaker))
            for item, history in zip(items, histories, strict=True)
        ]

    async def _found(self, batcher: Batcher[Asked, Result], asked: Sequence[Found[Asked]]) -> list[Found[Result]]:
        results = await batcher.submit([each.result for each in asked])
        for failure in itertools.chain(*(each.failures for each in asked)):
            self.metrics.failure(failure)
        return [Found(result, each.failures) for result, each in zip(results, asked, strict=True)]

    async def analyse(self, items: Sequence[TurnItem]) -> list[Found[TurnAnalysis]]:
        """Analyse user turns, then keep them where they name a dialogue.

        They are kept last, so that a call that was refused or failed can be sent again without keeping its turns twice.

        Raises:
            Overloaded: the queue is full.
        """
        found = await self.find(self.turns, items)
        names = [None if each.failures else item.dialogue_id for item, each in zip(items, found, strict=True)]
        failures = await self.conversations.keep(names, [item.new_turns() for item in items])
        for failure in filter(None, failures):
            self.metrics.failure(failure)
        for each in found:
            self.metrics.turn(each.result)
        return [
            Found(each.result, (*each.failures, *filter(None, [failure]))) for each, failure in zip(found, failures, strict=True)
        ]


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
        settings.redis_url,
        settings.events_stream,
        settings.events_maxlen,
        settings.store_timeout_ms / 1000,
        settings.events_partitions,
    )


def isolated(predict: Predict[Dialogue, TurnAnalysis]) -> Predict[Dialogue, TurnAnalysis]:
    """A pipeline that tries failed turns again alone, so that one which breaks a model does not take others with it.

    Late turns are not tried again: the others would wait for them once more.
    """

    def run(dialogues: Sequence[Dialogue]) -> list[TurnAnalysis]:
        analyses = list(predict(dialogues))
        for place, analysis in enumerate(analyses):
            if len(analyses) > 1 and analysis.failures and not any(map(_late, analysis.failures)):
                (analyses[place],) = predict([dialogues[place]])
        return analyses

    return run


def _late(failure: StageFailure) -> bool:
    return failure.error == DeadlineExceeded.__name__


async def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


EngineOf = Annotated[Engine, Depends(_engine)]
"""The engine of the application, for a route's parameters."""
