"""Does anything unsupported get past the guard? A second look at every accepted rewrite, with none of the guard's code.

    python -m grice.benchmarks.direct.guard_audit --data-dir DIR [--split ours|all]

Counts rewrites of held-out indirect and original turns that have a number or time (a run of digits), a day, a month, a part of
town, or a capitalised word inside a sentence whose letters and digits stand nowhere in the dialogue.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.core.options import Options
from grice.benchmarks.direct.held_out import dialogues, held_out
from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.models.data.files import data_dir
from grice.models.dialogue import Dialogue
from grice.models.protocols import Model

_NUMBER = re.compile(r"\d+(?:[:.]\d+)*")
_FACT = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december"
    r"|north|south|east|west|centre|tomorrow|tonight)",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r"(?<=[a-z,] )[A-Z]\w*")
_NO_NAMES = frozenset({"I", "OK", "TV", "GPS"})


def unsupported(dialogue: Dialogue, text: str) -> Iterator[str]:
    """The numbers, days, parts of town and names in `text` that stand nowhere in the dialogue."""
    said = _letters(" ".join(turn.text for turn in dialogue.turns))
    for pattern in (_NUMBER, _FACT, _CAPITALISED):
        for found in pattern.findall(text):
            if found not in _NO_NAMES and _letters(found) not in said:
                yield found


def audit(pipeline: Model[TurnAnalysis], asked: Sequence[Dialogue], label: str) -> tuple[int, list[tuple[str, list[str]]]]:
    """How many turns were rewritten, and the rewrites that have something unsupported."""
    rewritten = [
        (dialogue, found.rewrite.text)
        for dialogue, found in zip(asked, predict_all(pipeline, asked, label), strict=True)
        if found.decision == "rewrite" and found.rewrite is not None
    ]
    checked = [(text, list(unsupported(dialogue, text))) for dialogue, text in rewritten]
    return len(rewritten), [(text, found) for text, found in checked if found]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def main() -> None:
    """Print the counts, and each rewrite that has something unsupported."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir")
    parser.add_argument("--split", choices=["ours", "all"], default="ours")
    args = parser.parse_args()
    rows = held_out(Options(Path(data_dir(args.data_dir)), args.split)).rows
    pipeline = Pipeline.load(PipelineSettings(on_error="raise", deadline_ms=600_000))
    for form in ("indirect", "original"):
        count, wrong = audit(pipeline, dialogues(rows, form), form)
        print(f"{form}: {len(rows)} turns, {count} rewritten, {len(wrong)} of these with something unsupported")
        for text, found in wrong:
            print(f"  {', '.join(found)}: {text}")


if __name__ == "__main__":
    main()
