"""`grice iur generate`: indirect requests for the values of a schema or of a Rasa bot."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

from grice.middleware.authoring.augment.writing import write_whole
from grice.middleware.authoring.indirect_requests import (
    REFUSALS,
    BotSlot,
    CandidateJudges,
    Criteria,
    Decoding,
    Generation,
    GenerationSettings,
    LlmCriteria,
    LlmWriter,
    LocalCriteria,
    OfflineWriter,
    RequestSlot,
    StrategyLabeller,
    Thesaurus,
    Writer,
    bot_slots,
    default_bot_slots,
    generate,
    item_lines,
    mapping_text,
    nlu_text,
    read_domain,
    slots_of_domain,
    slots_of_schema,
    stories_text,
    writing_settings,
)
from grice.middleware.authoring.rasa_yaml import EXTRA
from grice.middleware.cli.options import add_json_option, add_runtime_options, print_json
from grice.middleware.llm import ChatModel, ChatSettings, ReplyCache
from grice.middleware.llm.chat_settings import FIXED
from grice.middleware.runtime.progress import progress_bar
from grice.middleware.runtime.yaml_files import check_yaml
from grice.middleware.settings import RUNTIME, PipelineSettings, from_options
from grice.models import load_rewriter
from grice.models.errors import InputError
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.slots.resolver import load_slot_resolver
from grice.models.text.template import TargetForm

HELP = "indirect requests for the values of an SGD schema or a Rasa domain, as a test set"
BEAMS = 8
FORMS: tuple[TargetForm, ...] = ("indirect", "direct")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--schema", type=Path, metavar="FILE.json", help="a schema of Schema-Guided Dialogue")
    source.add_argument("--domain", type=Path, metavar="domain.yml", help="the domain of a Rasa 3 bot")
    parser.add_argument("--service", nargs="+", default=(), metavar="NAME", help="only these services of the schema (default: all)")
    parser.add_argument("--slot", nargs="+", default=(), metavar="NAME", help="only these slots (default: all categorical ones)")
    parser.add_argument(
        "--intent", metavar="NAME", help="intent of a turn that gives a value, where the domain does not say (inform)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl", help="the requests, in IndirectRequests' format")
    parser.add_argument("--stories", type=Path, metavar="tests/test_FILE.yml", help="also as Rasa test stories")
    parser.add_argument("--action", metavar="NAME", help="what the bot does after such a turn, for the stories")
    parser.add_argument("--nlu", type=Path, metavar="FILE.yml", help="also as Rasa NLU test data")
    parser.add_argument("--mapping", type=Path, metavar="FILE.yml", help="also the mapping of slots that `grice iur test` reads")
    parser.add_argument("--overwrite", action="store_true", help="replace files that are there")
    given = GenerationSettings()
    parser.add_argument(
        "--per-value", type=int, default=given.per_value, metavar="N", help=f"at most, for one value (default: {given.per_value})"
    )
    parser.add_argument("--keep-ambiguous", action="store_true", help="keep what may mean several values, as <ambiguous>")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of everything that is drawn (default: 0)")
    parser.add_argument(
        "--rewriter", default="rewriter", metavar="NAME|DIR", help="a shipped or exported rewriter, that writes offline"
    )
    parser.add_argument("--resolver", default="meaning", metavar="NAME|DIR", help="a shipped or exported slot-value resolver")
    add_json_option(parser, "print as JSON what was made")
    add_runtime_options(parser)
    _add_llm_arguments(parser)


def _add_llm_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("large language model (without one, templates and our rewriter write)")
    group.add_argument("--llm-url", metavar="URL", help="base URL of an OpenAI-compatible server; its key is $OPENAI_API_KEY")
    group.add_argument("--llm-model", metavar="NAME", help="the model's name there")
    group.add_argument(
        "--llm-cache", type=Path, metavar="FILE", help="remembers answers: an interrupted run goes on (default: OUT with .replies)"
    )
    group.add_argument(
        "--llm-decoding",
        choices=get_args(Decoding),
        default="llama",
        help="how requests are drawn: as the paper did with Llama 2 (top-k 50, top-p 0.9, temperature 0.5), or as the server does",
    )
    group.add_argument("--llm-omit", nargs="+", default=(), choices=FIXED, help="what the server refuses, so that it is not sent")
    group.add_argument("--criteria", choices=["local", "llm"], help="who judges (default: the model where there is one)")


def run(args: argparse.Namespace) -> int:
    """Generate and write. The status is 1 where no request is left.

    Raises:
        InputError: an option, a slot, a value or the domain cannot be used; a file would be lost.
        DataNotFound, DataCorrupt: the schema or the domain is not there, or no such file.
        ModelError: a model cannot be loaded. MissingExtra: a package is not installed.
        JudgeError: the language model could not be asked. Run it again: what it answered is remembered.
    """
    targets = [path for path in (args.out, args.stories, args.nlu, args.mapping) if path is not None]
    for path in targets:
        _check_target(path, args.overwrite)
    if len(set(targets)) < len(targets):
        raise InputError("output files", ", ".join(map(str, targets)), "a file of its own for each")
    if len(targets) > 1:
        check_yaml(EXTRA)
    if args.action is not None and args.stories is None:
        raise InputError("--action", args.action, "with --stories")
    slots, bot = _slots(args)
    settings = GenerationSettings(args.per_value, keep_ambiguous=args.keep_ambiguous, seed=args.seed)
    runtime = from_options(PipelineSettings, args, RUNTIME).runtime
    encoder = load_sentence_encoder(runtime=runtime)
    with _parts(args, encoder, runtime) as (writer, criteria):
        judges = CandidateJudges(criteria, StrategyLabeller(encoder))
        made = generate(slots, writer, judges, settings, progress_bar("generating", "value"))
    _report(made)
    if not made.requests:
        print("no request is left: nothing is written", file=sys.stderr)
        return 1
    date = datetime.date.today().isoformat()
    write_whole(args.out, "".join(item_lines(made.requests, date)))
    if args.stories is not None:
        write_whole(args.stories, stories_text(made.requests, bot, args.action))
    if args.nlu is not None:
        write_whole(args.nlu, nlu_text(made.requests, bot))
    if args.mapping is not None:
        write_whole(args.mapping, mapping_text(bot))
    if args.json:
        print_json(
            {
                "written": targets,
                "requests": len(made.requests),
                "refused": {str(reason): count for reason, count in made.refused.items()},
            }
        )
        return 0
    for path in targets:
        print(f"written: {path}")
    return 0


def _check_target(path: Path, overwrite: bool) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError("output file", str(path), "a file in a folder that exists")
    if path.exists() and not overwrite:
        raise InputError("output file", str(path), "a new file; or say --overwrite")


def _slots(args: argparse.Namespace) -> tuple[list[RequestSlot], Mapping[str, BotSlot]]:
    """What is generated for, and how a bot's NLU says it."""
    if args.schema is not None:
        slots = slots_of_schema(args.schema, args.service, args.slot)
        return slots, default_bot_slots(slots, args.intent or "inform")
    if args.service:
        raise InputError("--service", " ".join(args.service), "with --schema alone; a domain is one service")
    domain = read_domain(args.domain)
    slots = slots_of_domain(domain, args.slot)
    if args.action is not None and args.action not in domain.actions:
        raise InputError("--action", args.action, ", ".join(domain.actions) or "none: the domain has no actions")
    return slots, bot_slots(domain, slots, args.intent)


