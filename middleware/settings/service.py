"""How turns are treated, and how the REST service runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grice.middleware.settings.declaration import check_settings, secret, setting
from grice.models.errors import SettingsError
from grice.models.runtime.runtime import Runtime

Mode = Literal["replace", "append"]
ReadingMode = Literal["blend", "append", "replace"]
"""What an NLU reads of a rewritten turn: the turn and its rewrite one by one, one behind the other, or the rewrite alone."""
Policy = Literal["pass_through", "raise"]
StoreKind = Literal["memory", "redis"]

MAX_PARTITIONS = 256
"""Redis streams that a stream of events may be made of."""
RUNTIME = ("provider", "threads", "workers", "precision")
"""The settings that say how models run."""

_MANY = 2**31


@dataclass(frozen=True)
class PipelineSettings:
    """How user turns are treated.

    Attributes:
        mode: what the NLU gets: the rewrite alone (`replace`) or the original followed by it (`append`).
        direct_from: a turn of at least this directness passes as it is, 0 to 1.
        clarify_below: where no rewrite can be trusted, a turn of less than this directness asks for clarification, 0 to 1.
        indirect_from: with a menu: a turn that is indirect with at least this likelihood may be rewritten, 0 to 1.
        clarify_from: with a menu: a turn that is not rewritten is asked about if the likeliest two or three things that it may mean
            hold this share of all, 0 to 1.
        verified_from: without a menu: a rewrite is told if the reader of meaning takes the turn for it with at least this share,
            0 to 1; 0: it is not asked.
        min_confidence: where it is not asked: a rewrite of less confidence than this is not trusted, 0 to 1.
        deadline_ms: how long one stage may take, in milliseconds.
        on_error: what happens when a stage fails or is late: the turn passes unchanged and marked, or the error is raised.
        directness_model, rewriter_model: a shipped name or the path of a folder.
        provider: ONNX execution provider: auto, cpu, cuda or a provider's full name.
        threads: intra-op threads of a session, 1 to 64.
        workers: parts of a batch that are worked on side by side, 0 to 64; 0: one a CPU. A single turn takes one.
        precision: which file of a model: int8, fp32 or fp16.

    Raises:
        SettingsError: a value is out of range.
    """

    mode: Mode = "append"
    direct_from: float = setting(0.45, 0.0, 1.0)
    clarify_below: float = setting(0.1, 0.0, 1.0)
    indirect_from: float = setting(0.5, 0.0, 1.0)
    clarify_from: float = setting(0.8, 0.0, 1.0)
    verified_from: float = setting(0.8, 0.0, 1.0)
    min_confidence: float = setting(0.45, 0.0, 1.0)
    deadline_ms: int = setting(2000, 1, 600_000)
    on_error: Policy = "pass_through"
    directness_model: str = "directness"
    rewriter_model: str = "rewriter"
    provider: str = "auto"
    threads: int = setting(1, 1, 64)
    workers: int = setting(0, 0, 64)
    precision: Literal["int8", "fp32", "fp16"] = "int8"

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def runtime(self) -> Runtime:
        """How models run."""
        return Runtime(self.provider, self.threads, self.precision, self.workers)


@dataclass(frozen=True)
class ServiceSettings:
    """How the REST service runs.

    Attributes:
        host: address to listen on.
        port: port to listen on; 0: any free one.
        store: where dialogues and schemas are kept: `memory` or `redis`.
        redis_url: used with the store `redis` and with `events_stream`; `redis://`, `rediss://` or `unix://`.
        store_timeout_ms: how long one operation of Redis may take, in milliseconds.
        max_dialogues: dialogues kept in memory; the one unused longest goes first.
        max_turns: turns kept of a dialogue; the oldest go first.
        expire_s: seconds after its last turn that a dialogue is forgotten.
        max_schemas: schemas of bots that are stored, in memory or in Redis; another one is refused until one is deleted.
        max_body_bytes: largest request body.
        batch_size: most items in one call of a model.
        batch_wait_ms: how long the first item of a batch waits for others, in milliseconds.
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
        results_stream: where `store` is `redis`, the stream (at `redis_url`) that scored responses are added to and that recent
            alarms are read from, those of other processes and of workers too; empty: this process keeps to itself.
        results_maxlen: entries that this stream holds, about; the oldest go first.
        alarms_kept: recent responses with an undesired behaviour that `/v1/alarms` and `/v1/live` know.
        live_clients: callers of `/v1/live` at a time; more are answered 429.
        live_every_s: seconds between two looks at the rates for `/v1/live`.
        page: whether `/` answers with the page for people.

    Raises:
        SettingsError: a value is out of range.
    """

    host: str = "127.0.0.1"
    port: int = setting(8300, 0, 65_535)
    store: StoreKind = "memory"
    redis_url: str = secret("redis://127.0.0.1:6379/0")
    store_timeout_ms: int = setting(250, 1, 60_000)
    max_dialogues: int = setting(10_000, 1, _MANY)
    max_turns: int = setting(200, 1, _MANY)
    expire_s: int = setting(3600, 1, _MANY)
    max_schemas: int = setting(100, 1, 100_000)
    max_body_bytes: int = setting(1_000_000, 1, _MANY)
    batch_size: int = setting(16, 1, _MANY)
    batch_wait_ms: float = setting(3.0, 0.0, 1000.0)
    queue_size: int = setting(512, 64, _MANY)
    api_keys: tuple[str, ...] = secret((), flag=False)
    nlu_url: str = secret("")
    nlu_token: str = secret("", flag=False)
    nlu_mode: ReadingMode = "blend"
    nlu_timeout_ms: int = setting(3000, 1, 600_000)
    events_stream: str = ""
    events_maxlen: int = setting(100_000, 1, _MANY)
    events_partitions: int = setting(1, 1, MAX_PARTITIONS)
    results_stream: str = "grice:results"
    results_maxlen: int = setting(100_000, 1, _MANY)
    alarms_kept: int = setting(200, 1, 10_000)
    live_clients: int = setting(32, 1, 10_000)
    live_every_s: float = setting(3.0, 0.01, 3600.0)
    page: bool = True

    def __post_init__(self) -> None:
        check_settings(self)
        if not all(isinstance(key, str) and key for key in self.api_keys):
            raise SettingsError("api_keys", f"{len(self.api_keys)} keys", "non-empty strings")
        if self.nlu_url and not self.nlu_url.startswith(("http://", "https://")):
            raise SettingsError("nlu_url", self.nlu_url.split("://")[0], "a URL that starts with http:// or https://, or nothing")
