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
from grice.models.meaning.scores import SPOKEN_BY, SURE_BY, MeaningScores, spoken_by, sure_by
from grice.models.runtime.heads import softmax
from grice.models.training.meaning.samples import MenuTurns, Target

TEMPERATURES = tuple(float(each) for each in np.geomspace(0.4, 4, 40))
THRESHOLDS = tuple(round(0.3 + 0.01 * step, 2) for step in range(70))
PRECISION = 0.9
"""Of intents that are said of indirect turns, and of acts that are said of any, how many shall be right."""
MOST_DISTURBED = 0.015
"""Share of direct, courtesy and out-of-scope turns that may get a wrong intent."""
MOST_FALSE_FILLS = 0.012
"""Share of slots that a turn does not speak of which may be filled."""


@dataclass(frozen=True)
class Calibration:
    """Settings of the reader.

    Attributes:
        temperature: scores are divided by it. confidence: of the best meaning, by a logistic of what `SURE_BY` names.
        thresholds: from which confidence on an intent is said, and an act.
        spoken: how likely a turn speaks of a slot with values, by a logistic of what `SPOKEN_BY` names.
        slot_threshold: from which likelihood on a slot is spoken of.
    """

    temperature: float
    confidence: dict[str, float]
    thresholds: dict[str, float]
    spoken: dict[str, float]
    slot_threshold: float


@dataclass(frozen=True)
class _Case:
    """A turn that was scored. `gold` is the place of its meaning among those of the menu."""

    scores: MeaningScores
    target: Target
    gold: int

    @property
    def meanings(self) -> NDArray[np.float32]:
        return self.scores.meaning[self.scores.meanings]

    @property
    def is_right(self) -> bool:
        return int(self.meanings.argmax()) == self.gold

    def features(self, temperature: float) -> list[float]:
        shares = softmax(self.meanings / temperature)
        place = int(shares.argmax())
        first, second = np.sort(shares)[::-1][:2]
        return sure_by(self.scores, self.scores.meanings[place], float(first), float(first - second))

    @property
    def says_intent(self) -> bool:
        return self.scores.options[self.scores.meanings[int(self.meanings.argmax())]].kind == "intent"


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
    features = np.array([case.features(temperature) for case in cases])
    right = np.array([case.is_right for case in cases])
    fitted = _fit(features, right)
    weights = dict(zip(SURE_BY, map(float, fitted.coef_[0]), strict=True))
    sure = fitted.predict_proba(features)[:, 1]
    confidence = {"bias": float(fitted.intercept_[0]), **weights}
    intents = np.array([case.says_intent for case in cases])
    thresholds = dict(reader.thresholds)
    if any(case.says_intent and case.target.kind == "indirect" for case in cases):
        thresholds["intent"] = _intent_threshold(cases, sure, right, intents)
    if not intents.all():
        thresholds["act"] = _act_threshold(sure[~intents], right[~intents])
    names = ("bias", *SPOKEN_BY)
    numbers, said = _slots(cases)
    if said.all() or not said.any():
        return Calibration(
            temperature, confidence, thresholds, dict(zip(names, reader.spoken_weights, strict=True)), reader.slot_threshold
        )
    logistic = _fit(numbers, said)
    spoken = dict(zip(names, map(float, (logistic.intercept_[0], *logistic.coef_[0])), strict=True))
    return Calibration(temperature, confidence, thresholds, spoken, _slot_threshold(logistic.predict_proba(numbers)[~said, 1]))


def _fit(features: NDArray[np.float64], right: NDArray[np.bool_]) -> LogisticRegression:
    """A logistic of sureness. Half a turn of either kind is spread over all, so that nothing is certain."""
    half = np.full(len(right), 0.5 / len(right))
    both, weights = np.concatenate([features, features]), np.concatenate([right + half, ~right + half])
    return LogisticRegression(C=100.0, max_iter=1000).fit(both, np.repeat([True, False], len(right)), weights)


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


def _intent_threshold(
    cases: Sequence[_Case], sure: NDArray[np.float64], right: NDArray[np.bool_], said: NDArray[np.bool_]
) -> float:
    """The lowest at which enough of the intents that are said of indirect turns are right, and few other turns are disturbed."""
    indirect = np.array([case.target.kind == "indirect" for case in cases])
    for threshold in THRESHOLDS:
        above = said & (sure >= threshold)
        told = above & indirect
        disturbed = (above & ~right & ~indirect).sum() / max(1, (~indirect).sum())
        if told.any() and right[told].mean() >= PRECISION and disturbed <= MOST_DISTURBED:
            return threshold
    return THRESHOLDS[-1]


def _act_threshold(sure: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The lowest at which enough of the acts that are said are right."""
    for threshold in THRESHOLDS:
        if (told := sure >= threshold).any() and right[told].mean() >= PRECISION:
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
