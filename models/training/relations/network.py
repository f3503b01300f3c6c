"""The reader of relations as a torch network: a trunk that reads the context once, and each response beside it.

A context's pieces see each other; a response's pieces see the context and themselves. So a context is read once for all of its
responses, and at run time could be kept from turn to turn.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from grice.models.relations.inputs import AGES, RESPONSE_KIND, ContextPieces, ResponsePieces
from grice.models.relations.labels import LABELS, SETTINGS
from grice.models.training.sentence_trunk import SentenceTrunk

POINTER = 128


@dataclass(frozen=True)
class RelationBatch:
    """C contexts of at most N pieces, R responses of at most M pieces.

    Attributes:
        ids, kinds, ages, mask: (C, N). response_ids, response_mask: (R, M). owners: (R,), the context of each response.
        lengths: (C,), how many pieces each context has.
    """

    ids: Tensor
    kinds: Tensor
    ages: Tensor
    mask: Tensor
    lengths: Tensor
    response_ids: Tensor
    response_mask: Tensor
    owners: Tensor


@dataclass(frozen=True)
class RelationScores:
    """Scores before any normalisation.

    Attributes:
        bad: (R,). labels: (R, labels). settings: (C, settings).
        context: (R, N), of pieces of the context, which the response clashes with; own: (R, M), of its own pieces.
    """

    bad: Tensor
    labels: Tensor
    settings: Tensor
    context: Tensor
    own: Tensor


class RelationNetwork(nn.Module):
    """The trunk, whose table of pieces and first `frozen` layers stay as they are, and the heads."""

    def __init__(self, trunk: SentenceTrunk, frozen: int = 0, drop: float = 0.1) -> None:
        super().__init__()
        self.trunk = trunk
        self.frozen = frozen
        width = trunk.shape.width
        self.kinds, self.ages = nn.Embedding(RESPONSE_KIND + 1, width), nn.Embedding(AGES, width)
        for table in (self.kinds, self.ages):
            nn.init.zeros_(table.weight)
        self.whole = nn.Linear(2 * width, width)
        self.bad, self.labels = nn.Linear(width, 1), nn.Linear(width, len(LABELS))
        self.setting = nn.Linear(width, len(SETTINGS))
        self.asks, self.answers = nn.Linear(width, POINTER), nn.Linear(width, POINTER)
        self.own = nn.Linear(width, 1)
        self.drop = nn.Dropout(drop)
        for part in (trunk.words, trunk.positions, trunk.norm, trunk.distances, trunk.layers[:frozen]):
            part.requires_grad_(False)

    @torch.no_grad()
    def lower(self, batch: RelationBatch) -> tuple[Tensor, Tensor]:
        """States of context and responses after the frozen layers, which never change: they can be kept."""
        trunk = self.trunk
        places = trunk.positions.weight
        context = trunk.norm(trunk.words(batch.ids) + places[: batch.ids.size(1)])
        behind = batch.lengths[batch.owners][:, None] + torch.arange(batch.response_ids.size(1), device=batch.ids.device)
        response = trunk.norm(trunk.words(batch.response_ids) + places[behind])
        hidden = self._hidden(batch)
        for layer in trunk.layers[: self.frozen]:
            context, response = self._layer(layer, context, response, batch.owners, hidden)
        return context, response

    def forward(self, batch: RelationBatch, lower: tuple[Tensor, Tensor] | None = None) -> RelationScores:
        """`lower`: what the method of that name said of the batch, where it was kept."""
        trunk = self.trunk
        context, response = lower or self.lower(batch)
        context = self.drop(context + self.kinds(batch.kinds) + self.ages(batch.ages))
        response = self.drop(response + self.kinds.weight[RESPONSE_KIND])
        there = batch.mask.to(context.dtype)
        hidden = self._hidden(batch)
        for layer in trunk.layers[self.frozen : -1]:
            context, response = self._layer(layer, context, response, batch.owners, hidden)
        keys, values = self._seen(trunk.layers[-1], context)
        response = self._beside(trunk.layers[-1], response, keys[batch.owners], values[batch.owners], hidden[1])
        weights = batch.response_mask[:, :, None].to(response.dtype)
        mean = (response * weights).sum(1) / weights.sum(1)
        whole = self.drop(functional.gelu(self.whole(torch.cat([response[:, 0], mean], 1))))
        seen = there[:, :, None]
        asked, answers = self.asks(whole), self.answers(context)
        pointed = (answers[batch.owners] @ asked[:, :, None])[:, :, 0] / POINTER**0.5
        return RelationScores(
            self.bad(whole)[:, 0].float(),
            self.labels(whole).float(),
            self.setting((context * seen).sum(1) / seen.sum(1)).float(),
            pointed.float() + (1 - there[batch.owners]).float() * -1e4,
            self.own(response)[:, :, 0].float() + (1 - batch.response_mask.float()) * -1e4,
        )

    def _hidden(self, batch: RelationBatch) -> tuple[Tensor, Tensor]:
        """What is added to attention: for pieces of a context, and for those of a response, which also see the context."""
        there = batch.mask.float()
        both = torch.cat([there[batch.owners], batch.response_mask.float()], 1)
        return (1 - there)[:, None, None] * -1e4, (1 - both)[:, None, None] * -1e4

    def _layer(
        self, layer: Any, context: Tensor, response: Tensor, owners: Tensor, hidden: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, Tensor]:
        keys, values = self._seen(layer, context)
        mixed = _attend(_heads(layer.query(context), layer.heads), keys, values, hidden[0])
        beside = self._beside(layer, response, keys[owners], values[owners], hidden[1])
        return self._after(layer, context, mixed), beside

    def _seen(self, layer: Any, state: Tensor) -> tuple[Tensor, Tensor]:
        return _heads(layer.key(state), layer.heads), _heads(layer.value(state), layer.heads)

    def _beside(self, layer: Any, response: Tensor, keys: Tensor, values: Tensor, hidden: Tensor) -> Tensor:
        own_keys, own_values = self._seen(layer, response)
        asked = _heads(layer.query(response), layer.heads)
        mixed = _attend(asked, torch.cat([keys, own_keys], 2), torch.cat([values, own_values], 2), hidden)
        return self._after(layer, response, mixed)

    def _after(self, layer: Any, state: Tensor, mixed: Tensor) -> Tensor:
        state = layer.attention_norm(state + layer.out(mixed.transpose(1, 2).flatten(2)))
        found: Tensor = layer.norm(state + self.drop(layer.narrow(functional.gelu(layer.wide(state)))))
        return found


class LowerStates:
    """What the frozen layers make of samples, kept in half precision: it is computed once a sample."""

    def __init__(self, network: RelationNetwork) -> None:
        self.network = network
        self.kept: dict[Hashable, tuple[Tensor, list[Tensor]]] = {}

    def of(self, keys: Sequence[Hashable], batch: RelationBatch) -> tuple[Tensor, Tensor]:
        """`lower` of a batch, one key a context."""
        if any(key not in self.kept for key in keys):
            context, response = (state.to(torch.float16) for state in self.network.lower(batch))
            long = batch.response_mask.sum(1)
            for row, key in enumerate(keys):
                own = (batch.owners == row).nonzero()[:, 0].tolist()
                self.kept[key] = context[row, : batch.lengths[row]].clone(), [response[at, : long[at]].clone() for at in own]
        found = [self.kept[key] for key in keys]
        flat = [state for _, group in found for state in group]
        return _stacked([state for state, _ in found], batch.ids), _stacked(flat, batch.response_ids)


def _stacked(states: Sequence[Tensor], like: Tensor) -> Tensor:
    stacked = torch.zeros(*like.shape, states[0].size(1))
    for row, state in enumerate(states):
        stacked[row, : len(state)] = state.float()
    return stacked


def _attend(query: Tensor, key: Tensor, value: Tensor, hidden: Tensor) -> Tensor:
    """Plain products: torch's fused attention is several times slower backwards on processors."""
    scores = query @ key.transpose(2, 3) * query.size(3) ** -0.5
    return torch.softmax(scores.float() + hidden, 3).to(value.dtype) @ value


