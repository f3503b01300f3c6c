"""`grice calibrate`: how sure a model has to be before it says something, fitted to one's own turns."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import asdict
from pathlib import Path

from grice.middleware.cli.options import add_runtime_options
from grice.middleware.settings import RUNTIME, PipelineSettings, from_options
from grice.models.data.files import data_dir
from grice.models.errors import InputError, MissingExtra
from grice.models.manifest import read_manifest, write_manifest
from grice.models.meaning.reader import MeaningReader

HELP = "fit how sure a model has to be before it says something, to one's own turns"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", choices=["meaning", "directness"])
    parser.add_argument("--items", type=Path, metavar="FILE", help="meaning: turns, as `grice bench meaning --items` has them")
    parser.add_argument("--data-dir", help="directness: has DIRECT, whose dev part is fitted to (default: $GRICE_DATA_DIR)")
    parser.add_argument("--name", default="meaning", metavar="NAME", help="the reader of meaning: a shipped name or a folder")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the calibrated model goes; a new folder (default: runs/MODEL/calibrated)",
    )
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write the model with settings that fit the turns.

    Raises:
        MissingExtra: scikit-learn is not installed.
        ModelNotFound, WeightsError: there is no such model.
        DataNotFound, DataCorrupt: the data set is missing or damaged.
        InputError: `--out` is there already, `--items` is missing, or an item is wrong.
    """
    out: Path = args.out or Path("runs", args.model, "calibrated")
    if out.exists():
        raise InputError("--out", str(out), "a folder that is not there yet")
    (_meaning if args.model == "meaning" else _directness)(args, out)
    return 0


def _meaning(args: argparse.Namespace, out: Path) -> None:
    if args.items is None:
        raise InputError("--items", None, "a file of turns")
    try:
        from grice.models.training.meaning.calibration import calibrate
        from grice.models.training.meaning.own_turns import read_own_menus
    except ImportError as error:
        raise MissingExtra(error.name or "scikit-learn", "train") from error

    menus = read_own_menus(args.items)
    reader = _reader(args)
    manifest, before = reader.manifest, reader.manifest.settings
    found = calibrate(reader, menus)
    shutil.copytree(manifest.folder, out)
    about = {name: getattr(manifest, name) for name in ("name", "version", "task", "training", "metrics")}
    write_manifest(out, {**about, "settings": asdict(found)})
    turns = sum(len(menu.turns) for menu in menus)
    print(f"fitted to {turns} turns; says from which confidence on (before in brackets):")
    for kind in ("intent", "act"):
        print(f"  an {kind:<6} {found.thresholds[kind]:.2f} ({before['thresholds'][kind]:.2f})")
    print(f"  a slot    {found.slot_threshold:.2f} ({before['slot_threshold']:.2f})")
    print(f"wrote {out}; next: grice meaning --model {out}")


def _directness(args: argparse.Namespace, out: Path) -> None:
    from grice.models.training.directness_by_meaning import write_scorer

    figures = write_scorer(_reader(args), args.name, data_dir(args.data_dir), out)
    print(f"fitted to DIRECT's dev part; {', '.join(f'{name} {value:.3f}' for name, value in figures.items())}")
    print(f"wrote {out}; next: grice score --directness-model {out}")


def _reader(args: argparse.Namespace) -> MeaningReader:
    manifest = read_manifest(args.name, "meaning")
    return MeaningReader(manifest, from_options(PipelineSettings, args, RUNTIME).runtime)
