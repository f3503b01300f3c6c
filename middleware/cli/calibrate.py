"""`grice calibrate`: how sure a model has to be before it says something, fitted to one's own turns or responses."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import asdict
from pathlib import Path

from grice.middleware.cli.options import add_json_option, add_runtime_options, print_json
from grice.middleware.settings import RUNTIME, PipelineSettings, from_options
from grice.models.errors import InputError, MissingExtra
from grice.models.manifest import read_manifest, write_manifest

HELP = "fit how sure a model has to be before it says something, to one's own turns or responses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", choices=["meaning", "monitor"])
    parser.add_argument("--items", type=Path, metavar="FILE", help="meaning: turns, as `grice bench meaning --items` has them")
    parser.add_argument(
        "--log",
        type=Path,
        metavar="FILE.jsonl",
        help="monitor: responses, one JSON object a line: turns, response, and if known setting, documents, facts, policy, bad; "
        "judged alarms have from: alarm",
    )
    parser.add_argument("--budget", type=float, default=2.0, metavar="N", help="monitor: false alarms per 100 fine responses")
    parser.add_argument(
        "--right",
        type=float,
        metavar="N",
        help="monitor: of 100 alarms so many are to be right, as judged alarms of the log tell (default: nothing is wanted)",
    )
    parser.add_argument("--name", metavar="NAME", help="the model: a shipped name or a folder (default: the shipped one)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="meaning: a new folder for the calibrated model (default: runs/meaning/calibrated); monitor: the settings file "
        "(default: runs/monitor/alarms.json)",
    )
    add_json_option(parser)
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Fit one of them.

    Raises:
        InputError: the file that it needs is not given, or a line of it is wrong.
        GriceError: as `calibrate_meaning` and `calibrate_monitor`.
    """
    needed, other = ("--items", "--log") if args.model == "meaning" else ("--log", "--items")
    if getattr(args, needed[2:]) is None or getattr(args, other[2:]) is not None:
        raise InputError(needed, getattr(args, needed[2:]), f"a file, and no {other}, to calibrate {args.model}")
    return calibrate_meaning(args) if args.model == "meaning" else calibrate_monitor(args)


def calibrate_monitor(args: argparse.Namespace) -> int:
    """Write thresholds of alarms that keep the budget on a log, and print what is to be expected of them.

    Raises:
        DataNotFound, InputError: the log cannot be read. ModelError: the model cannot be loaded.
    """
    from grice.middleware.monitor.alarm_budget import AlarmTarget, ReadLog, set_budget, table_of, write_budget
    from grice.middleware.monitor.alarm_log import read_log
    from grice.models.relations.reader import load_relation_reader

    target = AlarmTarget(args.budget, args.right)
    logged = read_log(args.log)
    reader = load_relation_reader(args.name or "relations", runtime=from_options(PipelineSettings, args, RUNTIME).runtime)
    found = reader.predict([each.question for each in logged])
    own = reader.with_budget(args.budget).thresholds if reader.fine else reader.thresholds
    settings = set_budget(ReadLog(logged, found), target, own, reader.faulty)
    out = args.out or Path("runs/monitor/alarms.json")
    write_budget(out, args.budget, settings)
    if args.json:
        print_json({"written": out, "settings": {name: asdict(each) for name, each in settings.items()}})
    else:
        print(table_of(settings, target))
        print(f"wrote {out}")
    return 0


def calibrate_meaning(args: argparse.Namespace) -> int:
    """Copy the model with settings that fit the turns.

    Raises:
        MissingExtra: scikit-learn is not installed.
        ModelNotFound, WeightsError: there is no such model.
        InputError: `--out` is there already, or an item is wrong.
    """
    out = args.out or Path("runs/meaning/calibrated")
    if out.exists():
        raise InputError("--out", str(out), "a folder that is not there yet")
    try:
        from grice.models.training.meaning.calibration import calibrate
        from grice.models.training.meaning.own_turns import read_own_menus
    except ImportError as error:
        raise MissingExtra(error.name or "scikit-learn", "train") from error
    from grice.models.meaning.reader import MeaningReader

    menus = read_own_menus(args.items)
    manifest = read_manifest(args.name or "meaning", "meaning")
    before = manifest.settings
    found = calibrate(MeaningReader(manifest, from_options(PipelineSettings, args, RUNTIME).runtime), menus)
    shutil.copytree(manifest.folder, out)
    about = {name: getattr(manifest, name) for name in ("name", "version", "task", "training", "metrics")}
    write_manifest(out, {**about, "settings": asdict(found)})
    turns = sum(len(menu.turns) for menu in menus)
    if args.json:
        print_json({"written": out, "turns": turns, "settings": asdict(found)})
        return 0
    print(f"fitted to {turns} turns; says from which confidence on (before in brackets):")
    print(f"  a meaning {found.threshold:.2f} ({before['threshold']:.2f})")
    print(f"  a slot    {found.slot_threshold:.2f} ({before['slot_threshold']:.2f})")
    print(f"wrote {out}; next: grice meaning --model {out}")
    return 0
