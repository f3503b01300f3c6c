"""Stored predictions of a cross-validation: every row by a model that saw nothing of its dialogue. `folds.json`, one shape for all.

File: `{"about": how they were made, "bound": the weights that they stand for, "folds": {dialogue: fold}, …}`, and predictions in
the form of the benchmark, without any text. `bound` ties the file by hash to the recipe, the encoder and the shipped weights:

    python -m grice.benchmarks.core.folds benchmarks/rectom/folds.json mind    # after `grice train mind --folds`

A run whose weights, recipe or encoder are others says so.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.benchmarks.core.sheet import Sheet
from grice.models.data.files import in_format
from grice.models.errors import DataCorrupt, DataNotFound, ModelError
from grice.models.manifest import FILE, Manifest, read_manifest, sha256

BOUND = "bound"


@dataclass(frozen=True)
class StoredFolds:
    """A file of stored predictions.

    Attributes:
        path: of the file.
        trains: what `grice train` calls the model, for errors.
        content: all of the file.
    """

    path: Path
    trains: str
    content: Mapping[str, Any]

    @property
    def about(self) -> dict[str, Any]:
        """How they were made: recipe, encoder, precision."""
        return dict(self.content["about"])

    @property
    def folds(self) -> Mapping[str, int]:
        """The fold of each dialogue."""
        found: Mapping[str, int] = self.content["folds"]
        return found

    @property
    def repair(self) -> str:
        """What to do about a file that cannot be used."""
        return _repair(self.trains)

    def decoding(self) -> contextlib.AbstractContextManager[None]:
        """Within it, what cannot be read of the content is `DataCorrupt`."""
        return in_format("stored fold predictions", self.path.name, self.repair)

    def check_coverage(self, stored: Mapping[str, int], wanted: Mapping[str, int], rows: str) -> None:
        """Whether each dialogue has a fold, and as many stored `rows` as there are.

        Raises:
            DataCorrupt: the file is about other dialogues or rows.
        """
        if stored == wanted and set(self.folds) == set(wanted):
            return
        raise DataCorrupt(
            f"{self.path.name}: {sum(stored.values())} {rows} in {len(stored)} dialogues ({len(self.folds)} with a fold), not the "
            f"{sum(wanted.values())} {rows} in {len(wanted)} dialogues of the data; {self.repair}"
        )

    def note_weights(self, sheet: Sheet, model: str) -> None:
        """Note whose predictions these are; where they are not those of `model`, a shipped name or a folder, what differs."""
        try:
            manifest = read_manifest(model)
        except ModelError as error:
            sheet.notes.append(f"stored folds: they are bound to no weights at hand ({error})")
            return
        sheet.models[manifest.name] = sha256(manifest.folder / FILE)
        sheet.settings["folds_sha256"] = sha256(self.path)
        if differing := differences(self.content, manifest):
            sheet.notes.append(f"stored folds: NOT those of the weights of {manifest.name} at hand: {', '.join(differing)}")


def read_folds(path: Path, trains: str) -> StoredFolds:
    """The stored predictions in `path`, of the model that `grice train` calls `trains`.

    Raises:
        DataNotFound: there is no such file.
        DataCorrupt: it is damaged.
    """
    if not path.exists():
        raise DataNotFound(f"{path.name} is not there; {_repair(trains)}")
    with in_format("stored fold predictions", path.name, _repair(trains)):
        content = json.loads(path.read_text(encoding="utf-8"))
        return StoredFolds(path, trains, {**content, "about": dict(content["about"]), "folds": dict(content["folds"])})


def note_training(path: Path, trains: str, dialogues: Iterable[str]) -> str:
    """How many of `dialogues` the shipped weights were trained on: those that have a fold."""
    known, asked = set(read_folds(path, trains).folds) if path.exists() else set(), set(dialogues)
    return f"grice: the shipped weights were trained on {len(known & asked)} of these {len(asked)} dialogues"


def bind(manifest: Manifest) -> dict[str, Any]:
    """What ties stored predictions to a model: hashes of its recipe, its files and those of the encoder it reads."""
    return {
        "model": manifest.name,
        "recipe": hash_recipe(manifest.training.get("recipe")),
        "encoder": manifest.settings.get("encoder", {}).get("files", {}),
        "weights": {name: facts["sha256"] for name, facts in manifest.files.items()},
    }


def differences(content: Mapping[str, Any], manifest: Manifest) -> list[str]:
    """In what the model differs from the one that the file is bound to, and the file's own account from what it is bound to.

    Files that the model has beside those that were cross-validated say nothing.
    """
    if BOUND not in content:
        return ["they are bound to none"]
    bound, wanted, about = content[BOUND], bind(manifest), content["about"]
    wanted["weights"] = {name: digest for name, digest in wanted["weights"].items() if name in bound["weights"]}
    made = {"recipe": hash_recipe(about.get("recipe")), "encoder": about.get("encoder", {}).get("files", {})}
    return [f"another {name}" for name in wanted if not bound[name] == wanted[name] == made.get(name, wanted[name])]


def hash_recipe(recipe: Any) -> str:
    """The sha256 of a recipe, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()


def _repair(trains: str) -> str:
    return f"run `grice train {trains} --folds`, or use --weights shipped on data that the shipped weights were not trained on"


def main() -> None:
    """Bind a file to a model, if its recipe and encoder are that model's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="folds.json")
    parser.add_argument("model", metavar="NAME|DIR", help="a shipped model, or the folder of an exported one")
    args = parser.parse_args()
    content, manifest = json.loads(args.file.read_text(encoding="utf-8")), read_manifest(args.model)
    whole = {"about": content["about"], BOUND: bind(manifest), **{key: value for key, value in content.items() if key != BOUND}}
    if differing := differences(whole, manifest):
        raise SystemExit(f"{args.file} was not made for {manifest.name}: {', '.join(differing)}")
    args.file.write_text(json.dumps(whole, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
