"""How much can be told from menu, history and turn? A careful reader beside the shipped one, on the same 240 turns.

    python -m grice.benchmarks.meaning.careful_reader

The turns are of hands that the shipped reader has not learnt from: 200 indirect and 40 others, drawn by chance. A language model
was given the menu, the history and the turn of each, nothing else, and wrote down what it means; it also named a second meaning
where it was in doubt. Its answers lie in `careful_reader.jsonl`, a JSON object a turn. Where it differs from those who wrote the
turns, either may be wrong: what it reaches is about what a perfect reader could.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grice.benchmarks.core.report import interval, table_text
from grice.benchmarks.core.results import Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning.cases import MeaningAnswer, MeaningAnswers, MeaningCase, NamedMeaning
from grice.benchmarks.meaning.held_out import written_cases
from grice.benchmarks.meaning.scores import add_meaning
from grice.benchmarks.meaning.systems import OURS, SYSTEMS, MeaningOptions, MeaningTask, ReaderRun
from grice.models.data.user_turns import DONT_CARE
from grice.models.meaning.menu import ACTS

ANSWERS = Path(__file__).with_suffix(".jsonl")
HANDS = ("UD", "VB", "UE", "UG")
CAREFUL = "careful reader"
METRICS = ("intent_accuracy", "reply_accuracy", "slot_accuracy", "false_fills")
"""What is shown: that of the meaning that each would give, sure or not."""

TurnKey = tuple[str, str, str]
"""Hand, turn, and what stands before it ("": nothing): two turns with the same words may follow different questions."""


def read_answers(path: Path = ANSWERS) -> dict[TurnKey, dict[str, Any]]:
    """The careful reader's answers."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["hand"], row["text"], row["after"]): row for row in rows}


def find_cases(keys: Sequence[TurnKey]) -> list[MeaningCase]:
    """The turns, in order.

    Raises:
        KeyError: a hand no longer has one of them.
    """
    found = {_key(case): case for case in written_cases(HANDS)}
    return [found[key] for key in keys]


def _key(case: MeaningCase) -> TurnKey:
    before = case.question.dialogue.history[-1:]
    return case.part, case.question.dialogue.last.text, before[0].text if before else ""


def answer_of(row: dict[str, Any]) -> MeaningAnswer:
    """What the careful reader said, as a system says it."""
    name = row["meaning"]
    best: NamedMeaning = ("act" if name in ACTS else "intent", name)
    values = {slot: DONT_CARE if value == "any" else value for slot, value in row["slots"].items() if isinstance(value, str)}
    return MeaningAnswer(best, True, "", values)


def compare(options: MeaningOptions) -> Sheet:
    """The figures of both.

    Raises:
        ModelError: the reader cannot be loaded.
    """
    answers = read_answers()
    cases = find_cases(list(answers))
    sheet = Sheet("meaning", [case.group for case in cases], options.seed, drawn="bot")
    readings = ReaderRun(options, sheet)
    told: dict[str, MeaningAnswers] = {CAREFUL: [answer_of(row) for row in answers.values()]}
    told |= SYSTEMS.build(options, MeaningTask("careful", cases, options, readings))[0]
    for name, said in told.items():
        add_meaning(sheet, "careful", name, cases, said)
    return sheet


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    sheet = compare(MeaningOptions(data_dir=Path(), systems=(OURS,)))
    shown = {(each.task, each.system, each.metric): each for each in sheet.results}
    rows = [
        (metric, *(interval(shown["careful", name, metric]) for name in (CAREFUL, OURS)), str(shown["careful", OURS, metric].n))
        for metric in METRICS
    ]
    print(table_text(Table(f"{len(sheet.groups)} turns", ("% of indirect turns", CAREFUL, OURS, "n"), tuple(rows))))
    print(
        "weights:", ", ".join(f"{name} {sha[:12]}" for name, sha in sheet.models.items()), "(live; the careful reader is replayed)"
    )


if __name__ == "__main__":
    main()
