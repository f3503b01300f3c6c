"""How turns are treated, and how the REST service runs."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grice.middleware.access import SHORTEST_KEY
from grice.middleware.settings.declaration import check_settings, secret, setting
from grice.middleware.settings.runtime import RuntimeSettings
from grice.middleware.settings.sinks import SinkSettings
from grice.models.errors import SettingsError

Mode = Literal["replace", "append"]
ReadingMode = Literal["blend", "append", "replace"]
"""What an NLU reads of a rewritten turn: the turn and its rewrite one by one, one behind the other, or the rewrite alone."""
Policy = Literal["pass_through", "raise"]
StoreKind = Literal["memory", "redis"]

MAX_PARTITIONS = 256
"""Redis streams that a stream of events may be made of."""

_MANY = 2**31


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens on `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_api_keys(keys: Sequence[str]) -> None:
    """Refuse keys that are too short; the error does not show them.

    Raises:
        SettingsError: one is.
    """
    if not all(isinstance(key, str) and len(key) >= SHORTEST_KEY for key in keys):
        raise SettingsError("api_keys", f"{len(keys)} keys that are not shown", f"each of at least {SHORTEST_KEY} characters")


@dataclass(frozen=True)
class PipelineSettings(RuntimeSettings):
    """How user turns are treated, and how the models run.

    Attributes:
        mode: what the NLU gets: the rewrite alone (`replace`) or the original followed by it (`append`).
        direct_from: a turn of at least this directness passes as it is, 0 to 1.
        clarify_below: where no rewrite can be trusted, a turn of less than this directness asks for clarification, 0 to 1.
        indirect_from: with a menu: from how far on a turn has to be indirect to be rewritten, 0 to 1.
        rewrite_from: with a menu: how likely what a rewrite says has to be right, its meaning and its values, 0 to 1; a bare answer
            and a yes or no with a condition need 0.1 less.
        clarify_from: with a menu: a turn that is not rewritten is asked about if the likeliest two or three things that it may mean
            hold this share of all, 0 to 1.
        verified_from: without a menu: a rewrite is told if the reader of meaning takes the turn for it with at least this share,
            0 to 1; 0: it is not asked.
        min_confidence: where it is not asked: a rewrite of less confidence than this is not trusted, 0 to 1.
        deadline_ms: how long one stage may take, in milliseconds.
        on_error: what happens when a stage fails or is late: the turn passes unchanged and marked, or the error is raised.
        directness_model, rewriter_model, meaning_model: a shipped name or the path of a folder.

    Raises:
        SettingsError: a value is out of range.
    """

    mode: Mode = "append"
    direct_from: float = setting(0.45, 0.0, 1.0)
    clarify_below: float = setting(0.1, 0.0, 1.0)
    indirect_from: float = setting(0.3, 0.0, 1.0)
    rewrite_from: float = setting(0.74, 0.0, 1.0)
    clarify_from: float = setting(0.8, 0.0, 1.0)
    verified_from: float = setting(0.8, 0.0, 1.0)
    min_confidence: float = setting(0.45, 0.0, 1.0)
    deadline_ms: int = setting(2000, 1, 600_000)
    on_error: Policy = "pass_through"
    directness_model: str = "directness"
    rewriter_model: str = "rewriter"
    meaning_model: str = "meaning"


@dataclass(frozen=True)
class ServiceSettings(SinkSettings):
    """How the REST service runs.

    Attributes:
        host: address to listen on; one that others can reach needs keys, or `insecure`.
        port: port to listen on; 0: any free one.
        allowed_hosts: names that callers may reach the service by, beside those of loopback and the addresses that it listens on;
            `*`: any. In the environment separated by commas.
        insecure: whether to listen where others can reach it without asking for a key.
        tls_cert: PEM file of the certificate and its chain; empty: plain HTTP.
        tls_key: PEM file of the certificate's key; empty: it is in `tls_cert`.
        tls_key_password: of that file.
        tls_client_ca: PEM file of the authorities one of which must have signed a caller's certificate; empty: none is asked for.
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
        batch_work_ms: how long one call of a model may take, in milliseconds, as far as measurements tell; longer work is cut, and
            that of other callers comes between.
        queue_size: items that may wait, at least the 64 that one request may hold; more are answered 429 with Retry-After.
        ready_queue_s: the service says that it is busy, and not ready, while an item has waited longer for a model, in seconds.
        most_wait_ms: how long a small call may have to wait for others, in milliseconds; one that would wait longer is answered 429
            with Retry-After.
        call_deadline_ms: how long an answer may take from the arrival of a call, in milliseconds; what is late is not worked on any
            more and answered 503. A caller sets less with the header `x-grice-deadline-ms`.
        api_keys: a caller of `/v1/…` must send one of these, or a key of `keys_file`, as a bearer token; neither: no key is asked
            for. Each has at least 16 characters, belongs to the tenant `default` and may do everything. In the environment
            separated by commas. Rasa sends a key to `/model/parse` as the `token` of its `nlu:` endpoint.
        keys_file: the file of named keys that `grice keys` makes; a change is taken notice of within a second. Empty: none.
        nlu_url: the plain Rasa NLU server that answers `/model/parse` behind this service (`http://…`); empty: there is none.
        nlu_token: what that server was started with as `--auth-token`.
        nlu_mode: what that server reads of a rewritten turn: `blend` (the turn and its rewrite, one by one), `append` or `replace`.
        nlu_timeout_ms: how long it may take for one text, in milliseconds. It is asked twice if it fails on a rewritten text.
        events_stream: the Redis stream (at `redis_url`) that events posted to `/v1/events` are also added to; empty: none.
        events_redis_url: where that stream is instead, and the counters of the workers that read it; several servers, each in a
            flag of its own or with spaces between them, share the dialogues, as the workers are told. Empty: `redis_url`.
        events_maxlen: entries that this stream holds, about; the oldest go first.
        events_partitions: how many streams it is made of, so that several workers of the monitor share it; as the workers are told.
        results_stream: where `store` is `redis`, the stream (at `redis_url`) that scored responses are added to and that recent
            alarms are read from, those of other processes and of workers too; empty: this process keeps to itself.
        results_maxlen: entries that this stream holds, about; the oldest go first.
        alarms_kept: recent alarms that `/v1/alarms` and `/v1/live` know: responses that raise one under the budget, or, where
            relations are not read, that show an undesired behaviour.
        live_clients: callers of `/v1/live` at a time; more are answered 429.
        live_every_s: seconds between two looks at the rates for `/v1/live`.
        metrics_host, metrics_port: where `/metrics` and `/health/…` are answered apart from all else, for up to 64 connections;
            `/metrics` is only there then. Port 0: `/metrics` is on the port of the service.
        page: whether `/` answers with the page for people.

    Raises:
        SettingsError: a value is out of range.
    """

    host: str = "127.0.0.1"
    port: int = setting(8300, 0, 65_535)
    allowed_hosts: tuple[str, ...] = ()
    insecure: bool = False
    tls_cert: str = ""
    tls_key: str = ""
    tls_key_password: str = secret("", flag=False)
    tls_client_ca: str = ""
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
    batch_work_ms: float = setting(100.0, 1.0, 60_000.0)
    queue_size: int = setting(512, 64, _MANY)
    ready_queue_s: float = setting(10.0, 0.1, 3600.0)
    most_wait_ms: float = setting(400.0, 1.0, 600_000.0)
    call_deadline_ms: int = setting(300_000, 1, 3_600_000)
    api_keys: tuple[str, ...] = secret((), flag=False)
    keys_file: str = ""
    nlu_url: str = secret("")
    nlu_token: str = secret("", flag=False)
    nlu_mode: ReadingMode = "blend"
    nlu_timeout_ms: int = setting(3000, 1, 600_000)
    events_stream: str = ""
    events_redis_url: str = secret("", repeats=True)
    events_maxlen: int = setting(100_000, 1, _MANY)
    events_partitions: int = setting(1, 1, MAX_PARTITIONS)
    results_stream: str = "grice:results"
    results_maxlen: int = setting(100_000, 1, _MANY)
    alarms_kept: int = setting(200, 1, 10_000)
    live_clients: int = setting(32, 1, 10_000)
    live_every_s: float = setting(3.0, 0.01, 3600.0)
    metrics_host: str = "127.0.0.1"
    metrics_port: int = setting(0, 0, 65_535)
    page: bool = True

    def __post_init__(self) -> None:
        check_settings(self)
        check_api_keys(self.api_keys)
        self._check_reach()
        if self.nlu_url and not self.nlu_url.startswith(("http://", "https://")):
            raise SettingsError("nlu_url", self.nlu_url.split("://")[0], "a URL that starts with http:// or https://, or nothing")

    @property
    def asks_for_keys(self) -> bool:
        """Whether a caller needs a key."""
        return bool(self.api_keys or self.keys_file)

    def _check_reach(self) -> None:
        if not (self.asks_for_keys or self.insecure or is_loopback(self.host)):
            raise SettingsError(
                "host", self.host, "127.0.0.1, ::1 or localhost while no key is asked for; set keys_file or api_keys, or insecure"
            )
        if not self.tls_cert and (self.tls_key or self.tls_client_ca):
            raise SettingsError("tls_cert", "", "a PEM file, as tls_key or tls_client_ca is given")
        for name in ("tls_cert", "tls_key", "tls_client_ca"):
            path = getattr(self, name)
            if path and not os.access(path, os.R_OK):
                raise SettingsError(name, path, "a PEM file that can be read")
