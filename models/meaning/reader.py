"""The reader of meaning on onnxruntime: what a turn means, of all that a bot can understand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from grice.models.dialogue import Dialogue, check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.meaning.changed import find_changed
from grice.models.meaning.evidence import find_evidence
from grice.models.meaning.inputs import MeaningTokens, TurnPieces
from grice.models.meaning.listed_options import choose_option
from grice.models.meaning.menu import Menu, MenuOption, kinds_of, owners_of
from grice.models.meaning.results import (
    MOST_POSSIBLE,
    SAID,
    MeaningQuestion,
    PossibleMeaning,
    SaidOfSlot,
    SlotMeaning,
    TurnMeaning,
)
from grice.models.meaning.scores import SPOKEN_BY, VALUE_BY, KeptMenu, MeaningScores, spoken_by, value_by
from grice.models.meaning.stand_ins import find_stand_ins, give_to_stand_ins, leave_out_answers
from grice.models.meaning.sureness import INDIRECT_BY, SURE_BY, BestMeaning, describe_best, describe_kind, find_best
from grice.models.runtime.heads import Floats, sigmoid, softmax
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.schema import BotSchema
from grice.models.text.template import read_tokenizer

OUTPUTS = ("meaning", "slot_states", "values", "starts", "ends", "turn_kinds", "changes", "chosen", "judged")
KEPT_MENUS = 64
KEPT_TEXTS = 4096
"""Options' words whose vectors are kept beside the menus: menus share the acts, and a rewrite is read against a menu of its own."""
KEPT_TURNS = 16
"""Turns whose states are kept: a turn is read against one rewrite after the other, and for meaning and slots."""
MOST_CHOSEN_FROM = 32
"""Of a larger menu, the intents whose vectors lie nearest to the turn are read together with it."""
LONGEST_WORDS = 12
"""Pieces of a free-text value."""


