"""Meaning as a vector: sentences of like meaning have a cosine near 1. One encoder that several models read from."""

from __future__ import annotations

import functools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import check_each, plain_text
from grice.models.errors import WeightsError
from grice.models.manifest import Manifest, read_manifest
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.text.template import read_tokenizer, token_id

Key = TypeVar("Key")

REMEMBERED = 4096
"""Texts whose vectors are remembered: the turns of a dialogue are read again with each new one."""
TOGETHER = 4
"""Texts, of like length, that are encoded in one go: the weights are then read once for all of them."""


class SentenceEncoder:
    """A MiniLM-sized encoder on onnxruntime; the mean of its states, at unit length.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, runtime: Runtime = Runtime()) -> None:
        self.precision = runtime.precision
        self.manifest = manifest
        self.max_tokens = manifest.count("max_tokens", 4, 65_536)
        self.width = manifest.count("width", 1, 65_536)
        self.tokenizer = read_tokenizer(manifest.tokenizer_path)
        self.session = Session(manifest.graph("encoder", runtime.precision), runtime)
        self.provider = self.session.provider
        if self.session.shapes["vector"][-1] not in (self.width, "width"):
            raise manifest.refuse("width", self.width, f"{self.session.shapes['vector'][-1]}, as the encoder has")
        self._ends = token_id(self.tokenizer, "[CLS]"), token_id(self.tokenizer, "[SEP]")
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        _ENCODERS.add(self)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, shape (texts, width), each of length 1; the end of a text of more than `max_tokens` is not read.

        A vector does not depend on the other texts, but for the last digits. Safe to call from several threads.
        """
        check_each(texts, str, "texts")
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        for group in _alike([(text, self.ids(text)) for text in dict.fromkeys(texts) if text not in known]):
            ids, mask = padded([row for _, row in group])
            vectors = self.session.run(["vector"], {"ids": ids, "mask": mask})[0]
            known.update(zip((text for text, _ in group), vectors, strict=True))
        with self._lock:
            for text in texts:
                self._vectors[text] = known[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > REMEMBERED:
                self._vectors.popitem(last=False)
        return np.stack([known[text] for text in texts]) if texts else np.zeros((0, self.width), np.float32)

    def forget(self) -> None:
        """Remember no vectors."""
        with self._lock:
            self._vectors.clear()

    @property
    def identity(self) -> dict[str, Any]:
        """What the manifest of a model that is fitted to this encoder says of it: name, version, checksums of the files."""
        files = {name: facts["sha256"] for name, facts in self.manifest.files.items()}
        return {"name": self.manifest.name, "version": self.manifest.version, "files": files}

    def check_fitted(self, manifest: Manifest) -> None:
        """See to it that the model of `manifest` was fitted to this encoder; another precision of it is the same.

        Raises:
            WeightsError: it was fitted to another one.
        """
        fitted = manifest.setting("encoder.files", dict, "an object of names and checksums")
        found = self.identity["files"]
        if any(found.get(name, digest) != digest for name, digest in fitted.items()) or not fitted.keys() & found.keys():
            expected = manifest.setting("encoder.name", str, "a name")
            raise WeightsError(
                f"model {manifest.name}: made for another encoder than {self.manifest.folder} ({expected}); train it again"
            )

    def fits(self, text: str) -> bool:
        """Whether all of `text` is read."""
        return len(self._pieces(text)) <= self.max_tokens - 2

    def ids(self, text: str) -> list[int]:
        """The pieces that are read of `text`, at most `max_tokens` with those of its start and end."""
        start, end = self._ends
        return [start, *self._pieces(text)[: self.max_tokens - 2], end]

    def _pieces(self, text: str) -> list[int]:
        pieces: list[int] = self.tokenizer.encode(plain_text(text), add_special_tokens=False).ids
        return pieces


_ENCODERS: weakref.WeakSet[SentenceEncoder] = weakref.WeakSet()


def forget_vectors() -> None:
    """All encoders of this process remember no vectors: the last digits of what follows depend on nothing that was asked before."""
    for encoder in tuple(_ENCODERS):
        encoder.forget()


def _alike(rows: Sequence[tuple[Key, list[int]]]) -> list[list[tuple[Key, list[int]]]]:
    """`TOGETHER` rows of like length each."""
    ordered = sorted(rows, key=lambda row: len(row[1]))
    return [ordered[start : start + TOGETHER] for start in range(0, len(ordered), TOGETHER)]


def padded(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`ids` and `mask` of rows of token ids, each (rows, length of the longest)."""
    width = max(map(len, rows))
    ids, mask = np.zeros((len(rows), width), np.int64), np.zeros((len(rows), width), np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


@functools.lru_cache(maxsize=16, typed=True)
def load_sentence_encoder(name: str | Path = "sentence_encoder", *, runtime: Runtime = Runtime()) -> SentenceEncoder:
    """A shipped encoder by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    return SentenceEncoder(read_manifest(name, "sentence-embedding"), runtime)


def load_encoder_of(manifest: Manifest, runtime: Runtime) -> SentenceEncoder:
    """The encoder that a model's manifest names. Models share it, also those with other workers: it has none.

    Raises:
        ModelNotFound, WeightsError, ProviderError: it cannot be loaded.
    """
    return load_sentence_encoder(manifest.setting("encoder.name", str, "a name"), runtime=replace(runtime, workers=0))
