"""From what was read of a response to nine calibrated probabilities: three small models, averaged, in numpy.

Networks of one hidden layer on vectors and features, a forest of random trees on features and projected vectors, and a linear
model on hashed words. What other networks, fitted to other data, say of the response is among the features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from grice.models.behaviors.inputs import BehaviorInputs
from grice.models.errors import WeightsError
from grice.models.results import BEHAVIORS
from grice.models.runtime.heads import HALVED, Floats, Forest, Networks, WordModel, load_arrays, logit, save_arrays, sigmoid


def with_auxiliary(inputs: BehaviorInputs, auxiliary: Networks) -> BehaviorInputs:
    """The inputs with one feature more for each label of the auxiliary networks: their mean before the logistic curve."""
    said = auxiliary.raw(network_inputs(inputs)).mean(0)
    return replace(inputs, features=np.concatenate([inputs.features, said]).astype(np.float32))


def network_inputs(inputs: BehaviorInputs) -> Floats:
    """Both vectors, their product and the features, shape (3 × width + k,)."""
    return np.concatenate([inputs.response, inputs.last, inputs.response * inputs.last, inputs.features])


@dataclass(frozen=True)
class BehaviorHeads:
    """The three members, and the logistic curve that calibrates their mean (Platt scaling on held-out dialogues).

    Attributes:
        auxiliary: fitted to other data (see `grice.models.training.behaviors.auxiliary`); the others read what they say.
        networks, forest, words: see there.
        response_axes, last_axes, product_axes: what the forest reads of the vectors, shapes (width, axes).
        slope, offset: of the calibration, shape (behaviours,).
    """

    auxiliary: Networks
    networks: Networks
    forest: Forest
    words: WordModel
    response_axes: Floats
    last_axes: Floats
    product_axes: Floats
    slope: Floats
    offset: Floats

    def probabilities(self, inputs: BehaviorInputs) -> Floats:
        """Of the nine behaviours, in the order of `BEHAVIORS`: shape (9,)."""
        return sigmoid(self.slope * logit(self.mean(inputs)) + self.offset)

    def mean(self, inputs: BehaviorInputs) -> Floats:
        """The mean of the members before calibration, shape (9,)."""
        inputs = with_auxiliary(inputs, self.auxiliary)
        networks = self.networks.predict(network_inputs(inputs))
        trees = self.forest.predict(self.forest_inputs(inputs))
        words = self.words.predict(inputs.words)
        return ((2 * networks + 2 * trees + words) / 5).astype(np.float32)

    def forest_inputs(self, inputs: BehaviorInputs) -> Floats:
        """Features and projected vectors."""
        product = inputs.response * inputs.last
        projected = inputs.response @ self.response_axes, inputs.last @ self.last_axes, product @ self.product_axes
        return np.concatenate([inputs.features, *projected])

    def save(self, path: Path) -> None:
        """Write all arrays into one compressed `.npz` file, the large ones in half precision (see `halved`)."""
        save_arrays(path, vars(self), (*HALVED, "response_axes", "last_axes", "product_axes", "values"))

    @classmethod
    def load(cls, path: Path) -> BehaviorHeads:
        """The heads that `save` wrote.

        Raises:
            WeightsError: the file is not such a file.
        """
        parts: dict[str, Any] = {"auxiliary": Networks, "networks": Networks, "forest": Forest, "words": WordModel}
        arrays = load_arrays(path, parts)
        try:
            heads = cls(**arrays)
        except TypeError as error:
            raise WeightsError(f"{path}: not the heads of a behaviour monitor ({error}); train it again") from error
        if heads.slope.shape != (len(BEHAVIORS),):
            raise WeightsError(f"{path}: {heads.slope.size} behaviours, expected {len(BEHAVIORS)}; train it again")
        return heads
