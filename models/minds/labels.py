"""What recommender and seeker of a recommendation dialogue may have in mind, by ids: intentions and attitudes.

Source: RecToM (Li, Shi and Deng 2026), Table 6 for the intentions, which are those of IARD (Cai and Chen 2020), and section "Belief
Reasoning" for the attitudes. The coarse intentions are the strategies that are predicted and judged, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["recommender", "seeker"]

ROLES: tuple[Role, ...] = get_args(Role)
OTHER = "other"
"""Greetings, thanks and small talk: a coarse and a fine intention of both."""

FINE_OF: Mapping[Role, Mapping[str, tuple[str, ...]]] = {
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

COARSE: Mapping[Role, tuple[str, ...]] = {role: tuple(FINE_OF[role]) for role in ROLES}
FINE: Mapping[Role, tuple[str, ...]] = {role: tuple(fine for each in FINE_OF[role].values() for fine in each) for role in ROLES}
COARSE_OF: Mapping[Role, Mapping[str, str]] = {
    role: {fine: coarse for coarse, each in FINE_OF[role].items() for fine in each} for role in ROLES
}
"""The coarse intention of each fine one, by role."""


def coarse_of(role: Role, fine: Iterable[str]) -> frozenset[str]:
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

    suggested_by: Role
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
