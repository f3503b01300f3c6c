"""Training of the bot, when what it is made of is newer than its model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from .servers import PROJECT, QUIET, BotFailed

CONFIGS = {"bot": "config.yml", "plain": "config.plain.yml"}
"""Model → configuration: with Grice's components and without them."""

_COMPONENT = re.compile(r"Starting to train component '(\w+)'")


def trained(name: str, project: Path = PROJECT) -> Path:
    """The model of this name in the project, trained first if it is missing or older than domain, data or configuration.

    Raises:
        BotFailed: the training failed; the message ends with what Rasa said.
    """
    models, config = project / "models", project / CONFIGS[name]
    model = models / f"{name}.tar.gz"
    sources = [config, project / "domain.yml", *(project / "data").rglob("*.yml")]
    if model.exists() and model.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return model
    print(f"Training {model.name} from {config.name}: a minute or two ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "rasa", "train", "--config", config.name, "--out", str(models), "--fixed-model-name", name]
    status, said = _run(command, project)
    if status or not model.exists():
        raise BotFailed(f"rasa train ended with status {status}:\n{said[-4000:]}")
    return model


def _run(command: list[str], project: Path) -> tuple[int, str]:
    """Status and output of a training; while it goes on, each component that is trained is told, with the seconds so far."""
    begin = time.monotonic()
    said: list[str] = []
    environment = {**os.environ, **QUIET, "LOG_LEVEL": "INFO"}
    with subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            said.append(line)
            if match := _COMPONENT.search(line):
                print(f"  {time.monotonic() - begin:4.0f} s  {match[1]}", file=sys.stderr, flush=True)
    return process.returncode, "".join(said)
