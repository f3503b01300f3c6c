"""Settings: one frozen dataclass a part, checked when made; the environment is read here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Protocol, TypedDict, TypeVar, get_args, get_origin, get_type_hints

from grice.models.errors import SettingsError

Mode = Literal["replace", "append"]
ReadingMode = Literal["blend", "append", "replace"]
"""What an NLU reads of a rewritten turn: the turn and its rewrite one by one, one behind the other, or the rewrite alone."""
Policy = Literal["pass_through", "raise"]
StoreKind = Literal["memory", "redis"]

PREFIX = "GRICE_"
MAX_PARTITIONS = 256
"""Redis streams that a stream of events may be made of."""
_TRUTH = {"true": True, "false": False, "1": True, "0": False}


class Runtime(TypedDict):
    """The arguments that every model's loader shares."""

    provider: str
    threads: int
    precision: str
    workers: int


@dataclass(frozen=True)
class PipelineSettings:
    """How user turns are treated.

    Attributes:
        mode: what the NLU gets: the rewrite alone (`replace`) or the original followed by it (`append`).
        direct_from: a turn of at least this directness passes as it is, 0 to 1.
        clarify_below: where no rewrite can be trusted, a turn of less than this directness asks for clarification, 0 to 1.
        min_confidence: a rewrite of less confidence than this is not trusted, 0 to 1.
        deadline_ms: how long one stage may take, in milliseconds.
        on_error: what happens when a stage fails or is late: the turn passes unchanged and marked, or the error is raised.
        directness_model, rewriter_model: a shipped name or the path of a folder.
        provider: ONNX execution provider: auto, cpu, cuda or a provider's full name.
        threads: intra-op threads of a session, 1 to 64.
        workers: parts of a batch that are worked on side by side, 0 to 64; 0: one a CPU. A single turn takes one.
        precision: which file of a model: int8, fp32 or fp16.
    """

    mode: Mode = "append"
    direct_from: float = 0.6
    clarify_below: float = 0.1
    min_confidence: float = 0.45
    deadline_ms: int = 2000
    on_error: Policy = "pass_through"
    directness_model: str = "directness"
    rewriter_model: str = "rewriter"
    provider: str = "auto"
    threads: int = 1
    workers: int = 0
    precision: Literal["int8", "fp32", "fp16"] = "int8"

    def __post_init__(self) -> None:
        for name in ("direct_from", "clarify_below", "min_confidence"):
            check_within(name, getattr(self, name), 0.0, 1.0)
        check_within("deadline_ms", self.deadline_ms, 1, 600_000)
        check_within("threads", self.threads, 1, 64)
        check_within("workers", self.workers, 0, 64)
        check_choices(self)

    @property
    def runtime(self) -> Runtime:
        """How models run, as the arguments of `load_rewriter` and `load_directness_scorer`."""
        return {"provider": self.provider, "threads": self.threads, "precision": self.precision, "workers": self.workers}


