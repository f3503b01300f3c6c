"""From scores to how likely a reading is right, and from there to what is said at all: fitted on bots that were not learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from grice.models.errors import InputError
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import MeaningQuestion
from grice.models.meaning.scores import SPOKEN_BY, MeaningScores, spoken_by
from grice.models.meaning.sureness import NEUTRAL, SURE_BY, BestMeaning, describe_best, find_best, group_of
from grice.models.runtime.heads import softmax
from grice.models.training.meaning.samples import MenuTurns, Target

TEMPERATURES = tuple(float(each) for each in np.geomspace(0.4, 4, 40))
THRESHOLDS = tuple(round(0.3 + 0.01 * step, 2) for step in range(70))
PRECISION = 0.91
"""Of meanings that are said of indirect turns, how many shall be right."""
MOST_DISTURBED = 0.015
"""Share of direct and courtesy turns that may get a wrong intent or reply."""
MOST_FALSE_FILLS = 0.018
"""Share of slots that a turn does not speak of which may be filled."""


@dataclass(frozen=True)
class Calibration:
    """Settings of the reader.

    Attributes:
        temperature: scores are divided by it. confidence: of the best meaning, by a logistic of what `SURE_BY` names.
        threshold: from which confidence on a meaning is said.
        spoken: how likely a turn speaks of a slot with values, by a logistic of what `SPOKEN_BY` names.
        slot_threshold: from which likelihood on a slot is spoken of.
    """

    temperature: float
    confidence: dict[str, float]
    threshold: float
    spoken: dict[str, float]
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
    names = ("bias", *SPOKEN_BY)
    numbers, said = _slots(cases)
    if said.all() or not said.any():
        spoken = dict(zip(names, reader.spoken_weights, strict=True))
        return Calibration(
            temperature, confidence, reader.threshold if threshold is None else threshold, spoken, reader.slot_threshold
        )
    spoken_weights = _fit(numbers, said)
    return Calibration(
        temperature,
        confidence,
        reader.threshold if threshold is None else threshold,
        dict(zip(names, spoken_weights, strict=True)),
        _slot_threshold(_apply(spoken_weights, numbers)[~said]),
    )


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


def _slots(cases: Sequence[_Case]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Of each slot with values of each turn the numbers of `SPOKEN_BY`, and whether the turn speaks of it."""
    known = [
        (spoken_by(case.scores, place), option.name in case.target.mentions)
        for case in cases
        if case.target.mentions is not None
        for place, option in enumerate(case.scores.options)
        if option.kind == "slot" and case.scores.values_of(place)
    ]
    return np.array([numbers for numbers, _ in known]), np.array([said for _, said in known], bool)


def _slot_threshold(silent: NDArray[np.float64]) -> float:
    """The lowest at which few listed slots are filled of which nothing was said."""
    return next((threshold for threshold in THRESHOLDS if (silent >= threshold).mean() <= MOST_FALSE_FILLS), THRESHOLDS[-1])
