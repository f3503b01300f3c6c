"""The reader of meaning as a torch network: a trunk that reads the turn, and a joint block that reads turn and menu together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from grice.models.data.circa import CLASSES
from grice.models.meaning.inputs import TurnPieces
from grice.models.meaning.menu import OPTION_KINDS
from grice.models.meaning.results import SAID, TURN_KINDS
from grice.models.training.sentence_trunk import SentenceTrunk, padded

JOINT_WIDTH, JOINT_HEADS, JOINT_WIDE, JOINT_LAYERS = 384, 6, 1024, 2
SLOT_STATES = ("silent", *SAID)
MOST_OPTIONS = 5
"""How many options of the bot's list can be told apart."""
JUDGEMENTS = len(CLASSES)

ReadStates = Mapping[tuple[int, ...], Tensor]
"""States (length, width) of pieces, by text."""


@dataclass(frozen=True)
class OptionVectors:
    """The options of a menu, meanings first.

    Attributes:
        vectors: (options, width). kinds: (options,), places in `OPTION_KINDS`.
        owners: (options,), for a value the place of its slot among the options, for others their own.
    """

    vectors: Tensor
    kinds: Tensor
    owners: Tensor


@dataclass(frozen=True)
class Readings:
    """What is read of turns, before any normalisation. B turns, N options, T pieces.

    Attributes:
        meaning: (B, N) scores of options as meanings; those of slots say nothing. cosine: (B, N) the same by the vectors alone.
        slot_states: (B, N, 5) by `SLOT_STATES`, of slots. values: (B, N) scores of values.
        starts, ends: (B, N, T) scores of pieces as a free-text slot's first and last.
        turn_kinds: (B, 4) by `TURN_KINDS`. changes: (B,). chosen: (B, MOST_OPTIONS). judged: (B, JUDGEMENTS).
        turns: (B, width) vectors of the turns, of unit length.
    """

    meaning: Tensor
    cosine: Tensor
    slot_states: Tensor
    values: Tensor
    starts: Tensor
    ends: Tensor
    turn_kinds: Tensor
    changes: Tensor
    chosen: Tensor
    judged: Tensor
    turns: Tensor


class JointLayer(nn.Module):
    """Self-attention and feed-forward, each after a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.norm = nn.LayerNorm(JOINT_WIDTH), nn.LayerNorm(JOINT_WIDTH)
        self.inputs, self.out = nn.Linear(JOINT_WIDTH, 3 * JOINT_WIDTH), nn.Linear(JOINT_WIDTH, JOINT_WIDTH)
        self.wide, self.narrow = nn.Linear(JOINT_WIDTH, JOINT_WIDE), nn.Linear(JOINT_WIDE, JOINT_WIDTH)
        self.drop = nn.Dropout(0.1)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        parts = self.inputs(self.attention_norm(state)).chunk(3, 2)
        query, key, value = (part.unflatten(2, (JOINT_HEADS, -1)).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        state = state + self.drop(self.out(mixed.transpose(1, 2).flatten(2)))
        found: Tensor = state + self.drop(self.narrow(functional.gelu(self.wide(self.norm(state)))))
        return found


class JointBlock(nn.Module):
    """Reads the pieces of a turn and the vectors of all options together. No option has a place: their order does not matter."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.piece, self.option, self.owner = (nn.Linear(width, JOINT_WIDTH) for _ in range(3))
        self.segment = nn.Embedding(2, JOINT_WIDTH)
        self.kind = nn.Embedding(len(OPTION_KINDS), JOINT_WIDTH)
        self.of_whole, self.of_best = (nn.Parameter(0.5 * torch.randn(JOINT_WIDTH)) for _ in range(2))
        self.layers = nn.ModuleList(JointLayer() for _ in range(JOINT_LAYERS))
        self.norm = nn.LayerNorm(JOINT_WIDTH)
        self.meaning, self.value = nn.Linear(JOINT_WIDTH, 1), nn.Linear(JOINT_WIDTH, 1)
        self.state = nn.Linear(JOINT_WIDTH, len(SLOT_STATES))
        self.span_option, self.span_piece = nn.Linear(JOINT_WIDTH, 256), nn.Linear(JOINT_WIDTH, 256)
        self.whole = nn.Linear(2 * JOINT_WIDTH, JOINT_WIDTH)
        self.turn = nn.Linear(JOINT_WIDTH, len(TURN_KINDS) + 1 + MOST_OPTIONS + JUDGEMENTS)
        self.scale = nn.Parameter(torch.tensor(3.0))
        self.value_scale = nn.Parameter(torch.tensor(2.5))

    def forward(self, states: Tensor, mask: Tensor, own: Tensor, options: OptionVectors) -> Readings:
        """`states` (B, T, width), `mask` and `own` (B, T): pieces that are there, and those of the turn itself."""
        weights = own[:, :, None].to(states.dtype)
        turn = functional.normalize((states * weights).sum(1), dim=1)
        unit = functional.normalize(options.vectors, dim=1)
        cosine = turn @ unit.T
        best = ((functional.normalize(states, dim=2) * weights) @ unit.T).amax(1)
        likeness = 4 * (cosine[:, :, None] * self.of_whole + best[:, :, None] * self.of_best)
        owner = self.owner(unit * 8)[options.owners]
        option = self.option(unit * 8) + owner + self.kind(options.kinds)
        pieces = self.piece(states * 4) + self.segment(own)
        both = torch.cat([option[None] + likeness, pieces], 1)
        there = torch.cat([torch.ones_like(likeness[:, :, 0]), mask.to(states.dtype)], 1)
        bias = (1 - there)[:, None, None] * -1e4
        for layer in self.layers:
            both = layer(both, bias)
        both = self.norm(both)
        read, pieces = both[:, : option.size(0)], both[:, option.size(0) :]
        mean = (pieces * weights).sum(1) / weights.sum(1)
        whole = functional.gelu(self.whole(torch.cat([mean, pieces[:, 0]], 1)))
        kinds, changes, chosen, judged = self.turn(whole).split([len(TURN_KINDS), 1, MOST_OPTIONS, JUDGEMENTS], 1)
        by_cosine = self.scale.exp() * cosine
        start, end = self.span_option(read).chunk(2, 2)
        first, last = self.span_piece(pieces).chunk(2, 2)
        outside = (1 - own.to(states.dtype))[:, None] * -1e4
        return Readings(
            by_cosine + self.meaning(read)[:, :, 0],
            by_cosine,
            self.state(read),
            self.value_scale.exp() * cosine + self.value(read)[:, :, 0],
            start @ first.transpose(1, 2) / 11 + outside,
            end @ last.transpose(1, 2) / 11 + outside,
            kinds,
            changes[:, 0],
            chosen,
            judged,
            turn,
        )


