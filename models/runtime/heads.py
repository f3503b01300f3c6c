"""Small models on what was read of a turn, in numpy: networks of one hidden layer, a forest of trees, a linear model on words.

They are fitted with torch and scikit-learn (`grice.models.training.heads`) and kept as arrays.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import WeightsError

Floats = NDArray[np.float32]
Slots = Mapping[int, int]
"""How often each slot of hashed words is taken."""
LEAST = 1e-4
"""Probabilities are kept this far from 0 and 1 where their logarithm is taken."""
FARTHEST = 5.0
"""Inputs of the networks are kept within so many standard deviations of their mean."""


@dataclass(frozen=True)
class Forest:
    """Trees whose nodes are in one list; the two children of a node stand side by side.

    Attributes:
        roots: the first node of each tree, shape (trees,).
        feature: which input a node asks for, -1 in a leaf; shape (nodes,).
        threshold: an input of at most this goes to the first child; shape (nodes,).
        child: the first child, in a leaf the row of `values`; shape (nodes,).
        values: what the leaves say, shape (leaves, labels).
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: Floats
    child: NDArray[np.int32]
    values: Floats

    def predict(self, inputs: Floats) -> Floats:
        """The mean over the trees, shape (labels,)."""
        nodes = self.roots
        while True:
            asked = self.feature[nodes]
            inside = asked >= 0
            if not inside.any():
                said: Floats = self.values[self.child[nodes]].mean(0)
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

    middle: Floats
    spread: Floats
    hidden_weights: Floats
    hidden_bias: Floats
    output_weights: Floats
    output_bias: Floats

    def predict(self, inputs: Floats) -> Floats:
        """The mean of the networks' probabilities, shape (labels,)."""
        mean: Floats = sigmoid(self.raw(inputs)).mean(0)
        return mean

    def raw(self, inputs: Floats) -> Floats:
        """What the networks say before the logistic curve, shape (networks, labels)."""
        scaled = np.clip((inputs - self.middle) / self.spread, -FARTHEST, FARTHEST)
        hidden = np.maximum(scaled @ self.hidden_weights + self.hidden_bias, 0)
        values: Floats = (hidden[:, None] @ self.output_weights)[:, 0] + self.output_bias
        return values


@dataclass(frozen=True)
class WordModel:
    """A linear model on hashed words, for labels that are independent of each other.

    Attributes:
        weights, bias: shapes (slots, labels) and (labels,).
        rarity: the inverse document frequency of each slot.
    """

    weights: Floats
    bias: Floats
    rarity: Floats

    def predict(self, slots: Slots) -> Floats:
        """Probabilities, shape (labels,)."""
        return sigmoid(self.raw(slots))

    def raw(self, slots: Slots) -> Floats:
        """What it says before the logistic curve, shape (labels,)."""
        places = np.fromiter(slots, np.int64, len(slots))
        values: Floats = word_values(slots, self.rarity) @ self.weights[places] + self.bias
        return values


HALVED = ("hidden_weights", "weights", "rarity")
"""Arrays that are kept in half precision, by the last part of their name."""


def halved(values: NDArray[np.floating[Any]]) -> Floats:
    """`values` as half precision keeps them: what is saved is what was fitted."""
    return values.astype(np.float16).astype(np.float32)


def save_arrays(path: Path, parts: Mapping[str, Any], halve: tuple[str, ...] = HALVED) -> None:
    """Write the arrays of dataclasses, and single arrays, by name into one compressed `.npz` file."""
    arrays: dict[str, Any] = {}
    for name, part in parts.items():
        arrays |= {name: part} if isinstance(part, np.ndarray) else {f"{name}.{key}": value for key, value in vars(part).items()}
    stored = {name: value.astype(np.float16) if name.rpartition(".")[2] in halve else value for name, value in arrays.items()}
    np.savez_compressed(path, **stored)


def load_arrays(path: Path, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """What `save_arrays` wrote; `kinds` are the dataclasses by name.

    Raises:
        WeightsError: the file is not such a file.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        arrays = {name: value.astype(np.float32) if value.dtype == np.float16 else value for name, value in arrays.items()}
        parts = {
            name: kind(**{each.name: arrays.pop(f"{name}.{each.name}") for each in fields(kind)}) for name, kind in kinds.items()
        }
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise WeightsError(f"{path}: not the heads that were expected ({error}); install or train them again") from error
    return {**parts, **arrays}


def word_values(slots: Mapping[int, int], rarity: Floats) -> Floats:
    """Sublinear tf-idf of the slots taken, in their order, at unit length: shape (slots taken,)."""
    places = np.fromiter(slots, np.int64, len(slots))
    counts = np.fromiter(slots.values(), np.float32, len(slots))
    values: Floats = (1 + np.log(counts)) * rarity[places]
    return values / max(float(np.linalg.norm(values)), 1e-9)


def softmax(values: Floats) -> Floats:
    """Probabilities along the last axis; a value of minus infinity is impossible."""
    shares = np.exp(values - values.max(-1, keepdims=True))
    probabilities: Floats = (shares / shares.sum(-1, keepdims=True)).astype(np.float32)
    return probabilities


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(-values)), elementwise."""
    shares: Floats = (1 / (1 + np.exp(-np.clip(values, -60, 60)))).astype(np.float32)
    return shares


def logit(shares: Floats) -> Floats:
    """The inverse of `sigmoid`, of shares kept `LEAST` away from 0 and 1."""
    kept = np.clip(shares, LEAST, 1 - LEAST)
    odds: Floats = np.log(kept / (1 - kept)).astype(np.float32)
    return odds
