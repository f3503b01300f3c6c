"""How the worker reads, scores and writes."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.settings import MAX_PARTITIONS, SinkSettings, check_settings, secret, setting
from grice.models.errors import SettingsError


@dataclass(frozen=True)
class WorkerSettings(SinkSettings):
    """How `grice monitor` runs.

    Attributes:
        redis_url: `redis://`, `rediss://` or `unix://`; a server of version 7 or newer, not a cluster. Several, each in a flag of
            its own or with spaces between them, share the dialogues, as those who write to them are told.
        redis_timeout_ms: how long connecting, and one operation, may take, in milliseconds.
        retry_ms, max_retry_ms: the wait after a failure of Redis or of the model; it doubles from the one to the other.
        events_stream: the stream of events.
        events_partitions: how many streams it is made of, as those who write to it are told; 1: it is one.
        events_group: the consumer group. Groups know nothing of each other: each scores everything.
        worker_name: of this process in the group, another one than that of any other process; empty: host, process id and chance.
        results_stream, results_maxlen: where scored responses go, and about how many entries it holds; the oldest go first.
        dead_stream, dead_maxlen: the same for what cannot be scored.
        worker_batch_size: most events that are scored together.
        block_ms: how long an idle worker waits for events before it looks around, in milliseconds.
        max_tries: how often a response is tried before it goes to the dead letters; one that ends the process, at least twice.
        sample: share of the bot's responses that are scored, 0 to 1. Chosen by event and dialogue id, so one that comes again is
            chosen again.
        lease_ms: a worker that is silent that long loses its partitions to another, in milliseconds.
        stuck_s: the same for one that is alive, but has not finished a batch of each of its partitions for so many seconds.
        history_turns: newest turns kept of a dialogue: what the model is shown, and what evidence may point to.
        history_expire_s: seconds after its last event that a dialogue's turns and the ids of its events are forgotten.
        report_s: seconds between two lines of counts in the log.
        metrics_host, metrics_port: where `/metrics`, `/health` and `/health/live` are answered; port 0: nowhere.

    Raises:
        SettingsError: a value is out of range.
    """

    redis_url: str = secret("redis://127.0.0.1:6379/0", repeats=True)
    redis_timeout_ms: int = setting(2000, 1, 600_000)
    retry_ms: int = setting(100, 1, 600_000)
    max_retry_ms: int = setting(5000, 1, 600_000)
    events_stream: str = "grice:events"
    events_partitions: int = setting(1, 1, MAX_PARTITIONS)
    events_group: str = "monitor"
    worker_name: str = ""
    results_stream: str = "grice:results"
    results_maxlen: int = setting(100_000, 1, 2**31)
    dead_stream: str = "grice:dead"
    dead_maxlen: int = setting(10_000, 1, 2**31)
    worker_batch_size: int = setting(32, 1, 1024)
    block_ms: int = setting(1000, 1, 600_000)
    max_tries: int = setting(3, 1, 100)
    sample: float = setting(1.0, 0.0, 1.0)
    lease_ms: int = setting(10_000, 100, 3_600_000)
    stuck_s: float = setting(600.0, 0.1, 86_400)
    history_turns: int = setting(50, 1, 1000)
    history_expire_s: int = setting(86_400, 1, 2**31)
    report_s: float = setting(60.0, 0.01, 86_400)
    metrics_host: str = "127.0.0.1"
    metrics_port: int = setting(0, 0, 65_535)

    def __post_init__(self) -> None:
        check_settings(self)
        names = ("events_stream", "results_stream", "dead_stream")
        for name in (*names, "events_group"):
            if not getattr(self, name):
                raise SettingsError(name, "", "a name")
        if len({getattr(self, name) for name in names}) < len(names):
            raise SettingsError(
                "results_stream", self.results_stream, "three streams of different names: events, results, dead letters"
            )
