"""From what was read of a user's turn to one number: two linear models, one on vector and features, one on words, added."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.models.errors import WeightsError
from grice.models.frustration.inputs import FEATURES, SLOTS, FrustrationInputs
from grice.models.runtime.heads import HALVED, Floats, WordModel, load_arrays, save_arrays


@dataclass(frozen=True)
class FrustrationHeads:
    """The two models.

    Attributes:
        middle, spread: mean and standard deviation of each feature, shape (features,).
        weights, bias: of vector and features, shapes (width + features,) and (1,).
        words: on hashed words, of one label.
    """

    middle: Floats
    spread: Floats
    weights: Floats
    bias: Floats
    words: WordModel

    def score(self, inputs: FrustrationInputs) -> float:
        """The higher, the likelier the user is frustrated."""
        scaled = (inputs.features - self.middle) / self.spread
        said = np.concatenate([inputs.vector, scaled]) @ self.weights + self.bias + self.words.raw(inputs.words)
        return float(said[0])

    def save(self, path: Path) -> None:
        """Write all arrays into one file, the large ones in half precision."""
        save_arrays(path, vars(self), HALVED)

    @classmethod
    def load(cls, path: Path, width: int) -> FrustrationHeads:
        """The heads that `save` wrote, for vectors of this width.

        Raises:
            WeightsError: the file is not such a file.
        """
        arrays = load_arrays(path, {"words": WordModel})
        try:
            heads = cls(**arrays)
        except TypeError as error:
            raise WeightsError(f"{path}: not the heads of a detector of frustration ({error}); train it again") from error
        expected = {"weights": (width + len(FEATURES),), "words.weights": (SLOTS, 1)}
        found = {"weights": heads.weights.shape, "words.weights": heads.words.weights.shape}
        if found != expected:
            raise WeightsError(f"{path}: shapes {found}, expected {expected}; train it again")
        return heads
