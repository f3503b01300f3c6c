"""Text generation with a key-value cache in onnxruntime: greedy and beam search, batched."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import InputError, WeightsError
from grice.models.manifest import Manifest
from grice.models.rewriter.supported import Ids, Support
from grice.models.runtime.heads import Floats
from grice.models.runtime.session import Session
from grice.models.runtime.word_table import WORDS, WordTable

SHRINK = 0.6
"""Finished rows leave the batch when this share of it or less still runs: sooner would copy caches more than it saves."""
KEPT_SOURCES = 4
"""Sources whose encoding is kept, a few megabytes each at most: alternatives to a rewrite are searched for the same source."""


@dataclass(frozen=True)
class DecoderShape:
    """What the decoder's caches look like, and its special ids."""

    decoder_layers: int
    heads: int
    width: int
    start_id: int
    end_id: int
    pad_id: int
    max_new_tokens: int

    @classmethod
    def of(cls, manifest: Manifest) -> DecoderShape:
        """What the manifest of a rewriter says.

        Raises:
            ManifestError: a number is missing or out of range.
        """
        most = {"decoder_layers": 64, "heads": 64, "width": 1024, "max_new_tokens": 1024}
        return cls(**{name: manifest.count(name, int(name in most), most.get(name, 1 << 20)) for name in cls.__dataclass_fields__})

    def check_fits(self, decoder: Session) -> None:
        """See to it that `decoder` has such caches and ids.

        Raises:
            WeightsError: it has others.
        """
        caches = {name for name in decoder.shapes if name.startswith("past_key_")}
        fits = caches == {f"past_key_{layer}" for layer in range(self.decoder_layers)}
        fits = fits and decoder.shapes["past_key_0"][1:3] == (self.heads, self.width)
        size = decoder.shapes["log_probs"][-1]
        fits = fits and not (isinstance(size, int) and size <= max(self.start_id, self.end_id, self.pad_id))
        if not fits:
            raise WeightsError(f"{decoder.path}: its caches or its vocabulary are not those of its manifest ({self})")


@dataclass(frozen=True)
class Hypothesis:
    """Token ids without start and end, their summed log-probability (the end token's included when `finished`)."""

    ids: list[int]
    log_prob: float
    finished: bool

    @property
    def tokens(self) -> int:
        """Tokens that were scored."""
        return len(self.ids) + int(self.finished)


