"""The reader of meaning on onnxruntime: what a turn means, of all that a bot can understand."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.meaning.inputs import MeaningTokens, TurnPieces
from grice.models.meaning.menu import Menu, Option
from grice.models.meaning.results import Evidence, MeaningQuestion, PossibleMeaning, SaidOfSlot, SlotMeaning, TurnMeaning
from grice.models.runtime.session import Session, check_precision
from grice.models.schema import BotSchema
from grice.models.text.template import read_tokenizer

Vectors = NDArray[np.float32]

OPTION_KINDS = ("intent", "act", "slot", "value")
SLOT_STATES = ("silent", "meant", "not_this", "any", "ambiguous")
OUTPUTS = ("meaning", "slot_states", "values", "starts", "ends", "changes", "chosen")
KEPT_MENUS = 64
MOST_CHOSEN_FROM = 32
"""Of a larger menu, the intents whose vectors lie nearest to the turn are read together with it."""
LONGEST_WORDS = 12
"""Pieces of a free-text value."""
EVIDENCE = 3


@dataclass(frozen=True)
class KeptMenu:
    """A menu with the vectors of its options, of unit length on average: (options, width)."""

    menu: Menu
    options: tuple[Option, ...]
    vectors: Vectors


@dataclass(frozen=True)
class _Read:
    """What the joint block says of one turn; options as `OptionVectors` of training has them."""

    options: tuple[Option, ...]
    meaning: Vectors
    slot_states: Vectors
    values: Vectors
    starts: Vectors
    ends: Vectors
    changes: float
    chosen: Vectors


class MeaningReader:
    """Reads turns against menus; the vectors of a menu are kept for the next turn.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded. InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, provider: str = "auto", threads: int = 1, precision: str = "int8") -> None:
        self.precision = check_precision(precision)
        self.manifest = manifest
        self.threshold = manifest.number("threshold", 0, 1)
        self.temperature = manifest.number("temperature", 0.01, 100)
        self.confidence = [manifest.number(f"confidence.{name}", -100, 100) for name in ("bias", "share", "margin", "cosine")]
        self.slot_threshold = manifest.number("slot_threshold", 0, 1)
        self.tokens = MeaningTokens(read_tokenizer(manifest.path("tokenizer.json")))
        self.trunk = Session(manifest.path(f"trunk.{precision}.onnx"), provider, threads)
        self.joint = Session(manifest.path(f"joint.{precision}.onnx"), provider, threads)
        self.provider = self.trunk.provider
        self._menu = functools.lru_cache(maxsize=KEPT_MENUS)(self._read_menu)

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[TurnMeaning]:
        """One result a question, in order."""
        check_each(questions, MeaningQuestion, "questions")
        return [self._read(question) for question in questions]

    def _read_menu(self, schema: BotSchema) -> KeptMenu:
        menu = Menu.of(schema)
        options = menu.options
        vectors = {text: self._vector(text) for option in options for text in option.texts}
        return KeptMenu(menu, options, np.stack([np.mean([vectors[text] for text in each.texts], 0) for each in options]))

    def _vector(self, text: str) -> Vectors:
        """Of the words of an option: the mean of their states, of unit length. One text is run at a time: in int8 its neighbours would
        change it."""
        [pieces] = self.tokens.read_options([text])
        return _unit(self._states(pieces)[0].mean(0))

    def _states(self, pieces: Sequence[int]) -> Vectors:
        """(1, length, width)"""
        ids = np.array([pieces], np.int64)
        states: Vectors = self.trunk.run(["states"], {"ids": ids, "mask": np.ones_like(ids)})[0]
        return states

    def _read(self, question: MeaningQuestion) -> TurnMeaning:
        kept = self._menu(question.schema)
        pieces = self.tokens.read_turn(question.dialogue)
        states = self._states(pieces.ids)
        own = np.zeros((1, len(pieces.ids)), np.int64)
        own[0, pieces.start : pieces.start + len(pieces.offsets)] = 1
        unit = _unit(kept.vectors)
        turn = _unit((states * own[:, :, None]).sum(1))[0]
        places = _chosen_from(kept.options, unit @ turn)
        read = self._read_jointly(kept, places, states, own)
        return self._result(question, pieces, kept, places, read, unit @ turn, states[0])

    def _read_jointly(self, kept: KeptMenu, places: Sequence[int], states: Vectors, own: NDArray[np.int64]) -> _Read:
        options = tuple(kept.options[place] for place in places)
        slots = {option.name: place for place, option in enumerate(options) if option.kind == "slot"}
        feed = {
            "states": states,
            "own": own,
            "vectors": kept.vectors[list(places)],
            "kinds": np.array([OPTION_KINDS.index(option.kind) for option in options], np.int64),
            "owners": np.array([slots[o.name] if o.kind == "value" else at for at, o in enumerate(options)], np.int64),
        }
        found = dict(zip(OUTPUTS, (each[0] for each in self.joint.run(OUTPUTS, feed)), strict=True))
        return _Read(options, **{**found, "changes": float(_sigmoid(found["changes"]))})

    def _result(
        self,
        question: MeaningQuestion,
        pieces: TurnPieces,
        kept: KeptMenu,
        places: Sequence[int],
        read: _Read,
        cosines: Vectors,
        states: Vectors,
    ) -> TurnMeaning:
        meanings = [at for at, option in enumerate(read.options) if option.kind in ("intent", "act")]
        shares = _softmax(read.meaning[meanings] / self.temperature)
        order = np.argsort(-shares, kind="stable")
        best = read.options[meanings[order[0]]]
        margin = float(shares[order[0]] - shares[order[1]])
        place = places[meanings[order[0]]]
        bias, share, of_margin, cosine = self.confidence
        sure = float(_sigmoid(bias + share * shares[order[0]] + of_margin * margin + cosine * cosines[place]))
        known = sure >= self.threshold
        option = best.kind == "act" and best.name == "option"
        return TurnMeaning(
            best.kind if known else "unknown",  # type: ignore[arg-type]
            best.name if known else "",
            sure,
            margin,
            tuple(_possible(read.options[meanings[at]], float(shares[at])) for at in order),
            self._slots(question.dialogue.last.text, pieces, read),
            read.changes,
            int(read.chosen.argmax()) + 1 if option else None,
            _evidence(question.dialogue.last.text, pieces, states, kept.vectors[place]),
        )

    def _slots(self, text: str, pieces: TurnPieces, read: _Read) -> tuple[SlotMeaning, ...]:
        found = []
        for at, option in enumerate(read.options):
            if option.kind != "slot":
                continue
            shares = _softmax(read.slot_states[at])
            said = SLOT_STATES[int(shares[1:].argmax()) + 1]
            if 1 - shares[0] < self.slot_threshold:
                continue
            values = [place for place, each in enumerate(read.options) if each.kind == "value" and each.name == option.name]
            if values:
                of_values = _softmax(read.values[values])
                order = np.argsort(-of_values, kind="stable")
                count = {"any": 0, "ambiguous": 2}.get(said, 1)
                names = tuple(read.options[values[place]].value for place in order[:count])
                certain = float((1 - shares[0]) * (of_values[order[:count]].sum() if count else shares[3]))
            else:
                names = (_words(text, pieces, read.starts[at], read.ends[at]),) if said == "meant" else ()
                certain = float(1 - shares[0])
            found.append(SlotMeaning(option.name, _said(said), names, min(certain, 1.0)))
        return tuple(found)


