"""The DIRECT paper's plain baseline for directness: linear regression over word counts, without history (section 4.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from grice.benchmarks.core.options import Options
from grice.benchmarks.direct.held_out import text_of
from grice.benchmarks.stats.cross_validation import cross_validate
from grice.benchmarks.stats.metrics import Array
from grice.models.data import direct
from grice.models.data.direct import Triple

TARGETS = {"direct": 1.0, "original": 0.5, "indirect": 0.0}
"""Gold scores of the pointwise setting, highest first."""
FOLDS = 5


class BagOfWords:
    """Scores a turn by its words alone."""

    def __init__(self) -> None:
        self._model = make_pipeline(CountVectorizer(), LinearRegression())

    def fit(self, rows: Sequence[Triple]) -> BagOfWords:
        """Learn from the three wordings of each row."""
        texts = [text_of(row, form) for row in rows for form in TARGETS]
        self._model.fit(texts, list(TARGETS.values()) * len(rows))
        return self

    def score(self, rows: Sequence[Triple]) -> Array:
        """Scores of the wordings of each row, shape (rows, 3) in the order of `TARGETS`; about 0 to 1, not bounded."""
        texts = [text_of(row, form) for row in rows for form in TARGETS]
        return np.asarray(self._model.predict(texts), float).reshape(-1, len(TARGETS))


def held_out_scores(options: Options, rows: Sequence[Triple]) -> Array:
    """Scores of `rows` by models that have seen none of their dialogues, shape (rows, 3).

    Our own split has a train part for it. With `all` each fifth of the dialogues is scored by a model of the others.
    """
    if options.split == "ours":
        return BagOfWords().fit(direct.read(options.data_dir, parts=["train"])).score(rows)
    scores = cross_validate(rows, [_fold(row.dialogue_id) for row in rows], _predict)
    return np.array(scores, float).reshape(-1, len(TARGETS))


def _predict(seen: Sequence[Triple], unseen: Sequence[Triple]) -> list[list[float]]:
    """Where there is nothing to learn from, the mean score for every wording."""
    if not seen:
        return [[sum(TARGETS.values()) / len(TARGETS)] * len(TARGETS)] * len(unseen)
    found: list[list[float]] = BagOfWords().fit(seen).score(unseen).tolist()
    return found


def _fold(dialogue_id: str) -> int:
    return int(hashlib.sha256(f"fold:{dialogue_id}".encode()).hexdigest(), 16) % FOLDS
