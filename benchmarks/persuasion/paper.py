"""Published figures of face acts and of multiple-choice questions on intentions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grice.benchmarks.core.results import Published
from grice.models.results import FaceAct

PAPER = Path(__file__).parent / "paper.json"


@dataclass(frozen=True)
class Paper:
    """What is published.

    Attributes:
        utterances: in the whole file of face acts.
        rows: the figures, task by task.
        by_face_act: accuracy in % of the persuader's, the persuadee's and all questions by system and face act (Table 4); None
            where there are no such questions.
    """

    note: str
    utterances: int
    rows: tuple[Published, ...]
    by_face_act: Mapping[str, Mapping[FaceAct, tuple[float | None, ...]]]


@cache
def paper() -> Paper:
    """The figures as they are printed."""
    content = json.loads(PAPER.read_text(encoding="utf-8"))
    replay = content["released_predictions"]
    rows = [
        Published("face-acts", "authors, whole file", metric, value, replay["n"], replay["source"])
        for metric, value in replay["metrics"].items()
    ]

    def choices() -> Iterator[Published]:
        for entry in content["choices"]:
            for system, value in entry["accuracy"].items():
                source = f"{content['source']}, {entry['table']}"
                yield Published(entry["task"], system, "accuracy", value, entry["n"], source)

    cells = {row["system"]: {label: tuple(each) for label, each in row["cells"].items()} for row in content["by_face_act"]}
    return Paper(content["note"], replay["n"], (*rows, *choices()), cells)
