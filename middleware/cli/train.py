"""`grice train`: train a model from released data."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from grice.middleware.cli.options import add_json_option, print_json
from grice.models.data.files import DATA_DIR_VARIABLE, data_dir
from grice.models.errors import InputError, MissingExtra
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder

Recipe = TypeVar("Recipe")

SHIPPED = "shipped"
HELP = "train a model: progress is shown, checkpoints are kept, a stopped run goes on"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "model",
        choices=[
            "rewriter",
            "directness",
            "sentence-encoder",
            "behaviors",
            "slot-values",
            "intentions",
            "mind",
            "meaning",
            "relations",
            "frustration",
        ],
    )
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
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    parser.add_argument(
        "--folds", action="store_true", help="behaviors, intentions, mind: cross-validate by dialogue, for `grice bench`"
    )
    parser.add_argument(
        "--encoder",
        default="sentence_encoder",
        metavar="NAME",
        help="behaviors, intentions, mind, frustration: a shipped name or a folder",
    )
    parser.add_argument(
        "--precision", choices=["int8", "fp32"], default="int8", help="behaviors, intentions, mind, frustration: of the encoder"
    )
    parser.add_argument(
        "--from",
        dest="start",
        metavar="DIR",
        help=f"weights to begin with: a checkpoint, or `{SHIPPED}`: the shipped model's, dequantised (default: MiniLM's)",
    )
    parser.add_argument("--size", choices=["small", "large"], default="small", help="meaning: of the sentence encoder")
    parser.add_argument(
        "--trunk",
        type=Path,
        metavar="DIR",
        default=Path("runs/all-mpnet-base-v2"),
        help="meaning, large: the folder of all-mpnet-base-v2's weights",
    )
    parser.add_argument(
        "--thaw",
        action="store_true",
        help="meaning, with --from: all layers learn, also those that the training of these weights left alone",
    )
    parser.add_argument("--epochs", type=int, help="meaning, relations: how often the material is read (default: the recipe's)")
    parser.add_argument("--minutes", type=float, metavar="M", help="relations: end after so many, whatever was read (default: not)")
    parser.add_argument(
        "--share",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="meaning: of the written bots that are learnt from, for a learning curve; a larger one has a smaller one's bots",
    )
    parser.add_argument(
        "--steps",
        type=int,
        metavar="N",
        help="meaning: train for N steps in place of --epochs, with the same mixture whatever the --share, so that shares compare",
    )
    parser.add_argument(
        "--items",
        type=Path,
        metavar="FILE",
        help="meaning: own turns to learn from beside the rest, as `grice bench meaning --items` reads them; needs no --data-dir",
    )
    add_json_option(parser)
    parser.add_argument("--run", type=int, help="small recipe: only this run of the last stage (0 or 1), for one process a core")


def run(args: argparse.Namespace) -> int:
    """Train one model.

    Raises:
        MissingExtra: torch or transformers is not installed.
        DataNotFound: a data set is missing.
        InputError: a model that is fitted from nothing cannot begin with weights; only `meaning` learns from items, or is
            thawed, or takes steps, which --epochs do not go with.
    """
    if args.items and args.model != "meaning":
        raise InputError("--items", args.items, "meaning")
    if args.start and (args.model in ("behaviors", "intentions", "frustration") or args.folds or args.recipe == "paper"):
        raise InputError(
            "--from",
            args.start,
            "rewriter (small recipe), directness, sentence-encoder, slot-values, meaning, relations, mind (without --folds)",
        )
    if args.thaw and (args.model != "meaning" or not args.start):
        raise InputError("--thaw", args.model if args.start else "no --from", "meaning with --from")
    if args.steps is not None and (args.model != "meaning" or args.epochs or args.steps < 1):
        raise InputError("--steps", args.steps, "1 or more, with meaning and without --epochs")
    folder = Path() if _needs_no_data(args) else data_dir(args.data_dir)
    out = args.out or Path("runs") / args.model
    try:
        trained = _TRAINERS[args.model](args, folder, out)
    except ImportError as error:
        if isinstance(error, MissingExtra):
            raise
        raise MissingExtra(error.name or "torch", "train") from error
    if args.json:
        print_json({"model": args.model, "figures": trained.figures, "written": trained.written})
    else:
        print(f"{trained.said}; next: {trained.next}")
    return 0


@dataclass(frozen=True)
class Trained:
    """What came of a training.

    Attributes:
        figures: by name. said: the same in words. written: the checkpoint, or the file of folds. next: the command that uses it.
    """

    figures: Mapping[str, float]
    said: str
    written: Path
    next: str


def _trained(name: str, out: Path, said: str, **figures: float) -> Trained:
    checkpoint = out / "model"
    return Trained(figures, said, checkpoint, f"grice export {name} --checkpoint {checkpoint}")


def _needs_no_data(args: argparse.Namespace) -> bool:
    """Whether there is material without released data: one's own turns, beside the written material that comes with the package."""
    return args.model == "frustration" or (bool(args.items) and not (args.data_dir or os.environ.get(DATA_DIR_VARIABLE)))


