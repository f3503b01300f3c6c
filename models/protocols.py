"""The one contract that every model, and the pipeline itself, fulfils: a list of dialogues in, a list of results out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from grice.models.dialogue import Dialogue

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
