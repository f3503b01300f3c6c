"""`grice export`: trained checkpoints to ONNX, shipped models back to float checkpoints, and means of two checkpoints."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from grice.middleware.cli.options import add_json_option, print_json
from grice.models.data.files import data_dir
from grice.models.errors import InputError, MissingExtra
from grice.models.manifest import GRAPH

HELP = (
    "write a trained model as ONNX: int8 for CPU, fp32, fp16 for GPU; or a shipped model as a float checkpoint; or the mean of two "
    "checkpoints"
)
MODELS = ("rewriter", "directness", "sentence-encoder", "slot-values", "meaning", "relations")
CHECKPOINT, MEAN = "checkpoint", "mean"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", choices=[*MODELS, CHECKPOINT, MEAN], help=f"{CHECKPOINT}: from NAME back to float weights")
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"{CHECKPOINT}: a shipped model, or a folder with a manifest.json")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="what `grice train` wrote (default: runs/MODEL/model)")
    parser.add_argument("--before", type=Path, metavar="DIR", help=f"{MEAN}: the checkpoint that --checkpoint was trained on from")
    parser.add_argument(
        "--share", type=float, default=0.5, help=f"{MEAN}: of --checkpoint's weights, the rest is --before's (default: 0.5)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the files go (default: runs/MODEL/onnx; checkpoint: runs/NAME/model; mean: runs/mean/model)",
    )
    parser.add_argument(
        "--precision", action="append", choices=["int8", "fp32", "fp16"], help="repeat for several (default: all three)"
    )
    parser.add_argument(
        "--measure", action="store_true", help="measure each precision on DIRECT's dev part; refuse one that lost too much"
    )
    parser.add_argument("--data-dir", help="with --measure: folder of the data sets (default: $GRICE_DATA_DIR)")
    add_json_option(parser)
    parser.add_argument("--version-label", default="1", help="the version that the manifest states (default: 1)")


def run(args: argparse.Namespace) -> int:
    """Export one model.

    Raises:
        MissingExtra: torch, transformers or onnx is not installed.
        ModelNotFound: there is no checkpoint, or no model of that name.
        WeightsError: a file is damaged; with --measure, a precision lost more than the tolerance.
        InputError: a name or folder is missing, or there where there can be none.
    """
    if (args.name is not None) != (args.model == CHECKPOINT):
        raise InputError("NAME", args.name, "a shipped model or a folder after `export checkpoint`, nothing after other models")
    if (args.before is not None) != (args.model == MEAN):
        raise InputError("--before", args.before, f"a checkpoint with `export {MEAN}`, nothing elsewhere")
    try:
        return {CHECKPOINT: _export_checkpoint, MEAN: _export_mean}.get(args.model, _export_onnx)(args)
    except ImportError as error:
        if isinstance(error, MissingExtra):
            raise
        raise MissingExtra(error.name or "torch", "train") from error


def _export_checkpoint(args: argparse.Namespace) -> int:
    from grice.models.export.checkpoint import export_checkpoint
    from grice.models.manifest import read_manifest

    folder = export_checkpoint(args.name, args.out or Path("runs") / Path(args.name).name / "model")
    weights = read_manifest(folder).training["weights"]
    print_json({"folder": folder, "weights": weights}) if args.json else print(f"{folder}: {weights}")
    return 0


def _export_mean(args: argparse.Namespace) -> int:
    from grice.models.export.mean import mean_checkpoints

    if args.checkpoint is None:
        raise InputError("--checkpoint", None, "the checkpoint that was trained on from --before")
    folder = mean_checkpoints(args.before, args.checkpoint, args.share, args.out or Path("runs") / MEAN / "model")
    print_json({"folder": folder, "share": args.share}) if args.json else print(f"{folder}: {args.share:g} of {args.checkpoint}")
    return 0


def _export_onnx(args: argparse.Namespace) -> int:
    from grice.models.export.encoders import export_directness, export_sentence_encoder, export_slot_values
    from grice.models.export.meaning import export_meaning
    from grice.models.export.relations import export_relations
    from grice.models.export.rewriter import export_rewriter

    writers = (export_rewriter, export_directness, export_sentence_encoder, export_slot_values, export_meaning, export_relations)
    exports = dict(zip(MODELS, writers, strict=True))
    checkpoint = args.checkpoint or Path("runs") / args.model / "model"
    out = args.out or Path("runs") / args.model / "onnx"
    export = exports[args.model]
    export(checkpoint, out, args.precision or ["int8", "fp32", "fp16"], args.version_label)
    files = {str(file): file.stat().st_size for file in sorted(out.glob(f"*{GRAPH}"))}
    if not args.json:
        for name, size in files.items():
            print(f"{name}  {size / 1e6:.1f} MB")
    measured = None
    if args.measure:
        from grice.models.export.quality import measure

        with tempfile.TemporaryDirectory() as folder:
            export(checkpoint, Path(folder), ["fp32"], args.version_label)
            measured = measure(out, Path(folder), data_dir(args.data_dir))
        if not args.json:
            print(measured)
    if args.json:
        print_json({"bytes": files, "measured": measured})
    return 0
