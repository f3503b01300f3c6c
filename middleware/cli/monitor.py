"""`grice monitor`: the worker that scores the bot's responses from a Redis stream."""

from __future__ import annotations

import argparse
from typing import get_args

from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.cli.options import RUNTIME, add_runtime_options
from grice.middleware.monitor import Monitor, MonitorSettings
from grice.middleware.monitor.monitor_settings import Escalate
from grice.middleware.settings import from_environment
from grice.middleware.stream import WorkerSettings

HELP = "score the bot's responses from a Redis stream"

_WORKER = (
    "redis_url",
    "events_stream",
    "events_partitions",
    "events_group",
    "worker_name",
    "worker_batch_size",
    "results_stream",
    "results_maxlen",
    "dead_stream",
    "dead_maxlen",
    "sample",
    "max_tries",
    "lease_ms",
    "history_turns",
    "history_expire_s",
    "metrics_host",
    "metrics_port",
)
_MONITOR = ("redis_url", "behaviors_model", "escalate", *RUNTIME)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The main settings; each default is the environment's GRICE_… value, then the built-in one."""
    parser.epilog = (
        "Every setting can also be given in the environment, those of judge and alerts only there: GRICE_SAMPLE=0.2, "
        "GRICE_JUDGE_URL=…, GRICE_ALERT_WEBHOOK_URL=…"
    )
    parser.add_argument("--once", action="store_true", help="end when nothing is left to do; the default is to wait for more")
    parser.add_argument("--redis-url", metavar="URL", help="where the streams are; Redis 7 or newer, no cluster")
    parser.add_argument("--events-stream", metavar="KEY", help="the stream of events to read")
    parser.add_argument(
        "--events-partitions", type=int, metavar="N", help="streams that it is made of; each has one worker at a time"
    )
    parser.add_argument("--events-group", metavar="NAME", help="the consumer group")
    parser.add_argument("--worker-name", metavar="NAME", help="of this process in the group")
    parser.add_argument("--batch-size", type=int, metavar="N", dest="worker_batch_size", help="most events scored together")
    parser.add_argument("--results-stream", metavar="KEY", help="the stream that scored responses are added to")
    parser.add_argument("--results-maxlen", type=int, metavar="N", help="entries that it holds, about; the oldest go first")
    parser.add_argument("--dead-stream", metavar="KEY", help="the stream for what cannot be scored")
    parser.add_argument("--dead-maxlen", type=int, metavar="N", help="entries that it holds, about")
    parser.add_argument("--sample", type=float, metavar="SHARE", help="share of the bot's responses that are scored, 0 to 1")
    parser.add_argument("--max-tries", type=int, metavar="N", help="how often a response is tried before it is given up")
    parser.add_argument("--lease-ms", type=int, metavar="MS", help="another worker takes over from one that is silent that long")
    parser.add_argument("--history-turns", type=int, metavar="N", help="turns kept of a dialogue")
    parser.add_argument(
        "--history-expire-s", type=int, metavar="SECONDS", help="a dialogue is forgotten that long after its last event"
    )
    parser.add_argument("--metrics-host", metavar="ADDRESS", help="where Prometheus reads the metrics")
    parser.add_argument("--metrics-port", type=int, metavar="PORT", help="the same; 0: nowhere")
    parser.add_argument("--behaviors-model", metavar="NAME", help="a shipped name or the path of a folder")
    parser.add_argument("--escalate", choices=get_args(Escalate), help="which responses the judge is asked about")
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Load the model, and work until SIGTERM or SIGINT, or until nothing is left to do.

    Raises:
        GriceError: a setting, a model or a missing package keeps the worker from starting.
    """
    from grice.middleware.service.json_log import log_json_lines
    from grice.middleware.stream.process import run_worker

    worker, monitor, alerts = settings_of(args)
    log_json_lines()
    run_worker(Monitor.load(monitor), worker, alerts, args.once)
    return 0


def settings_of(args: argparse.Namespace) -> tuple[WorkerSettings, MonitorSettings, AlertSettings]:
    """The settings: flags before environment before built-in values.

    Raises:
        SettingsError: a value is out of range.
    """
    worker = from_environment(WorkerSettings, **{name: getattr(args, name) for name in _WORKER})
    monitor = from_environment(MonitorSettings, **{name: getattr(args, name) for name in _MONITOR})
    return worker, monitor, from_environment(AlertSettings)
