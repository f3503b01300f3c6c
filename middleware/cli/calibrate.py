"""`grice calibrate`: how sure a model has to be before it says something, fitted to one's own turns."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import asdict
from pathlib import Path

from grice.middleware.cli.options import add_runtime_options
from grice.middleware.settings import RUNTIME, PipelineSettings, from_options
from grice.models.errors import InputError, MissingExtra
from grice.models.manifest import read_manifest, write_manifest

HELP = "fit how sure a model has to be before it says something, to one's own turns"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", choices=["meaning"])
    parser.add_argument(
        "--items", type=Path, required=True, metavar="FILE", help="turns, as `grice bench meaning --items` has them"
    )
    parser.add_argument("--name", default="meaning", metavar="NAME", help="the model: a shipped name or a folder")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("runs/meaning/calibrated"),
        help="where the calibrated model goes; a new folder",
    )
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Copy the model with settings that fit the turns.

    Raises:
        MissingExtra: scikit-learn is not installed.
        ModelNotFound, WeightsError: there is no such model.
        InputError: `--out` is there already, or an item is wrong.
    """
    if args.out.exists():
        raise InputError("--out", str(args.out), "a folder that is not there yet")
    try:
        from grice.models.training.meaning.calibration import calibrate
        from grice.models.training.meaning.own_turns import read_own_menus
    except ImportError as error:
        raise MissingExtra(error.name or "scikit-learn", "train") from error
    from grice.models.meaning.reader import MeaningReader

    menus = read_own_menus(args.items)
    manifest = read_manifest(args.name, "meaning")
    before = manifest.settings
    found = calibrate(MeaningReader(manifest, from_options(PipelineSettings, args, RUNTIME).runtime), menus)
    shutil.copytree(manifest.folder, args.out)
    about = {name: getattr(manifest, name) for name in ("name", "version", "task", "training", "metrics")}
    write_manifest(args.out, {**about, "settings": asdict(found)})
    turns = sum(len(menu.turns) for menu in menus)
    print(f"fitted to {turns} turns; says from which confidence on (before in brackets):")
    print(f"  a meaning {found.threshold:.2f} ({before['threshold']:.2f})")
    print(f"  a slot    {found.slot_threshold:.2f} ({before['slot_threshold']:.2f})")
    print(f"wrote {args.out}; next: grice meaning --model {args.out}")
    return 0
