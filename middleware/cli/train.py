"""`grice train`: train a model from released data."""

from __future__ import annotations

import argparse
from pathlib import Path

from grice.models.data.files import data_dir
from grice.models.errors import MissingExtra

HELP = "train a model: progress is shown, checkpoints are kept, a stopped run goes on"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", choices=["rewriter", "directness"])
    parser.add_argument("--data-dir", help="folder with one folder a data set (default: $GRICE_DATA_DIR)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where checkpoints and the model go (default: runs/MODEL)")
    parser.add_argument(
        "--recipe",
        choices=["small", "paper"],
        default="small",
        help="small: what ships; paper: BART-base on train.csv, rewriter only",
    )
    parser.add_argument("--base", default="facebook/bart-base", help="paper recipe: hub name or folder of the base model")
    parser.add_argument(
        "--form", choices=["direct", "indirect"], default="direct", help="paper recipe: the direction (small: both)"
    )
    parser.add_argument("--loss", choices=["pointwise", "pairwise", "both"], default="both", help="directness: the paper's losses")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads (default: torch's choice)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", type=int, help="small recipe: only this run of the last stage (0 or 1), for one process a core")


def run(args: argparse.Namespace) -> int:
    """Train one model.

    Raises:
        MissingExtra: torch or transformers is not installed.
        DataNotFound: a data set is missing.
    """
    folder = data_dir(args.data_dir)
    out = args.out or Path("runs") / args.model
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtra(error.name or "torch", "train") from error
    transformers.logging.set_verbosity_error()
    if args.threads:
        torch.set_num_threads(args.threads)
    if args.model == "directness":
        from grice.models.training.directness import DirectnessRecipe, train_directness

        exact = train_directness(folder, out, DirectnessRecipe(loss=args.loss, seed=args.seed), args.device)
        print(f"best dev exact match {exact:.3f}; next: grice export directness --checkpoint {out / 'model'}")
    elif args.recipe == "paper":
        from grice.models.training.paper import PaperRecipe, train_paper

        loss = train_paper(folder, out, PaperRecipe(base=args.base, form=args.form, seed=args.seed), args.device)
        print(f"least validation loss {loss:.4f}; next: grice export rewriter --checkpoint {out / 'model'}")
    else:
        from grice.models.training.rewriter import SmallRecipe, train_small

        bleu = train_small(folder, out, SmallRecipe(seed=args.seed), args.device, args.run)
        print(f"best dev BLEU {bleu:.2f}; next: grice export rewriter --checkpoint {out / 'model'}")
    return 0
