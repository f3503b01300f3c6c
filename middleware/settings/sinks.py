"""Where scores go beside our own counters."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.settings.declaration import secret, setting


@dataclass(frozen=True)
class SinkSettings:
    """Sinks of scores.

    Attributes:
        score_sinks: where each behaviour's score is sent, one URL a sink, separated by commas: `langfuse+https://PUBLIC:SECRET@HOST`,
            `phoenix+https://:KEY@HOST`, `mlflow+http://HOST:5000`.
        sink_queue: scores that wait for each; more are lost, which is logged and counted.
        sink_batch: scores sent together, where the receiver takes several.
        sink_tries: how often a batch is sent at most.
        sink_retry_s: seconds before the second try, roughly; it doubles with each.
        sink_timeout_s: how long connecting, and the answer, may take.
    """

    score_sinks: tuple[str, ...] = secret((), flag=False)
    sink_queue: int = setting(10_000, 1, 10_000_000)
    sink_batch: int = setting(100, 1, 1000)
    sink_tries: int = setting(6, 1, 20)
    sink_retry_s: float = setting(1.0, 0.001, 600.0)
    sink_timeout_s: float = setting(5.0, 0.01, 600.0)
