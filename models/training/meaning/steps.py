"""What the reader of meaning learns from at once: a menu with its turns, as pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from grice.models.dialogue import Dialogue
from grice.models.meaning.inputs import MeaningTokens, TurnPieces
from grice.models.meaning.menu import Menu, kinds_of, owners_of
from grice.models.training.meaning.samples import MenuTurns, Target

TURNS_AT_ONCE = 16

Words = tuple[int, ...]
TurnStep = tuple[Dialogue, TurnPieces, Target]
ReadTexts = Callable[[Sequence[Words]], Tensor]


@dataclass(frozen=True)
class Step:
    """A menu and turns as pieces.

    Attributes:
        texts: pieces of the words of each of the menu's options. kinds, owners: as `OptionVectors` has them.
        turns: with what they mean, the shortest first.
        plain, misread: of each turn, as `Target` has them; () where that is not known.
    """

    menu: Menu
    texts: tuple[tuple[Words, ...], ...]
    kinds: tuple[int, ...]
    owners: tuple[int, ...]
    turns: tuple[TurnStep, ...]
    plain: tuple[Words, ...]
    misread: tuple[Words, ...]


def step_of(menu_turns: MenuTurns, tokens: MeaningTokens) -> Step:
    """A menu with its turns, as pieces."""
    menu = Menu.of(menu_turns.schema)
    options = menu.options
    turns = [(dialogue, tokens.read_turn(dialogue), target) for dialogue, target in menu_turns.turns]
    turns.sort(key=lambda turn: len(turn[1].ids))
    texts = tuple(tuple(tokens.read_options(option.texts)) for option in options)
    plain, misread = (
        tuple(tokens.read_options([text])[0] if text else () for text in each)
        for each in ([target.plain for _, _, target in turns], [target.misread for _, _, target in turns])
    )
    return Step(menu, texts, tuple(kinds_of(options)), tuple(owners_of(options)), tuple(turns), plain, misread)
