"""Where models run: in Rasa's process (`onnx`) or behind our REST service (`http`). All components of a process share them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from grice.components.settings import HTTP, ONNX, ComponentSettings
from grice.middleware.capabilities import CAPABILITIES, Capability, Loading, Predicts
from grice.middleware.runtime.remembered import Remembered
from grice.middleware.runtime.timed_workers import TimedWorkers
from grice.middleware.settings import PipelineSettings

Asked = TypeVar("Asked")
Result = TypeVar("Result")


def load_backend(
    capability: Capability[Asked, Result], settings: ComponentSettings, model: str = "", **fields: Any
) -> Predicts[Asked, Result]:
    """What finds the results of a capability, where the settings say.

    Args:
        model: of the backend in process; default: the capability's.
        fields: what is asked beside the dialogue, the same for all.

    Raises:
        GriceError: a model cannot be loaded, or a package is missing.
    """
    backend: Predicts[Asked, Result] = _BACKENDS[settings.backend](capability, settings, model or capability.model, fields)
    return backend


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


def _local(capability: Capability[Any, Any], settings: ComponentSettings, model: str, fields: Mapping[str, Any]) -> Any:
    loaded = _load(capability.name, capability.pipeline_settings(settings.pipeline), model, tuple(fields.items()))
    # One that says what the result is where it fails keeps to the deadline by itself.
    return loaded if capability.give_up is not None else Timed(loaded, capability.name, settings.pipeline.deadline_ms)


@functools.lru_cache(maxsize=16)
def _load(name: str, pipeline: PipelineSettings, model: str, fields: tuple[tuple[str, Any], ...]) -> Any:
    """The model of a capability, one a process for those who agree on the settings that it depends on."""
    capability = CAPABILITIES[name]
    needed = [CAPABILITIES[each] for each in capability.needs]
    loaded = {each.name: _load(each.name, each.pipeline_settings(pipeline), each.model, ()) for each in needed}
    found = capability.load(Loading(model, pipeline, loaded=loaded, fields=dict(fields)))
    return Remembered(found) if capability.shared else found


def _remote(capability: Capability[Any, Any], settings: ComponentSettings, model: str, fields: Mapping[str, Any]) -> Any:
    from grice.middleware.client import Remote

    if settings.remote is None:
        raise TypeError("these settings have no service")
    return Remote(capability, settings.remote, **fields)


_BACKENDS: dict[str, Callable[[Capability[Any, Any], ComponentSettings, str, Mapping[str, Any]], Any]] = {
    ONNX: _local,
    HTTP: _remote,
}
