"""`grice persuasion`: multiple-choice questions on intentions, sheets for annotators, and dialogues with reproaches."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from grice.benchmarks.core.options import Options, WindowedOptions, add_options, read_values
from grice.benchmarks.persuasion.annotations import (
    AnnotatedDialogue,
    agreements,
    mean_alpha,
    read_annotations,
    sheet_lines,
    without_votes,
)
from grice.benchmarks.persuasion.questions import question_lines, questions_of
from grice.models.data import face_acts
from grice.models.data.files import DATA_DIR_VARIABLE, data_dir
from grice.models.errors import InputError, MissingExtra
from grice.models.face_acts.descriptions import PHRASINGS

HELP = "questions on intentions in persuasions, sheets for their annotators, and dialogues with reproaches"
CRITICAL_DIALOGUES = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The three actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="questions|sheet|critical")
    asking = actions.add_parser("questions", help="multiple-choice questions as JSON lines; agreement of annotators beside them")
    asking.add_argument("--annotations", type=Path, metavar="FILE.jsonl", help="dialogues (default: those of the face acts)")
    asking.add_argument("--wording", choices=PHRASINGS, default="new", help="which descriptions (default: new)")
    asking.add_argument("--without-rules", action="store_true", help="distractors may fit as well as the right option")
    asking.add_argument("--seed", type=int, default=0, metavar="N", help="of distractors and order (default: 0)")
    filling = actions.add_parser("sheet", help="the dialogues of the face acts as JSON lines, for annotators to fill in")
    writing = actions.add_parser("critical", help="have dialogues with reproaches written, and ask who finds a reproach in them")
    writing.add_argument("--generator", required=True, metavar="MODEL", help="writes the dialogues")
    writing.add_argument("--judge", metavar="MODEL", help="chooses among four intentions for each reproach (default: nobody)")
    writing.add_argument("--intentions", metavar="NAME|DIR", help="our detector: shipped or exported (default: not asked)")
    writing.add_argument(
        "--dialogues", type=int, default=CRITICAL_DIALOGUES, metavar="N", help=f"how many (default: {CRITICAL_DIALOGUES})"
    )
    add_options(writing, WindowedOptions, but=Options)
    for action in (asking, filling):
        action.add_argument("--data-dir", type=Path, help=f"folder with one folder a data set (default: ${DATA_DIR_VARIABLE})")
    for action in (asking, filling, writing):
        action.add_argument("--out", type=Path, metavar="FILE.jsonl", help="write there (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Run one action; what it finds goes to standard error.

    Raises:
        InputError: a value is out of range, or a file cannot be written.
        DataError: data or annotations cannot be read. ModelError: the detector cannot be loaded.
        JudgeError: the server of a language model does not answer. MissingExtra: a package is not installed.
    """
    if args.action == "questions":
        return _questions(args)
    if args.action == "sheet":
        _write(sheet_lines(without_votes(face_acts.read(data_dir(args.data_dir)))), args.out)
        return 0
    return _critical(args)


def _questions(args: argparse.Namespace) -> int:
    dialogues = _dialogues(args)
    questions = questions_of(dialogues, args.wording, not args.without_rules, args.seed)
    _write(question_lines(questions), args.out)
    known = sum(said.face_act not in (None, "other") for dialogue in dialogues for said in dialogue.utterances)
    print(f"{len(questions)} questions, on {sum(each.joined for each in questions)} of {known} utterances", file=sys.stderr)
    found = agreements(dialogues, args.wording)
    for each in found:
        print(f"{each.role} {each.face_act}: alpha {_figure(each.alpha)} on {each.utterances} utterances", file=sys.stderr)
    if found:
        print(f"mean alpha {_figure(mean_alpha(found))}", file=sys.stderr)
    return 0


def _dialogues(args: argparse.Namespace) -> list[AnnotatedDialogue]:
    if args.annotations:
        return read_annotations(args.annotations)
    return without_votes(face_acts.read(data_dir(args.data_dir)))


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _critical(args: argparse.Namespace) -> int:
    try:
        from grice.benchmarks.persuasion import critical
        from grice.benchmarks.persuasion.predictions import load_predictor
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    from grice.benchmarks.core.report import table_text

    options = WindowedOptions(Path(), **read_values(args, WindowedOptions))
    predictor = load_predictor(args.intentions) if args.intentions else None
    writing, dialogues = critical.generated(args.generator, args.dialogues, options)
    questions = critical.critical_questions(dialogues)
    judging, found = critical.findings(questions, args.judge, predictor, options)
    _write(critical.finding_lines(dialogues, found), args.out)
    tables = [writing.usage(args.generator), *([judging.usage(args.judge)] if judging else []), critical.agreement(found)]
    print("\n\n".join(f"{table.title}\n\n{table_text(table)}" for table in tables), file=sys.stderr)
    return 0


def _write(lines: Iterable[str], path: Path | None) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if path is None:
        print(text, end="")
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError("--out", str(path), f"a file that can be written ({error.strerror})") from error
