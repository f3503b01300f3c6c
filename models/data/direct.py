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
from grice.models.data.files import existing, in_format
from grice.models.data.split import Part, part_of
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound

COLUMNS = ("dialogue_id", "turn_index", "target_utterance", "direct_utterance", "indirect_utterance")


@dataclass(frozen=True)
class Triple:
    """A user turn in three forms, with its history and the dialogue acts of the original.

    `history` is oldest first, without the turn itself and without turns that have no text. `quality` is None where the file
    does not judge.
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
    for number, row in enumerate(_rows(path), start=1):
        where = f"{path}, row {number}"
        with in_format("DIRECT", where):
            key = row["dialogue_id"].removesuffix(".json")
        if wanted is not None and part_of(key) not in wanted:
            continue
        if key not in dialogues:
            raise DataNotFound(f"{where}: dialogue {key} is not in the MultiWOZ files of {data_dir / 'multiwoz21'}")
        with in_format("DIRECT", where):
            triples.append(_triple(row, key, dialogues[key], where))
    return triples


def _rows(path: Path) -> list[dict[str, str]]:
    with in_format("DIRECT", path), path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        missing = [column for column in COLUMNS if column not in (rows.fieldnames or ())]
        if missing:
            raise DataCorrupt(f"{path}: columns missing: {', '.join(missing)}; fetch it again")
        return list(rows)


def _triple(row: dict[str, str], key: str, dialogue: tuple[multiwoz.Utterance, ...], where: str) -> Triple:
    number = row["turn_index"]
    if not number.isdecimal() or int(number) >= len(dialogue):
        raise DataCorrupt(f"{where}: turn_index {number!r} is not a turn of {key} ({len(dialogue)} turns)")
    index = int(number)
    if dialogue[index].turn.speaker != "user":
        raise DataCorrupt(f"{where}: turn_index {number!r} of {key} is a turn of the system; DIRECT has only user turns")
    original, direct, indirect = (" ".join(row[column].split()) for column in COLUMNS[2:])
    history = tuple(said.turn for said in dialogue[:index] if not said.silent)
    return Triple(key, index, original, direct, indirect, history, dialogue[index].labels, row.get("quality") or None)
