"""`grice mcp`: the tools for a client of the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.client.backends import load_backend
from grice.middleware.judge import open_judge
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import RUNTIME, PipelineSettings, add_options, from_environment, from_options

HELP = "serve rewriting, meaning, scores and the judge as tools of the Model Context Protocol (standard input and output)"

DEADLINE_MS = 60_000
"""Of a stage: nobody waits in a conversation."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = "The judge is a tool where GRICE_JUDGE_URL and GRICE_JUDGE_MODEL are set."
    add_options(parser, PipelineSettings, names=("mode", "direct_from", *RUNTIME))


def run(args: argparse.Namespace) -> int:
    """Serve until standard input ends.

    Raises:
        MissingExtra: mcp is not installed.
        GriceError: a setting cannot be used.
    """
    from grice.integrations.mcp.server import GriceTools, create_server

    settings = replace(from_options(PipelineSettings, args), deadline_ms=DEADLINE_MS)

    def load(name: str) -> Any:
        return load_backend(CAPABILITIES[name], settings)

    create_server(GriceTools(load, open_judge(from_environment(MonitorSettings)))).run("stdio")
    return 0
