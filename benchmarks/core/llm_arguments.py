"""The arguments of `grice bench` about language models."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from grice.benchmarks.core.benchmark import Options

PREFIX = "llm_"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare them. Their names are those of the fields of `Options`."""
    group = parser.add_argument_group("large language models (systems openai:MODEL)")
    group.add_argument("--llm-url", metavar="URL", help="base URL of an OpenAI-compatible server; its key is $OPENAI_API_KEY")
    group.add_argument("--llm-window", type=int, metavar="K", help="only the newest K turns of context (default: all)")
    group.add_argument("--llm-pairing", action="store_true", help="abceval: hold the response against one earlier turn at a time")
    group.add_argument("--llm-cache", type=Path, metavar="FILE", help="remembers answers: an interrupted run goes on")
    group.add_argument("--llm-price-in", type=float, metavar="USD", help="per million tokens that the model reads")
    group.add_argument("--llm-price-out", type=float, metavar="USD", help="per million tokens that it writes")
    group.add_argument(
        "--llm-workers",
        type=int,
        default=Options.llm_workers,
        metavar="N",
        help=f"questions asked side by side (default: {Options.llm_workers})",
    )
    group.add_argument("--llm-rpm", type=float, metavar="N", help="at most N requests a minute (default: without limit)")
    group.add_argument(
        "--llm-timeout-s",
        type=float,
        default=Options.llm_timeout_s,
        metavar="S",
        help=f"seconds for one request (default: {Options.llm_timeout_s:g})",
    )
    group.add_argument("--llm-temperature", type=float, metavar="T", help="of its answers (default: as the paper; mostly 0)")
    group.add_argument("--llm-max-tokens", type=int, metavar="N", help="that an answer may have (default: as the paper)")
    group.add_argument(
        "--llm-omit", action="extend", nargs="+", default=[], metavar="NAME", help="temperature, seed: what the server refuses"
    )
    group.add_argument("--llm-batch", action="store_true", help="ask through OpenAI's batch API: slower and cheaper")
    group.add_argument("--llm-out", type=Path, metavar="DIR", help="write all samples, for `grice report`; remembers answers too")


def given(args: argparse.Namespace) -> dict[str, Any]:
    """Their values, for `Options`."""
    values = {name: value for name, value in vars(args).items() if name.startswith(PREFIX)}
    return {**values, "llm_omit": tuple(args.llm_omit)}
