"""Circa (Louis, Roth, Radlinski 2020): indirect answers to yes/no questions, in situations, each judged by five people.

Files: `circa/circa_data_*.csv`, tab-separated: number, context, question-X, canquestion-X, answer-Y, judgements (five, joined by
#), goldstandard1, goldstandard2 and more.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from grice.models.data.files import in_format, number_rows, parse_each
from grice.models.dialogue import check_text
from grice.models.errors import DataNotFound

FOLDER = "circa"
CLASSES = (
    "Yes",
    "No",
    "Probably yes / sometimes yes",
    "Probably no",
    "Yes, subject to some conditions",
    "In the middle, neither yes nor no",
    "I am not sure how X will interpret Y's answer",
    "Other",
)
"""What a judge could say of an answer, in the words of the file (Y stands for "Y" or "you" there)."""
NO_GOLD = ("NA", "N/A", "")


@dataclass(frozen=True)
class JudgedAnswer:
    """An answer to a yes/no question.

    Attributes:
        context: the situation, in a sentence. shares: of judges who chose each of `CLASSES`.
        strict: the class that three judges or more chose; "" where there is none.
    """

    context: str
    question: str
    answer: str
    shares: tuple[float, ...]
    strict: str


def read(data_dir: Path) -> list[JudgedAnswer]:
    """All answers, by file name and in file order.

    Raises:
        DataNotFound: no file is there. DataCorrupt: a row is damaged; says which.
    """
    paths = sorted((data_dir / FOLDER).glob("circa_data_*.csv"))
    if not paths:
        raise DataNotFound(f"{data_dir / FOLDER}: no circa_data_*.csv there")
    return [answer for path in paths for answer in _read_file(path)]


def _read_file(path: Path) -> list[JudgedAnswer]:
    with in_format("Circa", path), path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return parse_each("Circa", path, number_rows("line", rows, 2), _answer)


def _answer(row: dict[str, str]) -> JudgedAnswer:
    judged = Counter(_class(each) for each in row["judgements"].split("#"))
    total = sum(judged.values())
    gold = row["goldstandard1"]
    return JudgedAnswer(
        check_text(row["context"], "context"),
        check_text(row["question-X"], "question"),
        check_text(row["answer-Y"], "answer"),
        tuple(judged[name] / total for name in CLASSES),
        "" if gold in NO_GOLD else _class(gold),
    )


def _class(judgement: str) -> str:
    """The class as `CLASSES` has it."""
    if judgement.startswith("I am not sure"):
        return CLASSES[6]
    if judgement not in CLASSES:
        raise ValueError(f"judgement {judgement!r}")
    return judgement
