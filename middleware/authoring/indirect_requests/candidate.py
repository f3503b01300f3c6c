"""Requests that may come to say a value indirectly, and who writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from grice.middleware.authoring.indirect_requests.request_slot import RequestSlot
from grice.models.data.indirect_requests import Strategy

Way = Literal["template", "rewriter", "llm"]


@dataclass(frozen=True)
class Candidate:
    """A request that someone wrote to mean one value of a slot.

    Attributes:
        asked: the slot.
        target: the value that it was written for.
        way: how it was made: by a template of ours, by our rewriter, or by a large language model.
        strategy: how it says the value indirectly, where its writer knows; None: that is to be found out.
        fact: what it was made of: a fact about the value, a template, or a direct request.
        model: the name of the language model; None without one.
    """

    asked: RequestSlot
    target: str
    utterance: str
    way: Way
    strategy: Strategy | None = None
    fact: str | None = None
    model: str | None = None

    @property
    def slot(self) -> str:
        """The name of the slot."""
        return self.asked.name

    @property
    def situation(self) -> str:
        """That of the slot."""
        return self.asked.situation

    @property
    def slot_description(self) -> str:
        """That of the slot."""
        return self.asked.description

    @property
    def values(self) -> tuple[str, ...]:
        """Those of the slot."""
        return self.asked.values

    @property
    def phrasings(self) -> tuple[str, ...]:
        """Those of the slot."""
        return self.asked.phrasings


class Writer(Protocol):
    """Finds facts about a value and requests that mean it: stages two and three of the paper's pipeline."""

    def write(self, slot: RequestSlot, value: str) -> Sequence[Candidate]:
        """Candidates for `value`, one of the slot's, which may be good or bad.

        Raises:
            GriceError: a part that writes them failed.
        """
        ...
