"""Fitting the heads of the detector of face acts: its members, what weighs and calibrates them, and the estimate of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from torch.nn import functional

from grice.models.face_acts.heads import FaceHeads, agreement_inputs, log_probabilities, mixed, word_shares
from grice.models.face_acts.inputs import SLOTS
from grice.models.results import FACE_ACTS
from grice.models.runtime.heads import Floats, WordModel
from grice.models.training.cross_validation import splits
from grice.models.training.face_acts.examples import FaceExample
from grice.models.training.heads import fit_words
from grice.models.training.recurrent_networks import IMPOSSIBLE, RecurrentExample, RecurrentRecipe, fit_recurrent

LABELS = len(FACE_ACTS)
NETWORKS = RecurrentRecipe()
LEANINGS = np.arange(-0.8, 0.81, 0.2)


@dataclass(frozen=True)
class IntentionRecipe:
    """The shipped heads.

    Attributes:
        networks: how they are fitted.
        committee: networks; each leaves out another part of the dialogues, on which everything else is fitted.
        word_strength: of the regularisation of the model on words, scikit-learn's C.
        agreement_strength: of that of the estimate of agreement.
        written: whether the members also learn from dialogues that we wrote, rich in rare acts; off, see the model card.
        folds: of the outer cross-validation.
    """

    networks: RecurrentRecipe = NETWORKS
    committee: int = 4
    word_strength: float = 3.0
    agreement_strength: float = 1.0
    written: bool = False
    folds: int = 5
    seed: int = 0


def fit(examples: Sequence[FaceExample], recipe: IntentionRecipe, written: Sequence[FaceExample] = ()) -> FaceHeads:
    """Heads from these examples alone.

    Each network of the committee leaves out a part of the dialogues; so does a model on words beside it. What they say of the part
    left out is what weights, calibration, leaning and the estimate of agreement are fitted to. The members also learn from what
    is `written`.
    """
    labels = np.concatenate([each.labels for each in examples])
    persuadees = np.concatenate([each.inputs.persuadees for each in examples])
    seen = possible_labels(labels, persuadees)
    taught = [*examples, *(each for each in written if seen[each.inputs.persuadees, each.labels].all())]
    ours = list(range(len(examples), len(taught)))
    possible = [seen[each.inputs.persuadees] > 0 for each in taught]
    inner = splits([each.dialogue_id for each in examples], recipe.committee, recipe.seed + 1)
    parts = [[*kept.tolist(), *ours] for kept, _ in inner]
    recurrent = [
        RecurrentExample(each.inputs.turns, each.labels, allowed, each.acts) for each, allowed in zip(taught, possible, strict=True)
    ]
    networks = fit_recurrent(recurrent, parts, recipe.networks, recipe.seed)
    members: dict[int, Floats] = {}
    for number, (part, (_, left_out)) in enumerate(zip(parts, inner, strict=True)):
        words = _words([taught[at] for at in part], recipe)
        for at in left_out.tolist():
            said = networks.alone(number).predict(examples[at].inputs.turns, possible[at])
            members[at] = log_probabilities(np.stack([said, word_shares(words, examples[at].inputs, possible[at])]))
    held_out = np.concatenate([members[at] for at in range(len(examples))], axis=1)
    allowed = np.concatenate(possible[: len(examples)])
    mixing, offsets = calibration(held_out, allowed, labels)
    probabilities = mixed(held_out, allowed, mixing, offsets)
    weights, bias = _agreement(examples, probabilities, recipe.agreement_strength)
    words = _words(taught, recipe)
    return FaceHeads(networks, words, seen, mixing, offsets, leaning(probabilities, labels), weights, bias)


def possible_labels(labels: NDArray[np.int64], persuadees: NDArray[np.int64]) -> Floats:
    """1 where a role has a label at least once, otherwise 0; shape (2, labels)."""
    seen = np.zeros((2, LABELS), np.float32)
    seen[persuadees, labels] = 1
    return seen


def _words(examples: Sequence[FaceExample], recipe: IntentionRecipe) -> WordModel:
    slots = [taken for each in examples for taken in each.inputs.words]
    labels = np.eye(LABELS)[np.concatenate([each.labels for each in examples])]
    return fit_words(slots, SLOTS, labels[:, :, None], recipe.word_strength)


def calibration(members: Floats, possible: NDArray[np.bool_], labels: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Weights of the members' log-probabilities and offsets, at the greatest likelihood of the labels."""
    said, wanted = torch.from_numpy(members).double(), torch.from_numpy(labels)
    impossible = torch.from_numpy(~possible)
    mixing = torch.full((len(members),), 1 / len(members), dtype=torch.float64, requires_grad=True)
    offsets = torch.zeros(members.shape[-1], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([mixing, offsets], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        values = (torch.tensordot(mixing, said, 1) + offsets).masked_fill(impossible, IMPOSSIBLE)
        found = functional.cross_entropy(values, wanted) + 1e-3 * offsets.square().sum()
        found.backward()  # type: ignore[no-untyped-call]
        return found

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return tuple(part.detach().numpy().astype(np.float32) for part in (mixing, offsets))  # type: ignore[return-value]


def leaning(probabilities: Floats, labels: NDArray[np.int64]) -> Floats:
    """What added to the log-probabilities gives the greatest sum of accuracy and macro-F1, label by label, twice around."""
    with np.errstate(divide="ignore"):
        logarithms = np.log(probabilities)

    def gain(added: Floats) -> float:
        chosen = (logarithms + added).argmax(-1)
        return float((chosen == labels).mean() + f1_score(labels, chosen, average="macro", zero_division=0.0))

    best = np.zeros(LABELS, np.float32)
    for label in [*range(LABELS), *range(LABELS)]:
        tried = [best + step * np.eye(LABELS, dtype=np.float32)[label] for step in sorted(LEANINGS, key=abs)]
        best = max(tried, key=gain)
    return best


def _agreement(examples: Sequence[FaceExample], probabilities: Floats, strength: float) -> tuple[Floats, Floats]:
    ends = np.cumsum([len(each.labels) for each in examples])[:-1]
    tables = [
        agreement_inputs(each.inputs.persuadees, said) for each, said in zip(examples, np.split(probabilities, ends), strict=True)
    ]
    agrees = np.concatenate([np.full(len(table), each.agrees) for each, table in zip(examples, tables, strict=True)])
    weight = np.concatenate([np.full(len(table), 1 / len(table)) for table in tables])  # a dialogue counts once
    model = LogisticRegression(C=strength, max_iter=1000).fit(np.concatenate(tables), agrees, weight)
    return model.coef_[0].astype(np.float32), model.intercept_.astype(np.float32)
