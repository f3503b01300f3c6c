"""The three members of the behaviour monitor's heads, fitted with torch and scikit-learn and packed for numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from grice.models.behavior_heads import BehaviorHeads, Forest, Networks, halved, logit, network_inputs, with_auxiliary, word_values
from grice.models.behavior_inputs import SLOTS, BehaviorInputs, read_inputs
from grice.models.data import abceval
from grice.models.results import BEHAVIORS
from grice.models.sentence_encoder import SentenceEncoder
from grice.models.training.behavior_networks import NetworkRecipe, fit_networks

Matrix = NDArray[np.float64]
WORD_SLOTS = SLOTS + SLOTS // 4


NETWORKS = NetworkRecipe()
AUXILIARY = NetworkRecipe(count=2, hidden=64, hidden_dropout=0.3, input_dropout=0.2, epochs=6)


@dataclass(frozen=True)
class BehaviorRecipe:
    """The shipped heads.

    Attributes:
        networks, auxiliary: how these are fitted.
        spoilt: responses spoilt by rule, and unspoilt ones beside them, of each corpus that the auxiliary networks learn from.
        trees, leaf, inputs_a_split: of the forest.
        axes: principal axes of the response's vectors, of the last turn's, of their product.
        word_strength: of the regularisation of the model on words, scikit-learn's C.
        folds: of the outer cross-validation. inner_folds: of the one that calibrates.
    """

    networks: NetworkRecipe = NETWORKS
    auxiliary: NetworkRecipe = AUXILIARY
    spoilt: int = 4000
    trees: int = 200
    leaf: int = 3
    inputs_a_split: float = 0.3
    axes: tuple[int, int, int] = (40, 30, 20)
    word_strength: float = 1.0
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


def read_examples(data_dir: Path, encoder: SentenceEncoder) -> Examples:
    """ABC-Eval's responses as the monitor reads them.

    Raises:
        DataError: the data cannot be read.
    """
    rows = abceval.read(data_dir)
    bar = tqdm(rows, desc="reading", mininterval=5)
    labels = np.array([[row.annotators[label] for label in BEHAVIORS] for row in rows], float)
    return Examples([row.dialogue_id for row in rows], [read_inputs(encoder, row.dialogue) for row in bar], labels)


def fit_members(examples: Examples, auxiliary: Networks, recipe: BehaviorRecipe) -> BehaviorHeads:
    """The three members, not calibrated. Networks and forest learn the mean of the annotators, the words each of them."""
    inputs = [with_auxiliary(each, auxiliary) for each in examples.inputs]
    vectors = [np.stack(column) for column in zip(*((i.response, i.last, i.response * i.last) for i in inputs), strict=True)]
    response_axes, last_axes, product_axes = axes = [
        halved(PCA(min(size, len(table)), random_state=recipe.seed).fit(table).components_.T)
        for size, table in zip(recipe.axes, vectors, strict=True)
    ]
    shares = examples.labels.mean(-1)
    word_weights, word_bias, rarity = _words(examples, recipe.word_strength)
    projected = [table @ axis for table, axis in zip(vectors, axes, strict=True)]
    table = np.concatenate([np.stack([each.features for each in inputs]), *projected], axis=1)
    trees = ExtraTreesRegressor(
        recipe.trees, min_samples_leaf=recipe.leaf, max_features=recipe.inputs_a_split, random_state=recipe.seed, n_jobs=1
    ).fit(table, shares)
    return BehaviorHeads(
        auxiliary,
        fit_networks(np.stack([network_inputs(each) for each in inputs]), shares, recipe.networks, recipe.seed),
        pack(trees),
        response_axes,
        last_axes,
        product_axes,
        word_weights,
        word_bias,
        rarity,
        np.ones(len(BEHAVIORS), np.float32),
        np.zeros(len(BEHAVIORS), np.float32),
    )


def twice(table: Any) -> Any:
    return scipy.sparse.vstack([table, table]) if scipy.sparse.issparse(table) else np.concatenate([table, table])


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
    rarity = halved(np.log((1 + len(slots)) / (1 + frequency)) + 1)
    rows = np.repeat(np.arange(len(slots)), [len(taken) for taken in slots])
    columns = np.array([place for taken in slots for place in taken], np.int64)
    values = np.concatenate([word_values(taken, rarity) for taken in slots])
    kept = frequency[columns] >= 3  # a slot taken once or twice tells of one dialogue
    table = scipy.sparse.csr_matrix((values * kept, (rows, columns)), shape=(len(slots), WORD_SLOTS))
    weights, bias = _logistic(table, examples.labels, strength)
    return halved(weights), bias.astype(np.float32), rarity


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
        np.array(values, np.float16),
    )
