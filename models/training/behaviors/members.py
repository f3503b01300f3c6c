"""The three members of the behaviour monitor's heads, fitted with torch and scikit-learn and packed for numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from tqdm import tqdm

from grice.models.behaviors.heads import BehaviorHeads, network_inputs, with_auxiliary
from grice.models.behaviors.inputs import SLOTS, BehaviorInputs, read_inputs
from grice.models.data import abceval
from grice.models.results import BEHAVIORS
from grice.models.runtime.heads import Networks, halved
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.training.heads import Matrix, NetworkRecipe, fit_networks, fit_words, pack

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
class BehaviorExamples:
    """Responses that were read.

    Attributes:
        dialogues: the dialogue of each, length n.
        inputs: what was read, length n.
        labels: what both annotators say, shape (n, behaviours, 2).
    """

    dialogues: Sequence[str]
    inputs: Sequence[BehaviorInputs]
    labels: Matrix

    def at(self, places: Iterable[int]) -> BehaviorExamples:
        """Some of them."""
        chosen = list(places)
        return BehaviorExamples([self.dialogues[at] for at in chosen], [self.inputs[at] for at in chosen], self.labels[chosen])


def read_examples(data_dir: Path, encoder: SentenceEncoder) -> BehaviorExamples:
    """ABC-Eval's responses as the monitor reads them.

    Raises:
        DataError: the data cannot be read.
    """
    rows = abceval.read(data_dir)
    bar = tqdm(rows, desc="reading", mininterval=5)
    labels = np.array([[row.annotators[label] for label in BEHAVIORS] for row in rows], float)
    return BehaviorExamples([row.dialogue_id for row in rows], [read_inputs(encoder, row.dialogue) for row in bar], labels)


def fit_members(examples: BehaviorExamples, auxiliary: Networks, recipe: BehaviorRecipe) -> BehaviorHeads:
    """The three members, not calibrated. Networks and forest learn the mean of the annotators, the words each of them."""
    inputs = [with_auxiliary(each, auxiliary) for each in examples.inputs]
    vectors = [np.stack(column) for column in zip(*((i.response, i.last, i.response * i.last) for i in inputs), strict=True)]
    response_axes, last_axes, product_axes = axes = [
        halved(PCA(min(size, len(table)), random_state=recipe.seed).fit(table).components_.T)
        for size, table in zip(recipe.axes, vectors, strict=True)
    ]
    shares = examples.labels.mean(-1)
    projected = [table @ axis for table, axis in zip(vectors, axes, strict=True)]
    table = np.concatenate([np.stack([each.features for each in inputs]), *projected], axis=1)
    trees = ExtraTreesRegressor(
        recipe.trees, min_samples_leaf=recipe.leaf, max_features=recipe.inputs_a_split, random_state=recipe.seed, n_jobs=1
    ).fit(table, shares)
    return BehaviorHeads(
        auxiliary,
        fit_networks(np.stack([network_inputs(each) for each in inputs]), shares, recipe.networks, recipe.seed),
        pack(trees),
        fit_words([each.words for each in inputs], WORD_SLOTS, examples.labels, recipe.word_strength),
        response_axes,
        last_axes,
        product_axes,
        np.ones(len(BEHAVIORS), np.float32),
        np.zeros(len(BEHAVIORS), np.float32),
    )
