"""From what was read of a response to nine calibrated probabilities: three small models, averaged, in numpy.

A linear model on vectors and features, a forest of random trees on features and projected vectors, a linear model on hashed words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grice.models.behavior_inputs import BehaviorInputs, Slots
from grice.models.errors import WeightsError
from grice.models.results import BEHAVIORS

Array = NDArray[np.float32]
LEAST = 1e-4
"""Probabilities of the members are kept this far from 0 and 1."""


def linear_inputs(inputs: BehaviorInputs) -> Array:
    """Both vectors, their product and the features, shape (3 × width + k,)."""
    return np.concatenate([inputs.response, inputs.last, inputs.response * inputs.last, inputs.features])


@dataclass(frozen=True)
class Forest:
    """Trees whose nodes are in one list; the two children of a node stand side by side.

    Attributes:
        roots: the first node of each tree, shape (trees,).
        feature: which input a node asks for, -1 in a leaf; shape (nodes,).
        threshold: an input of at most this goes to the first child; shape (nodes,).
        child: the first child, in a leaf the row of `values`; shape (nodes,).
        values: what the leaves say, shape (leaves, behaviours).
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: Array
    child: NDArray[np.int32]
    values: NDArray[np.float16]

    def predict(self, inputs: Array) -> Array:
        """The mean over the trees, shape (behaviours,)."""
        nodes = self.roots
        while True:
            asked = self.feature[nodes]
            inside = asked >= 0
            if not inside.any():
                said: Array = self.values[self.child[nodes]].astype(np.float32).mean(0)
                return said
            beyond = inputs[asked] > self.threshold[nodes]
            nodes = np.where(inside, self.child[nodes] + beyond, nodes)


@dataclass(frozen=True)
class BehaviorHeads:
    """The three members, and the logistic curve that calibrates their mean (Platt scaling on held-out dialogues).

    Attributes:
        weights, bias: of the linear model, shapes (inputs, behaviours) and (behaviours,).
        response_axes, last_axes, product_axes: what the forest reads of the vectors, shapes (width, axes).
        forest: see `Forest`.
        word_weights, word_bias: of the model on words, shapes (slots, behaviours) and (behaviours,).
        rarity: the inverse document frequency of each slot.
        slope, offset: of the calibration, shape (behaviours,).
    """

    weights: Array
    bias: Array
    response_axes: Array
    last_axes: Array
    product_axes: Array
    forest: Forest
    word_weights: Array
    word_bias: Array
    rarity: Array
    slope: Array
    offset: Array

    def probabilities(self, inputs: BehaviorInputs) -> Array:
        """Of the nine behaviours, in the order of `BEHAVIORS`: shape (9,)."""
        return sigmoid(self.slope * logit(self.mean(inputs)) + self.offset)

    def mean(self, inputs: BehaviorInputs) -> Array:
        """The mean of the members before calibration, shape (9,)."""
        linear = sigmoid(linear_inputs(inputs) @ self.weights + self.bias)
        words = sigmoid(self._words(inputs.words))
        trees = self.forest.predict(self.forest_inputs(inputs))
        return ((linear + words + 2 * trees) / 4).astype(np.float32)

    def forest_inputs(self, inputs: BehaviorInputs) -> Array:
        """Features and projected vectors."""
        product = inputs.response * inputs.last
        projected = inputs.response @ self.response_axes, inputs.last @ self.last_axes, product @ self.product_axes
        return np.concatenate([inputs.features, *projected])

    def _words(self, slots: Slots) -> Array:
        places = np.fromiter(slots, np.int64, len(slots))
        return word_values(slots, self.rarity) @ self.word_weights[places] + self.word_bias

    def save(self, path: Path) -> None:
        """Write all arrays into one compressed `.npz` file."""
        arrays = {name: value for part in (self, self.forest) for name, value in vars(part).items() if name != "forest"}
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> BehaviorHeads:
        """The heads that `save` wrote.

        Raises:
            WeightsError: the file is not such a file.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            forest = Forest(**{each.name: arrays.pop(each.name) for each in fields(Forest)})
            heads = cls(forest=forest, **arrays)
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            raise WeightsError(f"{path}: not the heads of a behaviour monitor ({error}); install or train it again") from error
        if heads.bias.shape != (len(BEHAVIORS),):
            raise WeightsError(f"{path}: {heads.bias.shape[0]} behaviours, expected {len(BEHAVIORS)}; train it again")
        return heads


def word_values(slots: Mapping[int, int], rarity: Array) -> Array:
    """Sublinear tf-idf of the slots taken, in their order, at unit length: shape (slots taken,)."""
    places = np.fromiter(slots, np.int64, len(slots))
    counts = np.fromiter(slots.values(), np.float32, len(slots))
    values: Array = (1 + np.log(counts)) * rarity[places]
    return values / max(float(np.linalg.norm(values)), 1e-9)


def sigmoid(values: Array) -> Array:
    """1 / (1 + exp(-values)), elementwise."""
    shares: Array = (1 / (1 + np.exp(-np.clip(values, -60, 60)))).astype(np.float32)
    return shares


def logit(shares: Array) -> Array:
    """The inverse of `sigmoid`, of shares kept `LEAST` away from 0 and 1."""
    kept = np.clip(shares, LEAST, 1 - LEAST)
    odds: Array = np.log(kept / (1 - kept)).astype(np.float32)
    return odds