def _heads(state: Tensor, count: int) -> Tensor:
    return state.reshape(state.size(0), state.size(1), count, -1).transpose(1, 2)


def batch_of(contexts: Sequence[ContextPieces], responses: Sequence[Sequence[ResponsePieces]]) -> RelationBatch:
    """Contexts, and the responses of each, as tensors."""
    wide = max(len(each.ids) for each in contexts)
    ids, kinds, ages, mask = (torch.zeros(len(contexts), wide, dtype=torch.long) for _ in range(4))
    for row, each in enumerate(contexts):
        count = len(each.ids)
        ids[row, :count], kinds[row, :count] = torch.tensor(each.ids), torch.tensor(each.kinds)
        ages[row, :count], mask[row, :count] = torch.tensor(each.ages), 1
    flat = [each for group in responses for each in group]
    long = max(len(each.ids) for each in flat)
    response_ids, response_mask = (torch.zeros(len(flat), long, dtype=torch.long) for _ in range(2))
    for row, own in enumerate(flat):
        response_ids[row, : len(own.ids)], response_mask[row, : len(own.ids)] = torch.tensor(own.ids), 1
    owners = torch.tensor([row for row, group in enumerate(responses) for _ in group])
    lengths = torch.tensor([len(each.ids) for each in contexts])
    return RelationBatch(ids, kinds, ages, mask, lengths, response_ids, response_mask, owners)
