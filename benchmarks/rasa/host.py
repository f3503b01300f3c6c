"""Rasa in its own environment: training, parsing, serving, each as a process of its Python.

Rasa 3.6 and this benchmark cannot share an environment, so nothing here imports it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.errors import DataNotFound, ModelError

QUIET = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "PYTHONWARNINGS": "ignore",
    "RASA_TELEMETRY_ENABLED": "false",
    "SQLALCHEMY_SILENCE_UBER_WARNING": "1",
}
PYTHON = Path(".venv-rasa/bin/python")
WORK = Path("runs/rasa-nlu")
"""Where the Rasa environment is, and what is made with it, unless a command says otherwise."""
PARSER, INSERTER = "grice.components.parse", "grice.components.insert"


@dataclass(frozen=True)
class RasaHost:
    """One Rasa environment and a folder for what it makes.

    Attributes:
        python: the interpreter of an environment with Rasa and grice.
        work: trained models and Rasa's cache are kept here, so that a run that was stopped goes on where it was.
    """

    python: Path
    work: Path

    def __post_init__(self) -> None:
        self.work.mkdir(parents=True, exist_ok=True)

    def version(self) -> str:
        """Rasa's version.

        Raises:
            ModelError: there is no such interpreter, or it has no Rasa or no grice.
        """
        code = f"import rasa.version, importlib.util as u; assert u.find_spec({PARSER!r}); print(rasa.version.__version__)"
        try:
            done: subprocess.CompletedProcess[str] = subprocess.run(
                [self.python, "-c", code], cwd=self.work, env=self.environment(), capture_output=True, text=True
            )
        except OSError as error:
            raise self._missing(str(error)) from error
        if done.returncode:
            raise self._missing((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
        return done.stdout.split()[-1]

    def _missing(self, why: str) -> ModelError:
        return ModelError(f"{self.python}: no Rasa environment ({why}); `make test-rasa` builds one, --rasa-python names another")

    def train(self, pipeline: Sequence[Mapping[str, Any]], nlu: Path) -> Path:
        """Train an NLU model, or take the one that was trained on the same data with the same pipeline.

        Raises:
            ModelError: Rasa could not train; says its last lines.
        """
        config = json.dumps(
            {"recipe": "default.v1", "assistant_id": "grice-bench", "language": "en", "pipeline": list(pipeline)}, indent=1
        )
        name = hashlib.sha256(config.encode() + nlu.read_bytes()).hexdigest()[:16]
        path = self.work / f"{name}.yml"
        path.write_text(config, encoding="utf-8")
        return self._trained(name, ["nlu", "--nlu", str(nlu), "--config", str(path)])

    def train_bot(self, folder: Path, config: str) -> Path:
        """Train the bot of a folder, with the configuration of that name, or take the one that was trained on the same files.

        Raises:
            DataNotFound: the folder lacks a file. ModelError: Rasa could not train; says its last lines.
        """
        bot = folder.absolute()
        files = [bot / config, bot / "domain.yml", *sorted((bot / "data").rglob("*.yml"))]
        if missing := [file for file in files if not file.is_file()]:
            raise DataNotFound(f"{missing[0]}: no such file; a bot's folder has {config}, domain.yml and data/")
        name = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
        return self._trained(name, ["--config", str(files[0]), "--domain", str(files[1]), "--data", str(bot / "data")])

    def _trained(self, name: str, what: Sequence[str]) -> Path:
        model = self.work / "models" / f"{name}.tar.gz"
        if model.exists():
            return model
        command = ["train", *what, "--out", "models", "--fixed-model-name", name]
        self._run([self.python, "-m", "rasa", *command], f"rasa {' '.join(command)}", shown=sys.stderr.isatty())
        if not model.exists():
            raise ModelError(f"rasa {' '.join(command)}: no model came out; run it in {self.work} to see why")
        return model

    def with_rewriter(self, model: Path, config: Mapping[str, Any]) -> Path:
        """A trained model with our components in it: the same NLU, nothing is trained again.

        Raises:
            ModelError: the configuration is not allowed.
        """
        given = json.dumps(dict(config), sort_keys=True)
        out = model.with_name(f"{model.name.partition('.')[0]}-{hashlib.sha256(given.encode()).hexdigest()[:8]}.tar.gz")
        self._run([self.python, "-m", INSERTER, str(model), str(out), "--config", given], f"python -m {INSERTER}")
        return out

    def parse(self, model: Path, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Rasa's parse data of each item (`text`, `history`), in order, with `milliseconds`.

        Raises:
            ModelError: Rasa could not parse; says its last lines.
        """
        lines = "".join(json.dumps(item) + "\n" for item in items)
        said = self._run([self.python, "-m", PARSER, str(model)], f"python -m {PARSER}", lines)
        found = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        if len(found) != len(items):
            raise ModelError(f"{PARSER} gave {len(found)} parses for {len(items)} turns")
        return found

    def _run(self, command: Sequence[str | Path], label: str, given: str = "", shown: bool = False) -> str:
        """What the command printed; its complaints and progress go to our own error stream where they are `shown`."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
            done: subprocess.CompletedProcess[str] = subprocess.run(
                command,
                cwd=self.work,
                env=self.environment(),
                input=given,
                stdout=subprocess.PIPE,
                stderr=None if shown else complaints,
                text=True,
            )
            if done.returncode:
                complaints.seek(0)
                last = [text.strip().splitlines()[-1].strip() for text in (done.stdout, complaints.read()) if text.strip()]
                raise ModelError(f"{label} ended with status {done.returncode}: {' | '.join(last) or 'it said nothing'}")
            return done.stdout

    def environment(self) -> dict[str, str]:
        """Ours, and Rasa kept quiet."""
        return {**os.environ, **QUIET}
