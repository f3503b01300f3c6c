"""What recommender and seeker of a recommendation dialogue may have in mind, by ids: intentions and attitudes.

Source: RecToM (Li, Shi and Deng 2026), Table 6 for the intentions, which are those of IARD (Cai and Chen 2020), and section "Belief
Reasoning" for the attitudes. The coarse intentions are the strategies that are predicted and judged, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

MindRole = Literal["recommender", "seeker"]

MIND_ROLES: tuple[MindRole, ...] = get_args(MindRole)
OTHER = "other"
"""Greetings, thanks and small talk: a coarse and a fine intention of both."""

FINE_OF: Mapping[MindRole, Mapping[str, tuple[str, ...]]] = {
    "recommender": {
        "request": ("request-preference", "clarify"),
        "respond": ("respond-to-feedback", "answer"),
        "recommend": ("show-item", "inquire-about-item"),
        "explain": ("explain-item", "explain-by-preference", "explain-suggestively"),
        OTHER: (OTHER,),
    },
    "seeker": {
        "ask-for-recommendation": ("first-query", "further-query", "restate-query", "new-query"),
        "add-details": ("give-preference", "answer", "ask-opinion"),
        "give-feedback": (
            *("seen", "like", "dislike", "ask-about-item", "criticise"),
            *("add-constraint", "no-preference", "ask-for-similar"),
        ),
        OTHER: (OTHER,),
    },
}
"""The fine intentions of each coarse one, by role."""

COARSE: Mapping[MindRole, tuple[str, ...]] = {role: tuple(FINE_OF[role]) for role in MIND_ROLES}
FINE: Mapping[MindRole, tuple[str, ...]] = {
    role: tuple(fine for each in FINE_OF[role].values() for fine in each) for role in MIND_ROLES
}
COARSE_OF: Mapping[MindRole, Mapping[str, str]] = {
    role: {fine: coarse for coarse, each in FINE_OF[role].items() for fine in each} for role in MIND_ROLES
}
"""The coarse intention of each fine one, by role."""


def coarse_of(role: MindRole, fine: Iterable[str]) -> frozenset[str]:
    """The coarse intentions that fine ones imply."""
    return frozenset(COARSE_OF[role][label] for label in fine)


@dataclass(frozen=True)
class Attitude:
    """How the seeker stands to an item, as the recommender believes.

    Attributes:
        suggested_by: who brought it up.
        seen: the seeker knows it already.
        liked: the seeker likes it or accepts the suggestion.
    """

    suggested_by: MindRole
    seen: bool
    liked: bool

    @property
    def label(self) -> str:
        """Its id, such as `recommender-unseen-liked`."""
        return f"{self.suggested_by}-{'seen' if self.seen else 'unseen'}-{'liked' if self.liked else 'disliked'}"


ATTITUDES: tuple[Attitude, ...] = (
    *(Attitude("recommender", seen, liked) for seen in (False, True) for liked in (False, True)),
    Attitude("seeker", seen=False, liked=True),
    Attitude("seeker", seen=True, liked=False),
    Attitude("seeker", seen=True, liked=True),
)
"""The seven attitudes of RecToM: that a seeker brings up an item and dislikes it unseen is not among them."""

BELIEFS: tuple[str, ...] = tuple(attitude.label for attitude in ATTITUDES)
DECISIONS = ("yes", "no")
"""Answers on desire (will the seeker watch it?) and judgement (is the strategy effective?)."""

LabelSet = frozenset[str]
SetProbabilities = Mapping[LabelSet, float]
"""How likely each set of labels is the right one; they add up to 1."""


def best(probabilities: SetProbabilities) -> LabelSet:
    """The most probable set."""
    return max(probabilities, key=lambda labels: probabilities[labels])


def best_fine(role: MindRole, probabilities: SetProbabilities) -> LabelSet:
    """The most probable set of fine intentions that implies the most probable set of coarse ones, so that the two agree."""
    coarse: dict[LabelSet, float] = {}
    for labels, value in probabilities.items():
        implied = coarse_of(role, labels)
        coarse[implied] = coarse.get(implied, 0.0) + value
    wanted = best(coarse)
    return best({labels: value for labels, value in probabilities.items() if coarse_of(role, labels) == wanted})


def probability_of(label: str, probabilities: SetProbabilities) -> float:
    """How likely a label is in the set."""
    return min(1.0, sum(value for labels, value in probabilities.items() if label in labels))


def liked(probabilities: SetProbabilities) -> float:
    """How likely the seeker likes or accepts a movie, from the probabilities of attitudes."""
    return min(1.0, sum(value for labels, value in probabilities.items() for label in labels if label.endswith("-liked")))
