"""`grice augment`: indirect variants of a bot's own NLU examples."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from grice.middleware.authoring.augment import MeaningCheck, NluModels
from grice.middleware.authoring.augment.borrowed import HintFinder, read_hints
from grice.middleware.authoring.augment.nlu_data import AugmentedNlu, augment_nlu
from grice.middleware.authoring.augment.nlu_file import NluFile, find_nlu_files, read_nlu
from grice.middleware.authoring.augment.settings import AugmentSettings
from grice.middleware.authoring.augment.variants import REFUSALS
from grice.middleware.authoring.augment.writing import (
    check_replaceable,
    check_section_replaceable,
    separate_file,
    with_section,
    write_whole,
)
from grice.middleware.cli.options import add_format_options, add_json_option, add_runtime_options, print_json
from grice.middleware.runtime.progress import progress_bar
from grice.middleware.runtime.yaml_files import read_text
from grice.middleware.schemas import read_schema
from grice.middleware.settings import RUNTIME, PipelineSettings, add_options, from_options, given_options
from grice.models import load_rewriter
from grice.models.errors import InputError
from grice.models.meaning.reader import load_meaning_reader
from grice.models.sentence_encoder.encoder import load_sentence_encoder

HELP = "add indirect variants of a Rasa bot's NLU examples to its training data"
BEAMS = 8
"""Candidates an example. They differ by a word or two, so a wider search brings little that is new."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="NLU", help="NLU files of Rasa 3 (YAML), or folders of them")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, metavar="FILE", help="one file for all variants; - prints them")
    where.add_argument(
        "--in-place", action="store_true", help="put the variants into the files (default: nlu.indirect.yml beside each nlu.yml)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace variants that were edited, or a file that is not ours")
    parser.add_argument("--intents", nargs="+", default=(), metavar="INTENT", help="only these (default: all)")
    parser.add_argument(
        "--schema",
        type=Path,
        metavar="FILE",
        help="the bot's menu, a file or its folder: variants are kept that are read as the intent of their example (default: none)",
    )
    add_format_options(parser)
    add_options(parser, AugmentSettings)
    parser.add_argument(
        "--rewritten",
        action="store_true",
        help="also take what the rewriter makes of each variant: for a bot that runs IndirectTurnRewriter",
    )
    add_json_option(parser, "print as JSON what was made and what was refused")
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Make the variants and write them.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataNotFound, DataCorrupt, InputError: an NLU file or the menu is missing or malformed, or an output file would be lost.
    """
    settings = AugmentSettings(**given_options(AugmentSettings, args))
    files = [read_nlu(path) for path in find_nlu_files(args.paths)]
    schema = None if args.schema is None else read_schema(args.schema, args.format, args.services)
    targets = _targets(args, files)
    if args.json and not targets:
        raise InputError("--json", "with --out -", "a file for the variants: standard output holds the JSON")
    for target in targets if not args.overwrite else []:
        (check_section_replaceable if args.in_place else check_replaceable)(target)
    runtime = from_options(PipelineSettings, args, RUNTIME)
    rewriter = load_rewriter(runtime.rewriter_model, "indirect", beams=max(BEAMS, settings.per_example), runtime=runtime.runtime)
    direct = load_rewriter(runtime.rewriter_model, "direct", beams=BEAMS, runtime=runtime.runtime)
    made = augment_nlu(
        files,
        NluModels(
            rewriter,
            way_back=direct if settings.min_way_back and schema is None else None,
            meaning=None if schema is None else MeaningCheck(load_meaning_reader(runtime=runtime.runtime), schema),
            back=direct if args.rewritten else None,
            hints=None if schema is None or not settings.borrowed else _find_hints(runtime),
        ),
        settings,
        intents=args.intents,
        progress=progress_bar("rewriting", "example"),
    )
    _write(args, files, targets, made)
    if args.json:
        print_json({"written": targets, "examples": made.augmentation.examples, **_counts(made)})
    else:
        _report(made)
    return 0


def _find_hints(runtime: PipelineSettings) -> HintFinder:
    encoder = load_sentence_encoder(runtime=runtime.runtime)
    return HintFinder(encoder, read_hints(), progress_bar("reading turns of other bots", "turn"))


def _targets(args: argparse.Namespace, files: list[NluFile]) -> list[Path]:
    """Where the variants of each file go; one for all of them with --out."""
    if args.out is not None:
        return [] if str(args.out) == "-" else [args.out]
    return [file.path if args.in_place else file.path.with_name(f"{file.path.stem}.indirect{file.path.suffix}") for file in files]


def _write(args: argparse.Namespace, files: list[NluFile], targets: list[Path], made: AugmentedNlu) -> None:
    """All texts are made, and read back, before the first file is written."""
    version = next((file.version for file in files if file.version), None)
    if args.out is not None:
        texts = [separate_file([item for items in made.items for item in items], version, [file.path.name for file in files])]
    elif args.in_place:
        texts = [with_section(read_text(file.path), items, file.path) for file, items in zip(files, made.items, strict=True)]
    else:
        texts = [separate_file(items, file.version, [file.path.name]) for file, items in zip(files, made.items, strict=True)]
    if not targets:
        print(texts[0], end="")
    for target, text in zip(targets, texts, strict=bool(targets)):
        write_whole(target, text)
        if not args.json:
            print(f"written: {target}")


def _counts(made: AugmentedNlu) -> dict[str, dict[str, int]]:
    variants = Counter(variant.intent for variant in made.augmentation.variants)
    return {"variants": dict(variants), "refused": {str(reason): count for reason, count in made.augmentation.refused.items()}}


def _report(made: AugmentedNlu) -> None:
    found = made.augmentation
    print(f"{found.examples:,} examples, {len(found.variants):,} variants:", file=sys.stderr)
    for intent, count in sorted(Counter(variant.intent for variant in found.variants).items()):
        print(f"{count:7,}  {intent}", file=sys.stderr)
    print("candidates that were not taken:", file=sys.stderr)
    for reason, count in sorted(found.refused.items()):
        print(f"{count:7,}  {reason}: {REFUSALS[reason]}", file=sys.stderr)
