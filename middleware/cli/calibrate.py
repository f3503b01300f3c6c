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
    parser.add_argument("model", choices=["meaning", "monitor", "frustration"])
    parser.add_argument("--items", type=Path, metavar="FILE", help="meaning: turns, as `grice bench meaning --items` has them")
    parser.add_argument(
        "--log",
        type=Path,
        metavar="FILE.jsonl",
        help="monitor: responses, one JSON object a line: turns, response, and if known setting, documents, facts, policy, bad; "
        "judged alarms have from: alarm; frustration: turns that end in the user's, and if known frustrated",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=2.0,
        metavar="N",
        help="monitor: false alarms per 100 fine responses; frustration: turns without it that are shown, per 100",
    )
    parser.add_argument(
        "--right",
        type=float,
        metavar="N",
        help="monitor: of 100 alarms so many are to be right, as labelled responses let expect at the prevalence, or as judged "
        "alarms of the log tell (default: nothing is wanted)",
    )
    parser.add_argument(
        "--prevalence",
        type=_share,
        metavar="N",
        help="monitor: so many of 100 responses are faulty; `labelled`: as many as of the labelled ones, which were drawn at "
        "random (default: the same where all responses of a setting are labelled, otherwise unknown)",
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
        GriceError: as `calibrate_meaning`, `calibrate_monitor` and `calibrate_frustration`.
    """
    needed, other = ("--items", "--log") if args.model == "meaning" else ("--log", "--items")
    if getattr(args, needed[2:]) is None or getattr(args, other[2:]) is not None:
        raise InputError(needed, getattr(args, needed[2:]), f"a file, and no {other}, to calibrate {args.model}")
    return _COMMANDS[args.model](args)


def _share(text: str) -> float | str:
    """A number; other words are told apart where all is checked."""
    try:
        return float(text)
    except ValueError:
        return text


def calibrate_monitor(args: argparse.Namespace) -> int:
    """Write thresholds of alarms that keep the budget on a log, and print what is to be expected of them.

    Raises:
        DataNotFound, InputError: the log cannot be read. ModelError: the model cannot be loaded.
    """
    from grice.middleware.monitor.alarm_budget import AlarmTarget, ReadLog, set_budget, table_of, write_budget
    from grice.middleware.monitor.alarm_log import read_log
    from grice.models.relations.reader import load_relation_reader

    target = AlarmTarget(args.budget, args.right, args.prevalence)
    logged = read_log(args.log)
    reader = load_relation_reader(args.name or "relations", runtime=from_options(PipelineSettings, args, RUNTIME).runtime)
    found = reader.predict([each.question for each in logged])
    own = reader.with_budget(args.budget).thresholds if reader.fine else reader.thresholds
    settings = set_budget(ReadLog(logged, found), target, own, reader.faulty)
    out = args.out or Path("runs/monitor/alarms.json")
    write_budget(out, args.budget, settings)
    if args.json:
        told = {name: {**asdict(each), "expected": [asdict(one) for one in each.expected]} for name, each in settings.items()}
        print_json({"written": out, "settings": told})
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


def calibrate_frustration(args: argparse.Namespace) -> int:
    """Print from which probability on a turn shows frustration, so that the budget is kept on a log; nothing is written.

    Raises:
        DataNotFound, InputError: the log cannot be read, or has too few turns. ModelError: the model cannot be loaded.
    """
    from grice.middleware.monitor.frustration_threshold import read_turns, set_threshold
    from grice.models.frustration.detector import load_frustration_detector

    logged = read_turns(args.log)
    detector = load_frustration_detector(args.name or "frustration", runtime=from_options(PipelineSettings, args, RUNTIME).runtime)
    found = set_threshold(detector, logged, args.budget)
    if args.json:
        print_json(asdict(found))
        return 0
    by = "turns that are labelled as without frustration" if found.basis == "labels" else "turns, as though none had any"
    print(f"shown from {found.threshold:.3f} on (before {detector.threshold:.3f}), set by {found.turns} {by}")
    print(f"  of these {100 * found.shown:.1f} % are shown")
    if found.frustrated:
        print(f"  of {found.frustrated} that are labelled as frustrated {100 * found.found:.0f} % are shown")
    print(f"next: GRICE_FRUSTRATION_THRESHOLD={found.threshold:.6f} grice serve")
    return 0


_COMMANDS = {"meaning": calibrate_meaning, "monitor": calibrate_monitor, "frustration": calibrate_frustration}
