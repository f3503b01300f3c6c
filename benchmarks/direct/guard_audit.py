"""Does anything unsupported get past guard and verifier? A second look at every accepted rewrite, with none of their code.

    python -m grice.benchmarks.direct.guard_audit --data-dir DIR [--split dev|ours|all]

It reads the dev part, on which everything may be chosen; `ours` is the test part, `all` every row. Counts accepted rewrites of
indirect and original turns that have

- a fact that stands nowhere in the dialogue: a number or time (a run of digits), a day, a month, a part of town, or a capitalised
  word inside a sentence;
- an added wish: more than one thing asked for of which the dialogue says nothing. One may be what the turn hints at;
- a turned polarity: a yes, or an order to book, to a turn that denies, hesitates or sets a condition, where the rewrite does
  nothing of the kind.

The rules are simple and know no context: what they find is printed, to be read.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.core.options import Options
from grice.benchmarks.direct.held_out import dev_rows, dialogues, held_out
from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.models.data.direct import Triple
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

_WISHES: Mapping[str, re.Pattern[str]] = {
    wish: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for wish, pattern in json.loads(Path(__file__).with_name("wishes.json").read_text(encoding="utf-8")).items()
}
"""What a user of a town's information can ask for, by the words that ask for it."""
_AGREES = re.compile(
    r"^\W*(?:yes|yeah|sure|okay|ok|perfect|great)\b|\b(?:book|reserve|buy|order|take) (?:it|that|them|one)\b", re.I
)
_DECLINES = re.compile(r"^\W*(?:no|nope|nah)\b|\b(?:not|never|\w+n['’]t) (?:book|reserve|buy|order|take)\b", re.I)
"""What a rewrite does that agrees to nothing, whatever else it says: "don't book it yet"."""
_DENIES = re.compile(r"\b(?:no|not|never|nothing|none|neither|nor|without|cannot|\w+n['’]t|nah|nope|rather than)\b", re.I)
_HESITATES = re.compile(
    r"\b(?:maybe|perhaps|guess|unsure|wonder\w*|hmm?|depends?|decide|decided|deciding|think (?:about|it over)|ask my|check with"
    r"|first|wait (?:a|until|for)|hold on|if|unless|later)\b",
    re.I,
)


@dataclass(frozen=True)
class AuditedRewrite:
    """What an accepted rewrite has and should not have.

    Attributes:
        facts: numbers, days, parts of town and names that nobody said.
        wishes: things asked for of which nobody said anything, where there are several.
        polarity: how the turn differs from a rewrite that agrees: "denies" or "hesitates"; "" where it does not.
        turn: what was rewritten.
    """

    text: str
    facts: tuple[str, ...]
    wishes: tuple[str, ...]
    polarity: str
    turn: str

    def __bool__(self) -> bool:
        return bool(self.facts or self.wishes or self.polarity)


def unsupported(dialogue: Dialogue, text: str) -> Iterator[str]:
    """The numbers, days, parts of town and names in `text` that stand nowhere in the dialogue."""
    said = _letters(_all_said(dialogue))
    for pattern in (_NUMBER, _FACT, _CAPITALISED):
        for found in pattern.findall(text):
            if found not in _NO_NAMES and _letters(found) not in said:
                yield found


def added_wishes(dialogue: Dialogue, text: str) -> list[str]:
    """What `text` asks for and the dialogue does not speak of, if it is more than one thing."""
    said = _all_said(dialogue)
    new = [wish for wish, words in _WISHES.items() if words.search(text) and not words.search(said)]
    return new if len(new) > 1 else []


def turned_polarity(turn: str, text: str) -> str:
    """ "denies" or "hesitates": what `turn` does where `text` agrees and does not do so; "" elsewhere."""
    if not _AGREES.search(text) or _DECLINES.search(text):
        return ""
    does = [
        name for name, words in (("denies", _DENIES), ("hesitates", _HESITATES)) if words.search(turn) and not words.search(text)
    ]
    return does[0] if does else ""


def audit(pipeline: Model[TurnAnalysis], asked: Sequence[Dialogue], label: str) -> tuple[int, list[AuditedRewrite]]:
    """How many turns were rewritten, and those rewrites that have something they should not have."""
    rewritten = [
        (dialogue, found.rewrite.text)
        for dialogue, found in zip(asked, predict_all(pipeline, asked, label), strict=True)
        if found.decision == "rewrite" and found.rewrite is not None
    ]
    return len(rewritten), list(filter(None, (look(dialogue, text) for dialogue, text in rewritten)))


def look(dialogue: Dialogue, text: str) -> AuditedRewrite:
    """What `text`, as the rewrite of the last turn of `dialogue`, has and should not have."""
    facts, wishes = tuple(unsupported(dialogue, text)), tuple(added_wishes(dialogue, text))
    turn = dialogue.last.text
    return AuditedRewrite(text, facts, wishes, turned_polarity(turn, text), turn)


def rows_of(folder: Path, split: str) -> Sequence[Triple]:
    """The rows to audit: our dev part, which is all that `dev` reads, or what a benchmark scores.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged, or it holds no row of that split.
    """
    return dev_rows(folder) if split == "dev" else held_out(Options(folder, "all" if split == "all" else "ours")).rows


def _all_said(dialogue: Dialogue) -> str:
    return " ".join(turn.text for turn in dialogue.turns)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def main() -> None:
    """Print the counts, and each turn whose rewrite has something unsupported."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir")
    parser.add_argument("--split", choices=["dev", "ours", "all"], default="dev")
    args = parser.parse_args()
    rows = rows_of(data_dir(args.data_dir), args.split)
    pipeline = Pipeline.load(PipelineSettings(on_error="raise", deadline_ms=600_000))
    for form in ("indirect", "original"):
        count, found = audit(pipeline, dialogues(rows, form), form)
        print(f"{args.split}, {form}: {len(rows)} turns, {count} rewritten; of these with", end=" ")
        counts = {
            "a fact that nobody said": sum(bool(each.facts) for each in found),
            "added wishes": sum(bool(each.wishes) for each in found),
            "turned polarity": sum(bool(each.polarity) for each in found),
        }
        print(", ".join(f"{what}: {number}" for what, number in counts.items()))
        for each in found:
            print(f"  {', '.join(filter(None, (*each.facts, *each.wishes, each.polarity)))}: {each.turn} => {each.text}")


if __name__ == "__main__":
    main()
