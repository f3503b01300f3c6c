"""The contracts of models: a list in, a list of results out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import MindReading
from grice.models.relations.results import RelationQuestion, ResponseRelations
from grice.models.results import SlotValues
from grice.models.schema import BotSchema
from grice.models.slots.questions import SlotQuestion

Asked_contra = TypeVar("Asked_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)
Result = TypeVar("Result")


class Predicts(Protocol[Asked_contra, Result_co]):
    """Finds one result for each of the things that it is asked about."""

    def predict(self, asked: Sequence[Asked_contra], /) -> Sequence[Result_co]:
        """One result each, in order. An empty list gives an empty list."""
        ...


Model = Predicts[Dialogue, Result]
"""Reads the last turn of each dialogue in the light of the turns before it."""
MindPredictor = Predicts[RecommendationDialogue, MindReading]
"""Finds what recommender and seeker of a recommendation dialogue have in mind."""
MeaningPredictor = Predicts[MeaningQuestion, TurnMeaning]
"""Reads what a turn means, of all that a bot can understand."""
RelationPredictor = Predicts[RelationQuestion, ResponseRelations]
"""Finds how a response relates to what was said and what is known."""
SlotPredictor = Predicts[SlotQuestion, SlotValues]
"""Finds the value of a categorical slot that a turn means."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A reader of meaning that can do the slow part of a question before it is asked."""

    def read_ahead(self, dialogues: Sequence[Dialogue], menus: Sequence[BotSchema] = (), /) -> None:
        """Read last turns and menus side by side, and keep what was read for who asks soon."""
        ...


@runtime_checkable
class OffersCandidates(Protocol[Result_co]):
    """A model that can also give several results, for a caller that cannot use the first."""

    def candidates(self, dialogues: Sequence[Dialogue]) -> Sequence[Sequence[Result_co]]:
        """Results for each dialogue, the best first."""
        ...
