"""Networks that choose one of the sets of labels that occur, in numpy: for answers of several labels that depend on each other.

A label gets a value from the parts of a turn and from the dialogue around it; a set gets the sum of its labels' values and a value
of its own, and the sets share the probability. They are fitted with torch (`grice.models.training.set_networks`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grice.models.runtime.heads import FARTHEST, Floats, softmax

HALVED = ("part_weights", "whole_weights", "axes")
"""Arrays that are kept in half precision."""


@dataclass(frozen=True)
class SetNetworks:
    """Networks of one hidden layer, side by side. A label's value from the parts is that of the part where it is highest.

    Attributes:
        part_middle, part_spread, whole_middle, whole_spread: mean and standard deviation of each input, shape (inputs,).
        part_weights, part_bias: shapes (networks, part inputs, hidden) and (networks, hidden).
        whole_weights, whole_bias: shapes (networks, whole inputs, hidden) and (networks, hidden).
        part_output, whole_output: shapes (networks, hidden, labels).
        output_bias: shape (networks, labels).
        set_bias: shape (networks, sets).
    """

    part_middle: Floats
    part_spread: Floats
    whole_middle: Floats
    whole_spread: Floats
    part_weights: Floats
    part_bias: Floats
    whole_weights: Floats
    whole_bias: Floats
    part_output: Floats
    whole_output: Floats
    output_bias: Floats
    set_bias: Floats

    def predict(self, parts: Floats, whole: Floats, members: Floats) -> Floats:
        """The mean of the networks' probabilities, shape (sets,).

        Args:
            parts: shape (parts, part inputs).
            whole: shape (whole inputs,).
            members: which labels a set has, shape (sets, labels).
        """
        of_parts = np.clip((parts - self.part_middle) / self.part_spread, -FARTHEST, FARTHEST)
        of_whole = np.clip((whole - self.whole_middle) / self.whole_spread, -FARTHEST, FARTHEST)
        part_hidden = np.maximum(of_parts @ self.part_weights + self.part_bias[:, None], 0)
        whole_hidden = np.maximum(of_whole @ self.whole_weights + self.whole_bias, 0)
        labels = (part_hidden @ self.part_output).max(1) + (whole_hidden[:, None] @ self.whole_output)[:, 0] + self.output_bias
        mean: Floats = softmax(labels @ members.T + self.set_bias).mean(0)
        return mean
