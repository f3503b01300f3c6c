"""The reader of minds: a fine-tuned encoder that reads turns together, and a head for each kind of answer, beside `mind_heads`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from grice.models.errors import WeightsError
from grice.models.minds.heads import ATTITUDE, Labels, intention_head, membership
from grice.models.minds.joint_inputs import ReaderInputs, Reading, ReadingTokens
from grice.models.minds.labels import ROLES
from grice.models.runtime.heads import Array, load_arrays
from grice.models.runtime.recurrent_networks import softmax
from grice.models.runtime.session import open_session

FILE = "reader.int8.onnx"
"""The one precision that there is."""
READER_HEADS = (*map(intention_head, ROLES), ATTITUDE)
"""What the reader answers; what comes next is left to the heads on sentences."""
HALVED = ("token_weights", "whole_weights")
"""Arrays that are kept in half precision."""
REMEMBERED = 4096
"""Readings whose probabilities are remembered: when a dialogue goes on by a turn, most stay as they are."""
LEAST = 1e-6
"""Probabilities are kept this far from 0 where their logarithm is taken."""


@dataclass(frozen=True)
class ReaderHead:
    """Values of labels from states of pieces; a set of labels has the sum of its labels' values and one of its own.

    Attributes:
        token_weights: of each piece of the turn asked about, of which the highest value counts; shape (width, labels).
        whole_weights, whole_bias: of the mean state of the marked pieces, that of the turn, and the facts; shapes (2 × width + 2,
            labels) and (labels,).
        set_bias: shape (sets,).
    """

    token_weights: Array
    whole_weights: Array
    whole_bias: Array
    set_bias: Array

    def predict(self, states: Array, inputs: ReaderInputs, members: Array) -> Array:
        """Probabilities of the sets, shape (sets,); `states` have the shape (length, width), `members` (sets, labels)."""
        means = [weights @ states / weights.sum() for weights in (inputs.marked, inputs.asked)]
        highest = (states[inputs.asked > 0] @ self.token_weights).max(0)
        values = highest + np.concatenate([*means, inputs.facts]) @ self.whole_weights + self.whole_bias
        return softmax(values @ members.T + self.set_bias)


class JointReader:
    """Says how likely each set of labels is, for intentions and attitudes, on onnxruntime.

    Args:
        files: from the name of a file to where it is.
        sets: of each of `READER_HEADS`, in the order of their probabilities.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """

    def __init__(
        self,
        files: Callable[[str], Path],
        sets: Mapping[str, Sequence[Labels]],
        provider: str = "auto",
        threads: int = 1,
    ) -> None:
        self.tokens = ReadingTokens(Tokenizer.from_file(str(files("tokenizer.json"))))
        self.heads = load_heads(files("reader.npz"), sets)
        self.members = {name: membership(name, sets[name]) for name in READER_HEADS}
        self.session = open_session(files(FILE), provider, threads)
        self.shares = functools.lru_cache(REMEMBERED)(self._shares)
        """Of a head's sets, shape (sets,): the arguments are the head and the reading."""

    def _shares(self, head: str, reading: Reading) -> Array:
        inputs = self.tokens.inputs(reading)
        states = self.session.run(["states"], {"ids": inputs.ids[None], "segments": inputs.segments[None]})[0][0]
        return self.heads[head].predict(states, inputs, self.members[head])


def load_heads(path: Path, sets: Mapping[str, Sequence[Labels]]) -> dict[str, ReaderHead]:
    """The heads in `path`, by name.

    Raises:
        WeightsError: the file is not such a file, or has other sets.
    """
    heads: dict[str, ReaderHead] = load_arrays(path, dict.fromkeys(READER_HEADS, ReaderHead))
    for name in READER_HEADS:
        if len(heads[name].set_bias) != len(sets[name]):
            raise WeightsError(f"{path}: {name} has {len(heads[name].set_bias)} sets, expected {len(sets[name])}; train it again")
    return heads


def mixed(one: Mapping[Labels, float], other: Mapping[Labels, float]) -> dict[Labels, float]:
    """The geometric mean of two distributions over the same sets, as a distribution."""
    shares = {labels: float(np.sqrt(max(value, LEAST) * max(other[labels], LEAST))) for labels, value in one.items()}
    whole = sum(shares.values())
    return {labels: value / whole for labels, value in shares.items()}
