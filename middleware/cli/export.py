"""`grice export`: trained checkpoints to ONNX."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from grice.models.data.files import data_dir
from grice.models.errors import MissingExtra

HELP = "write a trained model as ONNX: int8 for CPU, fp32, fp16 for GPU"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", choices=["rewriter", "directness", "sentence-encoder", "slot-values"])
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="what `grice train` wrote (default: runs/MODEL/model)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the files go (default: runs/MODEL/onnx)")
    parser.add_argument(
        "--precision", action="append", choices=["int8", "fp32", "fp16"], help="repeat for several (default: all three)"
    )
    parser.add_argument(
        "--measure", action="store_true", help="measure each precision on DIRECT's dev part; refuse one that lost too much"
    )
    parser.add_argument("--data-dir", help="with --measure: folder of the data sets (default: $GRICE_DATA_DIR)")
    parser.add_argument("--version-label", default="1", help="the version that the manifest states (default: 1)")


def run(args: argparse.Namespace) -> int:
    """Export one model.

    Raises:
        MissingExtra: torch, transformers or onnx is not installed.
        ModelNotFound: there is no checkpoint.
        WeightsError: with --measure, a precision lost more than the tolerance.
    """
    checkpoint = args.checkpoint or Path("runs") / args.model / "model"
    out = args.out or Path("runs") / args.model / "onnx"
    precisions = args.precision or ["int8", "fp32", "fp16"]
    try:
        from grice.models.export.directness import export_directness
        from grice.models.export.rewriter import export_rewriter
        from grice.models.export.sentence_encoder import export_sentence_encoder
        from grice.models.export.slot_values import export_slot_values
    except ImportError as error:
        raise MissingExtra(error.name or "torch", "train") from error
    exports = {
        "rewriter": export_rewriter,
        "directness": export_directness,
        "sentence-encoder": export_sentence_encoder,
        "slot-values": export_slot_values,
    }
    export = exports[args.model]
    export(checkpoint, out, precisions, args.version_label)
    for file in sorted(out.glob("*.onnx")):
        print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    if args.measure:
        from grice.models.export.quality import measure

        with tempfile.TemporaryDirectory() as folder:
            export(checkpoint, Path(folder), ["fp32"], args.version_label)
            print(measure(out, Path(folder), data_dir(args.data_dir)))
    return 0
