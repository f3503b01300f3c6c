"""Where the model of a capability runs: in this process, or behind the REST service. All callers of a process share it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Generic, Protocol, runtime_checkable

from grice.middleware.capabilities import CAPABILITIES, Capability, Loading
from grice.middleware.capabilities.capability import Asked, Result
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.runtime.deadline import TimedWorkers
from grice.middleware.runtime.remembered import Remembered
from grice.middleware.settings import PipelineSettings
from grice.models.protocols import Asked_contra, Predicts


def load_backend(
    capability: Capability[Asked, Result], where: PipelineSettings | RemoteSettings, model: str = "", **fields: Any
) -> Predicts[Asked, Result]:
    """What finds the results of a capability.

    Args:
        where: how models run in this process, or where the service is.
        model: in this process, a shipped name or the path of a folder; default: the capability's.
        fields: what is asked beside the dialogue, the same for all.

    Raises:
        GriceError: a model cannot be loaded, or a package is missing.
    """
    if isinstance(where, RemoteSettings):
        from grice.middleware.client.remote import Remote

        return Remote(capability, where, **fields)
    loaded = _load(capability.name, capability.pipeline_settings(where), model or capability.model, tuple(fields.items()))
    # One that says what the result is where it fails keeps to the deadline by itself.
    found: Predicts[Asked, Result] = loaded
    return found if capability.give_up is not None else Timed(found, capability.name, where.deadline_ms)


@runtime_checkable
class Prepares(Protocol[Asked_contra]):
    """A model that can be used before a deadline counts."""

    def prepare(self, asked: Sequence[Asked_contra], /) -> None:
        """Do what `predict` does and forget the result, however long it takes."""
        ...


def warm_up(model: Predicts[Asked, Any], asked: Sequence[Asked]) -> None:
    """Use a model once, so that the first who needs it does not wait: without a deadline where it runs in this process.

    Raises:
        GriceError: it fails.
    """
    if isinstance(model, Prepares):
        model.prepare(asked)
    else:
        model.predict(asked)


class Timed(Generic[Asked, Result]):
    """A model in process, with the deadline that the pipeline's stages have."""

    def __init__(self, model: Predicts[Asked, Result], stage: str, deadline_ms: float) -> None:
        self.model = model
        self.stage = stage
        self.deadline_ms = deadline_ms
        self._workers = TimedWorkers(2, f"grice-{stage}")

    def predict(self, asked: Sequence[Asked], /) -> list[Result]:
        """The model's results, in order.

        Raises:
            DeadlineExceeded: it is late.
        """
        return self._workers.within(self.deadline_ms, self.stage, lambda: list(self.model.predict(asked)))

    def prepare(self, asked: Sequence[Asked], /) -> None:
        """As `predict`, however long it takes: what is kept for later, such as the vectors of a menu, is there then."""
        self.model.predict(asked)


@functools.lru_cache(maxsize=16)
def _load(name: str, pipeline: PipelineSettings, model: str, fields: tuple[tuple[str, Any], ...]) -> Any:
    """The model of a capability, one a process for those who agree on the settings that it depends on."""
    capability = CAPABILITIES[name]
    needed = [CAPABILITIES[each] for each in capability.needs]
    loaded = {each.name: _load(each.name, each.pipeline_settings(pipeline), each.model, ()) for each in needed}
    found = capability.load(Loading(model, pipeline, loaded=loaded, fields=dict(fields)))
    return Remembered(found) if capability.shared else found
