"""The reader of meaning on onnxruntime: what a turn means, of all that a bot can understand."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.models.dialogue import check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.meaning.inputs import MeaningTokens, TurnPieces
from grice.models.meaning.menu import Menu, MenuOption, kinds_of, owners_of
from grice.models.meaning.results import (
    MOST_POSSIBLE,
    SAID,
    Evidence,
    MeaningQuestion,
    PossibleMeaning,
    SlotMeaning,
    TurnMeaning,
)
from grice.models.runtime.heads import Floats, sigmoid, softmax
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.schema import BotSchema
from grice.models.text.template import read_tokenizer

OUTPUTS = ("meaning", "slot_states", "values", "starts", "ends", "changes", "chosen", "judged")
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
    options: tuple[MenuOption, ...]
    vectors: Floats


@dataclass(frozen=True)
class MeaningScores:
    """What the networks say of one turn, before anything is made of it. N options, T pieces.

    Attributes:
        pieces, states: of the turn; states (T, width). options, vectors: those that were read together with it; vectors (N, width).
        cosines: (N,) of the turn and each option. meaning: (N,) scores of options as meanings; those of slots say nothing.
        slot_states: (N, 5) scores of slots: silent, then by `SAID`. values: (N,) scores of values.
        starts, ends: (N, T) scores of pieces as a free-text slot's first and last.
        changes: how likely the user takes something back. chosen: scores of the bot's options. judged: (8,) of Circa's classes.
    """

    pieces: TurnPieces
    states: Floats
    options: tuple[MenuOption, ...]
    vectors: Floats
    cosines: Floats
    meaning: Floats
    slot_states: Floats
    values: Floats
    starts: Floats
    ends: Floats
    changes: float
    chosen: Floats
    judged: Floats

    @property
    def meanings(self) -> list[int]:
        """Places of the options that are meanings."""
        return [place for place, option in enumerate(self.options) if option.kind in ("intent", "act")]

    def spoken(self, place: int) -> float:
        """How likely the turn speaks of the slot at a place."""
        return float(1 - softmax(self.slot_states[place])[0])


SURE_BY = ("share", "margin", "cosine", "intent")
"""What sureness follows from, beside a bias."""


def sure_by(scores: MeaningScores, place: int, share: float, margin: float) -> list[float]:
    """The numbers of `SURE_BY` for the best meaning, at `place`; `margin` is how far its share is ahead."""
    return [share, margin, float(scores.cosines[place]), float(scores.options[place].kind == "intent")]


class MeaningReader:
    """Reads turns against menus; the vectors of a menu are kept for the next turn.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded. InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, runtime: Runtime = Runtime()) -> None:
        self.precision = precision = runtime.precision
        self.manifest = manifest
        self.thresholds = {kind: manifest.number(f"thresholds.{kind}", 0, 1) for kind in ("intent", "act")}
        self.temperature = manifest.number("temperature", 0.01, 100)
        self.confidence = [manifest.number(f"confidence.{name}", -100, 100) for name in ("bias", *SURE_BY)]
        self.slot_threshold = manifest.number("slot_threshold", 0, 1)
        self.tokens = MeaningTokens(read_tokenizer(manifest.path("tokenizer.json")))
        self.trunk = Session(manifest.path(f"trunk.{precision}.onnx"), runtime)
        self.joint = Session(manifest.path(f"joint.{precision}.onnx"), runtime)
        self.provider = self.trunk.provider
        self._menu = functools.lru_cache(maxsize=KEPT_MENUS)(self._read_menu)

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[TurnMeaning]:
        """One result a question, in order."""
        scores = self.score(questions)
        return [self.conclude(question.dialogue.last.text, each) for question, each in zip(questions, scores, strict=True)]

    def score(self, questions: Sequence[MeaningQuestion]) -> list[MeaningScores]:
        """What the networks say, one a question, in order."""
        check_each(questions, MeaningQuestion, "questions")
        return [self._score(question) for question in questions]

    def _read_menu(self, schema: BotSchema) -> KeptMenu:
        menu = Menu.of(schema)
        options = menu.options
        vectors = {text: self._vector(text) for option in options for text in option.texts}
        return KeptMenu(menu, options, np.stack([np.mean([vectors[text] for text in each.texts], 0) for each in options]))

    def _vector(self, text: str) -> Floats:
        """The mean of the states of an option's words, of unit length. One text is run at a time, so that no other changes it."""
        [pieces] = self.tokens.read_options([text])
        return _unit(self._states(pieces)[0].mean(0))

    def _states(self, pieces: Sequence[int]) -> Floats:
        """(1, length, width)"""
        ids = np.array([pieces], np.int64)
        states: Floats = self.trunk.run(["states"], {"ids": ids, "mask": np.ones_like(ids)})[0]
        return states

    def _score(self, question: MeaningQuestion) -> MeaningScores:
        kept = self._menu(question.schema)
        pieces = self.tokens.read_turn(question.dialogue)
        states = self._states(pieces.ids)
        own = np.zeros((1, len(pieces.ids)), np.int64)
        own[0, pieces.start : pieces.start + len(pieces.offsets)] = 1
        cosines = _unit(kept.vectors) @ _unit((states * own[:, :, None]).sum(1))[0]
        places = _chosen_from(kept.options, cosines)
        options, vectors = tuple(kept.options[place] for place in places), kept.vectors[places]
        feed = {
            "states": states,
            "own": own,
            "vectors": vectors,
            "kinds": np.array(kinds_of(options), np.int64),
            "owners": np.array(owners_of(options), np.int64),
        }
        found = dict(zip(OUTPUTS, (each[0] for each in self.joint.run(OUTPUTS, feed)), strict=True))
        found["changes"] = float(sigmoid(found["changes"]))
        return MeaningScores(pieces, states[0], options, vectors, cosines[places], **found)

    def conclude(self, text: str, scores: MeaningScores) -> TurnMeaning:
        """What scores say of a turn, whose text they are of."""
        places = scores.meanings
        shares = softmax(scores.meaning[places] / self.temperature)
        order = np.argsort(-shares, kind="stable")
        place = places[order[0]]
        best, margin = scores.options[place], float(shares[order[0]] - shares[order[1]])
        known = (sure := self._sureness(scores, place, float(shares[order[0]]), margin)) >= self.thresholds[best.kind]
        return TurnMeaning(
            best.kind if known else "unknown",
            best.name if known else "",
            sure,
            margin,
            tuple(_possible(scores.options[places[at]], float(shares[at])) for at in order[:MOST_POSSIBLE]),
            tuple(self._slots(text, scores)),
            scores.changes,
            int(scores.chosen.argmax()) + 1 if (best.kind, best.name) == ("act", "option") else None,
            _evidence(text, scores, place),
        )

    def _sureness(self, scores: MeaningScores, place: int, share: float, margin: float) -> float:
        """How likely the best meaning, at `place`, is right."""
        bias, *weights = self.confidence
        return float(sigmoid(np.float32(bias + np.dot(weights, sure_by(scores, place, share, margin)))))

    def _slots(self, text: str, scores: MeaningScores) -> Iterator[SlotMeaning]:
        for at, option in enumerate(scores.options):
            if option.kind == "slot" and scores.spoken(at) >= self.slot_threshold:
                values = [place for place, each in enumerate(scores.options) if each.kind == "value" and each.name == option.name]
                yield _listed_slot(option.name, at, values, scores) if values else _free_slot(text, option.name, at, scores)


