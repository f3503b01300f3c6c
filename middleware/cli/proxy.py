"""`grice proxy`: an OpenAI-compatible proxy that says user turns anew and scores replies."""

from __future__ import annotations

import argparse

from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.capabilities import capability_settings, load_capabilities
from grice.middleware.cli.options import add_json_option
from grice.middleware.cli.serve import announce_json
from grice.middleware.gateways.proxy.settings import ProxyServiceSettings, ProxySettings
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import (
    RUNTIME,
    ConnectionSettings,
    PipelineSettings,
    add_options,
    from_environment,
    from_options,
)
from grice.middleware.telemetry import configure

HELP = "stand in front of an OpenAI-compatible server: user turns said anew, replies scored"

_SERVICE = (
    "host",
    "port",
    "allowed_hosts",
    "insecure",
    "tls_cert",
    "tls_key",
    "keys_file",
    "queue_size",
    "batch_size",
    "batch_wait_ms",
    "metrics_host",
    "metrics_port",
)
FIRST = "I have been walking all day and my feet hurt."
"""A turn that is analysed before any comes: the first would be late, as the words of every menu are read then."""
_NEEDED = ("directness", "turns", "responses")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A flag for every setting of the proxy, and the main ones of service and pipeline."""
    parser.epilog = "Every setting can also be given in the environment; GRICE_UPSTREAM_KEY=… and GRICE_API_KEYS=… only there."
    add_json_option(parser, "print where it listens as JSON; logs are JSON lines anyway")
    add_options(parser, ProxySettings)
    add_options(parser, ProxyServiceSettings, names=_SERVICE)
    add_options(parser, ConnectionSettings)
    add_options(parser, capability_settings(), names=("monitor",))
    add_options(parser, PipelineSettings, names=("direct_from", "min_confidence", *RUNTIME))
    add_options(parser, MonitorSettings, names=("behaviors_model",))


def run(args: argparse.Namespace) -> int:
    """Load the models, listen, and serve until SIGTERM or SIGINT.

    Raises:
        GriceError: a setting, a model or a missing package keeps the proxy from starting.
    """
    from grice.middleware.gateways.proxy.app import create_proxy
    from grice.middleware.service.http.server import check_port, check_tls, run_app
    from grice.middleware.service.json_log import log_json_lines
    from grice.models.dialogue import Dialogue
    from grice.models.meaning.results import MeaningQuestion

    proxy, service = from_options(ProxySettings, args), from_options(ProxyServiceSettings, args, _SERVICE)
    proxy.require_upstream()
    menu = proxy.read_menu()
    check_tls(service)
    check_port(service)
    chosen, pipeline = from_options(capability_settings(), args, ("monitor",)), from_options(PipelineSettings, args)
    monitor = from_options(MonitorSettings, args, (*RUNTIME, "behaviors_model"))
    limits = from_options(ConnectionSettings, args)
    log_json_lines()
    alerts = from_environment(AlertSettings)
    first = Dialogue.of(FIRST)
    end_telemetry = configure("grice-proxy")
    try:
        models = load_capabilities(chosen, pipeline, monitor, _NEEDED)
        models["turns"].prepare([first] if menu is None else [first, MeaningQuestion(first, menu)])
        app = create_proxy(models, proxy, service, alerts)
        run_app(app, service, announce_json if args.json else announce, limits)
    finally:
        end_telemetry()
    return 0


def announce(address: str) -> None:
    """Print where the proxy listens, and how a client is told."""
    print(f"Grice's proxy listens on {address}\nTry: OPENAI_BASE_URL={address}/v1", flush=True)
