"""A model that remembers its latest results, for callers that ask the same of it one after the other."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, TypeVar

from grice.models.dialogue import Dialogue
from grice.models.protocols import Model

Result = TypeVar("Result")


class Remembered(Generic[Result]):
    """Asks `model` only about dialogues that are not among the last `size` it was asked about. Safe to share between threads."""

    def __init__(self, model: Model[Result], size: int = 256) -> None:
        self.model = model
        self.size = size
        self._results: OrderedDict[Dialogue, Result] = OrderedDict()
        self._lock = threading.Lock()

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Result]:
        """One result a dialogue, in order.

        Raises:
            GriceError: the model failed; nothing is remembered of that.
        """
        with self._lock:
            known = {dialogue: self._results[dialogue] for dialogue in dialogues if dialogue in self._results}
        new = list(dict.fromkeys(dialogue for dialogue in dialogues if dialogue not in known))
        if new:
            known.update(zip(new, self.model.predict(new), strict=True))
        with self._lock:
            for dialogue in dialogues:
                self._results[dialogue] = known[dialogue]
                self._results.move_to_end(dialogue)
            while len(self._results) > self.size:
                self._results.popitem(last=False)
        return [known[dialogue] for dialogue in dialogues]
