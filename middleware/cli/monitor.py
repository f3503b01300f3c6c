"""`grice monitor`: the worker that scores the bot's responses from a Redis stream."""

from __future__ import annotations

import argparse
from dataclasses import replace

from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.monitor import Monitor, MonitorSettings
from grice.middleware.settings import RUNTIME, add_options, from_environment, from_options
from grice.middleware.stream import WorkerSettings

HELP = "score the bot's responses from a Redis stream"

_MONITOR = ("behaviors_model", "escalate", *RUNTIME)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A flag for every setting of the worker, and the main ones of the monitor."""
    parser.epilog = (
        "Every setting can also be given in the environment, those of judge and alerts only there: GRICE_SAMPLE=0.2, "
        "GRICE_JUDGE_URL=…, GRICE_ALERT_WEBHOOK_URL=…"
    )
    parser.add_argument("--once", action="store_true", help="end when nothing is left to do; the default is to wait for more")
    add_options(parser, WorkerSettings, flags={"worker_batch_size": "--batch-size"})
    add_options(parser, MonitorSettings, names=_MONITOR)


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
    worker, monitor = from_options(WorkerSettings, args), from_options(MonitorSettings, args, (*_MONITOR, "redis_url"))
    first, *_ = monitor.redis_url.split() or [""]  # of several servers, the one that keeps the judge's budget
    return worker, replace(monitor, redis_url=first), from_environment(AlertSettings)
