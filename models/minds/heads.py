"""From what was read of a recommendation dialogue to probabilities of sets of labels: five heads of the same kind, in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.models.errors import WeightsError
from grice.models.minds.inputs import MindInputs
from grice.models.minds.labels import ROLES, Role, coarse_of
from grice.models.runtime.heads import Array, load_arrays, save_arrays
from grice.models.runtime.set_networks import HALVED, SetNetworks

Labels = frozenset[str]
ATTITUDE = "attitude"


def intention_head(role: Role) -> str:
    """The name of the head for the fine intentions of a turn of `role`."""
    return f"intention-{role}"


def next_head(role: Role) -> str:
    """The name of the head for the coarse intentions of the next turn of `role`."""
    return f"next-{role}"


HEADS = (*map(intention_head, ROLES), *map(next_head, ROLES), ATTITUDE)


def labels_of_set(head: str, labels: Labels) -> Labels:
    """The labels that a set gets its value from: its own, and what they have in common with those of other sets."""
    if head == ATTITUDE:
        return labels.union(*(label.split("-") for label in labels))
    for role in ROLES:
        if head == intention_head(role):
            return labels | {f"coarse {label}" for label in coarse_of(role, labels)}
    return labels


def membership(head: str, sets: Sequence[Labels]) -> Array:
    """Which labels (see `labels_of_set`) a set has: shape (sets, labels)."""
    named = [labels_of_set(head, each) for each in sets]
    labels = sorted(frozenset[str]().union(*named))
    return np.array([[label in each for label in labels] for each in named], np.float32)


@dataclass(frozen=True)
class SetHead:
    """Chooses among the sets of labels that its training data has.

    Attributes:
        sets: in the order of the probabilities.
        members: see `membership`.
    """

    sets: tuple[Labels, ...]
    members: Array
    networks: SetNetworks

    def probabilities(self, inputs: MindInputs, axes: Array) -> Array:
        """Of the sets, shape (sets,)."""
        return self.networks.predict(*network_inputs(inputs, axes), self.members)


def network_inputs(inputs: MindInputs, axes: Array) -> tuple[Array, Array]:
    """Projected vectors and features of the parts, shape (parts, part inputs), and of the whole, shape (whole inputs,)."""
    parts = np.concatenate([inputs.part_vectors @ axes, inputs.part_features], axis=1)
    return parts, np.concatenate([(inputs.vectors @ axes).ravel(), inputs.features])


@dataclass(frozen=True)
class MindHeads:
    """The five heads, by name (`HEADS`), and the axes on which all see the vectors, shape (width, axes)."""

    axes: Array
    heads: Mapping[str, SetHead]

    def probabilities(self, head: str, inputs: MindInputs) -> dict[Labels, float]:
        """How likely each set of labels is; they add up to 1."""
        chosen = self.heads[head]
        found = chosen.probabilities(inputs, self.axes)
        return {labels: float(value) for labels, value in zip(chosen.sets, found, strict=True)}

    def save(self, path: Path) -> None:
        """Write all arrays into one compressed `.npz` file, the large ones in half precision."""
        save_arrays(path, {"axes": self.axes, **{name: head.networks for name, head in self.heads.items()}}, HALVED)

    @property
    def sets(self) -> dict[str, list[list[str]]]:
        """The sets by head, for the manifest."""
        return {name: [sorted(labels) for labels in head.sets] for name, head in self.heads.items()}

    @classmethod
    def load(cls, path: Path, sets: Mapping[str, Sequence[Sequence[str]]]) -> MindHeads:
        """The heads that `save` wrote, with the `sets` of the manifest.

        Raises:
            WeightsError: the file is not such a file, or has other heads or sets.
        """
        arrays = load_arrays(path, dict.fromkeys(HEADS, SetNetworks))
        heads = {}
        for name in HEADS:
            own, networks = tuple(map(frozenset, sets.get(name, ()))), arrays[name]
            if len(own) != networks.set_bias.shape[-1]:
                raise WeightsError(
                    f"{path}: {name} has {networks.set_bias.shape[-1]} sets, the manifest {len(own)}; train it again"
                )
            heads[name] = SetHead(own, membership(name, own), networks)
        if "axes" not in arrays:
            raise WeightsError(f"{path}: no axes; train it again")
        return cls(arrays["axes"], heads)
