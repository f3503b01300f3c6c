"""What the reader of relations is taught by: labels, a ranking within a context, and what a fault clashes with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from grice.models.relations.inputs import ContextPieces, RelationTokens, ResponsePieces
from grice.models.relations.labels import LABELS, SETTINGS
from grice.models.training.relations.network import LowerStates, RelationBatch, RelationNetwork, RelationScores, batch_of
from grice.models.training.relations.samples import RelationSample, TaughtResponse


@dataclass(frozen=True)
class LossWeights:
    """How much each part counts. `pairs`: bad above fine in the same context. `words`: the words within what is clashed with."""

    bad: float = 1.0
    labels: float = 3.0
    pairs: float = 1.0
    line: float = 0.8
    words: float = 0.4
    own: float = 0.2
    setting: float = 0.1


@dataclass(frozen=True)
class RelationStep:
    """Samples with their pieces.

    Attributes:
        samples: that it is of. batch: as tensors. bad, known_bad: (R,). labels, known: (R, labels).
        settings: (C,), -1 where there is none.
        line, words: (R, N), 1 on pieces of the context; own: (R, M), 1 on pieces of the response. Rows without are zeros.
    """

    samples: tuple[RelationSample, ...]
    batch: RelationBatch
    bad: Tensor
    known_bad: Tensor
    labels: Tensor
    known: Tensor
    settings: Tensor
    line: Tensor
    words: Tensor
    own: Tensor


def step_of(samples: Sequence[RelationSample], tokens: RelationTokens) -> RelationStep:
    """Samples as tensors."""
    contexts = [tokens.read_context(sample.spans) for sample in samples]
    responses = [[tokens.read_response(each.text) for each in sample.responses] for sample in samples]
    batch = batch_of(contexts, responses)
    flat = [(sample, at, each) for at, sample in enumerate(samples) for each in sample.responses]
    pieces = [each for group in responses for each in group]
    line, words = torch.zeros(len(flat), batch.ids.size(1)), torch.zeros(len(flat), batch.ids.size(1))
    own = torch.zeros(len(flat), batch.response_ids.size(1))
    for row, (sample, at, said) in enumerate(flat):
        if said.clash is not None:
            _mark(line[row], words[row], contexts[at], sample, said)
            _mark_own(own[row], pieces[row], said)
    return RelationStep(
        tuple(samples),
        batch,
        torch.tensor([float(bool(said.bad)) for _, _, said in flat]),
        torch.tensor([float(said.bad is not None) for _, _, said in flat]),
        torch.tensor([[float(label in said.labels) for label in LABELS] for _, _, said in flat]),
        torch.tensor([[float(label in said.known) for label in LABELS] for _, _, said in flat]),
        torch.tensor([SETTINGS.index(sample.setting) if sample.setting else -1 for sample in samples]),
        line,
        words,
        own,
    )


def _mark(line: Tensor, words: Tensor, context: ContextPieces, sample: RelationSample, said: TaughtResponse) -> None:
    assert said.clash is not None
    text = sample.spans[said.clash.span].text
    start = text.lower().find(said.clash.words.lower())
    end = start + len(said.clash.words)
    for place, (owner, (first, last)) in enumerate(zip(context.owners, context.offsets, strict=True)):
        if owner == said.clash.span:
            line[place] = 1
            if said.clash.words and first < end and last > start and last > first:
                words[place] = 1


def _mark_own(own: Tensor, pieces: ResponsePieces, said: TaughtResponse) -> None:
    assert said.clash is not None
    start = said.text.lower().find(said.clash.own.lower())
    end = start + len(said.clash.own)
    for place, (first, last) in enumerate(pieces.offsets):
        if said.clash.own and first < end and last > start and last > first:
            own[place] = 1


def step_loss(network: RelationNetwork, step: RelationStep, weights: LossWeights, kept: LowerStates) -> Tensor:
    """The loss of a step, a scalar."""
    scores: RelationScores = network(step.batch, kept.of(step.samples, step.batch))
    return (
        weights.bad * _masked_bce(scores.bad, step.bad, step.known_bad)
        + weights.labels * _masked_bce(scores.labels, step.labels, step.known)
        + weights.pairs * _ranking(scores.bad, step)
        + weights.line * _pointing(scores.context, step.line)
        + weights.words * _pointing(scores.context, step.words)
        + weights.own * _pointing(scores.own, step.own)
        + weights.setting * _settings(scores.settings, step.settings)
    )


def _masked_bce(scores: Tensor, wanted: Tensor, known: Tensor) -> Tensor:
    found = functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
    return (found * known).sum() / known.sum().clamp(min=1)


def _ranking(scores: Tensor, step: RelationStep) -> Tensor:
    """Over all pairs of a context, one known to be bad and one known to be fine."""
    same = step.batch.owners[:, None] == step.batch.owners[None]
    bad, fine = step.bad * step.known_bad, (1 - step.bad) * step.known_bad
    pairs = same * bad[:, None] * fine[None]
    found = functional.softplus(scores[None] - scores[:, None])
    return (found * pairs).sum() / pairs.sum().clamp(min=1)


def _pointing(scores: Tensor, wanted: Tensor) -> Tensor:
    """How unlikely the wanted pieces are, as shares of all; over rows that have some."""
    rows = wanted.sum(1) > 0
    if not rows.any():
        return scores.sum() * 0
    shares = functional.log_softmax(scores[rows], 1)
    return -torch.logsumexp(shares + (wanted[rows] - 1) * 1e4, 1).mean()


def _settings(scores: Tensor, wanted: Tensor) -> Tensor:
    if not (wanted >= 0).any():
        return scores.sum() * 0
    return functional.cross_entropy(scores, wanted, ignore_index=-1)
