"""From what was read of a response to nine calibrated probabilities: three small models, averaged, in numpy.

Networks of one hidden layer on vectors and features, a forest of random trees on features and projected vectors, and a linear
model on hashed words. What other networks, fitted to other data, say of the response is among the features.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.behavior_inputs import BehaviorInputs, Slots
from grice.models.errors import WeightsError
from grice.models.results import BEHAVIORS

Array = NDArray[np.float32]
LEAST = 1e-4
"""Probabilities of the members are kept this far from 0 and 1."""


FARTHEST = 5.0
"""Inputs of the networks are kept within so many standard deviations of their mean."""


def with_auxiliary(inputs: BehaviorInputs, auxiliary: Networks) -> BehaviorInputs:
    """The inputs with one feature more for each label of the auxiliary networks: their mean before the logistic curve."""
    said = auxiliary.raw(network_inputs(inputs)).mean(0)
    return replace(inputs, features=np.concatenate([inputs.features, said]).astype(np.float32))


def network_inputs(inputs: BehaviorInputs) -> Array:
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
class Networks:
    """Networks of one hidden layer, side by side.

    Attributes:
        middle, spread: mean and standard deviation of each input, shape (inputs,).
        hidden_weights, hidden_bias: shapes (networks, inputs, hidden) and (networks, hidden).
        output_weights, output_bias: shapes (networks, hidden, labels) and (networks, labels).
    """

    middle: Array
    spread: Array
    hidden_weights: Array
    hidden_bias: Array
    output_weights: Array
    output_bias: Array

    def predict(self, inputs: Array) -> Array:
        """The mean of the networks' probabilities, shape (labels,)."""
        mean: Array = sigmoid(self.raw(inputs)).mean(0)
        return mean

    def raw(self, inputs: Array) -> Array:
        """What the networks say before the logistic curve, shape (networks, labels)."""
        scaled = np.clip((inputs - self.middle) / self.spread, -FARTHEST, FARTHEST)
        hidden = np.maximum(scaled @ self.hidden_weights + self.hidden_bias, 0)
        values: Array = (hidden[:, None] @ self.output_weights)[:, 0] + self.output_bias
        return values


@dataclass(frozen=True)
class BehaviorHeads:
    """The three members, and the logistic curve that calibrates their mean (Platt scaling on held-out dialogues).

    Attributes:
        auxiliary: fitted to other data (see `grice.models.training.auxiliary`); the others read what they say.
        networks, forest: see there.
        response_axes, last_axes, product_axes: what the forest reads of the vectors, shapes (width, axes).
        word_weights, word_bias: of the model on words, shapes (slots, behaviours) and (behaviours,).
        rarity: the inverse document frequency of each slot.
        slope, offset: of the calibration, shape (behaviours,).
    """

    auxiliary: Networks
    networks: Networks
    forest: Forest
    response_axes: Array
    last_axes: Array
    product_axes: Array
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
        inputs = with_auxiliary(inputs, self.auxiliary)
        networks = self.networks.predict(network_inputs(inputs))
        trees = self.forest.predict(self.forest_inputs(inputs))
        words = sigmoid(self._words(inputs.words))
        return ((2 * networks + 2 * trees + words) / 5).astype(np.float32)

    def forest_inputs(self, inputs: BehaviorInputs) -> Array:
        """Features and projected vectors."""
        product = inputs.response * inputs.last
        projected = inputs.response @ self.response_axes, inputs.last @ self.last_axes, product @ self.product_axes
        return np.concatenate([inputs.features, *projected])

    def _words(self, slots: Slots) -> Array:
        places = np.fromiter(slots, np.int64, len(slots))
        return word_values(slots, self.rarity) @ self.word_weights[places] + self.word_bias

    def save(self, path: Path) -> None:
        """Write all arrays into one compressed `.npz` file, the large ones in half precision (see `halved`)."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        for part in PARTS:
            arrays |= {f"{part}.{name}": value for name, value in vars(getattr(self, part)).items()}
        stored: dict[str, Any] = {name: value.astype(np.float16) if _is_halved(name) else value for name, value in arrays.items()}
        np.savez_compressed(path, **stored)

    @classmethod
    def load(cls, path: Path) -> BehaviorHeads:
        """The heads that `save` wrote.

        Raises:
            WeightsError: the file is not such a file.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name].astype(np.float32) if _is_halved(name) else stored[name] for name in stored.files}
            parts = {
                part: kind(**{each.name: arrays.pop(f"{part}.{each.name}") for each in fields(kind)})
                for part, kind in PARTS.items()
            }
            heads = cls(**parts, **arrays)
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise WeightsError(f"{path}: not the heads of a behaviour monitor ({error}); install or train it again") from error
        if heads.slope.shape != (len(BEHAVIORS),):
            raise WeightsError(f"{path}: {heads.slope.size} behaviours, expected {len(BEHAVIORS)}; train it again")
        return heads


PARTS: dict[str, Any] = {"auxiliary": Networks, "networks": Networks, "forest": Forest}
HALVED = ("hidden_weights", "response_axes", "last_axes", "product_axes", "word_weights", "rarity")


def _is_halved(name: str) -> bool:
    return name.rpartition(".")[2] in HALVED


def halved(values: NDArray[np.floating[Any]]) -> Array:
    """`values` as half precision keeps them: what is saved is what was fitted."""
    return values.astype(np.float16).astype(np.float32)


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
