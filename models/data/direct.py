"""DIRECT (Takayama, Kajiwara, Arase 2021): direct and indirect forms of MultiWOZ user turns.

Files: `test.csv`, `train.csv`: an unnamed row number, dialogue_id, turn_index (counts all turns from 0), target_utterance,
direct_utterance, indirect_utterance, and in the test file isacceptable_direct, isacceptable_indirect, quality
(Good, Neutral, Bad: whether the direct form was judged more direct). The history is MultiWOZ's.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grice.models.data import multiwoz
from grice.models.data.files import existing
from grice.models.data.split import Part, part_of
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound

COLUMNS = ("dialogue_id", "turn_index", "target_utterance", "direct_utterance", "indirect_utterance")


@dataclass(frozen=True)
class Triple:
    """A user turn in three forms, with its history and the dialogue acts of the original.

    `history` is oldest first, without the turn itself. `quality` is None where the file does not judge.
    """

    dialogue_id: str
    turn_index: int
    original: str
    direct: str
    indirect: str
    history: tuple[Turn, ...]
    labels: frozenset[str]
    quality: str | None


def read(data_dir: Path, split: str = "test", parts: Iterable[Part] | None = None) -> list[Triple]:
    """The rows of `direct/{split}.csv` joined to `multiwoz21/`, in file order.

    Args:
        parts: only dialogues of these parts of our own split; None reads every row.

    Raises:
        DataNotFound: a file is missing, or MultiWOZ's dialogues of this split are not in `multiwoz21/`.
        DataCorrupt: a column is missing or a row points outside its dialogue.
    """
    path = existing(data_dir / "direct", f"{split}.csv")
    wanted = None if parts is None else set(parts)
    dialogues: dict[str, tuple[multiwoz.Utterance, ...]] = {}
    for source in ("test",) if split == "test" else ("train", "val"):
        dialogues.update(multiwoz.read(data_dir / "multiwoz21", source))
    triples = []
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        missing = [column for column in COLUMNS if column not in (rows.fieldnames or ())]
        if missing:
            raise DataCorrupt(f"{path}: columns missing: {', '.join(missing)}")
        for number, row in enumerate(rows, start=2):
            key = row["dialogue_id"].removesuffix(".json")
            if wanted is not None and part_of(key) not in wanted:
                continue
            if key not in dialogues:
                raise DataNotFound(f"{path}, line {number}: dialogue {key} is not in the MultiWOZ files of {data_dir / 'multiwoz21'}")
            triples.append(_triple(row, key, dialogues[key], f"{path}, line {number}"))
    return triples


def _triple(row: dict[str, str], key: str, dialogue: tuple[multiwoz.Utterance, ...], where: str) -> Triple:
    try:
        index = int(row["turn_index"])
        utterance = dialogue[index]
    except (ValueError, IndexError) as error:
        raise DataCorrupt(f"{where}: turn_index {row['turn_index']!r} is not a turn of {key} ({len(dialogue)} turns)") from error
    original, direct, indirect = (" ".join(row[column].split()) for column in COLUMNS[2:])
    history = tuple(turn.turn for turn in dialogue[:index])
    return Triple(key, index, original, direct, indirect, history, utterance.labels, row.get("quality") or None)
