"""What is done to a bot's responses before they are sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from grice.middleware.client.settings import LONGEST_DEADLINE_MS, RemoteSettings
from grice.middleware.responses.softening import SURE
from grice.middleware.settings import PipelineSettings, check_settings, check_within, secret, setting
from grice.models.errors import SettingsError
from grice.models.results import BEHAVIORS, Behavior

LOCAL, HTTP = "local", "http"
SHARE_OF_SERVICE = 2 / 3
"""Of the deadline: a service that is late leaves time for a softened response to go out softened."""
_MODEL_KEYS = ("rewriter_model", "provider", "threads", "precision")
_OF_MONITOR = {LOCAL: ("behaviors_model",), HTTP: ("url", "api_key", "counted")}


@dataclass(frozen=True)
class ResponseSettings:
    """How responses are treated.

    Attributes:
        monitor: what scores behaviours: `local`, our model in this process; `http`, our REST service; or the `module.name` of a
            callable that takes nothing and returns a model; empty: nothing is scored.
        frustration: whether it is told how likely the user is frustrated, by our model in this process; it replaces nothing.
        soften: whether responses are put into indirect form where that can be trusted.
        soften_only: names of the responses that are softened; none: all.
        skip: names of responses that are left alone.
        min_confidence: a softer form of less confidence than this is not trusted, 0 to 1.
        fallback: for behaviours, the probability above which a response is replaced, 0 to 1; the model's own thresholds replace
            nothing.
        fallback_response: the name of the response that replaces it.
        deadline_ms: how long all of it may take; a late response goes out as it was. A service has two thirds of it.
        history_turns: the newest turns that are read, 0 to 100; places of earlier turns count from the oldest of them.
        rewriter_model, provider, threads, precision: as in `PipelineSettings`, for the models that soften and score.
        behaviors_model: with `local`, the model that scores: a shipped name or the path of a folder.
        url, api_key: with `http`, where the service listens, and the key that it asks for.
        counted: with `http`, whether the service adds the responses to its rates and alarms. Leave it false where a worker scores
            what `MonitorEventBroker` sends, or they count twice; the broker's way also knows what was sent in the end, and where.

    Raises:
        SettingsError: a value is out of range, or keys do not fit together.
    """

    monitor: str = ""
    soften: bool = False
    frustration: bool = False
    soften_only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    min_confidence: float = setting(SURE, 0.0, 1.0)
    fallback: Mapping[Behavior, float] = field(default_factory=dict)
    fallback_response: str = ""
    deadline_ms: int = setting(300, 1, 600_000)
    history_turns: int = setting(10, 0, 100)
    rewriter_model: str = "rewriter"
    provider: str = "auto"
    threads: int = 1
    precision: str = "int8"
    behaviors_model: str = "behaviors"
    url: str = ""
    api_key: str = secret("")
    counted: bool = False

    def __post_init__(self) -> None:
        check_settings(self)
        for name in ("soften_only", "skip"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        self._check_fallback()
        _ = self.models
        if self.monitor == HTTP:
            _ = self.remote

    def _check_fallback(self) -> None:
        if not isinstance(self.fallback, Mapping):
            raise SettingsError("fallback", self.fallback, 'behaviours with their thresholds, such as {"!Rel": 0.8}')
        for label, threshold in self.fallback.items():
            if label not in BEHAVIORS:
                raise SettingsError("fallback", label, ", ".join(BEHAVIORS))
            check_within(f"fallback.{label}", threshold, 0.0, 1.0)
        if self.fallback and not self.monitor:
            raise SettingsError("fallback", "thresholds", "only with a monitor, which gives the scores")
        if bool(self.fallback) != bool(self.fallback_response):
            raise SettingsError("fallback_response", self.fallback_response, "a response's name, together with fallback")
        if self.soften_only and not self.soften:
            raise SettingsError("soften_only", self.soften_only, "only with soften: true")

    @property
    def models(self) -> PipelineSettings:
        """Which model softens, and how models run."""
        return PipelineSettings(**{name: getattr(self, name) for name in _MODEL_KEYS})

    @property
    def remote(self) -> RemoteSettings:
        """How the service is called."""
        deadline_ms = min(max(self.deadline_ms * SHARE_OF_SERVICE, 1), LONGEST_DEADLINE_MS)
        return RemoteSettings(self.url, self.api_key, int(deadline_ms))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ResponseSettings:
        """Settings from a configuration file.

        Raises:
            SettingsError: a key is unknown or belongs to another kind of monitor, or a value is out of range.
        """
        known = [each.name for each in fields(cls)]
        for name, value in values.items():
            if name not in known:
                raise SettingsError(name, value, f"no such key; there are: {', '.join(known)}")
        for kind, names in _OF_MONITOR.items():
            for name in names:
                if name in values and values.get("monitor") != kind:
                    raise SettingsError(name, "a value", f"only with monitor: {kind}")
        return cls(**values)


def _names(what: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)) or not all(isinstance(name, str) and name for name in value):
        raise SettingsError(what, value, "a list of names of responses")
    return tuple(value)
