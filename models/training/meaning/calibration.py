"""From scores to how likely a reading is right, and from there to what is said at all: fitted on bots that were not learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from grice.models.errors import InputError
from grice.models.meaning.menu import ANY_REQUEST
from grice.models.meaning.reader import MeaningReader, read_values
from grice.models.meaning.results import MeaningQuestion
from grice.models.meaning.scores import SPOKEN_BY, VALUE_BY, MeaningScores, spoken_by, value_by
from grice.models.meaning.sureness import (
    INDIRECT_BY,
    NEUTRAL,
    SURE_BY,
    BestMeaning,
    describe_best,
    describe_kind,
    find_best,
    group_of,
)
from grice.models.runtime.heads import softmax
from grice.models.training.meaning.samples import MenuTurns, Target
from grice.models.training.meaning.written import SlotMention

TEMPERATURES = tuple(float(each) for each in np.geomspace(0.4, 4, 40))
THRESHOLDS = tuple(round(0.3 + 0.01 * step, 2) for step in range(70))
PRECISION = 0.89
"""Of meanings that are said of indirect turns, how many shall be right."""
MOST_DISTURBED = 0.015
"""Share of direct and courtesy turns that may get a wrong intent or reply."""
MOST_TAKEN_FOR_INDIRECT = 0.015
"""Share of direct and courtesy turns that may be taken for indirect ones."""
PLAIN = ("direct", "courtesy")
"""Kinds of turns that are to be left as they are."""
MOST_FALSE_FILLS = 0.018
"""Share of slots that a turn does not speak of which may be filled."""


@dataclass(frozen=True)
class Calibration:
    """Settings of the reader.

    Attributes:
        temperature: scores are divided by it. confidence: of the best meaning, by a logistic of what `SURE_BY` names.
        threshold: from which confidence on a meaning is said.
        indirectness: how far a turn is indirect, by a logistic of what `INDIRECT_BY` names.
        spoken: how likely a turn speaks of a slot with values, by a logistic of what `SPOKEN_BY` names.
        value: how likely what is read of such a slot is right, by a logistic of what `VALUE_BY` names.
        slot_threshold: from which likelihood on a slot is spoken of.
    """

    temperature: float
    confidence: dict[str, float]
    threshold: float
    indirectness: dict[str, float]
    spoken: dict[str, float]
    value: dict[str, float]
    slot_threshold: float


@dataclass(frozen=True)
class _Case:
    """A turn that was scored. `gold` is the place of its meaning among those of the menu."""

    scores: MeaningScores
    target: Target
    gold: int

    def best(self, temperature: float) -> BestMeaning:
        """The likeliest meaning."""
        return find_best(self.scores, temperature)

    @property
    def is_right(self) -> bool:
        """Whether the likeliest is the one, or both ask the bot for nothing."""
        said, meant = self._group(int(self.meanings.argmax())), self._group(self.gold)
        return int(self.meanings.argmax()) == self.gold or (said in NEUTRAL and meant in NEUTRAL)

    @property
    def asks(self) -> bool:
        """Whether the likeliest is something that a bot acts on."""
        return self._group(int(self.meanings.argmax())) not in NEUTRAL

    @property
    def meanings(self) -> NDArray[np.float32]:
        """Scores of the menu's meanings."""
        return self.scores.meaning[self.scores.meanings]

    def _group(self, place: int) -> str:
        return group_of(self.scores.options[self.scores.meanings[place]])


def calibrate(reader: MeaningReader, menus: Sequence[MenuTurns]) -> Calibration:
    """The settings that fit these turns, for the reader as it runs.

    A threshold of which they say nothing stays as the reader has it.

    Raises:
        InputError: there are no turns.
    """
    cases = [case for menu in menus for case in _score(reader, menu)]
    if not cases:
        raise InputError("turns to calibrate on", "none", "at least one whose meaning is on its menu")
    temperature = min(TEMPERATURES, key=lambda each: _loss(cases, each))
    features = np.array([describe_best(case.scores, case.best(temperature)) for case in cases])
    right = np.array([case.is_right for case in cases])
    weights = _fit(features, right)
    confidence = dict(zip(("bias", *SURE_BY), weights, strict=True))
    threshold = _threshold(cases, _apply(weights, features), right)
    if threshold is None:
        threshold = reader.threshold
    with_menu = [(describe_kind(case.scores), case.target.kind) for case in cases]
    without = [scored for menu in menus for scored in _score_without(reader, menu)]
    indirectness = dict(zip(("bias", *INDIRECT_BY), _fit_indirect(with_menu, without, reader), strict=True))
    return Calibration(temperature, confidence, threshold, indirectness, **_fit_slots(cases, reader))


OfKind = tuple[list[float], str | None]
"""The numbers of `INDIRECT_BY` of a turn, and of which kind it is."""


def _fit_indirect(with_menu: Sequence[OfKind], without: Sequence[OfKind], reader: MeaningReader) -> list[float]:
    """Weights for which few direct and courtesy turns that come with a menu reach one half; the same turns without count as much.

    Where turns are not of both sorts, the reader's.
    """
    known = [(numbers, kind) for numbers, kind in (*with_menu, *without) if kind in ("indirect", *PLAIN)]
    indirect = np.array([kind == "indirect" for _, kind in known], bool)
    if indirect.all() or not indirect.any():
        return list(reader.indirect_weights)
    numbers = np.array([numbers for numbers, _ in known])
    bias, *weights = _fit(numbers, indirect)
    menus = np.array([numbers for numbers, kind in with_menu if kind in PLAIN])
    return [bias - float(np.quantile(bias + menus @ np.array(weights), 1 - MOST_TAKEN_FOR_INDIRECT)), *weights]


