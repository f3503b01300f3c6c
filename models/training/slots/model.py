"""The slot-value resolver as torch trains it: every token of a value speaks for or against it."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from grice.models.slots.inputs import POSITIONS, SEGMENTS
from grice.models.training import warm_start
from grice.models.training.checkpoint import Facts, with_weights
from grice.models.training.low_bit_encoder import LowBitEncoder
from grice.models.training.vocabulary import Vocabulary


class SlotModel(LowBitEncoder):
    """Ids, positions and segments (batch, length) to how well each token speaks for its value: (batch, length)."""

    def __init__(self, pieces: int, layers: int) -> None:
        super().__init__(pieces, POSITIONS, len(SEGMENTS), layers)
        self.head = nn.Linear(warm_start.WIDTH, 1)

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        raw: Tensor = self.head(self.drop(self.states(ids, positions, segments, mask)).float())[..., 0]
        return raw


def restore(folder: Path, pieces: int, facts: Facts) -> SlotModel:
    """The trained model in the folder of a checkpoint."""
    return with_weights(SlotModel(pieces, facts["recipe"]["layers"]), folder)


def small_model(words: Vocabulary, layers: int) -> SlotModel:
    """The untrained model: MiniLM's layers and embeddings, the segments and the head new."""
    model = SlotModel(words.tokenizer.get_vocab_size(), layers)
    model.start(words)
    return model
