"""Training examples of an NLU, and the variants that are made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grice.middleware.schemas.rasa.annotation import Entity
from grice.models.dialogue import Turn
from grice.models.errors import InputError


@dataclass(frozen=True)
class Example:
    """A text that a user may say, and what an NLU shall understand.

    Attributes:
        text: plain, without annotations.
        entities: several may share a span.
        history: the turns before it, oldest first, where they are known.

    Raises:
        InputError: an entity's span is empty or reaches beyond the text.
    """

    text: str
    intent: str
    entities: tuple[Entity, ...] = ()
    history: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        for entity in self.entities:
            if not 0 <= entity.start < entity.end <= len(self.text):
                raise InputError(
                    f"entity {entity.entity} of {self.text!r}", (entity.start, entity.end), f"a span within 0 to {len(self.text)}"
                )


@dataclass(frozen=True)
class Variant:
    """An example in indirect form.

    Attributes:
        source: the example that it was made of. place: which of the given examples that is, from 0.
        entities: those of the example that it still has, at their new places and in their order.
        confidence: of the rewriter, 0 to 1; of a borrowed turn, how near it is.
        borrowed: whether it is a turn of another bot's user.
        way_back: how well a rewriter into direct form expects the example after it: mean probability of a token, 0 to 1; None
            where that was not measured.
    """

    source: Example
    place: int
    text: str
    entities: tuple[Entity, ...]
    confidence: float
    way_back: float | None = None
    borrowed: bool = False

    @property
    def intent(self) -> str:
        """That of the example."""
        return self.source.intent

    @property
    def as_example(self) -> Example:
        """The variant as a training example of its own."""
        return replace(self.source, text=self.text, entities=self.entities)


def letters(text: str) -> str:
    """What makes two texts the same: letters and digits, without case."""
    return "".join(filter(str.isalnum, text.casefold()))
