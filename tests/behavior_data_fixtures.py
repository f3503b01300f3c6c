"""Small data sets about behaviours with invented content, written in the formats of the released ones."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_fixtures import sgd_dialogue, write_multiwoz, write_sgd

from grice.models.data import begin, dbdc3, persuasion_for_good, prosecco

DBDC3_ROOT = "DBDC3/dbdc3_revised/en"


def dbdc3_dialogue(key: str, *said: tuple[str, str, str]) -> dict[str, Any]:
    """A dialogue of (speaker "U" or "S", text, the annotators' labels such as "OOX")."""
    turns = [
        {
            "turn-index": place,
            "speaker": speaker,
            "time": "",
            "utterance": text,
            "annotations": [{"breakdown": label, "annotator-id": str(n), "comment": ""} for n, label in enumerate(labels)],
        }
        for place, (speaker, text, labels) in enumerate(said)
    ]
    return {"dialogue-id": key, "group-id": "", "speaker-id": "someone", "turns": turns}


def write_dbdc3(data_dir: Path, dialogues: Mapping[str, Any]) -> Path:
    """The archive with dialogues by `PART/SOURCE/ID`, and a licence."""
    path = data_dir / dbdc3.FOLDER / dbdc3.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, dialogue in dialogues.items():
            archive.writestr(f"{DBDC3_ROOT}/{name}.log.json", json.dumps(dialogue))
        archive.writestr("DBDC3/LICENSE.txt", "Anyone may read this.")
    return path


def write_begin(data_dir: Path, part: str, *rows: Sequence[str], columns: Sequence[str] = begin.COLUMNS) -> Path:
    """`begin_{part}.tsv` with the authors' line ends, none after the last line."""
    path = data_dir / begin.FOLDER / f"begin_{part}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("\r\n".join("\t".join(row) for row in (columns, *rows)).encode())
    return path


def statement_pair(**changes: Any) -> dict[str, Any]:
    """A pair of ProSeCCo, a contradiction unless changed; None leaves a field out."""
    pair = {
        "id": "QT30_000",
        "speaker_id": "speaker_001",
        "locution_1": "we never close it",
        "locution_2": "it was shut on Monday",
        "proposition_1": "the council never closes the bridge",
        "proposition_2": "the bridge was shut on Monday",
        "source": "QT30",
        "nodeset_id": 7,
        "label": "self-contradiction",
        "prop_needed": 1.0,
    }
    return {key: value for key, value in {**pair, **changes}.items() if value is not None}


def write_prosecco(data_dir: Path, *pairs: Any) -> Path:
    """The pairs, one a line."""
    path = data_dir / prosecco.FOLDER / prosecco.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
    return path


def write_persuasion(data_dir: Path, *rows: Sequence[str], columns: Sequence[str] = persuasion_for_good.COLUMNS) -> Path:
    """Rows of (number, Unit, Turn, B4, B2)."""
    path = data_dir / persuasion_for_good.FOLDER / persuasion_for_good.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows((columns, *rows))
    return path


def write_auxiliary(data_dir: Path) -> None:
    """All data sets that the behaviour monitor's auxiliary networks learn from, a dialogue or a pair or two of each."""
    said = (
        ("S", "Hello.", ""),
        ("U", "Is it raining?", ""),
        ("S", "I had soup.", "XXT"),
        ("U", "So?", ""),
        ("S", "It rains.", "OOT"),
    )
    write_dbdc3(data_dir, {"dev/CIC_1/a": dbdc3_dialogue("a", *said)})
    write_prosecco(data_dir, statement_pair(), statement_pair(label="no self-contradiction"))
    knowledge = "Beans grow in summer and need rain."
    write_begin(
        data_dir,
        "dev_wow",
        ("t5", "wow", knowledge, "Tell me of beans.", "They need rain.", "Fully attributable"),
        ("t5", "wow", knowledge, "Tell me of beans.", "They are blue.", "Not fully attributable"),
    )
    texts = "I have 2 goats.", "I have no goats.", "Do you like milk?", "I like milk.", "Give to the farm.", "I will not."
    write_persuasion(data_dir, *(("0", text, str(n // 2), str(n % 2), "p1") for n, text in enumerate(texts * 2)))
    write_sgd(data_dir / "sgd", {"dialogues_001.json": [sgd_dialogue("1", *texts)]}, "train")
    write_multiwoz(data_dir / "multiwoz21", "val")
