"""Options that several subcommands share."""

from __future__ import annotations

import argparse


def add_runtime_options(parser: argparse.ArgumentParser) -> None:
    """How models run: provider, threads, precision. What is not given comes from the environment or the defaults."""
    parser.add_argument("--provider", help="execution provider: auto, cpu, cuda or a full onnxruntime name (default: auto)")
    parser.add_argument("--threads", type=int, help="threads of a session (default: 1)")
    parser.add_argument("--precision", choices=["int8", "fp32", "fp16"], help="which files of the models (default: int8)")
