"""Recurrent networks over the turns of a dialogue, in numpy: each turn is read in the light of those before it, never after.

They are fitted with torch (`grice.models.training.recurrent_networks`) and kept as arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grice.models.runtime.heads import FARTHEST, Floats, sigmoid, softmax

HALVED = ("hidden_weights", "input_gates", "state_gates")
"""Arrays that are kept in half precision."""


@dataclass(frozen=True)
class RecurrentNetworks:
    """Networks of one hidden layer and one layer of gated recurrent units (GRU, Cho et al. 2014), side by side.

    Attributes:
        middle, spread: mean and standard deviation of each input, shape (inputs,).
        hidden_weights, hidden_bias: shapes (networks, inputs, hidden) and (networks, hidden).
        input_gates, input_bias: shapes (networks, hidden, 3 × units) and (networks, 3 × units): reset, update, new.
        state_gates, state_bias: shapes (networks, units, 3 × units) and (networks, 3 × units), in the same order.
        output_weights, output_bias: of hidden layer and units, shapes (networks, hidden + units, labels) and (networks, labels).
    """

    middle: Floats
    spread: Floats
    hidden_weights: Floats
    hidden_bias: Floats
    input_gates: Floats
    input_bias: Floats
    state_gates: Floats
    state_bias: Floats
    output_weights: Floats
    output_bias: Floats

    def predict(self, turns: Floats, possible: NDArray[np.bool_]) -> Floats:
        """The mean of the networks' probabilities after each turn, shape (turns, labels).

        Args:
            turns: what was read of each, shape (turns, inputs).
            possible: whether a turn may have a label, shape (turns, labels); the others share the probability.
        """
        scaled = np.clip((turns - self.middle) / self.spread, -FARTHEST, FARTHEST)
        hidden = np.maximum(scaled @ self.hidden_weights + self.hidden_bias[:, None], 0)
        states = self._states(hidden @ self.input_gates + self.input_bias[:, None])
        values = np.concatenate([hidden, states], axis=-1) @ self.output_weights + self.output_bias[:, None]
        mean: Floats = softmax(np.where(possible, values, -np.inf)).mean(0)
        return mean

    def alone(self, number: int) -> RecurrentNetworks:
        """One of the networks."""
        shared = ("middle", "spread")
        return replace(self, **{name: part[number : number + 1] for name, part in vars(self).items() if name not in shared})

    def _states(self, gates: Floats) -> Floats:
        """The units after each turn, shape (networks, turns, units)."""
        state = np.zeros((len(gates), self.state_gates.shape[1]), np.float32)
        states = []
        for turn in range(gates.shape[1]):
            own = (state[:, None] @ self.state_gates)[:, 0] + self.state_bias
            (reset, update, new), (own_reset, own_update, own_new) = (np.split(part, 3, -1) for part in (gates[:, turn], own))
            kept = sigmoid(update + own_update)
            state = (1 - kept) * np.tanh(new + sigmoid(reset + own_reset) * own_new) + kept * state
            states.append(state)
        return np.stack(states, axis=1)
