"""`manifest.json`: what a model is, what it was trained on, how good it is, and what its files must be."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.errors import InputError, ManifestError, ModelNotFound, WeightsError

FILE = "manifest.json"
PRETRAINED = Path(__file__).parent / "pretrained"
GRAPH = ".onnx.gz"
"""How the names of graphs end: what four bits hold takes an eighth less when it is packed."""
WEIGHTS = ".weights.npz"
"""How the names of weights end that lie beside their graph."""
TOKENIZER = "tokenizer.json.gz"
REQUIRED = ("name", "version", "task", "files")
DEEPEST = 32
"""Objects and lists inside each other."""

_FILE_NAME = re.compile(r"[\w][\w.-]*", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Manifest:
    """A model's folder and what its manifest says.

    Attributes:
        folder: where the files are.
        name, version, task: such as "rewriter", "1", "rewriting".
        files: file name to {"sha256", "bytes"}; a file of a precision has it in its name (`decoder.int8.onnx.gz`).
        settings: what the model's class needs to run it (source format, labels, calibration, thresholds); read with the methods.
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
        return sorted({name.removesuffix(GRAPH).split(".")[-1] for name in self.files if name.endswith(GRAPH)})

    def graph(self, part: str, precision: str) -> Path:
        """The path of a part's graph in a precision; see `path`."""
        return self.path(f"{part}.{precision}{GRAPH}")

    def weights(self, part: str, precision: str) -> Path | None:
        """The path of the weights of a part's graph, where they lie beside it; see `path`."""
        name = f"{part}.{precision}{WEIGHTS}"
        return self.path(name) if name in self.files else None

    @property
    def tokenizer_path(self) -> Path:
        """The path of the tokenizer, packed or not; see `path`."""
        return self.path(TOKENIZER if TOKENIZER in self.files else TOKENIZER.removesuffix(".gz"))

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

    def setting(self, place: str, kind: type | tuple[type, ...], allowed: str) -> Any:
        """The setting at `place`, names joined by dots, if it is of that kind.

        Raises:
            ManifestError: it is missing or of another kind.
        """
        found: Any = self.settings
        for name in place.split("."):
            if not isinstance(found, dict) or name not in found:
                raise self.refuse(place, None, allowed)
            found = found[name]
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.refuse(place, found, allowed)
        return found

    def refuse(self, place: str, got: object, allowed: str) -> ManifestError:
        """The error that says what is wrong with a setting."""
        return ManifestError(f"{self.folder / FILE}, settings.{place}", got, allowed)

    def number(self, place: str, least: float, most: float) -> float:
        """A setting from `least` to `most`.

        Raises:
            ManifestError: as `setting`, or out of range.
        """
        allowed = f"a number from {least:g} to {most:g}"
        found: float = self.setting(place, (int, float), allowed)
        if not least <= found <= most:
            raise self.refuse(place, found, allowed)
        return found

    def count(self, place: str, least: int, most: int) -> int:
        """A whole number from `least` to `most`.

        Raises:
            ManifestError: as `number`.
        """
        self.setting(place, int, f"a whole number from {least} to {most}")
        return int(self.number(place, least, most))

    def texts(self, place: str, known: Collection[str] | None = None) -> list[str]:
        """A list of at least one text, each once, if given each one of `known`.

        Raises:
            ManifestError: it is no such list.
        """
        allowed = "a list of texts, each once" if known is None else f"some of {', '.join(known)}"
        found: list[str] = self.setting(place, list, allowed)
        if not found or not all(isinstance(each, str) and (known is None or each in known) for each in found):
            raise self.refuse(place, found, allowed)
        if len(set(found)) < len(found):
            raise self.refuse(place, found, allowed)
        return found


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
        InputError: the name is neither a text nor a path.
        ModelNotFound: neither a shipped model nor a folder with a manifest.
        ManifestError: the manifest cannot be read, is malformed, or is of another task.
    """
    if not isinstance(name, (str, Path)):
        raise InputError("model", name, f"the path of a folder, or one of {', '.join(shipped())}")
    folder = PRETRAINED / name if isinstance(name, str) and name in shipped() else Path(name)
    path = folder / FILE
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:  # a name may hold what no path can
        raise ModelNotFound(str(name), shipped()) from error
    return _manifest(folder, _parse(path, content), task)


def _parse(path: Path, content: bytes) -> dict[str, Any]:
    """The object in a manifest: no number in it is infinite or none, and it is not nested deeper than `DEEPEST`."""
    try:
        found = json.loads(content.decode(), parse_constant=_finite, parse_float=_finite)
        json.dumps(found, ensure_ascii=False).encode()  # escapes may stand for lone surrogates
    except (ValueError, RecursionError) as error:
        raise ManifestError(str(path), str(error), "a JSON object of valid texts and finite numbers") from error
    if not isinstance(found, dict):
        raise ManifestError(str(path), found, "a JSON object")
    layer: list[Any] = [found]
    for _ in range(DEEPEST):
        layer = [part for each in layer for part in (each.values() if isinstance(each, dict) else each)]
        layer = [part for part in layer if isinstance(part, (dict, list))]
    if layer:
        raise ManifestError(str(path), "deeper nesting", f"objects and lists inside each other up to {DEEPEST} times")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _manifest(folder: Path, content: dict[str, Any], task: str | None) -> Manifest:
    path = folder / FILE
    if missing := [key for key in REQUIRED if key not in content]:
        raise ManifestError(str(path), f"keys {', '.join(content)}", f"also {', '.join(missing)}")
    kinds: dict[str, tuple[type, ...]] = {"name": (str,), "task": (str,), "version": (str, int)}
    kinds |= dict.fromkeys(("files", "settings", "training", "metrics"), (dict,))
    for key, kind in kinds.items():
        if key in content and not isinstance(content[key], kind):
            raise ManifestError(f"{path}, {key}", content[key], "an object" if dict in kind else "a text")
    if task is not None and content["task"] != task:
        raise WeightsError(f"{path}: this is a model for {content['task']}, not for {task}")
    for name, facts in content["files"].items():
        _check_file(path, name, facts)
    parts = (content.get(key, {}) for key in ("settings", "training", "metrics"))
    return Manifest(folder, content["name"], str(content["version"]), content["task"], content["files"], *parts)


def _check_file(path: Path, name: str, facts: object) -> None:
    where = f"{path}, files"
    if not _FILE_NAME.fullmatch(name):
        raise ManifestError(where, name, "names of files in the same folder")
    if not isinstance(facts, dict) or not {"bytes", "sha256"} <= facts.keys():
        raise ManifestError(f"{where}.{name}", facts, "an object with bytes and sha256")
    size, digest = facts["bytes"], facts["sha256"]
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise ManifestError(f"{where}.{name}.bytes", size, "a whole number, 0 or more")
    if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        raise ManifestError(f"{where}.{name}.sha256", digest, "64 hexadecimal digits")


def write_manifest(folder: Path, content: dict[str, Any]) -> None:
    """Write `manifest.json` for all other files in `folder` but model cards, with their sizes and checksums."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name not in (FILE, "README.md")
    }
    (folder / FILE).write_text(json.dumps({**content, "files": files}, indent=2) + "\n", encoding="utf-8")
