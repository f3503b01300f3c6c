"""What a step is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from grice.models.dialogue import Dialogue
from grice.models.meaning.inputs import TurnPieces
from grice.models.meaning.menu import Menu
from grice.models.training.meaning.samples import Target

Pieces = tuple[int, ...]
TurnStep = tuple[Dialogue, TurnPieces, Target]
ReadTexts = Callable[[Sequence[Pieces]], Tensor]


@dataclass(frozen=True)
class Step:
    """A menu and turns as pieces.

    Attributes:
        texts: pieces of the words of each of the menu's options. kinds, owners: as `OptionVectors` has them.
        turns: with what they mean, the shortest first.
        plain, misread: of each turn, as `Target` has them; () where that is not known.
    """

    menu: Menu
    texts: tuple[tuple[Pieces, ...], ...]
    kinds: tuple[int, ...]
    owners: tuple[int, ...]
    turns: tuple[TurnStep, ...]
    plain: tuple[Pieces, ...]
    misread: tuple[Pieces, ...]