class MeaningReader:
    """Reads turns against menus; the vectors of a menu are kept for the next turn.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded. InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, runtime: Runtime = Runtime()) -> None:
        self.precision = precision = runtime.precision
        self.manifest = manifest
        self.threshold = manifest.number("threshold", 0, 1)
        self.temperature = manifest.number("temperature", 0.01, 100)
        self.confidence = [manifest.number(f"confidence.{name}", -100, 100) for name in ("bias", *SURE_BY)]
        self.indirect_weights = [manifest.number(f"indirectness.{name}", -1000, 1000) for name in ("bias", *INDIRECT_BY)]
        self.spoken_weights = [manifest.number(f"spoken.{name}", -100, 100) for name in ("bias", *SPOKEN_BY)]
        self.value_weights = [manifest.number(f"value.{name}", -100, 100) for name in ("bias", *VALUE_BY)]
        self.slot_threshold = manifest.number("slot_threshold", 0, 1)
        self.tokens = MeaningTokens(read_tokenizer(manifest.tokenizer_path))
        self.trunk = Session(manifest.graph("trunk", precision), runtime, manifest.weights("trunk", precision))
        self.joint = Session(manifest.graph("joint", precision), runtime, manifest.weights("joint", precision))
        self.provider = self.trunk.provider
        self._workers = Workers(runtime.workers)
        self._menu = functools.lru_cache(maxsize=KEPT_MENUS)(self._read_menu)
        self._turn_states = functools.lru_cache(maxsize=KEPT_TURNS)(self._states)
        self._vector = functools.lru_cache(maxsize=KEPT_TEXTS)(self._read_vector)

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[TurnMeaning]:
        """One result a question, in order."""
        scores = self.score(questions)
        return [self.conclude(question.dialogue, each) for question, each in zip(questions, scores, strict=True)]

    def score(self, questions: Sequence[MeaningQuestion]) -> list[MeaningScores]:
        """What the networks say, one a question, in order."""
        check_each(questions, MeaningQuestion, "questions")
        return [self._score(question) for question in questions]

    def read_ahead(self, dialogues: Sequence[Dialogue], menus: Sequence[BotSchema] = ()) -> None:
        """Run the trunk over last turns and menus that are not known yet, side by side, and keep what it gives.

        With one worker nothing is done: it would take as long as when it is needed, and may not be needed.
        """
        if self._workers.count == 1:
            return
        turns = dict.fromkeys(self.tokens.read_turn(each).ids for each in dialogues)
        texts = dict.fromkeys(text for each in menus for option in Menu.of(each).options for text in option.texts)
        reads: list[Callable[[], object]] = [functools.partial(self._turn_states, ids) for ids in turns]
        reads += [functools.partial(self._vector, text) for text in texts]
        self._workers.map(lambda part: [read() for read in part], reads, 1)

    def _read_menu(self, schema: BotSchema) -> KeptMenu:
        options = Menu.of(schema).options
        vectors = {text: self._vector(text) for option in options for text in option.texts}
        means: Floats = np.stack([np.mean([vectors[text] for text in each.texts], 0) for each in options])
        own = np.stack([vectors[each.texts[0]] for each in options])
        return KeptMenu(options, means, find_stand_ins(options, own))

    def _read_vector(self, text: str) -> Floats:
        """The mean of the states of an option's words, of unit length. One text is run at a time, so that no other changes it."""
        [pieces] = self.tokens.read_options([text])
        return _unit(self._states(pieces)[0].mean(0))

    def _states(self, pieces: Sequence[int]) -> Floats:
        """(1, pieces, width)"""
        states: Floats = self.trunk.run(["states"], {"ids": np.array([pieces], np.int64)})[0]
        return states

    def _score(self, question: MeaningQuestion) -> MeaningScores:
        kept = self._menu(question.schema)
        pieces = self.tokens.read_turn(question.dialogue)
        states = self._turn_states(pieces.ids)
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
        meaning = give_to_stand_ins(found["meaning"], options, kept.stand_ins)
        found["meaning"] = meaning if pieces.start > 1 else leave_out_answers(meaning, options)
        return MeaningScores(pieces, states[0], options, vectors, cosines[places], **found)

    def conclude(self, dialogue: Dialogue, scores: MeaningScores) -> TurnMeaning:
        """What scores say of the last turn of a dialogue, which they are of."""
        text = dialogue.last.text
        found = find_best(scores, self.temperature)
        best, meanings = _possible(scores.options[found.place], found.share), scores.meanings
        known = (sure := self.sureness(scores, found)) >= self.threshold
        slots = tuple(self._slots(text, scores))
        return TurnMeaning(
            best.kind if known else "unknown",
            best.name if known else "",
            sure,
            found.margin,
            tuple(_possible(scores.options[meanings[at]], float(found.shares[at])) for at in found.order[:MOST_POSSIBLE]),
            slots,
            scores.changes,
            _weigh(self.indirect_weights, describe_kind(scores)),
            _option(dialogue) if (best.kind, best.name) == ("act", "option") else None,
            find_evidence(text, scores, found.place),
            find_changed(dialogue.history, slots, _values(scores), scores.changes),
        )

    def sureness(self, scores: MeaningScores, best: BestMeaning) -> float:
        """How likely the best meaning is right."""
        return _weigh(self.confidence, describe_best(scores, best))

    def spoken(self, scores: MeaningScores, slot: int) -> float:
        """How likely the turn speaks of the slot at a place."""
        if not scores.values_of(slot):
            return float(1 - softmax(scores.slot_states[slot])[0])
        return _weigh(self.spoken_weights, spoken_by(scores, slot))

    def _slots(self, text: str, scores: MeaningScores) -> Iterator[SlotMeaning]:
        for at, option in enumerate(scores.options):
            if option.kind == "slot" and (spoken := self.spoken(scores, at)) >= self.slot_threshold:
                free = not scores.values_of(at)
                yield _free_slot(text, option.name, at, scores, spoken) if free else self._listed_slot(at, scores, spoken)

    def _listed_slot(self, at: int, scores: MeaningScores, spoken: float) -> SlotMeaning:
        said, values = read_values(scores, at)
        return SlotMeaning(scores.options[at].name, said, values, _weigh(self.value_weights, value_by(scores, at, spoken)))


def _values(scores: MeaningScores) -> dict[str, list[str]]:
    """The values of each slot."""
    slots: dict[str, list[str]] = {option.name: [] for option in scores.options if option.kind == "slot"}
    for option in scores.options:
        if option.kind == "value":
            slots[option.name].append(option.value)
    return slots


def _weigh(weights: Sequence[float], numbers: Sequence[float]) -> float:
    """A logistic; its bias comes first."""
    return float(sigmoid(np.float32(weights[0] + np.dot(weights[1:], numbers))))


def read_values(scores: MeaningScores, slot: int) -> tuple[SaidOfSlot, tuple[str, ...]]:
    """How a turn speaks of the slot at a place, if it does, and the likeliest values."""
    places = scores.values_of(slot)
    said = SAID[int(scores.slot_states[slot][1:].argmax())]
    order = np.argsort(-scores.values[places], kind="stable")[: {"any": 0, "ambiguous": 2}.get(said, 1)]
    return said, tuple(scores.options[places[place]].value for place in order)


def _free_slot(text: str, name: str, at: int, scores: MeaningScores, spoken: float) -> SlotMeaning:
    any_will_do = SAID[int(scores.slot_states[at][1:].argmax())] == "any"
    values = () if any_will_do else (_words(text, scores.pieces, scores.starts[at], scores.ends[at]),)
    return SlotMeaning(name, "any" if any_will_do else "meant", values, spoken)


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


def _option(dialogue: Dialogue) -> int | None:
    """Which of the options that the bot listed just before is named."""
    pending = dialogue.history[-1:]
    return choose_option(dialogue.last.text, pending[0].text if pending and pending[0].speaker == "bot" else "")


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
