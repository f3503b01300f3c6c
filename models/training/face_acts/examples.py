"""Persuasion For Good's dialogues as the detector of face acts reads them, with what it learns of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grice.models.data import face_acts, persuasion_acts
from grice.models.data.persuasion_acts import Unit
from grice.models.face_acts.inputs import FaceInputs, read_inputs
from grice.models.results import FACE_ACTS
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.training.face_acts.written import WrittenPersuasion, read_persuasion
from grice.models.training.recurrent_networks import UNKNOWN

WRITTEN = Path(__file__).parent / "dialogues.jsonl"


@dataclass(frozen=True)
class FaceExample:
    """A dialogue.

    Attributes:
        labels: the places of its face acts in `FACE_ACTS`, shape (turns,).
        acts: the dialogue act of each turn as a number, `UNKNOWN` where there is none; shape (turns,).
        agrees: the persuadee gives something in the end.
    """

    dialogue_id: str
    inputs: FaceInputs
    labels: NDArray[np.int64]
    acts: NDArray[np.int64]
    agrees: bool


def read_examples(data_dir: Path, encoder: SentenceEncoder) -> list[FaceExample]:
    """All dialogues that have face acts.

    Raises:
        DataError: the data cannot be read.
    """
    dialogues = face_acts.read(data_dir)
    units = persuasion_acts.joined(dialogues, persuasion_acts.read(data_dir))
    names = {name: place for place, name in enumerate(sorted({_act(unit) for said in units.values() for unit in said if unit}))}
    return [
        FaceExample(
            dialogue.dialogue_id,
            read_inputs(encoder, [(each.role, each.text) for each in dialogue.utterances]),
            np.array([FACE_ACTS.index(each.face_act) for each in dialogue.utterances]),
            _acts(units[dialogue.dialogue_id], names),
            dialogue.donates,
        )
        for dialogue in tqdm(dialogues, desc="reading", mininterval=5)
    ]


def written_examples(encoder: SentenceEncoder) -> list[FaceExample]:
    """Stretches of such dialogues that we wrote, rich in rare acts: `utterances` of a line are [role, text, face act]."""
    found = []
    for number, line in enumerate(WRITTEN.read_text(encoding="utf-8").splitlines()):
        said = json.loads(line)["utterances"]
        inputs = read_inputs(encoder, [(role, text) for role, text, _ in said])
        labels = np.array([FACE_ACTS.index(label) for _, _, label in said])
        found.append(FaceExample(f"ours-{number}", inputs, labels, np.full(len(said), UNKNOWN), agrees=False))
    return found


def other_examples(encoder: SentenceEncoder, names: Sequence[str] = ()) -> dict[str, list[FaceExample]]:
    """The written dialogues with other goals than a gift to a charity, by hand; of the hands `names` where some are given.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    return {hand: [_of_written(each, encoder) for each in found] for hand, found in read_persuasion(names=names).items()}


def _of_written(dialogue: WrittenPersuasion, encoder: SentenceEncoder) -> FaceExample:
    said = dialogue.utterances
    return FaceExample(
        f"{dialogue.hand} {dialogue.goal}",
        read_inputs(encoder, [(each.role, each.text) for each in said]),
        np.array([FACE_ACTS.index(each.face_act) for each in said]),
        np.full(len(said), UNKNOWN),
        dialogue.end in ("yes", "partly"),
    )


def _acts(units: Sequence[Unit | None], names: dict[str, int]) -> NDArray[np.int64]:
    return np.array([UNKNOWN if unit is None else names[_act(unit)] for unit in units])


def _act(unit: Unit) -> str:
    return f"{unit.role} {unit.act}"
