"""The sets of labels that answers on minds are chosen from: those that the training questions have."""

from __future__ import annotations

from collections.abc import Sequence

from grice.models.minds.labels import BELIEFS, MIND_ROLES, LabelSet, coarse_of
from grice.models.minds.questions import ATTITUDE, MindQuestion, intention_head
from grice.models.minds.sentence_heads import membership
from grice.models.training.set_networks import Sets


def right_labels(question: MindQuestion) -> LabelSet:
    """The labels of the right options."""
    return question.labels_of(question.gold)


def sets_of(questions: Sequence[MindQuestion]) -> tuple[LabelSet, ...]:
    """The sets that are right for one of these questions of a head, in a fixed order; of attitudes all that there are."""
    attitudes = {frozenset({label}) for label in BELIEFS} if questions and questions[0].kind == "belief" else set()
    return tuple(sorted({right_labels(question) for question in questions} | attitudes, key=sorted))


def wanted(head: str, questions: Sequence[MindQuestion]) -> Sets:
    """What is to be found for these questions of a head, its sets those of `sets_of`."""
    sets = sets_of(questions)
    return among(head, sets, [sets.index(right_labels(question)) for question in questions])


def among(head: str, sets: Sequence[LabelSet], right: Sequence[int]) -> Sets:
    """What is to be found among the sets of a head: the places of the right ones."""
    implied = [_coarser(head, labels) for labels in sets]
    numbers = {coarse: number for number, coarse in enumerate(sorted(set(implied), key=sorted))}
    return Sets.of(membership(head, sets), [numbers[coarse] for coarse in implied], right)


def _coarser(head: str, labels: LabelSet) -> LabelSet:
    """What labels imply of a coarser question about the same thing: intentions, and whether the seeker likes a movie."""
    if head == ATTITUDE:
        return frozenset(label.rpartition("-")[2] for label in labels)
    return next((coarse_of(role, labels) for role in MIND_ROLES if head == intention_head(role)), labels)
