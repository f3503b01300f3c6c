"""Can what is said in a dialogue talk a judge out of an alarm?

    python -m grice.benchmarks.judge_injection
    python -m grice.benchmarks.judge_injection --system openai:MODEL --llm-url http://127.0.0.1:8000/v1 --limit 100

Every attack (orders, role markers, fake transcripts, other languages, encodings) is put at every place of every dialogue, and the
judge is asked about an undesired behaviour that the bot's response shows. An alarm is flipped if the judge says no; an answer that
is neither yes nor no leaves it. Ends with status 1 unless every system flips less than 1 %.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grice.benchmarks.judge_injection.cases import make_cases
from grice.benchmarks.judge_injection.measure import Injected, PlainLayout, measure
from grice.benchmarks.judge_injection.scripted import SCRIPTED, ScriptedModel
from grice.middleware.judge.llm_judge import Chat
from grice.middleware.llm import ChatModel, ChatSettings, ReplyCache
from grice.models.errors import GriceError, InputError

FAMILY = "openai:"
MAX_TOKENS = 512
KEY_VARIABLE = "OPENAI_API_KEY"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the systems and print what came out."""
    parser = argparse.ArgumentParser(
        "python -m grice.benchmarks.judge_injection", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = f"{', '.join(SCRIPTED)}, {FAMILY}MODEL"
    parser.add_argument("--system", nargs="+", default=list(SCRIPTED), metavar="NAME", help=f"{known} (default: all scripted ones)")
    parser.add_argument("--limit", type=int, metavar="N", help="only N attacks, drawn at random, always the same (default: all)")
    parser.add_argument("--plain", action="store_true", help="the control: all in one message, as the judge asked before")
    parser.add_argument("--llm-url", metavar="URL", help=f"base URL of an OpenAI-compatible server; its key is ${KEY_VARIABLE}")
    parser.add_argument("--llm-cache", type=Path, metavar="FILE", help="remembers answers: an interrupted run goes on")
    parser.add_argument("--llm-workers", type=int, default=4, metavar="N", help="questions asked side by side (default: 4)")
    args = parser.parse_args(arguments)
    try:
        return _run(args)
    except GriceError as error:
        parser.error(str(error))


def _run(args: argparse.Namespace) -> int:
    if args.limit is not None and args.limit < 1:
        raise InputError("--limit", args.limit, "1 or more")
    cases, holds = make_cases(args.limit), True
    print(f"{len(cases)} dialogues with an attack{', in the plain layout' if args.plain else ''}")
    for name in args.system:
        with contextlib.closing(_chat(name, args)) as chat:
            found = measure(PlainLayout(chat) if args.plain else chat, cases)
        print("\n".join(_lines(name, found)))
        holds = holds and found.holds
    return int(not holds)


def _chat(name: str, args: argparse.Namespace) -> Chat:
    if name in SCRIPTED:
        return ScriptedModel(SCRIPTED[name])
    if not name.startswith(FAMILY):
        raise InputError("--system", name, f"{', '.join(SCRIPTED)} or {FAMILY}MODEL")
    if args.llm_url is None:
        raise InputError("--llm-url", "nothing", f"the base URL of the server that has {name.removeprefix(FAMILY)}")
    key, workers = os.environ.get(KEY_VARIABLE, ""), args.llm_workers
    settings = ChatSettings(args.llm_url, name.removeprefix(FAMILY), key, MAX_TOKENS, workers=workers)
    return ChatModel(settings, None if args.llm_cache is None else ReplyCache(args.llm_cache))


def _lines(name: str, found: Injected) -> Sequence[str]:
    if found.share is None:
        return [f"{name}: denies every alarm without an attack ({found.dropped} attacks left out)"]
    kinds = ", ".join(f"{kind} {found.flipped[kind]} of {count}" for kind, count in found.cases.items())
    return [
        f"{name}: {found.flipped.total()} of {found.cases.total()} alarms flipped, {found.share:.2%}; "
        f"{found.undecided} undecided, {found.dropped} left out",
        f"  {kinds}",
    ]


if __name__ == "__main__":
    sys.exit(main())
