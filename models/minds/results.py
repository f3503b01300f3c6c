"""What the mind model finds in a recommendation dialogue: frozen, with probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grice.models.errors import InputError
from grice.models.minds.labels import ATTITUDES, COARSE, FINE, Attitude, MindRole, coarse_of

LIKELY = 0.5
"""Above this probability a strategy is judged effective, and an item likely to be watched."""


@dataclass(frozen=True)
class TurnIntentions:
    """What one turn wants.

    Attributes:
        place: of the turn in the dialogue, 0 the oldest; the first of those that one side said in a row.
        role: whose turn it is.
        fine: the set of fine intentions, in the order of `mind_labels.FINE`.
        probabilities: how likely each fine intention is among them, 0 to 1.

    Raises:
        InputError: a label is not one of the role's, or there is none.
    """

    place: int
    role: MindRole
    fine: tuple[str, ...]
    probabilities: Mapping[str, float]

    def __post_init__(self) -> None:
        if not self.fine or not set(self.fine) <= set(FINE[self.role]):
            raise InputError(
                f"fine intentions of the {self.role}", list(self.fine), f"at least one of {', '.join(FINE[self.role])}"
            )

    @property
    def coarse(self) -> tuple[str, ...]:
        """The coarse intentions: those that the fine ones imply, so the two always agree."""
        implied = coarse_of(self.role, self.fine)
        return tuple(label for label in COARSE[self.role] if label in implied)


@dataclass(frozen=True)
class ItemAttitude:
    """How the seeker stands to an item.

    Attributes:
        item: as the caller or the dialogue names it.
        place: of the seeker's turn that shows it, as in `TurnIntentions`.
        attitude: the most probable one. probabilities: of each of `mind_labels.BELIEFS`, adding up to 1.
    """

    item: str
    place: int
    attitude: Attitude
    probabilities: Mapping[str, float]

    @property
    def seen(self) -> float:
        """How likely the seeker knows it already, 0 to 1."""
        return self._share(lambda attitude: attitude.seen)

    @property
    def liked(self) -> float:
        """How likely the seeker likes it or accepts the suggestion, 0 to 1; in RecToM, that is to be likely to watch it."""
        return self._share(lambda attitude: attitude.liked)

    @property
    def likely_to_watch(self) -> bool:
        """Whether the seeker is rather likely to watch it."""
        return self.liked > LIKELY

    def _share(self, has: Callable[[Attitude], bool]) -> float:
        return min(1.0, sum(self.probabilities.get(attitude.label, 0.0) for attitude in ATTITUDES if has(attitude)))


@dataclass(frozen=True)
class NextStrategies:
    """What comes next.

    Attributes:
        role: whose turn is next.
        labels: the most probable set of coarse intentions of that turn.
        probabilities: how likely each coarse intention is among them, 0 to 1.
    """

    role: MindRole
    labels: tuple[str, ...]
    probabilities: Mapping[str, float]

    def effective(self, strategy: str) -> bool:
        """Whether a planned strategy is likely to work: RecToM counts one as effective that people then used.

        Raises:
            InputError: it is none of the role's strategies.
        """
        if strategy not in COARSE[self.role]:
            raise InputError(f"strategy of the {self.role}", strategy, ", ".join(COARSE[self.role]))
        return self.probabilities[strategy] > LIKELY


@dataclass(frozen=True)
class MindReading:
    """All of it.

    Attributes:
        turns: of both roles, oldest first.
        items: those that the seeker has had a turn to react to.
        next: what follows.
        history_read: turns of the dialogue before the last that the model read.
        history_cut: older turns that were left out.
    """

    turns: tuple[TurnIntentions, ...]
    items: tuple[ItemAttitude, ...]
    next: NextStrategies
    history_read: int = 0
    history_cut: int = 0
