"""Meaning as a vector: sentences of like meaning have a cosine near 1. One encoder that several models read from."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from grice.models.dialogue import plain_text
from grice.models.manifest import Manifest, read_manifest
from grice.models.runtime.session import check_precision, choose_provider, open_session
from grice.models.template import token_id

REMEMBERED = 4096
"""Texts whose vectors are remembered: the turns of a dialogue are read again with each new one."""


class SentenceEncoder:
    """A MiniLM-sized encoder on onnxruntime; the mean of its states, at unit length.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, provider: str = "auto", threads: int = 1, precision: str = "int8") -> None:
        self.precision = check_precision(precision)
        self.manifest = manifest
        self.provider = choose_provider(provider)
        self.max_tokens: int = manifest.settings["max_tokens"]
        self.width: int = manifest.settings["width"]
        self.tokenizer = Tokenizer.from_file(str(manifest.path("tokenizer.json")))
        self.session = open_session(manifest.path(f"encoder.{precision}.onnx"), provider, threads)
        self._ends = token_id(self.tokenizer, "[CLS]"), token_id(self.tokenizer, "[SEP]")
        self._remembered = functools.lru_cache(maxsize=REMEMBERED)(self._encoded)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, shape (texts, width), each of length 1; the end of a text of more than `max_tokens` is not read.

        Each is encoded by itself: an int8 vector would depend on the rest of a batch.
        """
        if not texts:
            return np.zeros((0, self.width), np.float32)
        return np.stack([self._remembered(text) for text in texts])

    def fits(self, text: str) -> bool:
        """Whether all of `text` is read."""
        return len(self._pieces(text)) <= self.max_tokens - 2

    def _pieces(self, text: str) -> list[int]:
        pieces: list[int] = self.tokenizer.encode(plain_text(text), add_special_tokens=False).ids
        return pieces

    def _encoded(self, text: str) -> NDArray[np.float32]:
        start, end = self._ends
        ids = np.array([[start, *self._pieces(text)[: self.max_tokens - 2], end]], np.int64)
        vector: NDArray[np.float32] = self.session.run(["vector"], {"ids": ids, "mask": np.ones_like(ids)})[0][0]
        return vector


@functools.lru_cache(maxsize=16, typed=True)
def load_sentence_encoder(
    name: str | Path = "sentence_encoder", *, provider: str = "auto", threads: int = 1, precision: str = "int8"
) -> SentenceEncoder:
    """A shipped encoder by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    return SentenceEncoder(read_manifest(name, "sentence-embedding"), provider, threads, precision)
