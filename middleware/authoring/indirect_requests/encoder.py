"""What turns texts into vectors of meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Encoder(Protocol):
    """Texts of like meaning get vectors with a cosine near 1, such as those of `SentenceEncoder`."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length 1, shape (texts, width)."""
        ...


def cosines(encoder: Encoder, text: str, others: Sequence[str]) -> list[float]:
    """How near `text` is to each of `others`, -1 to 1."""
    vector, *vectors = encoder.encode([text, *others])
    return [float(vector @ other) for other in vectors]
