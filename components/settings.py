"""The keys that a component takes in `config.yml`, checked before anything is trained; and those of an entry of `endpoints.yml`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from rasa.shared.exceptions import InvalidConfigException
from rasa.utils.endpoints import EndpointConfig

from grice.middleware.client.settings import RemoteSettings
from grice.middleware.settings import PipelineSettings, ReadingMode
from grice.models.errors import SettingsError

ONNX, HTTP = "onnx", "http"
SHARED_KEYS = ("backend", "history_turns")
RUNTIME_KEYS = ("provider", "threads", "precision")
REMOTE_KEYS = ("url", "api_key", "deadline_ms")

_RASAS_OWN = ("params", "headers", "basic_auth", "token", "cafile")
"""Keys that Rasa takes out for requests of its own; we would ignore them."""

DEFAULT_MODE: ReadingMode = "blend"
"""It comes from `python -m grice.benchmarks.rasa.modes`, a sweep with a real Rasa NLU on the dev part, as does `direct_from`."""
DEFAULT_HISTORY_TURNS = 10
MAX_HISTORY_TURNS = 100


@dataclass(frozen=True)
class ComponentSettings:
    """What a component was told.

    Attributes:
        pipeline: thresholds, and which models run how in process.
        mode: what the NLU reads of a rewritten turn.
        remote: where the service is; None: the models run in process.
        history_turns: the newest turns that are read, 0 to 100; the models read few, the guard all.
    """

    pipeline: PipelineSettings
    mode: ReadingMode = DEFAULT_MODE
    remote: RemoteSettings | None = None
    history_turns: int = DEFAULT_HISTORY_TURNS

    @property
    def backend(self) -> str:
        """`onnx` or `http`."""
        return ONNX if self.remote is None else HTTP

    @property
    def where(self) -> PipelineSettings | RemoteSettings:
        """Where models run, for `load_backend`."""
        return self.remote or self.pipeline


def read_settings(
    component: str, config: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]], own: Collection[str] = ()
) -> ComponentSettings:
    """The settings that `config` gives.

    Args:
        component: its name, for messages.
        keys: what it takes with each backend, beside `SHARED_KEYS`.
        own: those of them that it reads itself.

    Raises:
        InvalidConfigException: a key is unknown or of another backend, or a value is out of range.
    """
    try:
        backend = config.get("backend", ONNX)
        if not isinstance(backend, str) or backend not in keys:
            raise SettingsError("backend", backend, ", ".join(keys))
        _check_keys(config, backend, keys)
        history_turns = config.get("history_turns", DEFAULT_HISTORY_TURNS)
        if type(history_turns) is not int or not 0 <= history_turns <= MAX_HISTORY_TURNS:
            raise SettingsError("history_turns", history_turns, f"0 to {MAX_HISTORY_TURNS}, a whole number")
        given = {key: value for key, value in config.items() if key not in (*SHARED_KEYS, *own)}
        mode = given.pop("mode", DEFAULT_MODE)
        if mode not in get_args(ReadingMode):
            raise SettingsError("mode", mode, ", ".join(get_args(ReadingMode)))
        remote = None
        if backend == HTTP:
            remote = RemoteSettings(**{"url": None, **{key: given.pop(key) for key in REMOTE_KEYS if key in given}})
        pipeline = PipelineSettings(**given, mode="append" if mode == "append" else "replace")
        return ComponentSettings(pipeline, mode, remote, history_turns)
    except SettingsError as error:
        raise InvalidConfigException(f"{component}: {error}") from error


def _check_keys(config: Mapping[str, Any], backend: str, keys: Mapping[str, tuple[str, ...]]) -> None:
    allowed = (*SHARED_KEYS, *keys[backend])
    for key, value in config.items():
        if key in allowed:
            continue
        got = "a value that is not shown" if key == "api_key" else value
        raise SettingsError(str(key), got, f"{_why_not(key, backend, keys)}; the keys are: {', '.join(sorted(allowed))}")


def _why_not(key: object, backend: str, keys: Mapping[str, tuple[str, ...]]) -> str:
    if backend == HTTP and key in keys[ONNX]:
        return f"no such key with backend http, it is a setting of the service (there: GRICE_{str(key).upper()})"
    if any(key in others for others in keys.values()):
        return f"no such key with backend {backend}, it belongs to the other one"
    return "no such key"


def refuse_keys(component: str, config: Mapping[str, Any]) -> None:
    """Return if a component that takes no keys was given none.

    Raises:
        InvalidConfigException: it was given one.
    """
    for key, value in config.items():
        raise InvalidConfigException(f"{component}: {SettingsError(str(key), value, 'no such key; it takes none')}")


def given_keys(owner: str, config: EndpointConfig) -> dict[str, Any]:
    """All keys of the entry but `type`.

    Raises:
        InvalidConfigException: a key is set that only Rasa's own requests use.
    """
    for name in _RASAS_OWN:
        if getattr(config, name):
            raise InvalidConfigException(f"{owner}: {SettingsError(name, 'a value', 'no such key here')}")
    return {**config.kwargs, **({} if config.url is None else {"url": config.url})}