def _fit_slots(cases: Sequence[_Case], reader: MeaningReader) -> dict[str, Any]:
    """The settings of slots; those that the turns say nothing of stay as the reader has them."""
    slots = [slot for case in cases for slot in _slots(case)]
    said = np.array([slot.mention is not None for slot in slots], bool)
    if said.all() or not said.any():
        spoken, value, slot_threshold = reader.spoken_weights, reader.value_weights, reader.slot_threshold
    else:
        numbers = np.array([spoken_by(slot.scores, slot.place) for slot in slots])
        spoken = _fit(numbers, said)
        likely = _apply(spoken, numbers)
        slot_threshold = _slot_threshold(likely[~said])
        read = [(slot, share) for slot, share in zip(slots, likely, strict=True) if share >= slot_threshold]
        right = np.array([slot.is_right for slot, _ in read], bool)
        fits = len(read) > 0 and 0 < right.sum() < len(read)
        value = (
            _fit(np.array([value_by(slot.scores, slot.place, share) for slot, share in read]), right)
            if fits
            else reader.value_weights
        )
    return {
        "spoken": dict(zip(("bias", *SPOKEN_BY), spoken, strict=True)),
        "value": dict(zip(("bias", *VALUE_BY), value, strict=True)),
        "slot_threshold": slot_threshold,
    }


def _fit(features: NDArray[np.float64], right: NDArray[np.bool_]) -> list[float]:
    """Bias and weights of a logistic. Half a turn of either kind is spread over all, so that nothing is certain."""
    half = np.full(len(right), 0.5 / len(right))
    centre, scale = features.mean(0), np.maximum(features.std(0), 0.1)
    even = (features - centre) / scale
    both, shares = np.concatenate([even, even]), np.concatenate([right + half, ~right + half])
    found = LogisticRegression(C=1.0, max_iter=3000).fit(both, np.repeat([True, False], len(right)), shares)
    weights = found.coef_[0] / scale
    return [float(found.intercept_[0] - weights @ centre), *map(float, weights)]


def _apply(weights: Sequence[float], features: NDArray[np.float64]) -> NDArray[np.float64]:
    sure: NDArray[np.float64] = 1 / (1 + np.exp(-(weights[0] + features @ np.array(weights[1:]))))
    return sure


def _score(reader: MeaningReader, menu: MenuTurns) -> list[_Case]:
    scores = reader.score([MeaningQuestion(dialogue, menu.schema) for dialogue, _ in menu.turns])
    cases = []
    for each, (_, target) in zip(scores, menu.turns, strict=True):
        names = [(each.options[place].kind, each.options[place].name) for place in each.meanings]
        if target.meaning in names:
            cases.append(_Case(each, target, names.index(target.meaning)))
    return cases


def _score_without(reader: MeaningReader, menu: MenuTurns) -> list[OfKind]:
    """Its turns as they are read where nothing is known of the bot."""
    scores = reader.score([MeaningQuestion(dialogue, ANY_REQUEST) for dialogue, _ in menu.turns])
    return [(describe_kind(each), target.kind) for each, (_, target) in zip(scores, menu.turns, strict=True)]


def _loss(cases: Sequence[_Case], temperature: float) -> float:
    return -float(np.mean([np.log(softmax(case.meanings / temperature)[case.gold] + 1e-12) for case in cases]))


def _threshold(cases: Sequence[_Case], sure: NDArray[np.float64], right: NDArray[np.bool_]) -> float | None:
    """The lowest at which enough of what is said of indirect turns is right, and few other turns are disturbed.

    None where no turn is indirect.
    """
    indirect, plain = (np.array([case.target.kind in kinds for case in cases]) for kinds in (("indirect",), ("direct", "courtesy")))
    if not indirect.any():
        return None
    wrong = np.array([case.asks for case in cases]) & ~right & plain
    for threshold in THRESHOLDS:
        told = (sure >= threshold) & indirect
        disturbed = (wrong & (sure >= threshold)).sum() / max(1, plain.sum())
        if told.any() and right[told].mean() >= PRECISION and disturbed <= MOST_DISTURBED:
            return threshold
    return THRESHOLDS[-1]


@dataclass(frozen=True)
class _Slot:
    """A slot with values, at a place among the options, and what a turn says of it."""

    scores: MeaningScores
    place: int
    mention: SlotMention | None

    @property
    def is_right(self) -> bool:
        """Whether what is read of it is what the turn says."""
        if self.mention is None:
            return False
        said, values = read_values(self.scores, self.place)
        same = set(values) == set(self.mention.values) or said == "ambiguous"
        return said == self.mention.said and same


def _slots(case: _Case) -> list[_Slot]:
    """The slots with values of a turn of which one knows what it says of them."""
    if case.target.mentions is None:
        return []
    return [
        _Slot(case.scores, place, case.target.mentions.get(option.name))
        for place, option in enumerate(case.scores.options)
        if option.kind == "slot" and case.scores.values_of(place)
    ]


def _slot_threshold(silent: NDArray[np.float64]) -> float:
    """The lowest at which few listed slots are filled of which nothing was said."""
    return next((threshold for threshold in THRESHOLDS if (silent >= threshold).mean() <= MOST_FALSE_FILLS), THRESHOLDS[-1])
