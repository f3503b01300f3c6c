"""Training of the bot, when what it is made of is newer than its model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .servers import PROJECT, QUIET, BotFailed

CONFIGS = {"bot": "config.yml", "plain": "config.plain.yml"}
"""Model → configuration: with Grice's components and without them."""


def trained(name: str, models: Path = PROJECT / "models", project: Path = PROJECT) -> Path:
    """The model of this name, trained first if it is missing or older than the domain, the data or its configuration.

    Raises:
        BotFailed: the training failed; the message ends with what Rasa said.
    """
    model, config = models / f"{name}.tar.gz", project / CONFIGS[name]
    sources = [config, project / "domain.yml", *(project / "data").rglob("*.yml")]
    if model.exists() and model.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return model
    print(f"Training {model.name} from {config.name}: a minute or two ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "rasa", "train", "--config", config.name, "--out", str(models), "--fixed-model-name", name]
    done = subprocess.run(command, cwd=project, env={**os.environ, **QUIET}, capture_output=True, text=True, check=False)
    if done.returncode or not model.exists():
        raise BotFailed(f"rasa train ended with status {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")
    return model
