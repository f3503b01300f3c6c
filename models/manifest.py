"""`manifest.json`: what a model is, what it was trained on, how good it is, and what its files must be."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.errors import ModelNotFound, WeightsError

FILE = "manifest.json"
PRETRAINED = Path(__file__).parent / "pretrained"
REQUIRED = ("name", "version", "task", "files")


@dataclass(frozen=True)
class Manifest:
    """A model's folder and what its manifest says.

    Attributes:
        folder: where the files are.
        name, version, task: such as "rewriter", "1", "rewriting".
        files: file name to {"sha256", "bytes"}; a file of a precision has it in its name (`decoder.int8.onnx`).
        settings: what the model's class needs to run it (source format, labels, calibration, thresholds).
        training: data sets, split and recipe. metrics: figures by precision, with split and n.
    """

    folder: Path
    name: str
    version: str
    task: str
    files: dict[str, dict[str, Any]]
    settings: dict[str, Any]
    training: dict[str, Any]
    metrics: dict[str, Any]

    @property
    def precisions(self) -> list[str]:
        """The precisions whose files are listed."""
        return sorted({name.split(".")[-2] for name in self.files if name.endswith(".onnx")})

    def path(self, name: str) -> Path:
        """The path of one listed file, after its size and sha256 were checked.

        Raises:
            WeightsError: it is not listed, missing, truncated or altered.
        """
        if name not in self.files:
            raise WeightsError(
                f"model {self.name}: no file {name} in {self.folder / FILE}; precisions there: {', '.join(self.precisions)}; "
                "`grice export` writes others"
            )
        path, expected = self.folder / name, self.files[name]
        if not path.is_file():
            raise WeightsError(f"model {self.name}: {path} is missing; install the package again or export the model again")
        size = path.stat().st_size
        if size != expected["bytes"]:
            raise WeightsError(
                f"model {self.name}: {path} has {size} bytes, expected {expected['bytes']}; install or export it again"
            )
        found = sha256(path)
        if found != expected["sha256"]:
            raise WeightsError(
                f"model {self.name}: {path} has sha256 {found}, expected {expected['sha256']}; install or export it again"
            )
        return path


def sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def shipped() -> list[str]:
    """Names of the models that ship with the package."""
    return sorted(folder.name for folder in PRETRAINED.iterdir() if (folder / FILE).is_file())


def read_manifest(name: str | Path, task: str | None = None) -> Manifest:
    """The manifest of a shipped model, or of the model in the folder `name`.

    Raises:
        ModelNotFound: neither a shipped model nor a folder with a manifest.
        WeightsError: the manifest cannot be read, or is of another task.
    """
    bare = isinstance(name, str) and name in shipped()
    folder = PRETRAINED / name if bare else Path(name)
    path = folder / FILE
    if not path.is_file():
        raise ModelNotFound(str(name), shipped())
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise WeightsError(f"{path}: {error}; install or export the model again") from error
    missing = [key for key in REQUIRED if key not in content] if isinstance(content, dict) else list(REQUIRED)
    if missing:
        raise WeightsError(f"{path}: keys missing: {', '.join(missing)}")
    if task is not None and content["task"] != task:
        raise WeightsError(f"{path}: this is a model for {content['task']}, not for {task}")
    return Manifest(
        folder,
        content["name"],
        str(content["version"]),
        content["task"],
        content["files"],
        content.get("settings", {}),
        content.get("training", {}),
        content.get("metrics", {}),
    )


def write_manifest(folder: Path, content: dict[str, Any]) -> None:
    """Write `manifest.json` for all other files in `folder` but model cards, with their sizes and checksums."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name not in (FILE, "README.md")
    }
    (folder / FILE).write_text(json.dumps({**content, "files": files}, indent=2) + "\n", encoding="utf-8")
