"""Writes the thresholds of other budgets into the manifest of a reader that was exported without them; nothing is trained.

    python -m grice.models.training.relations.fine --data-dir DIR [--model NAME] [--out FILE.json]

It reads the written responses of calibration, and people's replies, as `grice export relations` does. Curves and thresholds stay as
they are. If the thresholds that it finds for the default budget are not those of the manifest, it says so and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grice.models.data.files import data_dir
from grice.models.manifest import FILE, Manifest, read_manifest
from grice.models.relations.reader import RelationReader
from grice.models.runtime.runtime import Runtime
from grice.models.training.relations.calibration import calibrate
from grice.models.training.relations.people import people_samples
from grice.models.training.relations.recipe import divide, recipe_of
from grice.models.training.relations.samples import RelationSample

SAME = 1e-4
"""Thresholds that are no farther apart are the same: another processor rounds otherwise."""


def with_fine(manifest: Manifest, samples: Sequence[RelationSample], people: Sequence[RelationSample]) -> dict[str, Any]:
    """The content of the manifest's file with `fine` among its settings.

    Args:
        samples: written responses that the curves were fitted to. people: replies of people.

    Raises:
        ValueError: the material gives other thresholds than the manifest has.
    """
    reader = RelationReader(manifest, Runtime("cpu"))
    found = calibrate(reader, samples, people)
    for setting, threshold in found["thresholds"]["settings"].items():
        known = reader.thresholds.of_setting(setting)
        if abs(threshold - known) > SAME:
            raise ValueError(f"threshold of {setting}: {threshold:.6f} found, {known:.6f} in {manifest.folder / FILE}")
    content: dict[str, Any] = json.loads((manifest.folder / FILE).read_text(encoding="utf-8"))
    content["settings"]["fine"] = found["fine"]
    return content


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser("python -m grice.models.training.relations.fine", description=__doc__)
    parser.add_argument("--data-dir", help="folder of the data sets (default: $GRICE_DATA_DIR)")
    parser.add_argument("--model", default="relations", help="a shipped name or a folder with a manifest.json")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="default: the manifest itself")
    args = parser.parse_args()
    manifest = read_manifest(args.model, "relations")
    samples = divide(recipe_of(manifest.training)).calibration
    try:
        content = with_fine(manifest, samples, people_samples(data_dir(args.data_dir)))
    except ValueError as error:
        print(f"nothing written: {error}", file=sys.stderr)
        return 1
    out = args.out or manifest.folder / FILE
    out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
