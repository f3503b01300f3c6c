"""Requests that say a value indirectly, who writes them, and the three criteria by which they are judged.

The criteria are those of Mannekote et al. 2024, section 3:

- Appropriateness: the request fits the situation. 1 (out of place) to 10.
- Unambiguity: the request means one of the possible values and no other. Here: which values it may mean.
- World understanding: how likely an average six-year-old is to see which value is meant. 1 (surely not) to 10 (surely). The paper
  asks its annotators and its models so (section 4.2, appendix B.2), and says elsewhere that more knowledge is a higher score; we
  keep to the question, on its scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from grice.middleware.authoring.indirect_requests.request_slot import BOOLEAN, RequestSlot, lower_first
from grice.models.data.indirect_requests import AMBIGUOUS, Strategy
from grice.models.dialogue import Dialogue
from grice.models.errors import GriceError
from grice.models.slots.inputs import words
from grice.models.slots.questions import SlotQuestion


class Request(Protocol):
    """A request with what it was said about: an `IndirectRequest`, or a `Candidate`."""

    @property
    def utterance(self) -> str:
        """What the user says."""
        ...

    @property
    def situation(self) -> str:
        """What the user wants to do."""
        ...

    @property
    def slot(self) -> str | None:
        """The slot's name, where it is known."""
        ...

    @property
    def slot_description(self) -> str:
        """What the slot is."""
        ...

    @property
    def values(self) -> tuple[str, ...]:
        """The possible values."""
        ...

    @property
    def phrasings(self) -> tuple[str, ...]:
        """The values as a person would say them; as many, or none."""
        ...

    @property
    def target(self) -> str:
        """The value that is meant, or `AMBIGUOUS`."""
        ...


class Criteria(Protocol):
    """Judges requests. One result a request, in order; an error stands in the place of what could not be judged."""

    name: str
    """Who judges: `local`, or the name of a language model."""

    def appropriateness(self, requests: Sequence[Request]) -> Sequence[float | GriceError]:
        """1 to 10. Does not look at `target`."""
        ...

    def implied(self, requests: Sequence[Request]) -> Sequence[tuple[str, ...] | GriceError]:
        """The values that each may mean: one if it is unambiguous; none, or several. Does not look at `target`."""
        ...

    def world_understanding(self, requests: Sequence[Request]) -> Sequence[float | GriceError]:
        """1 to 10: how surely a six-year-old sees that `target` is meant."""
        ...


def unambiguous_value(implied: Sequence[str]) -> str:
    """The one value that is implied, or `AMBIGUOUS`: the N + 1 classes of the paper's section 5."""
    return implied[0] if len(implied) == 1 else AMBIGUOUS


def question_of(request: Request) -> SlotQuestion:
    """What a resolver is asked about a request."""
    dialogue = Dialogue.of(request.utterance)
    return SlotQuestion(dialogue, request.slot or request.slot_description, request.slot_description, request.values)


def phrased(request: Request, value: str) -> str:
    """`value` as a person would say it."""
    return dict(zip(request.values, request.phrasings, strict=False)).get(value, value)


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


def direct_request(request: Request) -> str:
    """What a user says who wants `request.target`, which must not be ambiguous, and says so."""
    if request.target in BOOLEAN:
        return f"I want to be sure that {phrased(request, request.target)}."
    return direct_sentence(words(request.slot) if request.slot else lower_first(request.slot_description), request.target)


def direct_sentence(slot: str, value: str) -> str:
    """A direct request for a value of a slot, both in words."""
    return f"The {slot} should be {value}, please."
