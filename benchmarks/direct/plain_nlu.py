"""A plain NLU: TF-IDF of words and word pairs, one logistic regression a domain-act-slot label.

Its hyper-parameters were chosen by cross-validation on MultiWOZ's val dialogues alone, never on a turn of DIRECT:

    python -m grice.benchmarks.direct.plain_nlu --data-dir DIR

From C = 1000 on the score stands still (77.96, and 77.99 at 3000), so the smaller one is taken.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer

from grice.benchmarks.stats.cross_validation import cross_validate
from grice.benchmarks.stats.metrics import micro_f1
from grice.models.data import multiwoz

ActLabels = frozenset[str]


@dataclass(frozen=True)
class Hyperparameters:
    """`strength` is scikit-learn's C (inverse regularisation); `sublinear` dampens repeated words."""

    strength: float = 1000.0
    sublinear: bool = True
    smallest_count: int = 2


GRID = tuple(
    Hyperparameters(*values) for values in itertools.product((3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0), (False, True), (1, 2))
)


class PlainNlu:
    """Predicts the domain-act-slot labels of a turn from its words alone."""

    def __init__(self, chosen: Hyperparameters | None = None) -> None:
        chosen = chosen or Hyperparameters()
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=chosen.smallest_count, sublinear_tf=chosen.sublinear)
        regression = LogisticRegression(C=chosen.strength, solver="liblinear", random_state=0)
        self._labels = MultiLabelBinarizer()
        self._model = make_pipeline(words, OneVsRestClassifier(regression))

    def fit(self, texts: Sequence[str], labels: Sequence[ActLabels]) -> PlainNlu:
        """Learn from turns and their labels. Turns without a label count: they are to get none."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Label not .* is present in all training examples")
            self._model.fit(texts, self._labels.fit_transform(labels))
        return self

    def predict(self, texts: Sequence[str]) -> list[ActLabels]:
        """The labels of each turn, an empty set where none is likelier than not."""
        if not texts:
            return []
        found = np.reshape(self._model.predict(texts), (len(texts), -1))  # scikit-learn drops the axis of a single label
        return [frozenset(labels) for labels in self._labels.inverse_transform(found)]


def user_turns(data_dir: Path) -> tuple[list[str], list[ActLabels], list[str]]:
    """Text, labels and dialogue of every user turn of MultiWOZ val.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    rows = [
        (said.turn.text, said.labels, key)
        for key, turns in multiwoz.read(data_dir / "multiwoz21", "val").items()
        for said in turns
        if said.turn.speaker == "user"
    ]
    return [text for text, _, _ in rows], [labels for _, labels, _ in rows], [key for _, _, key in rows]


def held_out_f1(
    texts: Sequence[str], labels: Sequence[ActLabels], groups: Sequence[str], chosen: Hyperparameters, folds: int
) -> float:
    """Micro-F1, in percent, of out-of-fold predictions; folds by dialogue."""

    def predict(seen: Sequence[tuple[str, ActLabels]], unseen: Sequence[tuple[str, ActLabels]]) -> list[ActLabels]:
        model = PlainNlu(chosen).fit([text for text, _ in seen], [given for _, given in seen])
        return model.predict([text for text, _ in unseen])

    places = np.zeros(len(texts), int)
    for number, (_, test) in enumerate(GroupKFold(folds).split(texts, groups=groups)):
        places[test] = number
    predicted = cross_validate(list(zip(texts, labels, strict=True)), places.tolist(), predict)
    return micro_f1(labels, predicted, 100).value


def main() -> None:
    """Print the cross-validated micro-F1 of every point of the grid, the best last."""
    parser = argparse.ArgumentParser(description="Choose the plain NLU's hyper-parameters on MultiWOZ val.")
    parser.add_argument("--data-dir", type=Path, required=True)
    rows = user_turns(parser.parse_args().data_dir)
    for score, chosen in sorted(((held_out_f1(*rows, chosen, 5), chosen) for chosen in GRID), key=lambda pair: pair[0]):
        print(f"{score:.2f} {asdict(chosen)}")


if __name__ == "__main__":
    main()
