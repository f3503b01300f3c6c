"""What a detector of face acts finds in utterances, and which option of a question it chooses by that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.persuasion.questions import IntentionQuestion
from grice.benchmarks.stats.metrics import Array
from grice.models.data.face_acts import FaceActDialogue, FaceActUtterance
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.protocols import Model
from grice.models.results import FACE_ACTS, FaceAct, PersuasionRole
from grice.models.runtime.runtime import Runtime

SPEAKERS: Mapping[PersuasionRole, Speaker] = {"persuader": "bot", "persuadee": "user"}


@dataclass(frozen=True)
class Spoken:
    """An utterance in its dialogue, and the place of it there, 0 the first."""

    dialogue: FaceActDialogue
    place: int

    @property
    def utterance(self) -> FaceActUtterance:
        """The utterance itself."""
        return self.dialogue.utterances[self.place]


class FoundFaceAct(Protocol):
    """What a detector says of one utterance."""

    @property
    def label(self) -> FaceAct: ...

    @property
    def probabilities(self) -> Mapping[FaceAct, float]: ...


class Predictor(Protocol):
    """Whoever knows the face acts: a model, or a file of what models found."""

    @property
    def about(self) -> Mapping[str, Any]:
        """How the predictions come to be, as JSON values."""
        ...

    def labels(self, spoken: Sequence[Spoken]) -> list[FaceAct]:
        """The face act of each utterance."""
        ...

    def probabilities(self, questions: Sequence[IntentionQuestion]) -> Array:
        """Of each face act for what each question asks about: shape (questions, `FACE_ACTS`)."""
        ...


class DetectorPredictor:
    """A loaded model as a predictor. It reads the persuader as the bot and the persuadee as the user."""

    def __init__(self, detector: Model[FoundFaceAct]) -> None:
        self.detector = detector
        self.about: Mapping[str, Any] = {"weights": "shipped"}

    def labels(self, spoken: Sequence[Spoken]) -> list[FaceAct]:
        """One a utterance, in the light of all that was said before it."""
        dialogues = [_dialogue([(said.role, said.text) for said in each.dialogue.utterances[: each.place + 1]]) for each in spoken]
        return [found.label for found in predict_all(self.detector, dialogues, "persuasion grice face-acts")]

    def probabilities(self, questions: Sequence[IntentionQuestion]) -> Array:
        """Joined utterances are read as one."""
        dialogues = [_dialogue([(said.role, said.text) for said in (*each.history, each.utterance)]) for each in questions]
        found = predict_all(self.detector, dialogues, "persuasion grice multiple-choice")
        return np.array([[each.probabilities[label] for label in FACE_ACTS] for each in found], float).reshape(-1, len(FACE_ACTS))


def _dialogue(said: Sequence[tuple[PersuasionRole, str]]) -> Dialogue:
    return Dialogue(tuple(Turn(SPEAKERS[role], text) for role, text in said))


def load_predictor(detector: str, threads: int = 1) -> DetectorPredictor:
    """The shipped detector of that name, or the exported one in that folder.

    Raises:
        ModelError: it cannot be loaded.
    """
    from grice.models.face_acts.detector import load_intention_detector

    return DetectorPredictor(load_intention_detector(detector, runtime=Runtime(threads=threads)))


def chosen(questions: Sequence[IntentionQuestion], probabilities: Array) -> list[int]:
    """For each question the option whose face act is the most probable; of options with the same face act the first."""
    places = {label: place for place, label in enumerate(FACE_ACTS)}
    options = [[places[option.face_act] for option in question.options] for question in questions]
    return [int(np.argmax(row[columns])) for row, columns in zip(probabilities, options, strict=True)]
