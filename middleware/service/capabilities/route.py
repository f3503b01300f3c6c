"""How a capability is offered over the wire: what comes in, the way through its model, and what goes out.

`Route.answer` is the way of a turn. What is special to a capability is in a subclass, in the file of its name.
"""

from __future__ import annotations

import copy
import importlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from grice.middleware.capabilities import Capability
from grice.middleware.capabilities.codec import encode
from grice.middleware.service.batcher import Predict
from grice.middleware.service.capabilities.wire import Failures, Wire, WireItem, derived, single_answer
from grice.middleware.service.capabilities.work import News, Seen, WorkEstimate, end_work
from grice.middleware.service.conversations import History
from grice.middleware.service.waiting.call import Pay
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue

if TYPE_CHECKING:
    from grice.middleware.service.engine import Engine

AnyItem = TypeVar("AnyItem", bound=WireItem)
Asked = TypeVar("Asked")
Result = TypeVar("Result")
Work = TypeVar("Work")


class Aside(Protocol):
    """Runs work, off the event loop where it is much."""

    async def __call__(self, work: Callable[..., Work], /, *args: Any) -> Work: ...


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What a model found for one item, and what of the store failed on the way."""

    result: Result
    failures: tuple[StageFailure, ...] = ()


class Route(Generic[AnyItem, Asked, Result]):
    """A capability as the service offers it.

    Args:
        engine: what the routes share.
        capability: what is offered.
        model: its model.
    """

    item: ClassVar[type[WireItem]] = WireItem
    """What is asked."""
    result: ClassVar[type[Wire]]
    """The answer to one item among several."""
    most_tokens: ClassVar[int] = 512
    """What the model reads of the end of a dialogue, about."""
    remembered: ClassVar[int] = 1
    """How many things of those that it is asked the model remembers, see `cost`."""
    single: ClassVar[str] = "The answer to a single item."
    """What the answer to a single item is, in words."""

    def __init__(self, engine: Engine, capability: Capability[Any, Any], model: Any) -> None:
        self.engine = engine
        self.capability = capability
        self.model = model
        self.seen = Seen(self.remembered)
        self.queues = {name: engine.batcher(name, predict, self.work) for name, predict in self.predicts().items()}

    def of(self, engine: Engine) -> Route[AnyItem, Asked, Result]:
        """The same, in the engine as another caller sees it: same model, same queues."""
        other = copy.copy(self)
        other.engine = engine
        return other

    async def answer(self, items: Sequence[AnyItem], aside: Aside) -> list[dict[str, Any]]:
        """The rows of the answer to one request, in order. This is the way of a turn, from route to answer.

        Args:
            aside: runs work, off the event loop where it is much.

        Raises:
            Overloaded: the wait would be too long, or the caller has used up its quota.
            DeadlineExceeded: the answer would be late, or is.
            InputError: an item cannot be asked.
        """
        self.check(items)  # across items; each by itself was checked when the body was read
        found = await self.find(items, aside)  # the history, then the model, in a batch with what other requests ask
        found = await self.keep(items, found)  # in the dialogue store, where the capability keeps turns
        self.count(found)  # metrics
        return await aside(self.rows, items, found)

    async def find(self, items: Sequence[AnyItem], aside: Aside) -> list[Outcome[Result]]:
        """What the model finds for each item; nothing is kept.

        Raises:
            Overloaded, DeadlineExceeded, InputError: as in `answer`.
        """
        histories = await self.histories(items)
        asked = await self.questions(items, histories, aside)
        estimate = await aside(self.estimate, asked)
        results = await self.run(items, asked, estimate.costs, partial(self.engine.charge, estimate.work))
        self.seen.learn(estimate.news.keys)
        return [
            Outcome(result, (history,) if isinstance(history, StageFailure) else ())
            for result, history in zip(results, histories, strict=True)
        ]

    async def histories(self, items: Sequence[AnyItem]) -> list[History]:
        """The turns before each item, or why they are not known."""
        return await self.engine.conversations.recall([item.dialogue_id for item in items])

    async def questions(self, items: Sequence[AnyItem], histories: Sequence[History], aside: Aside) -> list[Asked]:
        """What the model is asked about each item; what has to be waited for is read here."""
        return await aside(self.asks, items, histories)

    def estimate(self, asked: Sequence[Asked]) -> WorkEstimate:
        """What a request takes."""
        news = News(self.seen)
        return WorkEstimate(sum(map(self.work, asked)), [self.cost(each, news) for each in asked], news)

    async def run(self, items: Sequence[AnyItem], asked: Sequence[Asked], costs: Sequence[float], pay: Pay) -> list[Result]:
        """The model's results, in order; items of different queues wait in them one after the other.

        Args:
            costs: of each item.
            pay: for all of them, when the first queue has taken its own.
        """
        payment: Pay | None = pay
        results: dict[int, Result] = {}
        for name, queue in self.queues.items():
            places = [place for place, item in enumerate(items) if self.queue(item) == name]
            if places:
                own, work = [asked[place] for place in places], [costs[place] for place in places]
                results.update(zip(places, await queue.submit(own, work, self.engine.caller, payment), strict=True))
                payment = None
        return [results[place] for place in range(len(items))]

    async def keep(self, items: Sequence[AnyItem], found: list[Outcome[Result]]) -> list[Outcome[Result]]:
        """Keep turns where that is the capability's matter; what failed is added."""
        return found

    def count(self, found: Sequence[Outcome[Result]]) -> None:
        """Tell the metrics what was found and what failed."""
        for each in found:
            self.engine.metrics.history_cut(self.history_cut(each.result))
            for failure in itertools.chain(self.failures(each.result), each.failures):
                self.engine.metrics.failure(failure)

    def asks(self, items: Sequence[AnyItem], histories: Sequence[History]) -> list[Asked]:
        """What the model is asked about each item."""
        known = [() if isinstance(history, StageFailure) else history for history in histories]
        return [self.ask(item, item.dialogue(history)) for item, history in zip(items, known, strict=True)]

    def rows(self, items: Sequence[AnyItem], found: Sequence[Outcome[Result]]) -> list[dict[str, Any]]:
        """The answer to each item."""
        return [
            {**self.shown(item, each.result), "failures": encode((*self.failures(each.result), *each.failures))}
            for item, each in zip(items, found, strict=True)
        ]

    def predicts(self) -> Mapping[str, Predict[Any, Any]]:
        """The batch method behind each queue, by its name."""
        return {self.capability.name: self.model.predict}

    def queue(self, item: AnyItem) -> str:
        """The queue that an item waits in."""
        return next(iter(self.queues))

    def check(self, items: Sequence[AnyItem]) -> None:
        """Refuse items that do not go together."""

    def ask(self, item: AnyItem, dialogue: Dialogue) -> Asked:
        """What the model is asked about an item."""
        own = {name: getattr(item, name) for name in type(item).model_fields if name not in WireItem.model_fields}
        whole: Any = dialogue
        asked: Asked = whole if self.capability.asks is Dialogue else self.capability.asks(dialogue=dialogue, **own)
        return asked

    def work(self, asked: Any) -> int:
        """How much work it is, about as many units as the model reads tokens: what quotas count."""
        return end_work((asked if isinstance(asked, Dialogue) else asked.dialogue).turns, self.most_tokens)

    def cost(self, asked: Asked, news: News) -> float:
        """As `work`, without what the model remembers: what queues count. They measure how long a unit takes.

        Args:
            news: told what the model will remember.
        """
        return self.work(asked)

    def shown(self, item: AnyItem, result: Result) -> dict[str, Any]:
        """The fields of the answer, without failures."""
        fields: dict[str, Any] = encode(result)
        return fields

    def failures(self, result: Result) -> Sequence[StageFailure]:
        """What failed inside the model."""
        return ()

    def history_cut(self, result: Result) -> int:
        """Turns of history that the model left out."""
        return int(getattr(result, "history_cut", 0))

    def close(self) -> None:
        """Give back what the capability holds beside its queues."""


def route_of(capability: Capability[Any, Any]) -> type[Route[Any, Any, Any]]:
    """The class that offers a capability: its own, or one that follows from its result."""
    if capability.wire:
        own: type[Route[Any, Any, Any]] = importlib.import_module(capability.wire).OFFER
        return own
    item = WireItem if capability.asks is Dialogue else derived(capability.asks, WireItem, omit="dialogue")
    return type(capability.name, (Route,), {"item": item, "result": derived(capability.result, failures=(Failures, ...))})


def answer_of(route: type[Route[Any, Any, Any]]) -> type[Wire]:
    """The model of the answer to a single item."""
    return single_answer(route.result, route.single)


def examples_of(name: str) -> dict[str, Any]:
    """The documentation's examples of a route: `requests` and `answer`; a test posts the ones and checks the other."""
    found: dict[str, Any] = json.loads((resources.files(__package__) / "examples" / f"{name}.json").read_text("utf-8"))
    return found