class Generator:
    """Runs an encoder and a decoder-step graph as `grice.models.export.bart` writes them.

    On CPU each source is encoded by itself: one turn already keeps a core's arithmetic busy, so a batch would only add padding,
    and the int8 encoder's result would depend on what else is in the batch. The decoder, which waits for memory, is batched.
    """

    def __init__(self, encoder: Session, decoder: Session, shape: DecoderShape, words: WordTable | None = None) -> None:
        shape.check_fits(decoder)
        self.encoder = encoder
        self.words = words
        self.decoder = decoder
        self.shape = shape
        self.encode_together = encoder.provider != "CPUExecutionProvider"
        layers = range(shape.decoder_layers)
        self._cross = [f"{name}_{layer}" for layer in layers for name in ("cross_key", "cross_value")]
        self._past = [f"{name}_{layer}" for layer in layers for name in ("past_key", "past_value")]
        self._encode_one = functools.lru_cache(maxsize=KEPT_SOURCES)(lambda source: self._encode([source]))
        self._outputs = ["log_probs", *(f"{name}_{layer}" for layer in layers for name in ("present_key", "present_value"))]

    def greedy(
        self, sources: Sequence[Sequence[int]], max_new_tokens: int | None = None, support: Support | None = None
    ) -> list[Hypothesis]:
        """The most probable next token each time, of those that `support` leaves open; one result a source, in order.

        Log-probabilities are the model's, closed tokens included.
        """
        caches = self._start(sources)
        tokens: list[list[int]] = [[] for _ in sources]
        scores = np.zeros(len(sources))
        finished = np.zeros(len(sources), dtype=bool)
        rows = np.arange(len(sources))  # the source of each row of the caches
        last = np.full(len(sources), self.shape.start_id, dtype=np.int64)
        for _ in range(self._limit(max_new_tokens)):
            log_probs = self._step(caches, last[:, None])
            allowed = log_probs if support is None else support.restrict(log_probs, rows, last)
            last = allowed.argmax(axis=1)
            live = ~finished[rows]
            scores[rows[live]] += log_probs[live, last[live]]
            finished[rows[live]] = last[live] == self.shape.end_id
            live = ~finished[rows]
            for row, token in zip(rows[live].tolist(), last[live].tolist(), strict=True):
                tokens[row].append(token)
            if not live.any():
                break
            if live.sum() <= SHRINK * len(rows):
                caches.keep(np.flatnonzero(live))
                rows, last = rows[live], last[live]
        return [Hypothesis(ids, float(score), bool(done)) for ids, score, done in zip(tokens, scores, finished, strict=True)]

    def beam(
        self, sources: Sequence[Sequence[int]], beams: int, max_new_tokens: int | None = None, support: Support | None = None
    ) -> list[Hypothesis]:
        """The best hypothesis of a beam search for each source; see `candidates`. One beam is greedy search."""
        if beams == 1:
            return self.greedy(sources, max_new_tokens, support)
        return [found[0] for found in self.candidates(sources, beams, max_new_tokens, support)]

    def candidates(
        self, sources: Sequence[Sequence[int]], beams: int, max_new_tokens: int | None = None, support: Support | None = None
    ) -> list[list[Hypothesis]]:
        """Beam search of width `beams`: for each source up to so many finished hypotheses, the best mean log-probability a token
        first (length penalty 1); where none finished in time, the best unfinished one.

        A source is done when no live beam can still beat its worst kept hypothesis, as in transformers' default.

        Raises:
            InputError: `beams` is not 1 to 16.
        """
        if isinstance(beams, bool) or not isinstance(beams, int) or not 1 <= beams <= 16:
            raise InputError("beams", beams, "1 to 16")
        limit = self._limit(max_new_tokens)
        count = len(sources)
        state = self._start(sources, copies=beams)
        owners = np.repeat(np.arange(count), beams)
        searches = [_Search(beams, self.shape.end_id) for _ in sources]
        last = np.full((count * beams, 1), self.shape.start_id, dtype=np.int64)
        for _ in range(limit):
            log_probs = self._step(state, last)
            if support is not None:
                log_probs = support.restrict(log_probs, owners, last[:, 0])
            log_probs = log_probs.reshape(count, beams, -1)
            moves = [search.advance(log_probs[row]) for row, search in enumerate(searches)]
            if all(search.done for search in searches):
                break
            origins = np.concatenate([origin + row * beams for row, (origin, _) in enumerate(moves)])
            last = np.concatenate([token for _, token in moves])[:, None]
            state.reorder(origins)
        return [search.ranked() for search in searches]

    def score(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[tuple[float, int]]:
        """The summed natural log-probability of each target and its end token, and how many tokens that is."""
        state = self._start(sources)
        rows = np.arange(len(sources))
        totals = np.zeros(len(sources))
        last = np.full((len(sources), 1), self.shape.start_id, dtype=np.int64)
        wanted = [[*target, self.shape.end_id] for target in targets]
        for place in range(max(map(len, wanted))):
            log_probs = self._step(state, last)
            tokens = np.array([target[place] if place < len(target) else self.shape.pad_id for target in wanted], dtype=np.int64)
            totals += np.where([place < len(target) for target in wanted], log_probs[rows, tokens], 0.0)
            last = tokens[:, None]
        return [(float(total), len(target)) for total, target in zip(totals, wanted, strict=True)]

    def _limit(self, given: int | None) -> int:
        limit = self.shape.max_new_tokens
        if given is None:
            return limit
        if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= limit:
            raise InputError("max_new_tokens", given, f"1 to {limit}")
        return given

    def _start(self, sources: Sequence[Sequence[int]], copies: int = 1) -> _Caches:
        """The caches before the first step, `copies` rows a source."""
        if self.encode_together:
            crossed, mask = self._encode(sources)
        else:
            crossed, mask = _padded([self._encode_one(tuple(source)) for source in sources])
        if copies > 1:
            crossed = [part.repeat(copies, axis=0) for part in crossed]
            mask = mask.repeat(copies, axis=0)
        heads, size = self.shape.heads, self.shape.width
        keys = np.zeros((len(mask), heads, size, 0), dtype=np.float32)
        values = np.zeros((len(mask), heads, 0, size), dtype=np.float32)
        feed: dict[str, NDArray[Any]] = dict(zip(self._cross, crossed, strict=True))
        feed.update({name: keys if "key" in name else values for name in self._past})
        feed["mask"] = mask
        return _Caches(feed, self._past)

    def _encode(self, sources: Sequence[Sequence[int]]) -> tuple[list[Floats], Ids]:
        """Cross-attention keys and values of every layer, and the mask (batch, source) that goes with them."""
        width = max(map(len, sources))
        ids = np.full((len(sources), width), self.shape.pad_id, dtype=np.int64)
        mask = np.zeros((len(sources), width), dtype=np.int64)
        for row, source in enumerate(sources):
            ids[row, : len(source)] = source
            mask[row, : len(source)] = 1
        read = {"ids": ids} if self.words is None else {WORDS: self.words.vectors(ids)}
        return self.encoder.run(self._cross, {**read, "mask": mask}), mask

    def _step(self, caches: _Caches, last: Ids) -> Floats:
        """Log-probabilities of the next token, (batch, vocabulary); the caches grow by one."""
        caches.feed["ids"] = last
        log_probs, *present = self.decoder.run(self._outputs, caches.feed)
        caches.feed.update(zip(self._past, present, strict=True))
        result: Floats = log_probs
        return result


@dataclass
class _Caches:
    """The decoder's inputs by name, kept from step to step."""

    feed: dict[str, NDArray[Any]]
    past: list[str]

    def reorder(self, rows: Ids) -> None:
        """Give each row the past of the row it continues. Cross-attention is the same for all beams of a source."""
        for name in self.past:
            self.feed[name] = self.feed[name][rows]

    def keep(self, rows: Ids) -> None:
        """Drop all other rows."""
        for name in self.feed:
            self.feed[name] = self.feed[name][rows]


class _Search:
    """Beam search over one source."""

    def __init__(self, beams: int, end_id: int) -> None:
        self.beams = beams
        self.end_id = end_id
        self.live: list[list[int]] = [[] for _ in range(beams)]
        self.scores = np.array([0.0] + [-np.inf] * (beams - 1))
        self.finished: list[Hypothesis] = []
        self.done = False

    def advance(self, log_probs: Floats) -> tuple[Ids, Ids]:
        """Take the `beams` best continuations from `log_probs` (beams, vocabulary): where they come from, and their tokens."""
        total = self.scores[:, None] + log_probs
        flat = np.argpartition(-total, 2 * self.beams, axis=None)[: 2 * self.beams]
        ranked = flat[np.argsort(-total.reshape(-1)[flat], kind="stable")]
        origins, tokens = np.divmod(ranked, log_probs.shape[1])
        kept: list[int] = []
        for rank, (origin, token) in enumerate(zip(origins, tokens, strict=True)):
            if token == self.end_id:
                if rank < self.beams and not self.done:
                    self.finished.append(Hypothesis(self.live[origin], float(total[origin, token]), True))
            elif len(kept) < self.beams:
                kept.append(rank)
        chosen_from, chosen = origins[kept], tokens[kept]
        self.live = [[*self.live[origin], int(token)] for origin, token in zip(chosen_from, chosen, strict=True)]
        self.scores = total[chosen_from, chosen]
        self.finished = sorted(self.finished, key=_mean, reverse=True)[: self.beams]
        best_possible = float(self.scores[0]) / (len(self.live[0]) + 1)
        self.done = self.done or (len(self.finished) == self.beams and _mean(self.finished[-1]) >= best_possible)
        return chosen_from.astype(np.int64), chosen.astype(np.int64)

    def ranked(self) -> list[Hypothesis]:
        """The finished hypotheses, best first; the best unfinished one when none ended in time."""
        return self.finished or [Hypothesis(self.live[0], float(self.scores[0]), False)]


def _mean(hypothesis: Hypothesis) -> float:
    return hypothesis.log_prob / max(1, hypothesis.tokens)


def _padded(encoded: Sequence[tuple[list[Floats], Ids]]) -> tuple[list[Floats], Ids]:
    """Separately encoded sources as one batch. Keys have the source on their last axis, values on the one before."""
    if len(encoded) == 1:
        return encoded[0]
    lengths = [mask.shape[1] for _, mask in encoded]
    width = max(lengths)
    mask = (np.arange(width) < np.array(lengths)[:, None]).astype(np.int64)
    parts = []
    for place in range(len(encoded[0][0])):
        axis = 3 if place % 2 == 0 else 2
        arrays = [crossed[place] for crossed, _ in encoded]
        shape = [len(encoded), *arrays[0].shape[1:]]
        shape[axis] = width
        whole = np.zeros(shape, dtype=np.float32)
        for row, array in enumerate(arrays):
            whole[row][(slice(None),) * (axis - 1) + (slice(array.shape[axis]),)] = array[0]
        parts.append(whole)
    return parts, mask