def _directness(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    from grice.models.training.directness import DirectnessRecipe, train_directness

    exact = train_directness(folder, out, DirectnessRecipe(loss=args.loss, seed=args.seed), args.device, _start(args, out))
    return _trained("directness", out, f"best dev exact match {exact:.3f}", exact_match=exact)


def _rewriter(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    if args.recipe == "paper":
        from grice.models.training.paper import PaperRecipe, train_paper

        loss = train_paper(folder, out, PaperRecipe(base=args.base, form=args.form, seed=args.seed), args.device)
        return _trained("rewriter", out, f"least validation loss {loss:.4f}", loss=loss)
    from grice.models.training.rewriter.recipe import SmallRecipe, SmallTraining

    training = SmallTraining(folder, out, SmallRecipe(seed=args.seed), args.device, _start(args, out))
    bleu = training.run() if args.run is None else training.run_once(args.run)
    return _trained("rewriter", out, f"best dev BLEU {bleu:.2f}", bleu=bleu)


def _sentence_encoder(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    from grice.models.training.sentence_encoder.recipe import SentenceRecipe, train_sentence_encoder

    cosine = train_sentence_encoder(folder, out, SentenceRecipe(seed=args.seed), args.device, _start(args, out))
    return _trained("sentence-encoder", out, f"held-out cosine to its teacher {cosine:.4f}", cosine=cosine)


def _behaviors(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    from grice.models.training.behaviors.members import BehaviorRecipe
    from grice.models.training.behaviors.recipe import cross_validate, train_behaviors

    return _train_heads(args, folder, out, _Heads(BehaviorRecipe(seed=args.seed), cross_validate, train_behaviors, "abceval"))


def _intentions(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    from grice.models.training.face_acts.members import IntentionRecipe
    from grice.models.training.face_acts.recipe import cross_validate, train_intentions

    return _train_heads(args, folder, out, _Heads(IntentionRecipe(seed=args.seed), cross_validate, train_intentions, "persuasion"))


def _mind(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    from grice.models.training.minds.recipe import MindRecipe, cross_validate, train_mind

    train = functools.partial(train_mind, start=_start(args, out))
    return _train_heads(args, folder, out, _Heads(MindRecipe(seed=args.seed), cross_validate, train, "rectom"))


@dataclass(frozen=True)
class _Heads(Generic[Recipe]):
    """Heads on the shared encoder, and how they are trained.

    Attributes:
        benchmark: the one that reads the folds of `cross_validate`.
    """

    recipe: Recipe
    cross_validate: Callable[[Path, Path, Recipe, SentenceEncoder], Path]
    train: Callable[[Path, Path, Recipe, SentenceEncoder], Path]
    benchmark: str


def _train_heads(args: argparse.Namespace, folder: Path, out: Path, heads: _Heads[Recipe]) -> Trained:
    """Cross-validate them for their benchmark, or train them on everything."""
    _prepare_torch(args.threads or 1)  # networks this small are slower with more
    encoder = load_sentence_encoder(args.encoder, runtime=Runtime(precision=args.precision))
    if args.folds:
        written = heads.cross_validate(folder, out, heads.recipe, encoder)
        place = f"benchmarks/{heads.benchmark}/folds.json"
        return Trained({}, f"wrote {written}", written, f"grice bench {heads.benchmark}, which reads it at {place}")
    written = heads.train(folder, out, heads.recipe, encoder)
    return Trained({}, f"wrote {written}", written, f"grice bench {heads.benchmark} --weights shipped")


def _slot_values(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    from grice.models.training.slots.recipe import SlotRecipe, train_slot_values

    figures = train_slot_values(folder, out, SlotRecipe(seed=args.seed), args.device, _start(args, out))
    shown = ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
    return _trained("slot-values", out, f"accuracy on held-out turns: {shown}", **figures)


def _start(args: argparse.Namespace, out: Path) -> Path | None:
    """The checkpoint to begin with; of a shipped model it is made in `out/start`."""
    if args.start != SHIPPED:
        return Path(args.start) if args.start else None
    from grice.models.export.checkpoint import export_checkpoint

    return export_checkpoint(args.model, out / "start")


def _prepare_torch(threads: int) -> None:
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    if threads:
        torch.set_num_threads(threads)


def _meaning(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    from dataclasses import replace

    from grice.models.training.meaning.recipe import SIZES, train_meaning

    recipe = replace(SIZES[args.size], seed=args.seed, trunk=str(args.trunk), items=str(args.items or ""), share=args.share)
    recipe = replace(recipe, thaw=args.thaw)
    if _needs_no_data(args):
        recipe = replace(recipe, sources=())
        print("no data folder: learns from the written bots and the items alone", file=sys.stderr)
    if args.epochs:
        recipe = replace(recipe, schedule=replace(recipe.schedule, epochs=args.epochs))
    if args.steps is not None:
        recipe = replace(recipe, steps=args.steps)
    found = train_meaning(folder, out, recipe, args.device, _start(args, out))
    told = ", ".join(f"{name} {value:.1f}" for name, value in found.items() if name.endswith("/indirect"))
    return _trained("meaning", out, f"indirect turns read right, % of held-out hands: {told}", **found)


def _relations(args: argparse.Namespace, folder: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    from dataclasses import replace

    from grice.models.training.relations.recipe import RelationRecipe, train_relations

    recipe = RelationRecipe(seed=args.seed)
    schedule = replace(recipe.schedule, epochs=args.epochs or recipe.schedule.epochs, minutes=args.minutes or 0.0)
    found = train_relations(folder, out, replace(recipe, schedule=schedule), args.device, _start(args, out))
    told = ", ".join(f"{name.removesuffix('/auc')} {value:.3f}" for name, value in found.items() if name.endswith("/auc"))
    return _trained("relations", out, f"area under the curve, any fault: {told}", **found)


def _frustration(args: argparse.Namespace, _: Path, out: Path) -> Trained:
    _prepare_torch(args.threads)
    from grice.models.training.frustration.recipe import train_frustration

    encoder = load_sentence_encoder(args.encoder, runtime=Runtime(precision=args.precision))
    found = train_frustration(out, encoder=encoder)
    for name, figures in found.items():
        told = ", ".join(f"{metric} {value:.3f}" for metric, value in figures.items())
        print(f"one hand held out at a time, {name}: {told}", file=sys.stderr)
    written = out / "model"
    said = f"area under the curve on hands not learned from {found['all']['auc']:.3f}; wrote {written}"
    return Trained(found["all"], said, written, f"grice bench responses --task user_frustration --frustration {written}")


_TRAINERS: dict[str, Callable[[argparse.Namespace, Path, Path], Trained]] = {
    "behaviors": _behaviors,
    "directness": _directness,
    "frustration": _frustration,
    "intentions": _intentions,
    "meaning": _meaning,
    "relations": _relations,
    "mind": _mind,
    "rewriter": _rewriter,
    "sentence-encoder": _sentence_encoder,
    "slot-values": _slot_values,
}
