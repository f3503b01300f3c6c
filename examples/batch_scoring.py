"""The replies of a file of dialogues, scored in this process.

python examples/batch_scoring.py dialogues.jsonl > scored.jsonl

A line of the file is {"id": …, "messages": [{"role": …, "content": …}, …]}; each reply of the assistant is scored in the light of
what was said before it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from grice import Dialogue, Monitor

BATCH = 32
"""Replies that go through the model together."""


def replies(path: Path) -> Iterator[tuple[str, int, Dialogue]]:
    """The dialogue's name, the reply's place in it, and the dialogue up to the reply."""
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            turns = Dialogue.of_messages(row["messages"]).turns
            for place, turn in enumerate(turns):
                if turn.speaker == "bot":
                    yield row["id"], place, Dialogue(turns[: place + 1])


def main(path: Path) -> None:
    """Print a line of JSON for each reply."""
    monitor, rest = Monitor.load(), replies(path)
    while batch := list(islice(rest, BATCH)):
        for (name, place, _), report in zip(batch, monitor.predict([each for _, _, each in batch]), strict=True):
            scores = None if report.behaviors is None else dict(report.behaviors.probabilities)
            print(json.dumps({"id": name, "turn": place, "shown": report.shown, "probabilities": scores}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