def _listed_slot(name: str, at: int, values: Sequence[int], scores: MeaningScores) -> SlotMeaning:
    states = softmax(scores.slot_states[at])
    said = SAID[int(states[1:].argmax())]
    shares = softmax(scores.values[list(values)])
    order = np.argsort(-shares, kind="stable")[: {"any": 0, "ambiguous": 2}.get(said, 1)]
    certain = scores.spoken(at) * (float(shares[order].sum()) if len(order) else 1.0)
    return SlotMeaning(name, said, tuple(scores.options[values[place]].value for place in order), min(certain, 1.0))


def _free_slot(text: str, name: str, at: int, scores: MeaningScores) -> SlotMeaning:
    any_will_do = SAID[int(scores.slot_states[at][1:].argmax())] == "any"
    values = () if any_will_do else (_words(text, scores.pieces, scores.starts[at], scores.ends[at]),)
    return SlotMeaning(name, "any" if any_will_do else "meant", values, scores.spoken(at))


def _possible(option: MenuOption, share: float) -> PossibleMeaning:
    return PossibleMeaning("intent" if option.kind == "intent" else "act", option.name, share)


def _chosen_from(options: Sequence[MenuOption], cosines: Floats) -> list[int]:
    """Places of the options that are read together with the turn, in the menu's order."""
    intents = [place for place, option in enumerate(options) if option.kind == "intent"]
    near = set(sorted(intents, key=lambda place: -cosines[place])[:MOST_CHOSEN_FROM])
    return [place for place, option in enumerate(options) if option.kind != "intent" or place in near]


def _words(text: str, pieces: TurnPieces, starts: Floats, ends: Floats) -> str:
    """The most likely run of words for a free-text slot."""
    count = len(pieces.offsets)
    first, last = starts[pieces.start : pieces.start + count], ends[pieces.start : pieces.start + count]
    scores = first[:, None] + last[None]
    allowed = np.triu(np.ones_like(scores)) - np.triu(np.ones_like(scores), LONGEST_WORDS)
    start, end = np.unravel_index(np.where(allowed > 0, scores, -np.inf).argmax(), scores.shape)
    return text[pieces.offsets[start][0] : pieces.offsets[end][1]]


def _evidence(text: str, scores: MeaningScores, place: int) -> tuple[Evidence, ...]:
    """The words whose states add most to the likeness of turn and meaning."""
    pieces = scores.pieces
    gains = np.maximum(scores.states[pieces.start : pieces.start + len(pieces.offsets)] @ scores.vectors[place], 0)
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


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Floats = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit


@functools.lru_cache(maxsize=4, typed=True)
def load_meaning_reader(name: str | Path = "meaning", *, runtime: Runtime = Runtime()) -> MeaningReader:
    """The shipped reader by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded. InputError: an argument is out of range.
    """
    return MeaningReader(read_manifest(name, "meaning"), runtime)
