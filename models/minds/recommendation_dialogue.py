"""A dialogue in which one side recommends movies, or other titled things, and the other seeks one."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.dialogue import SPEAKERS, Dialogue, Speaker, check_each, check_text
from grice.models.errors import InputError
from grice.models.minds.item_names import items_in
from grice.models.minds.labels import MindRole
from grice.models.minds.questions import RoleTurn
from grice.models.minds.wording import names

MOST_ITEMS = 32


@dataclass(frozen=True)
class RecommendationDialogue:
    """A dialogue with its roles and items.

    Attributes:
        dialogue: the turns, oldest first.
        items: what attitudes are wanted to; None: what the turns name, as `item_names.items_in` finds it.
        seeker: who seeks; the other recommends.

    Raises:
        InputError: a speaker is unknown, a part is of another kind, or there are more than `MOST_ITEMS` items, one twice, or one
            that is no text.
    """

    dialogue: Dialogue
    items: tuple[str, ...] | None = None
    seeker: Speaker = "user"

    def __post_init__(self) -> None:
        if not isinstance(self.dialogue, Dialogue):
            raise InputError("dialogue", self.dialogue, "a Dialogue object")
        if self.seeker not in SPEAKERS:
            raise InputError("seeker", self.seeker, " or ".join(SPEAKERS))
        if self.items is None:
            return
        check_each(self.items, str, "items")
        object.__setattr__(self, "items", tuple(self.items))
        named = self.items
        if len(named) > MOST_ITEMS or len(set(named)) < len(named):
            raise InputError("items", f"{len(named)}, {len(set(named))} of them different", f"at most {MOST_ITEMS}, each once")
        for item in named:
            check_text(item, "item")

    def role(self, speaker: Speaker) -> MindRole:
        """What a speaker does here."""
        return "seeker" if speaker == self.seeker else "recommender"

    def turns(self) -> list[tuple[int, RoleTurn]]:
        """The turns with the place of each in the dialogue; what one side says in a row is one turn, at the place of its first."""
        merged: list[tuple[int, RoleTurn]] = []
        for place, turn in enumerate(self.dialogue.turns):
            role = self.role(turn.speaker)
            if merged and merged[-1][1].role == role:
                start, before = merged.pop()
                merged.append((start, RoleTurn(role, f"{before.text}... {turn.text}")))
            else:
                merged.append((place, RoleTurn(role, turn.text)))
        return merged

    def found_items(self) -> tuple[str, ...]:
        """`items`, or else the first `MOST_ITEMS` that the turns name; of one item, the first form."""
        if self.items is not None:
            return self.items
        found: list[str] = []
        for item in items_in([turn.text for turn in self.dialogue.turns]):
            if len(found) < MOST_ITEMS and not any(names(known, item) or names(item, known) for known in found):
                found.append(item)
        return tuple(found)
