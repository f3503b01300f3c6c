"""Fitting the small models of `grice.models.runtime.heads` with torch and scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from grice.models.runtime.heads import Forest, Networks, Slots, WordModel, halved, logit, word_values
from grice.models.training.small_networks import DescentStep, descend, moments, scale

Matrix = NDArray[np.float64]
BATCH = 64


@dataclass(frozen=True)
class NetworkRecipe:
    """How networks are fitted.

    Attributes:
        count: networks, alike but for their seed. hidden: units of each.
    """

    count: int = 5
    hidden: int = 128
    hidden_dropout: float = 0.6
    input_dropout: float = 0.4
    epochs: int = 15
    learning_rate: float = 2e-3


def fit_networks(table: NDArray[np.float32], shares: NDArray[np.floating[Any]], recipe: NetworkRecipe, seed: int) -> Networks:
    """Networks that differ by their seed, on inputs (n, inputs) and shares of yes (n, labels), NaN where a label is not known."""
    middle, spread = moments(table)
    scaled = scale(table, middle, spread)
    fitted = [
        _network(scaled, torch.from_numpy(shares.astype(np.float32)), recipe, seed + number) for number in range(recipe.count)
    ]
    hidden_weights, hidden_bias, output_weights, output_bias = (np.stack(part) for part in zip(*fitted, strict=True))
    return Networks(middle, spread, halved(hidden_weights), hidden_bias, output_weights, output_bias)


def _network(scaled: Tensor, shares: Tensor, recipe: NetworkRecipe, seed: int) -> tuple[NDArray[np.float32], ...]:
    known = ~shares.isnan()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        hidden = nn.Linear(scaled.shape[1], recipe.hidden)
        output = nn.Linear(recipe.hidden, shares.shape[1])
        output.bias.data = torch.logit(shares.nanmean(0).clamp(1e-3, 1 - 1e-3))
        model = nn.Sequential(nn.Dropout(recipe.input_dropout), hidden, nn.ReLU(), nn.Dropout(recipe.hidden_dropout), output)

        def loss(chosen: Tensor) -> Tensor:
            said, wanted = model(scaled[chosen])[known[chosen]], shares[chosen][known[chosen]]
            return nn.functional.binary_cross_entropy_with_logits(said, wanted)

        descend(model, len(scaled), recipe, loss, DescentStep(BATCH))
    return tuple(each.detach().numpy().copy() for each in (hidden.weight.T, hidden.bias, output.weight.T, output.bias))


def fit_words(slots: Sequence[Slots], size: int, labels: Matrix, strength: float) -> WordModel:
    """A model on hashed words.

    Args:
        slots: those that each of n texts takes. size: how many slots there are.
        labels: what each of m annotators says, shape (n, labels, m).
        strength: of the regularisation, scikit-learn's C.
    """
    frequency = np.bincount([place for taken in slots for place in taken], minlength=size)
    rarity = halved(np.log((1 + len(slots)) / (1 + frequency)) + 1)
    rows = np.repeat(np.arange(len(slots)), [len(taken) for taken in slots])
    columns = np.array([place for taken in slots for place in taken], np.int64)
    values = np.concatenate([word_values(taken, rarity) for taken in slots])
    kept = frequency[columns] >= 3  # a slot taken once or twice tells of one dialogue
    table = scipy.sparse.csr_matrix((values * kept, (rows, columns)), shape=(len(slots), size))
    weights, bias = _logistic(table, labels, strength)
    return WordModel(halved(weights), bias.astype(np.float32), rarity)


def _logistic(table: Any, labels: Matrix, strength: float) -> tuple[Matrix, Matrix]:
    """Weights (columns, labels) and bias. A label that nobody ever gave, or everybody always, has its share alone."""
    weights, bias = np.zeros((table.shape[1], labels.shape[1])), np.zeros(labels.shape[1])
    taken = np.flatnonzero(abs(table).sum(axis=0))  # the others get no weight anyway
    rows = scipy.sparse.vstack([table[:, taken]] * labels.shape[2])
    for column in range(labels.shape[1]):
        target = labels[:, column].T.ravel()
        if len(set(target)) < 2 or not taken.size:
            bias[column] = float(logit(np.array([target.mean()], np.float32))[0])
            continue
        model = LogisticRegression(C=strength, max_iter=1000).fit(rows, target)
        weights[taken, column], bias[column] = model.coef_[0], model.intercept_[0]
    return weights, bias


def pack(forest: ExtraTreesRegressor) -> Forest:
    """scikit-learn's trees with the children of a node side by side."""
    roots: list[int] = []
    feature: list[int] = []
    threshold: list[float] = []
    child: list[int] = []
    values: list[NDArray[np.float64]] = []
    for estimator in forest.estimators_:
        tree = estimator.tree_
        place = {0: len(feature)}
        roots.append(len(feature))
        queue = [0]
        feature.append(0)
        threshold.append(0.0)
        child.append(0)
        for node in queue:
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            at = place[node]
            if left < 0:
                feature[at], child[at] = -1, len(values)
                values.append(tree.value[node][:, 0])
                continue
            feature[at], threshold[at], child[at] = int(tree.feature[node]), float(tree.threshold[node]), len(feature)
            for other in (left, right):
                place[other] = len(feature)
                feature.append(0)
                threshold.append(0.0)
                child.append(0)
                queue.append(other)
    return Forest(
        np.array(roots, np.int32),
        np.array(feature, np.int16),
        np.array(threshold, np.float32),
        np.array(child, np.int32),
        halved(np.array(values)),
    )
