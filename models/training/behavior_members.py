"""The three members of the behaviour monitor's heads, fitted with scikit-learn and packed for numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression

from grice.models.behavior_heads import BehaviorHeads, Forest, linear_inputs, logit, word_values
from grice.models.behavior_inputs import SLOTS, BehaviorInputs
from grice.models.results import BEHAVIORS

Matrix = NDArray[np.float64]
WORD_SLOTS = SLOTS + SLOTS // 4


@dataclass(frozen=True)
class BehaviorRecipe:
    """The shipped heads.

    Attributes:
        strength: of the linear model's regularisation, scikit-learn's C. word_strength: of the one on words.
        trees, leaf, inputs_a_split: of the forest.
        axes: principal axes of the response's vectors, of the last turn's, of their product.
        folds: of the outer cross-validation. inner_folds: of the one that calibrates.
    """

    strength: float = 5e-4
    word_strength: float = 1.0
    trees: int = 200
    leaf: int = 3
    inputs_a_split: float = 0.3
    axes: tuple[int, int, int] = (40, 30, 20)
    folds: int = 10
    inner_folds: int = 5
    seed: int = 0


@dataclass(frozen=True)
class Examples:
    """Responses that were read.

    Attributes:
        dialogues: the dialogue of each, length n.
        inputs: what was read, length n.
        labels: what both annotators say, shape (n, behaviours, 2).
    """

    dialogues: Sequence[str]
    inputs: Sequence[BehaviorInputs]
    labels: Matrix

    def at(self, places: Iterable[int]) -> Examples:
        """Some of them."""
        chosen = list(places)
        return Examples([self.dialogues[at] for at in chosen], [self.inputs[at] for at in chosen], self.labels[chosen])


def fit_members(examples: Examples, recipe: BehaviorRecipe) -> BehaviorHeads:
    """The three members, not calibrated. Each response counts once for each annotator; the forest learns their mean."""
    vectors = [
        np.stack(columns) for columns in zip(*((i.response, i.last, i.response * i.last) for i in examples.inputs), strict=True)
    ]
    axes = [
        PCA(min(size, len(table)), random_state=recipe.seed).fit(table).components_.T.astype(np.float32)
        for size, table in zip(recipe.axes, vectors, strict=True)
    ]
    weights, bias = _linear(np.stack([linear_inputs(each) for each in examples.inputs]), examples.labels, recipe.strength)
    word_weights, word_bias, rarity = _words(examples, recipe.word_strength)
    nine = len(BEHAVIORS)
    heads = BehaviorHeads(
        weights,
        bias,
        axes[0],
        axes[1],
        axes[2],
        _no_trees(nine),
        word_weights,
        word_bias,
        rarity,
        np.ones(nine, np.float32),
        np.zeros(nine, np.float32),
    )
    trees = ExtraTreesRegressor(
        recipe.trees, min_samples_leaf=recipe.leaf, max_features=recipe.inputs_a_split, random_state=recipe.seed, n_jobs=1
    ).fit(np.stack([heads.forest_inputs(each) for each in examples.inputs]), examples.labels.mean(-1))
    return replace(heads, forest=_packed(trees))


def twice(table: Any) -> Any:
    return scipy.sparse.vstack([table, table]) if scipy.sparse.issparse(table) else np.concatenate([table, table])


def _linear(table: Matrix, labels: Matrix, strength: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logistic regression a behaviour on standardised columns; the weights are for the columns as they are."""
    middle, spread = table.mean(0), table.std(0)
    spread[spread == 0] = 1.0
    coefficients, bias = _logistic((table - middle) / spread, labels, strength)
    weights = coefficients / spread[:, None]
    return weights.astype(np.float32), (bias - middle @ weights).astype(np.float32)


def _logistic(table: Any, labels: Matrix, strength: float) -> tuple[Matrix, Matrix]:
    """Weights (columns, behaviours) and bias. A behaviour that nobody ever saw, or everybody always, has its share alone."""
    weights, bias = np.zeros((table.shape[1], labels.shape[1])), np.zeros(labels.shape[1])
    for column in range(labels.shape[1]):
        target = np.concatenate([labels[:, column, 0], labels[:, column, 1]])
        if len(set(target)) < 2:
            bias[column] = float(logit(np.array([target.mean()], np.float32))[0])
            continue
        model = LogisticRegression(C=strength, max_iter=1000).fit(twice(table), target)
        weights[:, column], bias[column] = model.coef_[0], model.intercept_[0]
    return weights, bias


def _words(examples: Examples, strength: float) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    slots = [each.words for each in examples.inputs]
    frequency = np.bincount([place for taken in slots for place in taken], minlength=WORD_SLOTS)
    rarity = (np.log((1 + len(slots)) / (1 + frequency)) + 1).astype(np.float32)
    rows = np.repeat(np.arange(len(slots)), [len(taken) for taken in slots])
    columns = np.array([place for taken in slots for place in taken], np.int64)
    values = np.concatenate([word_values(taken, rarity) for taken in slots])
    kept = frequency[columns] >= 3  # a slot taken once or twice tells of one dialogue
    table = scipy.sparse.csr_matrix((values * kept, (rows, columns)), shape=(len(slots), WORD_SLOTS))
    weights, bias = _logistic(table, examples.labels, strength)
    return weights.astype(np.float32), bias.astype(np.float32), rarity


def _no_trees(behaviors: int) -> Forest:
    nothing = np.zeros(0)
    return Forest(
        nothing.astype(np.int32),
        nothing.astype(np.int16),
        nothing.astype(np.float32),
        nothing.astype(np.int32),
        np.zeros((0, behaviors), np.float16),
    )


def _packed(forest: ExtraTreesRegressor) -> Forest:
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
        np.array(values, np.float16),
    )