class MeaningNetwork(nn.Module):
    """The trunk, whose lower layers stay as they are, and the joint block.

    Args:
        frozen: how many of the trunk's layers do not learn; what they make of a text never changes, so it is kept.
            0: all learn; the table of pieces never does.
        pad: the piece that fills up.
    """

    def __init__(self, trunk: SentenceTrunk, frozen: int, pad: int) -> None:
        super().__init__()
        self.trunk = trunk
        self.joint = JointBlock(trunk.shape.width)
        self.frozen = frozen
        self.pad = pad
        parts: list[nn.Module] = [trunk.words]
        if frozen:
            parts += [trunk.positions, trunk.norm, trunk.distances, trunk.layers[:frozen]]
        for part in parts:
            part.requires_grad_(False)
        self.kept: dict[tuple[int, ...], Tensor] = {}

    def read_together(self, texts: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Tensor]:
        """States (length, width) of each text's pieces, for `states_of`; none where layers do not learn: those are kept instead."""
        return {} if self.frozen else self.trunk.read_together(texts, self.pad)

    def states_of(self, texts: Sequence[tuple[int, ...]], read: ReadStates | None = None) -> tuple[Tensor, Tensor]:
        """States (texts, length, width) of pieces, and which are there; of texts in `read` those from there."""
        if read:
            lengths = torch.tensor([len(text) for text in texts])
            mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long()
            return pad_sequence([read[text] for text in texts], batch_first=True), mask
        if not self.frozen:
            ids, mask = padded(texts, self.pad)
            return self.trunk(ids, mask), mask
        lower, mask = self.lower(texts)
        return self.trunk.run(lower, self.trunk.bias(mask), self.frozen), mask

    @torch.no_grad()
    def lower(self, texts: Sequence[tuple[int, ...]]) -> tuple[Tensor, Tensor]:
        """What the frozen layers make of texts."""
        new = sorted({text for text in texts if text not in self.kept}, key=len)
        for start in range(0, len(new), 16):
            part = new[start : start + 16]
            ids, mask = padded(part, self.pad)
            found = self.trunk.run(self.trunk.embed(ids), self.trunk.bias(mask), 0, self.frozen).to(torch.float16)
            for text, state in zip(part, found, strict=True):
                self.kept[text] = state[: len(text)].clone()
        mask = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
        states = torch.zeros(*mask.shape, self.trunk.shape.width)
        for row, text in enumerate(texts):
            states[row, : len(text)] = self.kept[text].float()
            mask[row, : len(text)] = 1
        return states, mask

    def read_options(
        self,
        texts: Sequence[Sequence[tuple[int, ...]]],
        kinds: Sequence[int],
        owners: Sequence[int],
        read: ReadStates | None = None,
    ) -> OptionVectors:
        """Vectors of options, each the mean of those of its texts."""
        flat = sorted({text for each in texts for text in each}, key=len)
        places = {text: place for place, text in enumerate(flat)}
        vectors = self.read_texts(flat, read)
        means = torch.stack([vectors[[places[text] for text in each]].mean(0) for each in texts])
        return OptionVectors(means, torch.tensor(kinds), torch.tensor(owners))

    def read_texts(self, texts: Sequence[tuple[int, ...]], read: ReadStates | None = None) -> Tensor:
        """(texts, width) vectors of unit length. Texts in order of their length are read fastest."""
        half = len(texts) // 2
        means = [self._means(part, read) for part in (texts[:half], texts[half:]) if part]
        return functional.normalize(torch.cat(means), dim=1)

    def _means(self, texts: Sequence[tuple[int, ...]], read: ReadStates | None) -> Tensor:
        states, mask = self.states_of(texts, read)
        weights = mask[:, :, None].to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)

    def forward(self, turns: Sequence[TurnPieces], options: OptionVectors, read: ReadStates | None = None) -> Readings:
        states, mask = self.states_of([turn.ids for turn in turns], read)
        own = torch.zeros_like(mask)
        for row, turn in enumerate(turns):
            own[row, turn.start : turn.start + len(turn.offsets)] = 1
        readings: Readings = self.joint(states, mask, own, options)
        return readings
