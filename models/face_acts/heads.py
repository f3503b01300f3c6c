"""From what was read of a dialogue to calibrated probabilities of eight face acts for each turn, and of agreement, in numpy.

Recurrent networks on vectors and features and a linear model on hashed words; their log-probabilities are weighed and added.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import WeightsError
from grice.models.face_acts.inputs import FaceInputs
from grice.models.results import FACE_ACTS
from grice.models.runtime.heads import HALVED as HALVED_WORDS
from grice.models.runtime.heads import Floats, WordModel, load_arrays, save_arrays, sigmoid, softmax
from grice.models.runtime.recurrent_networks import HALVED, RecurrentNetworks

LEAST = 1e-3
"""Probabilities of the members are kept this far from 0 where their logarithm is taken."""
RECENT = 0.7
"""How much of what was said before counts after one turn more, where the newest turns count most."""


@dataclass(frozen=True)
class FaceHeads:
    """The members, and what makes one calibrated answer of theirs.

    Attributes:
        networks, words: the members.
        possible: 1 where a role does what, otherwise 0: no persuader makes excuses for not giving; shape (2, labels), the
            persuader first.
        mixing: the weights of the members' log-probabilities, networks first; shape (2,).
        offsets: added to the weighed sum; shape (labels,).
        leaning: added to log-probabilities where one label is chosen, so that rare ones are found; shape (labels,).
        agreement, agreement_bias: of the logistic model on `agreement_inputs`; shapes (inputs,) and (1,).
    """

    networks: RecurrentNetworks
    words: WordModel
    possible: Floats
    mixing: Floats
    offsets: Floats
    leaning: Floats
    agreement: Floats
    agreement_bias: Floats

    def probabilities(self, inputs: FaceInputs) -> Floats:
        """Of `FACE_ACTS` for each turn, shape (turns, labels)."""
        possible = self.possible[inputs.persuadees] > 0
        return mixed(self.members(inputs), possible, self.mixing, self.offsets)

    def members(self, inputs: FaceInputs) -> Floats:
        """The log-probabilities of each member, shape (2, turns, labels)."""
        possible = self.possible[inputs.persuadees] > 0
        networks = self.networks.predict(inputs.turns, possible)
        return log_probabilities(np.stack([networks, word_shares(self.words, inputs, possible)]))

    def labels(self, probabilities: Floats) -> NDArray[np.int64]:
        """The label of each turn, its place in `FACE_ACTS`; shape (turns,)."""
        with np.errstate(divide="ignore"):
            chosen: NDArray[np.int64] = (np.log(probabilities) + self.leaning).argmax(-1)
        return chosen

    def agrees(self, inputs: FaceInputs, probabilities: Floats) -> Floats:
        """How likely the persuadee agrees in the end, after each turn; shape (turns,)."""
        return sigmoid(agreement_inputs(inputs.persuadees, probabilities) @ self.agreement + self.agreement_bias)

    def save(self, path: Path) -> None:
        """Write all arrays into one compressed `.npz` file, the large ones in half precision (see `halved`)."""
        save_arrays(path, vars(self), (*HALVED, *HALVED_WORDS))

    @classmethod
    def load(cls, path: Path) -> FaceHeads:
        """The heads that `save` wrote.

        Raises:
            WeightsError: the file is not such a file.
        """
        parts: dict[str, Any] = {"networks": RecurrentNetworks, "words": WordModel}
        arrays = load_arrays(path, parts)
        try:
            heads = cls(**arrays)
        except TypeError as error:
            raise WeightsError(f"{path}: not the heads of an intention detector ({error}); train it again") from error
        if heads.possible.shape != (2, len(FACE_ACTS)):
            raise WeightsError(f"{path}: {heads.possible.shape[-1]} face acts, expected {len(FACE_ACTS)}; train it again")
        return heads


def word_shares(words: WordModel, inputs: FaceInputs, possible: NDArray[np.bool_]) -> Floats:
    """What the model on words says of each turn, summing to 1; shape (turns, labels)."""
    shares = np.stack([words.predict(slots) for slots in inputs.words]) * possible
    whole: Floats = (shares / shares.sum(-1, keepdims=True)).astype(np.float32)
    return whole


def log_probabilities(shares: Floats) -> Floats:
    """Logarithms, of no less than `LEAST`."""
    logarithms: Floats = np.log(np.clip(shares, LEAST, 1)).astype(np.float32)
    return logarithms


def mixed(members: Floats, possible: NDArray[np.bool_], mixing: Floats, offsets: Floats) -> Floats:
    """One answer of the members' log-probabilities (members, turns, labels); shape (turns, labels)."""
    values = np.tensordot(mixing, members, 1) + offsets
    return softmax(np.where(possible, values, -np.inf))


def agreement_inputs(persuadees: NDArray[np.int64], probabilities: Floats) -> Floats:
    """What is known of each role's face acts after each turn: shape (turns, 4 × labels).

    Of each role the mean over its turns so far, pulled to 0 while there are few, and a mean in which the newest count most.
    """
    inputs = []
    for role in (0, 1):
        own = persuadees == role
        said = probabilities * own[:, None]
        inputs += [said.cumsum(0) / (own.cumsum() + 1)[:, None], _recent(said, own)]
    return np.concatenate(inputs, axis=1).astype(np.float32)


def _recent(said: Floats, own: NDArray[np.bool_]) -> Floats:
    mean = np.zeros(said.shape[1], np.float32)
    means = []
    for row, spoken in zip(said, own, strict=True):
        mean = RECENT * mean + (1 - RECENT) * row if spoken else mean
        means.append(mean)
    return np.stack(means)
