"""What a persuader wants: giving to a charity, which one set of heads learned from, or anything else, which another did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from grice.models.dialogue import Dialogue, check_text
from grice.models.errors import WeightsError
from grice.models.runtime.heads import Floats, load_arrays, save_arrays

GoalKind = Literal["charity", "other"]
GOAL_KINDS: tuple[GoalKind, ...] = get_args(GoalKind)

_CHARITY = re.compile(r"\b(?:donat\w*|charit\w*|save the children)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PersuasionQuestion:
    """A dialogue in which somebody wants something.

    Attributes:
        goal: What the persuader wants, in a few words; empty: a gift to a charity.

    Raises:
        InputError: the goal is no text that can be read.
    """

    dialogue: Dialogue
    goal: str = ""

    def __post_init__(self) -> None:
        if self.goal:
            check_text(self.goal)

    @property
    def kind(self) -> GoalKind:
        """Of which kind the goal is."""
        return "charity" if not self.goal or _CHARITY.search(self.goal) else "other"


@dataclass(frozen=True)
class KnownGoals:
    """Goals that were learned from.

    Attributes:
        vectors: of the middles of like ones, of unit length, shape (goals, width). near: the cosine from which on one is near.
    """

    vectors: Floats
    near: Floats

    def is_far(self, vector: Floats) -> bool:
        """Whether a goal, by its vector (width,), is unlike all of them."""
        return bool((self.vectors @ vector).max() < self.near[0])

    def save(self, path: Path) -> None:
        """Write both into one file."""
        save_arrays(path, vars(self), ("vectors",))

    @classmethod
    def load(cls, path: Path) -> KnownGoals:
        """The goals that `save` wrote.

        Raises:
            WeightsError: the file is not such a file.
        """
        try:
            found = cls(**load_arrays(path, {}))
        except TypeError as error:
            raise WeightsError(f"{path}: not the goals of an intention detector ({error}); train it again") from error
        if found.vectors.ndim != 2 or found.near.shape != (1,) or not np.isfinite(found.vectors).all():
            raise WeightsError(f"{path}: goals of shape {found.vectors.shape}, expected (goals, width); train it again")
        return found
