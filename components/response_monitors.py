"""Where the responses' behaviours are scored: in Rasa's process, behind our REST service, or by code of the bot's own."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping

from grice.middleware.responses.settings import HTTP, LOCAL, ResponseSettings
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded, ServiceError, SettingsError
from grice.models.protocols import Model
from grice.models.results import Behaviors

WARM_UP = Dialogue.of("The Copper Kettle is an expensive restaurant.", [("user", "Where can I eat?")], "bot")

log = logging.getLogger(__name__)


def load_monitor(settings: ResponseSettings) -> Model[Behaviors] | None:
    """What scores behaviours, after one response, so that the first user does not wait for that; None: nothing is scored.

    Raises:
        GriceError: a model cannot be loaded, a package is missing, or `monitor` names nothing that can be used.
    """
    return _MONITORS.get(settings.monitor, _own)(settings) if settings.monitor else None


def _local(settings: ResponseSettings) -> Model[Behaviors]:
    from grice.models.behaviors.monitor import load_behavior_monitor

    model = load_behavior_monitor(settings.behaviors_model, runtime=settings.models.runtime)
    model.predict([WARM_UP])
    return model


def _remote(settings: ResponseSettings) -> Model[Behaviors]:
    from grice.middleware.client import RemoteMonitor, remote_service

    service = remote_service(settings.remote)
    try:
        RemoteMonitor(service, counted=False).predict([WARM_UP])
    except (ServiceError, DeadlineExceeded) as error:  # it may come later; until then responses say that it failed
        log.warning("the monitor does not score yet: %s", error)
    return RemoteMonitor(service, settings.counted)


def _own(settings: ResponseSettings) -> Model[Behaviors]:
    path = settings.monitor
    module, _, name = path.rpartition(".")
    try:
        factory = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        allowed = f"{LOCAL}, {HTTP}, or the module.name of a callable that can be imported ({error})"
        raise SettingsError("monitor", path, allowed) from error
    if not callable(factory):
        raise SettingsError("monitor", path, "module.name of a callable")
    model: Model[Behaviors] = factory()
    if not callable(getattr(model, "predict", None)):
        raise SettingsError("monitor", path, "a callable that returns a model with predict(list of dialogues)")
    return model


_MONITORS: Mapping[str, Callable[[ResponseSettings], Model[Behaviors]]] = {LOCAL: _local, HTTP: _remote}
