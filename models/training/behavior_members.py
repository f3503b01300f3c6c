"""The three members of the behaviour monitor's heads, fitted with torch and scikit-learn and packed for numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn
from tqdm import tqdm

from grice.models.behavior_heads import FARTHEST, BehaviorHeads, Forest, Networks, halved, logit, network_inputs, word_values
from grice.models.behavior_inputs import SLOTS, BehaviorInputs, read_inputs
from grice.models.data import abceval
from grice.models.results import BEHAVIORS
from grice.models.sentence_encoder import SentenceEncoder

Matrix = NDArray[np.float64]
WORD_SLOTS = SLOTS + SLOTS // 4
NETWORK_BATCH = 64
SMALLEST_SPREAD = 1e-6


@dataclass(frozen=True)
class BehaviorRecipe:
    """The shipped heads.

    Attributes:
        networks, hidden, hidden_dropout, input_dropout, epochs, learning_rate: of the networks.
        trees, leaf, inputs_a_split: of the forest.
        axes: principal axes of the response's vectors, of the last turn's, of their product.
        word_strength: of the regularisation of the model on words, scikit-learn's C.
        folds: of the outer cross-validation. inner_folds: of the one that calibrates.
    """

    networks: int = 5
    hidden: int = 128
    hidden_dropout: float = 0.6
    input_dropout: float = 0.4
    epochs: int = 15
    learning_rate: float = 2e-3
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


def fit_members(examples: Examples, recipe: BehaviorRecipe) -> BehaviorHeads:
    """The three members, not calibrated. Networks and forest learn the mean of the annotators, the words each of them."""
    vectors = [
        np.stack(column) for column in zip(*((i.response, i.last, i.response * i.last) for i in examples.inputs), strict=True)
    ]
    response_axes, last_axes, product_axes = axes = [
        halved(PCA(min(size, len(table)), random_state=recipe.seed).fit(table).components_.T)
        for size, table in zip(recipe.axes, vectors, strict=True)
    ]
    shares = examples.labels.mean(-1)
    word_weights, word_bias, rarity = _words(examples, recipe.word_strength)
    projected = [table @ axis for table, axis in zip(vectors, axes, strict=True)]
    table = np.concatenate([np.stack([each.features for each in examples.inputs]), *projected], axis=1)
    trees = ExtraTreesRegressor(
        recipe.trees, min_samples_leaf=recipe.leaf, max_features=recipe.inputs_a_split, random_state=recipe.seed, n_jobs=1
    ).fit(table, shares)
    return BehaviorHeads(
        fit_networks(np.stack([network_inputs(each) for each in examples.inputs]), shares, recipe),
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


def fit_networks(table: NDArray[np.float32], shares: Matrix, recipe: BehaviorRecipe) -> Networks:
    """Networks that differ by their seed, on inputs (n, inputs) and shares of yes (n, behaviours)."""
    middle, spread = table.mean(0), table.std(0)
    spread[spread < SMALLEST_SPREAD] = 1.0
    scaled = torch.from_numpy(np.clip((table - middle) / spread, -FARTHEST, FARTHEST))
    fitted = [_network(scaled, torch.from_numpy(shares.astype(np.float32)), recipe, number) for number in range(recipe.networks)]
    hidden_weights, hidden_bias, output_weights, output_bias = (np.stack(part) for part in zip(*fitted, strict=True))
    return Networks(middle, spread, halved(hidden_weights), hidden_bias, output_weights, output_bias)


def _network(scaled: Tensor, shares: Tensor, recipe: BehaviorRecipe, number: int) -> tuple[NDArray[np.float32], ...]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed + number)
        hidden = nn.Linear(scaled.shape[1], recipe.hidden)
        output = nn.Linear(recipe.hidden, shares.shape[1])
        output.bias.data = torch.logit(shares.mean(0).clamp(1e-3, 1 - 1e-3))
        model = nn.Sequential(nn.Dropout(recipe.input_dropout), hidden, nn.ReLU(), nn.Dropout(recipe.hidden_dropout), output)
        optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate)
        steps = recipe.epochs * -(-len(scaled) // NETWORK_BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, total_steps=steps)
        for _ in range(recipe.epochs):
            for chosen in torch.randperm(len(scaled)).split(NETWORK_BATCH):  # type: ignore[no-untyped-call]
                loss = nn.functional.binary_cross_entropy_with_logits(model(scaled[chosen]), shares[chosen])
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                optimizer.zero_grad()
                schedule.step()
    return tuple(each.detach().numpy().copy() for each in (hidden.weight.T, hidden.bias, output.weight.T, output.bias))


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
