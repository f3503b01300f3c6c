"""Where models run: in Rasa's process (`onnx`) or behind our REST service (`http`). All components of a process share them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from grice.components.settings import HTTP, ONNX, ComponentSettings
from grice.middleware.analysis import TurnAnalysis
from grice.middleware.pipeline import Pipeline
from grice.middleware.remembered import Remembered
from grice.middleware.remote.settings import RemoteSettings
from grice.middleware.settings import PipelineSettings
from grice.middleware.timed_workers import TimedWorkers
from grice.models.dialogue import Dialogue
from grice.models.directness import load_directness_scorer
from grice.models.protocols import Model
from grice.models.results import Directness
from grice.models.rewriter import load_rewriter

ScoringModel = Model[Directness]
AnalysingModel = Model[TurnAnalysis]


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


class _Timed:
    """A model in process, with the deadline that the pipeline's stages have."""

    def __init__(self, model: ScoringModel, deadline_ms: float) -> None:
        self.model = model
        self.deadline_ms = deadline_ms
        self._workers = TimedWorkers(2, "grice-scorer")

    def predict(self, dialogues: Sequence[Dialogue]) -> Sequence[Directness]:
        return self._workers.within(self.deadline_ms, "directness", lambda: self.model.predict(dialogues))


@functools.lru_cache(maxsize=8)
def _scores(model: str, provider: str, threads: int, precision: str) -> Remembered[Directness]:
    return Remembered(load_directness_scorer(model, provider=provider, threads=threads, precision=precision))


def _shared_scores(settings: PipelineSettings) -> Remembered[Directness]:
    return _scores(settings.directness_model, settings.provider, settings.threads, settings.precision)


@functools.lru_cache(maxsize=8)
def _pipeline(settings: PipelineSettings) -> Pipeline:
    return Pipeline(_shared_scores(settings), load_rewriter(settings.rewriter_model, **settings.runtime), settings)


def _local_scorer(settings: ComponentSettings) -> ScoringModel:
    return _Timed(_shared_scores(settings.pipeline), settings.pipeline.deadline_ms)


def _local_analyser(settings: ComponentSettings) -> AnalysingModel:
    return _pipeline(settings.pipeline)


def _remote_scorer(settings: ComponentSettings) -> ScoringModel:
    from grice.middleware.remote import RemoteDirectness

    return RemoteDirectness(_address(settings))


def _remote_analyser(settings: ComponentSettings) -> AnalysingModel:
    from grice.middleware.remote import RemotePipeline

    return RemotePipeline(_address(settings), settings.pipeline.mode)


def _address(settings: ComponentSettings) -> RemoteSettings:
    if settings.remote is None:
        raise TypeError("these settings have no service")
    return settings.remote


_SCORERS: dict[str, Callable[[ComponentSettings], ScoringModel]] = {ONNX: _local_scorer, HTTP: _remote_scorer}
_ANALYSERS: dict[str, Callable[[ComponentSettings], AnalysingModel]] = {ONNX: _local_analyser, HTTP: _remote_analyser}
