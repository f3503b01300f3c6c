"""RecToM's questions on what recommender and seeker have in mind (Li, Shi and Deng 2026), and their answers from sets of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from grice.models.minds.labels import LabelSet, MindRole, SetProbabilities, best, best_fine, coarse_of, liked, probability_of
from grice.models.minds.results import LIKELY

QuestionKind = Literal["fine-intention", "coarse-intention", "belief", "desire", "prediction", "judgement"]
"""What a question asks for."""
Task = Literal[
    "fine-intention-recommender",
    "coarse-intention-recommender",
    "belief",
    "prediction-recommender",
    "judgement-recommender",
    "fine-intention-seeker",
    "coarse-intention-seeker",
    "desire",
    "prediction-seeker",
    "judgement-seeker",
]
"""The ten kinds of questions, in the order of the paper's Table 4."""

TASKS: tuple[Task, ...] = get_args(Task)
SEVERAL: tuple[QuestionKind, ...] = ("fine-intention", "coarse-intention", "prediction")
"""Kinds of questions that may have several right options; the others have one."""
ATTITUDE = "attitude"
"""The head for how the seeker stands to a movie."""


@dataclass(frozen=True)
class RoleTurn:
    """One turn, without white space around it."""

    role: MindRole
    text: str


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        letter: A capital, by which it is chosen.
        text: as the file words it.
        label: what it stands for, of `grice.models.minds.labels`.
    """

    letter: str
    text: str
    label: str


@dataclass(frozen=True)
class MindQuestion:
    """One question.

    Attributes:
        question_id: `DIALOGUE/POSITION/NUMBER`, unique in its task; questions at the same place are numbered from 0.
        dialogue_id: the same dialogue has the same id in all ten files.
        turns: the dialogue as far as it may be read, oldest first.
        text: the question as the file words it.
        about: what is asked about: the text of a turn (intentions), a movie (belief, desire), the id of a strategy (judgement);
            empty for predictions.
        place: of the turn asked about in `turns` (intentions), otherwise None.
        options: in the order of the file.
        gold: letters of the right options, at least one.
    """

    question_id: str
    task: Task
    dialogue_id: str
    turns: tuple[RoleTurn, ...]
    text: str
    about: str
    place: int | None
    options: tuple[Option, ...]
    gold: frozenset[str]

    @property
    def kind(self) -> QuestionKind:
        """The task without its role."""
        return kind_of(self.task)

    @property
    def role(self) -> MindRole:
        """Whose mind is asked about."""
        return role_of(self.task)

    @property
    def has_several(self) -> bool:
        """Several options may be right."""
        return self.kind in SEVERAL

    def labels_of(self, letters: frozenset[str]) -> LabelSet:
        """The labels of options."""
        return frozenset(option.label for option in self.options if option.letter in letters)

    def letters_of(self, labels: LabelSet) -> frozenset[str]:
        """The letters of the options with these labels."""
        return frozenset(option.letter for option in self.options if option.label in labels)


def kind_of(task: Task) -> QuestionKind:
    """The task without its role."""
    return next(kind for kind in get_args(QuestionKind) if task.startswith(kind))


def role_of(task: Task) -> MindRole:
    """Whose mind a task asks about: the recommender believes, the seeker desires."""
    return "recommender" if task == "belief" or task.endswith("recommender") else "seeker"


def intention_head(role: MindRole) -> str:
    """The name of the head for the fine intentions of a turn of `role`."""
    return f"intention-{role}"


def next_head(role: MindRole) -> str:
    """The name of the head for the coarse intentions of the next turn of `role`."""
    return f"next-{role}"


def head_of(question: MindQuestion) -> str:
    """The head that answers it."""
    if question.kind in ("belief", "desire"):
        return ATTITUDE
    return next_head(question.role) if question.kind in ("prediction", "judgement") else intention_head(question.role)


def answer(question: MindQuestion, probabilities: SetProbabilities) -> frozenset[str]:
    """The letters chosen, from the probabilities of its head."""
    if question.kind == "judgement":
        labels = _decision(probability_of(question.about, probabilities) > LIKELY)
    elif question.kind == "desire":
        labels = _decision(liked(probabilities) > LIKELY)
    elif question.kind == "fine-intention":
        labels = best_fine(question.role, probabilities)
    elif question.kind == "coarse-intention":
        labels = coarse_of(question.role, best_fine(question.role, probabilities))
    else:
        labels = best(probabilities)
    return question.letters_of(labels) or frozenset(option.letter for option in question.options[:1])


def _decision(yes: bool) -> LabelSet:
    return frozenset({"yes" if yes else "no"})
