"""Calling a model over many dialogues, with a progress bar."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from tqdm import tqdm

from grice.models.dialogue import Dialogue
from grice.models.protocols import Model, OffersCandidates, Predicts

Asked = TypeVar("Asked")
Result = TypeVar("Result", bound=object)

BATCH = 32


def predict_all(model: Predicts[Asked, Result], dialogues: Sequence[Asked], label: str) -> list[Result]:
    """One result a dialogue, in order. The bar shows on a terminal only."""
    results: list[Result] = []
    with tqdm(total=len(dialogues), desc=label, unit="turn", disable=None) as bar:
        for start in range(0, len(dialogues), BATCH):
            chunk = dialogues[start : start + BATCH]
            results += model.predict(chunk)
            bar.update(len(chunk))
    return results


def remembering(model: Model[Result]) -> Remembering[Dialogue, Result]:
    """A model that answers a dialogue it has seen from memory, so that two pipelines can share one run of it."""
    return RememberingCandidates(model, model) if isinstance(model, OffersCandidates) else Remembering(model)


class Remembering(Generic[Asked, Result]):
    """A model that answers what it has been asked before from memory."""

    def __init__(self, model: Predicts[Asked, Result]) -> None:
        self.model = model
        self._seen: dict[Hashable, Result] = {}

    def predict(self, dialogues: Sequence[Asked], /) -> list[Result]:
        """One result a dialogue or question, in order."""
        fresh = list(dict.fromkeys(dialogue for dialogue in dialogues if dialogue not in self._seen))
        self._seen.update(zip(fresh, self.model.predict(fresh), strict=True))
        return [self._seen[dialogue] for dialogue in dialogues]


class RememberingCandidates(Remembering[Dialogue, Result]):
    """The same for a model that also offers candidates."""

    def __init__(self, model: Model[Result], source: OffersCandidates[Result]) -> None:
        super().__init__(model)
        self._source = source
        self._offered: dict[Dialogue, Sequence[Result]] = {}

    def candidates(self, dialogues: Sequence[Dialogue]) -> list[Sequence[Result]]:
        """Several results a dialogue, in order."""
        for dialogue in dialogues:
            if dialogue not in self._offered:
                (self._offered[dialogue],) = self._source.candidates([dialogue])
        return [self._offered[dialogue] for dialogue in dialogues]
