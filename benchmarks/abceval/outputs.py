"""What the annotators and the systems say of every response of ABC-Eval, behaviour by behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grice.benchmarks.stats.mcnemar import Flags
from grice.models.data.abceval import ANNOTATORS, LabelledResponse
from grice.models.results import BEHAVIORS, Behavior

REPLAYS = ("human", "chatgpt", "specialized")


@dataclass(frozen=True)
class Output:
    """What one system says of one behaviour.

    Attributes:
        said: shape (responses, annotators): column i is what is compared with annotator i. The columns are the same, but for the
            human: there each annotator is compared with the other (the paper, footnote 3).
        scored: shape (responses,), where the system says anything at all.
    """

    said: Flags
    scored: Flags


Outputs = Mapping[Behavior, Output]
"""By behaviour; one that a system has no opinion on is not there."""


def truth_of(rows: Sequence[LabelledResponse]) -> dict[Behavior, Flags]:
    """What both annotators say of each behaviour: shape (responses, annotators)."""
    return {label: np.array([row.annotators[label] for row in rows], bool).reshape(-1, ANNOTATORS) for label in BEHAVIORS}


def replay(system: str, rows: Sequence[LabelledResponse]) -> Outputs:
    """The published labels of one of `REPLAYS`."""
    if system == "human":
        return {label: Output(truth[:, ::-1], np.ones(len(rows), bool)) for label, truth in truth_of(rows).items()}
    published = [row.chatgpt if system == "chatgpt" else row.specialized for row in rows]
    return decided({label: [labels[label] for labels in published] for label in BEHAVIORS})


def always_yes(rows: Sequence[LabelledResponse]) -> Outputs:
    """Every response shows every behaviour: the floor of F1+."""
    return decided({label: [True] * len(rows) for label in BEHAVIORS})


def decided(decisions: Mapping[Behavior, Sequence[bool | None]]) -> Outputs:
    """Outputs of a system's decisions on each response, None where it has none."""
    outputs = {}
    for label, values in decisions.items():
        scored = np.array([value is not None for value in values], bool)
        if scored.any():
            said = np.array([bool(value) for value in values])
            outputs[label] = Output(np.stack([said] * ANNOTATORS, axis=1), scored)
    return outputs
