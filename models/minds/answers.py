"""Answers to RecToM's questions from the probabilities of sets of labels: the most probable set, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping

from grice.models.data.rectom import MindQuestion
from grice.models.minds.attitude_inputs import attitude_inputs
from grice.models.minds.heads import ATTITUDE, Labels, intention_head, next_head
from grice.models.minds.inputs import MindInputs, intention_inputs, next_inputs
from grice.models.minds.labels import Role, coarse_of
from grice.models.minds.results import LIKELY
from grice.models.sentence_encoder.encoder import SentenceEncoder

Probabilities = Mapping[Labels, float]


def head_of(question: MindQuestion) -> str:
    """The head that answers it."""
    if question.kind in ("belief", "desire"):
        return ATTITUDE
    return next_head(question.role) if question.kind in ("prediction", "judgement") else intention_head(question.role)


def inputs_of(encoder: SentenceEncoder, question: MindQuestion) -> MindInputs:
    """What is read for it; the same for all questions of a head at a place about the same thing."""
    if question.place is not None:
        return intention_inputs(encoder, question.turns, question.place)
    if head_of(question) == ATTITUDE:
        return attitude_inputs(encoder, question.turns, question.about)
    return next_inputs(encoder, question.turns, question.role)


def answer(question: MindQuestion, probabilities: Probabilities) -> frozenset[str]:
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


def best(probabilities: Probabilities) -> Labels:
    """The most probable set."""
    return max(probabilities, key=lambda labels: probabilities[labels])


def best_fine(role: Role, probabilities: Probabilities) -> Labels:
    """The most probable set of fine intentions that implies the most probable set of coarse ones, so that the two agree."""
    coarse: dict[Labels, float] = {}
    for labels, value in probabilities.items():
        implied = coarse_of(role, labels)
        coarse[implied] = coarse.get(implied, 0.0) + value
    wanted = best(coarse)
    return best({labels: value for labels, value in probabilities.items() if coarse_of(role, labels) == wanted})


def probability_of(label: str, probabilities: Probabilities) -> float:
    """How likely a label is in the set."""
    return min(1.0, sum(value for labels, value in probabilities.items() if label in labels))


def liked(probabilities: Probabilities) -> float:
    """How likely the seeker likes or accepts a movie, from the probabilities of attitudes."""
    return min(1.0, sum(value for labels, value in probabilities.items() for label in labels if label.endswith("-liked")))


def _decision(yes: bool) -> Labels:
    return frozenset({"yes" if yes else "no"})