def _said(state: str) -> SaidOfSlot:
    return next(said for said in ("meant", "not_this", "any", "ambiguous") if said == state)  # type: ignore[return-value]


def _possible(option: Option, share: float) -> PossibleMeaning:
    return PossibleMeaning(option.kind, option.name, share)  # type: ignore[arg-type]


def _chosen_from(options: Sequence[Option], cosines: Vectors) -> list[int]:
    """Places of the options that are read together with the turn, in the menu's order."""
    intents = [place for place, option in enumerate(options) if option.kind == "intent"]
    near = set(sorted(intents, key=lambda place: -cosines[place])[:MOST_CHOSEN_FROM])
    return [place for place, option in enumerate(options) if option.kind != "intent" or place in near]


def _words(text: str, pieces: TurnPieces, starts: Vectors, ends: Vectors) -> str:
    """The most likely run of words for a free-text slot."""
    count = len(pieces.offsets)
    first, last = starts[pieces.start : pieces.start + count], ends[pieces.start : pieces.start + count]
    scores = first[:, None] + last[None]
    allowed = np.triu(np.ones_like(scores)) - np.triu(np.ones_like(scores), LONGEST_WORDS)
    start, end = np.unravel_index(np.where(allowed > 0, scores, -np.inf).argmax(), scores.shape)
    return text[pieces.offsets[start][0] : pieces.offsets[end][1]]


def _evidence(text: str, pieces: TurnPieces, states: Vectors, vector: Vectors) -> tuple[Evidence, ...]:
    """The words whose states add most to the likeness of turn and meaning."""
    count = len(pieces.offsets)
    gains = np.maximum(states[pieces.start : pieces.start + count] @ vector, 0)
    words: dict[tuple[int, int], float] = {}
    for (start, end), gain in zip(pieces.offsets, gains, strict=True):
        span = _word_around(text, start, end)
        words[span] = words.get(span, 0.0) + float(gain)
    total = sum(words.values()) or 1.0
    best = sorted(words.items(), key=lambda item: -item[1])[:EVIDENCE]
    return tuple(Evidence(start, end, text[start:end], gain / total) for (start, end), gain in best)


def _word_around(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)  # type: ignore[no-any-return]


def _softmax(scores: Vectors) -> Vectors:
    powers = np.exp(scores - scores.max())
    shares: Vectors = powers / powers.sum()
    return shares


def _sigmoid(score: Any) -> Any:
    return 1 / (1 + np.exp(-score))


@functools.lru_cache(maxsize=4, typed=True)
def load_meaning_reader(
    name: str | Path = "meaning", *, provider: str = "auto", threads: int = 1, precision: str = "int8"
) -> MeaningReader:
    """The shipped reader by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded. InputError: an argument is out of range.
    """
    return MeaningReader(read_manifest(name, "meaning"), provider, threads, precision)
