"""Where models run: in Rasa's process (`onnx`) or behind our REST service (`http`). All components of a process share them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from grice.components.settings import HTTP, ONNX, ComponentSettings
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.runtime.deadline import TimedWorkers
from grice.middleware.runtime.remembered import Remembered
from grice.middleware.settings import PipelineSettings
from grice.middleware.slots.reports import ReportsSlots, SlotReporter
from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.pipeline import Pipeline
from grice.models.directness.scorer import load_directness_scorer
from grice.models.face_acts.detector import load_intention_detector
from grice.models.protocols import Model
from grice.models.results import Directness, Intentions, PersuasionRole
from grice.models.rewriter.rewriter import load_rewriter
from grice.models.slots.resolver import load_slot_resolver

Asked = TypeVar("Asked")
Asked_contra = TypeVar("Asked_contra", contravariant=True)
Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)

ScoringModel = Model[Directness]
AnalysingModel = Model[TurnAnalysis]
IntentionModel = Model[Intentions]


def load_scorer(settings: ComponentSettings) -> ScoringModel:
    """What scores directness.

    Raises:
        GriceError: a model cannot be loaded, or a package is missing.
    """
    return _SCORERS[settings.backend](settings)


def load_analyser(settings: ComponentSettings) -> AnalysingModel:
    """What analyses a turn.

    Raises:
        GriceError: a model cannot be loaded, or a package is missing.
    """
    return _ANALYSERS[settings.backend](settings)


def load_slots(settings: ComponentSettings, model: str) -> ReportsSlots:
    """What finds the values of slots; `model` is that of the backend in process.

    Raises:
        GriceError: a model cannot be loaded, or a package is missing.
    """
    return _SLOTS[settings.backend](settings, model)


def load_intentions(settings: ComponentSettings, model: str, user_role: PersuasionRole) -> IntentionModel:
    """What finds face acts; `model` is that of the backend in process.

    Raises:
        GriceError: a model cannot be loaded, or a package is missing.
    """
    return _INTENTIONS[settings.backend](settings, model, user_role)


class _Predicts(Protocol[Asked_contra, Answer_co]):
    def predict(self, asked: Sequence[Asked_contra], /) -> Sequence[Answer_co]: ...


class _Timed(Generic[Asked, Answer]):
    """A model in process, with the deadline that the pipeline's stages have."""

    def __init__(self, model: _Predicts[Asked, Answer], stage: str, deadline_ms: float) -> None:
        self.model = model
        self.stage = stage
        self.deadline_ms = deadline_ms
        self._workers = TimedWorkers(2, f"grice-{stage}")

    def predict(self, asked: Sequence[Asked], /) -> list[Answer]:
        return self._workers.within(self.deadline_ms, self.stage, lambda: list(self.model.predict(asked)))


@functools.lru_cache(maxsize=8)
def _scores(model: str, provider: str, threads: int, precision: str) -> Remembered[Directness]:
    return Remembered(load_directness_scorer(model, provider=provider, threads=threads, precision=precision))


def _shared_scores(settings: PipelineSettings) -> Remembered[Directness]:
    return _scores(settings.directness_model, settings.provider, settings.threads, settings.precision)


@functools.lru_cache(maxsize=8)
def _pipeline(settings: PipelineSettings) -> Pipeline:
    return Pipeline(_shared_scores(settings), load_rewriter(settings.rewriter_model, **settings.runtime), settings)


def _local_scorer(settings: ComponentSettings) -> ScoringModel:
    return _Timed(_shared_scores(settings.pipeline), "directness", settings.pipeline.deadline_ms)


def _local_analyser(settings: ComponentSettings) -> AnalysingModel:
    return _pipeline(settings.pipeline)


def _local_slots(settings: ComponentSettings, model: str) -> ReportsSlots:
    chosen = settings.pipeline
    resolver = load_slot_resolver(model, provider=chosen.provider, threads=chosen.threads, precision=chosen.precision)
    return _Timed(SlotReporter(resolver), "slots", chosen.deadline_ms)


def _local_intentions(settings: ComponentSettings, model: str, user_role: PersuasionRole) -> IntentionModel:
    detector = load_intention_detector(model, user_role=user_role, **settings.pipeline.runtime)
    return _Timed(detector, "intentions", settings.pipeline.deadline_ms)


def _remote_scorer(settings: ComponentSettings) -> ScoringModel:
    from grice.middleware.client import RemoteDirectness

    return RemoteDirectness(_address(settings))


def _remote_analyser(settings: ComponentSettings) -> AnalysingModel:
    from grice.middleware.client import RemotePipeline

    return RemotePipeline(_address(settings), settings.pipeline.mode)


def _remote_slots(settings: ComponentSettings, model: str) -> ReportsSlots:
    from grice.middleware.client import RemoteSlots

    return RemoteSlots(_address(settings))


def _remote_intentions(settings: ComponentSettings, model: str, user_role: PersuasionRole) -> IntentionModel:
    from grice.middleware.client import RemoteIntentions

    return RemoteIntentions(_address(settings), user_role)


def _address(settings: ComponentSettings) -> RemoteSettings:
    if settings.remote is None:
        raise TypeError("these settings have no service")
    return settings.remote


_SCORERS: dict[str, Callable[[ComponentSettings], ScoringModel]] = {ONNX: _local_scorer, HTTP: _remote_scorer}
_ANALYSERS: dict[str, Callable[[ComponentSettings], AnalysingModel]] = {ONNX: _local_analyser, HTTP: _remote_analyser}
_SLOTS: dict[str, Callable[[ComponentSettings, str], ReportsSlots]] = {ONNX: _local_slots, HTTP: _remote_slots}
_INTENTIONS: dict[str, Callable[[ComponentSettings, str, PersuasionRole], IntentionModel]] = {
    ONNX: _local_intentions,
    HTTP: _remote_intentions,
}
