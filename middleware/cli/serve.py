"""`grice serve`: the REST service."""

from __future__ import annotations

import argparse
import json
import shlex
from functools import partial

from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.capabilities import capability_settings, load_capabilities
from grice.middleware.cli.options import add_json_option
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import (
    RUNTIME,
    ConnectionSettings,
    PipelineSettings,
    ServiceSettings,
    add_options,
    from_environment,
    from_options,
)
from grice.middleware.telemetry import configure

HELP = "start the REST service"

EXAMPLE = {
    "turns": [
        {"speaker": "user", "text": "I am looking for a place to eat."},
        {"speaker": "bot", "text": "What price range would you like?"},
        {"speaker": "user", "text": "I am on a tight budget"},
    ]
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A flag for every setting that may have one."""
    parser.epilog = (
        "A setting that has no flag here is given in the environment, and each that has one can be: GRICE_PORT=8301, "
        "GRICE_JUDGE_URL=…, GRICE_ALERT_WEBHOOK_URL=…"
    )
    add_json_option(parser, "print where it listens as JSON; logs are JSON lines anyway")
    add_options(parser, ServiceSettings, ConnectionSettings, capability_settings(), PipelineSettings)
    add_options(parser, MonitorSettings, names=("behaviors_model",))


def run(args: argparse.Namespace) -> int:
    """Load the models, listen, and serve until SIGTERM or SIGINT; what is under way is answered first.

    Raises:
        GriceError: a setting, a model or a missing package keeps the service from starting.
    """
    from grice.middleware.service.http.server import check_port, serve
    from grice.middleware.service.json_log import log_json_lines

    service, alerts = from_options(ServiceSettings, args), from_environment(AlertSettings)
    chosen, pipeline = from_options(capability_settings(), args), from_options(PipelineSettings, args)
    monitor = from_options(MonitorSettings, args, (*RUNTIME, "behaviors_model", "redis_url"))
    check_port(service)
    limits = from_options(ConnectionSettings, args)
    log_json_lines()
    announced = announce_json if args.json else partial(announce, needs_key=service.asks_for_keys, has_page=service.page)
    end_telemetry = configure("grice-service")
    try:
        serve(load_capabilities(chosen, pipeline, monitor), service, announced, alerts, limits)
    finally:
        end_telemetry()
    return 0


def announce(address: str, needs_key: bool = False, has_page: bool = True) -> None:
    """Print where the service listens, where people find its page and documentation, and a request to try."""
    page = f"  page           {address}/\n" if has_page else ""
    print(f"Grice listens on {address}\n{page}  documentation  {address}/docs\nTry:\n{curl(address, needs_key)}", flush=True)


def announce_json(address: str) -> None:
    """Print where it listens as JSON, for programs."""
    print(json.dumps({"address": address}), flush=True)


def curl(address: str, needs_key: bool = False) -> str:
    """A ready-to-paste request: an indirect turn with its history. A key that it needs is read from the variable KEY."""
    key = ' -H "authorization: Bearer ${KEY:?set it to one of your keys}"' if needs_key else ""
    return f"curl -s {address}/v1/turns{key} -H 'content-type: application/json' -d {shlex.quote(json.dumps(EXAMPLE))}"
