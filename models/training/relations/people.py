"""Replies that people gave in a bot's place, none of which is learned from: an alarm on one of them is a false one.

Tasks: wizards of STAR, and what stands in the bot's place in SGD's dev part, whose services are others than those of training.
Chat: persuaders of every other dialogue of Persuasion For Good, who talk to a stranger.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from grice.models.data import persuasion_for_good, sgd, star
from grice.models.dialogue import Turn
from grice.models.relations.inputs import KnownSpan, row_text, turn_spans
from grice.models.relations.labels import Setting
from grice.models.relations.rows import nearest_rows
from grice.models.training.relations.samples import RelationSample, TaughtResponse

FILE = "people.json"
"""Beside a checkpoint: the replies that its thresholds are to be fitted with."""
LAST_TURNS = 8
MOST_ROWS = 5
EACH = 300
"""Replies of each data set."""
STAR_STEP, SGD_STEP = 20, 8


def people_samples(data_dir: Path, seed: int = 0) -> list[RelationSample]:
    """`EACH` replies of each data set, one a sample.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    chance = random.Random(seed)
    found: list[RelationSample] = []
    sources: list[tuple[str, Setting, Iterator[tuple[tuple[KnownSpan, ...], str]]]] = [
        ("star", "task", _star(data_dir)),
        ("sgd", "task", _sgd(data_dir)),
        ("persuasion", "chat", _persuasion(data_dir)),
    ]
    for name, setting, read in sources:
        samples = list(read)
        chosen = chance.sample(samples, min(EACH, len(samples)))
        found += [RelationSample(name, setting, spans, (TaughtResponse(text, frozenset(), False),)) for spans, text in chosen]
    return found


def _star(data_dir: Path) -> Iterator[tuple[tuple[KnownSpan, ...], str]]:
    for said in star.read(data_dir, STAR_STEP):
        for at, each in enumerate(said):
            if each.turn.speaker == "bot" and at:
                before = [earlier.turn for earlier in said[max(0, at - LAST_TURNS) : at]]
                yield _spans([each.row] if each.row else [], before, each.turn), each.turn.text


def _sgd(data_dir: Path) -> Iterator[tuple[tuple[KnownSpan, ...], str]]:
    for number, dialogue in enumerate(sgd.read(data_dir / "sgd", "dev")):
        if number % SGD_STEP:
            continue
        said = [turn for turn in dialogue.turns if not turn.silent]
        for at, each in enumerate(said):
            if each.turn.speaker == "bot" and at:
                earlier = said[max(0, at - LAST_TURNS) : at]
                rows = next((turn.results for turn in (each, *reversed(earlier)) if turn.results), ())
                named = [{name.replace("_", " "): value for name, value in row.items()} for row in rows]
                yield _spans(named, [turn.turn for turn in earlier], each.turn), each.turn.text


def _persuasion(data_dir: Path) -> Iterator[tuple[tuple[KnownSpan, ...], str]]:
    for dialogue in list(persuasion_for_good.read(data_dir))[1::2]:  # the others are learned from
        turns = dialogue.with_bot("persuader")
        for at, turn in enumerate(turns):
            if turn.speaker == "bot" and at:
                yield _spans([], turns[max(0, at - LAST_TURNS) : at], turn), turn.text


def _spans(rows: Sequence[dict[str, str]], before: Sequence[Turn], reply: Turn) -> tuple[KnownSpan, ...]:
    told = nearest_rows(tuple(rows), " ".join(turn.text for turn in (*before, reply)), MOST_ROWS)
    return (*(KnownSpan("fact", place, row_text(row)) for place, row in enumerate(told)), *turn_spans(before))


def save_people(folder: Path, samples: Sequence[RelationSample]) -> None:
    """Write the replies beside a checkpoint in `folder`."""
    rows = [
        {
            "source": each.source,
            "setting": each.setting,
            "spans": [asdict(span) for span in each.spans],
            "text": each.responses[0].text,
        }
        for each in samples
    ]
    (folder / FILE).write_text(json.dumps(rows) + "\n", encoding="utf-8")


def read_people(folder: Path) -> list[RelationSample]:
    """The replies beside a checkpoint; none where there are none."""
    path = folder / FILE
    if not path.is_file():
        return []
    return [
        RelationSample(
            row["source"],
            row["setting"],
            tuple(KnownSpan(**span) for span in row["spans"]),
            (TaughtResponse(row["text"], frozenset(), False),),
        )
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
