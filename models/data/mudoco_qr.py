"""MuDoCo-QR (Tseng et al. 2021, "CREAD"): user and system turns of task dialogues, rewritten without pronouns and ellipses.

Files: `mudoco_{domain}.json`: {domain, dialogs: {id: {split: train | eval | test, turns: [{number, utterance, graded,
rewrite_required, rewritten_utterance, …}]}}}. `number` counts from 1, users on odd ones; turns can be missing, and those whose
context is missing are not graded; a dialogue that goes from one domain to another is divided between two files under one id. The
texts are tokens joined by spaces, and are read with natural spacing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grice.models.data.files import in_format, read_json
from grice.models.data.rewrite_record import RewriteRecord
from grice.models.data.spacing import untokenized
from grice.models.dialogue import Turn
from grice.models.errors import DataNotFound


def read(folder: Path, splits: Iterable[str] | None = None) -> list[RewriteRecord]:
    """The graded turns of all `mudoco_*.json`, of users and of the system, by file name and in file order.

    Args:
        splits: only dialogues of these splits ("train", "eval", "test"); None reads all.

    Raises:
        DataNotFound, DataCorrupt: no file is there, or one is not readable.
    """
    wanted = None if splits is None else set(splits)
    records: list[RewriteRecord] = []
    for path in _paths(folder):
        with in_format("MuDoCo-QR", path):
            for key, dialogue in read_json(path)["dialogs"].items():
                if wanted is None or dialogue["split"] in wanted:
                    records += _records(key, dialogue)
    return records


def read_dialogues(folder: Path) -> list[tuple[str, tuple[Turn, ...]]]:
    """All dialogues, graded or not, with their ids and the turns that the file has of them.

    Raises:
        DataNotFound, DataCorrupt: no file is there, or one is not readable.
    """
    dialogues: list[tuple[str, tuple[Turn, ...]]] = []
    for path in _paths(folder):
        with in_format("MuDoCo-QR", path):
            dialogues += [(key, tuple(_turns(value))) for key, value in read_json(path)["dialogs"].items()]
    return dialogues


def _paths(folder: Path) -> list[Path]:
    paths = sorted(folder.glob("mudoco_*.json"))
    if not paths:
        raise DataNotFound(f"{folder}: no mudoco_*.json there; `grice data fetch mudoco_qr` gets two of them")
    return paths


def _turns(dialogue: dict[str, Any]) -> list[Turn]:
    return [Turn("user" if entry["number"] % 2 else "bot", untokenized(entry["utterance"])) for entry in dialogue["turns"]]


def _records(key: str, dialogue: dict[str, Any]) -> list[RewriteRecord]:
    turns = _turns(dialogue)
    return [
        RewriteRecord(
            key,
            entry["number"],
            tuple(turns[:place]),
            turns[place],
            (untokenized(entry["rewritten_utterance"]),),
            dialogue["split"],
        )
        for place, entry in enumerate(dialogue["turns"])
        if entry["graded"]
    ]