@dataclass(frozen=True)
class ServiceSettings:
    """How the REST service runs.

    Attributes:
        host, port: where it listens.
        store: where dialogues are kept: `memory` or `redis`.
        redis_url: used when `store` is `redis`; `redis://`, `rediss://` or `unix://`.
        store_timeout_ms: how long one operation of Redis may take, in milliseconds.
        max_dialogues: dialogues kept in memory; the one unused longest goes first.
        max_turns: turns kept of a dialogue; the oldest go first.
        expire_s: seconds after its last turn that a dialogue is forgotten.
        max_body_bytes: largest request body.
        batch_size, batch_wait_ms: a batch leaves when it has this many items or its first has waited this long.
        queue_size: items that may wait, at least the 64 that one request may hold; more are answered 429 with Retry-After.
        api_keys: a caller of `/v1/…` must send one of these as a bearer token; none: no key is asked for. In the environment
            separated by commas. Rasa sends one to `/model/parse` as the `token` of its `nlu:` endpoint.
        nlu_url: the plain Rasa NLU server that answers `/model/parse` behind this service (`http://…`); empty: there is none.
        nlu_token: what that server was started with as `--auth-token`.
        nlu_mode: what that server reads of a rewritten turn: `blend` (the turn and its rewrite, one by one), `append` or `replace`.
        nlu_timeout_ms: how long it may take for one text, in milliseconds. It is asked twice if it fails on a rewritten text.
        events_stream: the Redis stream (at `redis_url`) that events posted to `/v1/events` are also added to; empty: none.
        events_maxlen: entries that this stream holds, about; the oldest go first.
        events_partitions: how many streams it is made of, so that several workers of the monitor share it; as the workers are told.
        monitor: whether the bot's responses are scored (`/v1/responses`); false loads no model for that.
        slots: whether values of slots are found (`/v1/slots`); false loads no model for that.
        slots_model: a shipped name or the path of a folder.
        intentions: whether face acts are found (`/v1/intentions`); false loads no model for that.
        intentions_model: a shipped name or the path of a folder.
        mind: whether the minds in recommendation dialogues are read (`/v1/mind`); false loads no model for that.
        mind_model: a shipped name or the path of a folder.
        results_stream: where `store` is `redis`, the stream (at `redis_url`) that scored responses are added to and that recent
            alarms are read from, those of other processes and of workers too; empty: this process keeps to itself.
        results_maxlen: entries that this stream holds, about; the oldest go first.
        alarms_kept: recent responses with an undesired behaviour that `/v1/alarms` and `/v1/live` know.
        live_clients: callers of `/v1/live` at a time; more are answered 429.
        live_every_s: seconds between two looks at the rates for `/v1/live`.
        page: whether `/` answers with the page for people.
    """

    host: str = "127.0.0.1"
    port: int = 8300
    store: StoreKind = "memory"
    redis_url: str = field(default="redis://127.0.0.1:6379/0", repr=False)
    store_timeout_ms: int = 250
    max_dialogues: int = 10_000
    max_turns: int = 200
    expire_s: int = 3600
    max_body_bytes: int = 1_000_000
    batch_size: int = 16
    batch_wait_ms: float = 3.0
    queue_size: int = 512
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    nlu_url: str = field(default="", repr=False)
    nlu_token: str = field(default="", repr=False)
    nlu_mode: ReadingMode = "blend"
    nlu_timeout_ms: int = 3000
    events_stream: str = ""
    events_maxlen: int = 100_000
    events_partitions: int = 1
    monitor: bool = True
    slots: bool = True
    slots_model: str = "slot_values"
    intentions: bool = True
    intentions_model: str = "intentions"
    mind: bool = True
    mind_model: str = "mind"
    results_stream: str = "grice:results"
    results_maxlen: int = 100_000
    alarms_kept: int = 200
    live_clients: int = 32
    live_every_s: float = 3.0
    page: bool = True

    def __post_init__(self) -> None:
        check_within("port", self.port, 0, 65_535)
        for name in ("max_dialogues", "max_turns", "expire_s", "max_body_bytes", "batch_size", "events_maxlen", "results_maxlen"):
            check_within(name, getattr(self, name), 1, 2**31)
        check_within("events_partitions", self.events_partitions, 1, MAX_PARTITIONS)
        check_within("alarms_kept", self.alarms_kept, 1, 10_000)
        check_within("live_clients", self.live_clients, 1, 10_000)
        check_within("live_every_s", self.live_every_s, 0.01, 3600.0)
        check_within("nlu_timeout_ms", self.nlu_timeout_ms, 1, 600_000)
        check_within("queue_size", self.queue_size, 64, 2**31)
        check_within("store_timeout_ms", self.store_timeout_ms, 1, 60_000)
        check_within("batch_wait_ms", self.batch_wait_ms, 0.0, 1000.0)
        for name in ("monitor", "slots", "intentions", "mind", "page"):
            if not isinstance(getattr(self, name), bool):
                raise SettingsError(name, getattr(self, name), "true, false")
        if not all(isinstance(key, str) and key for key in self.api_keys):
            raise SettingsError("api_keys", f"{len(self.api_keys)} keys", "non-empty strings")
        check_choices(self)
        if self.nlu_url and not self.nlu_url.startswith(("http://", "https://")):
            raise SettingsError("nlu_url", self.nlu_url.split("://")[0], "a URL that starts with http:// or https://, or nothing")


class SettingsClass(Protocol):
    """Any dataclass of settings."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Settings = TypeVar("Settings", bound=SettingsClass)


def from_environment(kind: type[Settings], environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Settings of `kind` from `GRICE_…` variables (`GRICE_DIRECT_FROM=0.6`), overridden by the `given` values that are not None.

    Raises:
        SettingsError: a value cannot be read or is out of range.
    """
    source = os.environ if environment is None else environment
    types = get_type_hints(kind)
    values: dict[str, Any] = {}
    for setting in fields(kind):
        text = source.get(PREFIX + setting.name.upper())
        if text is not None:
            values[setting.name] = _parsed(PREFIX + setting.name.upper(), text, types[setting.name])
    values.update({name: value for name, value in given.items() if value is not None})
    return kind(**values)


def _parsed(name: str, text: str, kind: Any) -> Any:
    if type(None) in get_args(kind):  # `int | None`: an empty text is None
        return _parsed(name, text, get_args(kind)[0]) if text.strip() else None
    if kind == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is bool:
        if text not in _TRUTH:
            raise SettingsError(name, text, ", ".join(_TRUTH))
        return _TRUTH[text]
    if kind not in (int, float):
        return text
    try:
        return kind(text)
    except ValueError:
        raise SettingsError(name, text, "an integer" if kind is int else "a number") from None


def check_within(name: str, value: object, low: float, high: float) -> None:
    """Refuse a setting that is not a number from `low` to `high`.

    Raises:
        SettingsError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise SettingsError(name, value, f"{low} to {high}")


def check_choices(settings: object) -> None:
    """Refuse settings (a dataclass) with a value that is none of its `Literal`, or is not the string that it should be.

    Raises:
        SettingsError: there is one.
    """
    for name, kind in get_type_hints(type(settings)).items():
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        if choices and getattr(settings, name) not in choices:
            raise SettingsError(name, getattr(settings, name), ", ".join(map(str, choices)))
        if kind is str and not isinstance(getattr(settings, name), str):
            raise SettingsError(name, getattr(settings, name), "a string")
