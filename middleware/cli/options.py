"""Options that several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path

RUNTIME = ("provider", "threads", "workers", "precision")


def add_turn_options(parser: argparse.ArgumentParser) -> None:
    """The turn to look at and its history."""
    parser.add_argument(
        "text", nargs="?", help='the turn; without it, JSON lines {"text": …, "history": [{"speaker", "text"}]} are read'
    )
    parser.add_argument(
        "--history", type=Path, metavar="FILE", help='earlier turns, oldest first: lines "user: …" and "bot: …", or JSON'
    )


def add_runtime_options(parser: argparse.ArgumentParser) -> None:
    """How models run: provider, threads, workers, precision. What is not given comes from the environment or the defaults."""
    parser.add_argument("--provider", help="execution provider: auto, cpu, cuda or a full onnxruntime name (default: auto)")
    parser.add_argument("--threads", type=int, help="threads of a session (default: 1)")
    parser.add_argument("--workers", type=int, help="parts of a batch worked on side by side; 0: one a CPU (default: 0)")
    parser.add_argument("--precision", choices=["int8", "fp32", "fp16"], help="which files of the models (default: int8)")
