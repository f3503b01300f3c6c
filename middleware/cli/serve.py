"""`grice serve`: the REST service."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import get_args

from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.cli.options import RUNTIME, add_runtime_options
from grice.middleware.monitor import Monitor, MonitorSettings
from grice.middleware.settings import Mode, PipelineSettings, ReadingMode, ServiceSettings, StoreKind, from_environment
from grice.middleware.telemetry import configure
from grice.middleware.turns.pipeline import Pipeline
from grice.models import load_rewriter
from grice.models.face_acts.detector import load_intention_detector
from grice.models.minds.model import load_mind_model
from grice.models.protocols import SlotPredictor

HELP = "start the REST service"

EXAMPLE = {
    "turns": [
        {"speaker": "user", "text": "I am looking for a place to eat."},
        {"speaker": "bot", "text": "What price range would you like?"},
        {"speaker": "user", "text": "I am on a tight budget"},
    ]
}

_PIPELINE = (
    "directness_model",
    "rewriter_model",
    "mode",
    "direct_from",
    "clarify_below",
    "min_confidence",
    "deadline_ms",
    *RUNTIME,
)
_SERVICE = (
    "host",
    "port",
    "store",
    "redis_url",
    "expire_s",
    "max_turns",
    "batch_size",
    "batch_wait_ms",
    "queue_size",
    "nlu_url",
    "nlu_mode",
    "nlu_timeout_ms",
    "events_stream",
    "events_partitions",
    "results_stream",
    "monitor",
    "slots",
    "slots_model",
    "intentions",
    "intentions_model",
    "mind",
    "mind_model",
    "page",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The main settings; each default is the environment's GRICE_… value, then the built-in one."""
    parser.epilog = (
        "Every setting can also be given in the environment, those of judge and alerts only there: GRICE_PORT=8301, "
        "GRICE_API_KEYS=first,second, GRICE_ALERT_WEBHOOK_URL=…"
    )
    parser.add_argument("--host", help="address to listen on")
    parser.add_argument("--port", type=int, help="port to listen on; 0: any free one")
    parser.add_argument("--store", choices=get_args(StoreKind), help="where dialogues are kept")
    parser.add_argument("--redis-url", metavar="URL", help="used with --store redis and --events-stream")
    parser.add_argument("--results-stream", metavar="KEY", help="with --store redis: the stream of scored responses")
    parser.add_argument("--no-monitor", dest="monitor", action="store_const", const=False, help="do not score the bot's responses")
    parser.add_argument("--no-slots", dest="slots", action="store_const", const=False, help="do not find the values of slots")
    parser.add_argument("--no-intentions", dest="intentions", action="store_const", const=False, help="do not find face acts")
    parser.add_argument(
        "--no-mind", dest="mind", action="store_const", const=False, help="do not read minds in recommendation dialogues"
    )
    parser.add_argument("--no-page", dest="page", action="store_const", const=False, help="no page for people at /")
    parser.add_argument("--expire-s", type=int, metavar="SECONDS", help="a dialogue is forgotten that long after its last turn")
    parser.add_argument("--max-turns", type=int, metavar="N", help="turns kept of a dialogue")
    parser.add_argument("--batch-size", type=int, metavar="N", help="most items in one call of a model")
    parser.add_argument("--batch-wait-ms", type=float, metavar="MS", help="how long a batch waits to fill")
    parser.add_argument("--queue-size", type=int, metavar="N", help="most items that wait; more are answered 429")
    parser.add_argument("--nlu-url", metavar="URL", help="the plain Rasa NLU server behind /model/parse (token: GRICE_NLU_TOKEN)")
    parser.add_argument("--nlu-mode", choices=get_args(ReadingMode), help="what that server reads of a rewritten turn")
    parser.add_argument("--nlu-timeout-ms", type=int, metavar="MS", help="how long that server may take for one text")
    parser.add_argument("--events-stream", metavar="KEY", help="the Redis stream that posted events are added to")
    parser.add_argument("--events-partitions", type=int, metavar="N", help="streams that it is made of")
    parser.add_argument("--mode", choices=get_args(Mode), help="what the NLU gets: the rewrite alone, or after the original")
    parser.add_argument("--direct-from", type=float, metavar="SCORE", help="a turn of at least this directness passes")
    parser.add_argument(
        "--clarify-below", type=float, metavar="SCORE", help="below it, ask the user where no rewrite can be trusted"
    )
    parser.add_argument("--min-confidence", type=float, metavar="SCORE", help="a rewrite of less confidence is not trusted")
    parser.add_argument("--deadline-ms", type=int, metavar="MS", help="how long one stage may take")
    parser.add_argument("--directness-model", metavar="NAME", help="a shipped name or the path of a folder")
    parser.add_argument("--rewriter-model", metavar="NAME", help="a shipped name or the path of a folder")
    parser.add_argument("--behaviors-model", metavar="NAME", help="a shipped name or the path of a folder")
    parser.add_argument("--slots-model", metavar="NAME", help="a shipped name or the path of a folder")
    parser.add_argument("--intentions-model", metavar="NAME", help="a shipped name or the path of a folder")
    parser.add_argument("--mind-model", metavar="NAME", help="a shipped name or the path of a folder")
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Load the models, listen, and serve until SIGTERM or SIGINT; what is under way is answered first.

    Raises:
        GriceError: a setting, a model or a missing package keeps the service from starting.
    """
    from grice.middleware.service.json_log import log_json_lines
    from grice.middleware.service.server import serve

    service, chosen = settings_of(args)
    alerts = from_environment(AlertSettings)
    log_json_lines()
    end_telemetry = configure("grice-service")
    try:
        pipeline = Pipeline.load(chosen)
        softener = load_rewriter(chosen.rewriter_model, form="indirect", **chosen.runtime)
        monitor = Monitor.load(monitor_settings_of(args)) if service.monitor else None
        resolver = slot_resolver(service, chosen) if service.slots else None
        detector = load_intention_detector(service.intentions_model, **chosen.runtime) if service.intentions else None
        mind = load_mind_model(service.mind_model, **chosen.runtime) if service.mind else None
        serve(pipeline, softener, service, announce, monitor, alerts, resolver, detector, mind)
    finally:
        end_telemetry()
    return 0


def slot_resolver(service: ServiceSettings, pipeline: PipelineSettings) -> SlotPredictor:
    """The resolver that `service` names; it runs as the other models do.

    Raises:
        ModelError: it is not there, damaged, or its execution provider is not available.
    """
    from grice.models.slots.resolver import load_slot_resolver

    runtime = pipeline.runtime
    return load_slot_resolver(
        service.slots_model, provider=runtime["provider"], threads=runtime["threads"], precision=runtime["precision"]
    )


def settings_of(args: argparse.Namespace) -> tuple[ServiceSettings, PipelineSettings]:
    """The settings: flags before environment before built-in values.

    Raises:
        SettingsError: a value is out of range.
    """
    service = from_environment(ServiceSettings, **{name: getattr(args, name) for name in _SERVICE})
    return service, from_environment(PipelineSettings, **{name: getattr(args, name) for name in _PIPELINE})


def monitor_settings_of(args: argparse.Namespace) -> MonitorSettings:
    """The settings of the monitor: it runs as the other models do; the rest is the environment's.

    Raises:
        SettingsError: a value is out of range.
    """
    return from_environment(MonitorSettings, **{name: getattr(args, name) for name in (*RUNTIME, "behaviors_model", "redis_url")})


def announce(address: str) -> None:
    """Print where the service listens, and a request to try."""
    print(f"Grice listens on {address} (documentation: {address}/docs)\nTry:\n{curl(address)}", flush=True)


def curl(address: str) -> str:
    """A ready-to-paste request: an indirect turn with its history."""
    return f"curl -s {address}/v1/turns -H 'content-type: application/json' -d {shlex.quote(json.dumps(EXAMPLE))}"
