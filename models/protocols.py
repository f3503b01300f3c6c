"""The contracts of models: a list in, a list of results out. All but the slot resolver, and the pipeline itself, read dialogues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from grice.models.dialogue import Dialogue
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import MindReading
from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion

Result_co = TypeVar("Result_co", covariant=True)


class Model(Protocol[Result_co]):
    """Reads the last turn of each dialogue in the light of the turns before it."""

    def predict(self, dialogues: Sequence[Dialogue]) -> Sequence[Result_co]:
        """One result a dialogue, in order. An empty list gives an empty list."""
        ...


@runtime_checkable
class OffersCandidates(Protocol[Result_co]):
    """A model that can also give several results, for a caller that cannot use the first."""

    def candidates(self, dialogues: Sequence[Dialogue]) -> Sequence[Sequence[Result_co]]:
        """Results for each dialogue, the best first."""
        ...


class MindReader(Protocol):
    """Finds what recommender and seeker of a recommendation dialogue have in mind."""

    def predict(self, dialogues: Sequence[RecommendationDialogue]) -> Sequence[MindReading]:
        """One result a dialogue, in order. An empty list gives an empty list."""
        ...


class SlotResolver(Protocol):
    """Finds the value of a categorical slot that a turn means."""

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        """One result a question, in order. An empty list gives an empty list."""
        ...
