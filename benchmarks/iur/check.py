"""`grice iur test`: what a bot's NLU makes of indirect requests, without Grice and with it."""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from grice.benchmarks.core.report import table_text
from grice.benchmarks.core.results import Result
from grice.benchmarks.iur.bots import Bot, model_bot, server_bot
from grice.benchmarks.iur.outcomes import BotOutcome, BotUnderTest, run_bot_test
from grice.benchmarks.iur.report import results_of, rows_of, tables_of
from grice.benchmarks.rasa.host import PYTHON, WORK
from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.authoring.augment.writing import write_whole
from grice.middleware.authoring.indirect_requests import BotSlot, StrategyLabeller, read_mapping
from grice.middleware.cli.options import add_json_option, add_runtime_options
from grice.middleware.runtime.progress import progress_bar
from grice.middleware.settings import RUNTIME, from_options
from grice.models.data.indirect_requests import IndirectRequest, read_file
from grice.models.errors import DataNotFound, InputError
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.slots.resolver import load_slot_resolver

HELP = "run a bot's NLU over indirect requests, without Grice and with it, and report what breaks"
_NOTES = (
    "direct: the value said in a sentence of ours; plain: the request as it is; grice: through the pipeline, and the resolver's "
    "value where the bot's NLU found none. lost: right when said directly, wrong as it is; fixed, broken: by Grice. "
    "An ambiguous request is right where no value is taken. In brackets: 95 % interval, bootstrap, each request a dialogue."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    bot = parser.add_mutually_exclusive_group(required=True)
    bot.add_argument("--nlu-url", metavar="URL", help="a Rasa server (`rasa run --enable-api`); its token is $GRICE_NLU_TOKEN")
    bot.add_argument("--model", type=Path, metavar="FILE.tar.gz", help="a trained Rasa model")
    parser.add_argument(
        "--items", type=Path, required=True, metavar="FILE.jsonl", help="requests, as `grice iur generate` writes them"
    )
    parser.add_argument(
        "--mapping",
        type=Path,
        metavar="FILE.yml",
        help="which entity or intent of the bot says which slot (default: entities are called as slots)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write figures, and every request with what was heard")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N requests")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap (default: 0)")
    parser.add_argument("--resolver", default="meaning", metavar="NAME|DIR", help="a shipped or exported slot-value resolver")
    parser.add_argument(
        "--rasa-python",
        type=Path,
        default=PYTHON,
        metavar="FILE",
        help=f"--model: the Python of the Rasa environment (default: {PYTHON})",
    )
    parser.add_argument("--work", type=Path, default=WORK, metavar="DIR", help=f"--model: Rasa works here (default: {WORK})")
    add_json_option(parser, "print what --out writes, in place of tables")
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Test and report.

    Raises:
        InputError: an option or the mapping cannot be used, or a slot is not in it.
        DataNotFound, DataCorrupt: the items or the mapping are not there, or not in their format.
        NluError: the bot's NLU answers nothing. ModelError: a model cannot be run.
        MissingExtra: a package is not installed.
    """
    if args.out is not None and (args.out.is_dir() or not args.out.absolute().parent.is_dir()):
        raise InputError("--out", str(args.out), "a file in a folder that exists")
    if args.limit is not None and args.limit < 1:
        raise InputError("--limit", args.limit, "1 or more")
    if not args.items.is_file():
        raise DataNotFound(f"{args.items}: no such file; `grice iur generate` makes one")
    requests = read_file(args.items, args.items.stem)[: args.limit]
    settings = from_options(PipelineSettings, args, RUNTIME)
    encoder = load_sentence_encoder(runtime=settings.runtime)
    labeller = StrategyLabeller(encoder)
    outcomes = run_bot_test(
        requests,
        [request.strategy or labeller.label(request) for request in requests],
        BotUnderTest(
            _mapping(args, requests),
            _bot(args),
            Pipeline.load(settings),
            load_slot_resolver(args.resolver, runtime=settings.runtime),
        ),
    )
    results = results_of(outcomes, args.seed)
    if args.json:
        print(_content(args, outcomes, results), end="")
    else:
        print("\n\n".join(f"{table.title}\n\n{table_text(table)}" for table in tables_of(results)))
        print(f"\n{len(outcomes)} requests. {_NOTES}")
    if args.out is not None:
        write_whole(args.out, _content(args, outcomes, results))
    return 0


def _mapping(args: argparse.Namespace, requests: Sequence[IndirectRequest]) -> Mapping[str, BotSlot]:
    if args.mapping is not None:
        return read_mapping(args.mapping)
    return {request.slot: BotSlot(entity=request.slot) for request in requests if request.slot}


def _bot(args: argparse.Namespace) -> Bot:
    if args.model is not None:
        if not args.model.exists():
            raise DataNotFound(f"{args.model}: no such model; `rasa train` makes one")
        return model_bot(args.model, args.rasa_python, args.work)
    return server_bot(args.nlu_url, os.environ.get("GRICE_NLU_TOKEN", ""), progress_bar("asking the bot", "text"))


def _content(args: argparse.Namespace, outcomes: Sequence[BotOutcome], results: Sequence[Result]) -> str:
    files = [path for path in (args.items, args.mapping) if path is not None]
    run = {
        "command": shlex.join(["grice", *sys.argv[1:]]),
        "version": importlib.metadata.version("grice"),
        "n": len(outcomes),
        "seed": args.seed,
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        "notes": _NOTES,
    }
    content = {"run": run, "results": [asdict(result) for result in results], "items": rows_of(outcomes)}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