@contextlib.contextmanager
def _parts(args: argparse.Namespace, encoder: SentenceEncoder, runtime: Runtime) -> Iterator[tuple[Writer, Criteria]]:
    """Who writes and who judges."""
    if (args.llm_url is None) != (args.llm_model is None):
        raise InputError("--llm-url and --llm-model", "one of them", "both, or none")
    if args.llm_url is None:
        if args.criteria == "llm":
            raise InputError("--criteria", "llm", "local; or name a model with --llm-url and --llm-model")
        indirect, direct = (load_rewriter(args.rewriter, form, beams=BEAMS, runtime=runtime) for form in FORMS)
        yield OfflineWriter(Thesaurus(encoder), indirect, direct, args.seed), _local_criteria(args, encoder, runtime)
        return
    settings = ChatSettings(args.llm_url, args.llm_model, os.environ.get("OPENAI_API_KEY", ""), omit=tuple(args.llm_omit))
    cache = ReplyCache(args.llm_cache or args.out.with_name(f"{args.out.name}.replies"))
    with contextlib.ExitStack() as stack:
        writing, thinking, judging = (
            stack.enter_context(contextlib.closing(ChatModel(each, cache)))
            for each in (*writing_settings(settings, args.llm_decoding, args.seed), settings)
        )
        local = args.criteria == "local"
        yield LlmWriter(writing, thinking), _local_criteria(args, encoder, runtime) if local else LlmCriteria(judging)


def _local_criteria(args: argparse.Namespace, encoder: SentenceEncoder, runtime: Runtime) -> LocalCriteria:
    return LocalCriteria(load_slot_resolver(args.resolver, runtime=runtime), encoder)


def _report(made: Generation) -> None:
    print(f"{len(made.requests):,} requests:", file=sys.stderr)
    for strategy, count in sorted(Counter(request.strategy for request in made.requests).items()):
        print(f"{count:7,}  {strategy}", file=sys.stderr)
    print("candidates that were not taken:", file=sys.stderr)
    for reason, count in sorted(made.refused.items()):
        print(f"{count:7,}  {reason}: {REFUSALS[reason]}", file=sys.stderr)
    if made.empty:
        print("values without a request:", ", ".join(f"{slot}={value}" for slot, value in made.empty), file=sys.stderr)
