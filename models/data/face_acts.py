"""Face acts in Persuasion For Good, with the authors' own predictions (Dutt, Joshi and Rosé 2020).

File: `Persuasion Face Act Prediction.xlsx`, one row an utterance, a dialogue's rows together and in order: conversation_id (a
number), speaker (0 the persuader, 1 the persuadee), utterance, predicted_face (the authors' model), true_face, actual_donation (0
or 1, the same in all rows of a dialogue: whether the persuadee gives) and donation_prob (their model's, after each utterance).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grice.models.data.files import existing, number_rows, parse_each, together
from grice.models.data.persuasion_for_good import role_of
from grice.models.data.xlsx import read_rows
from grice.models.dialogue import check_text, plain_text
from grice.models.errors import DataCorrupt
from grice.models.results import FACE_ACTS, FaceAct, PersuasionRole

FOLDER = "face_acts"
FILE = "Persuasion Face Act Prediction.xlsx"
COLUMNS = ("conversation_id", "speaker", "utterance", "predicted_face", "true_face", "actual_donation", "donation_prob")

_FACE_ACTS: Mapping[str, FaceAct] = {label: label for label in FACE_ACTS}
_DONATES = {"0": False, "1": True}


@dataclass(frozen=True)
class FaceActUtterance:
    """One utterance.

    Attributes:
        text: with single spaces.
        face_act: the annotators' label.
        predicted: that of the authors' model.
        donation_probability: of the authors' model, after this utterance, 0 to 1.
    """

    role: PersuasionRole
    text: str
    face_act: FaceAct
    predicted: FaceAct
    donation_probability: float


@dataclass(frozen=True)
class FaceActDialogue:
    """A dialogue. One speaker may have several utterances in a row.

    Attributes:
        dialogue_id: the number in the file.
        donates: the persuadee gives something in the end.
    """

    dialogue_id: str
    utterances: tuple[FaceActUtterance, ...]
    donates: bool


def read(data_dir: Path) -> list[FaceActDialogue]:
    """The dialogues in `face_acts/`, in file order.

    Raises:
        DataNotFound: the file is missing.
        DataCorrupt: it is damaged, a value is unknown, or the rows of a dialogue are not together; says where.
    """
    path = existing(data_dir / FOLDER, FILE)
    rows = parse_each("face acts", path, number_rows("row", read_rows(path, COLUMNS), 2), _said)
    dialogues = []
    for key, own in together(path, rows, lambda row: row[0]).items():
        if len({donates for _, donates, _ in own}) > 1:
            raise DataCorrupt(f"{path}: actual_donation differs within dialogue {key}; fetch it again")
        dialogues.append(FaceActDialogue(key, tuple(utterance for _, _, utterance in own), own[0][1]))
    return dialogues


def _said(row: Mapping[str, str]) -> tuple[str, bool, FaceActUtterance]:
    return row["conversation_id"], _DONATES[row["actual_donation"]], _utterance(row)


def _utterance(row: Mapping[str, str]) -> FaceActUtterance:
    probability = float(row["donation_prob"])
    if not 0 <= probability <= 1:
        raise ValueError(f"donation_prob is {probability}, not 0 to 1")
    return FaceActUtterance(
        role_of(row["speaker"]),
        plain_text(check_text(row["utterance"], "utterance")),
        _FACE_ACTS[row["true_face"]],
        _FACE_ACTS[row["predicted_face"]],
        probability,
    )
