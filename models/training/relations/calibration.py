"""What scores of the reader of relations mean: curves and thresholds, fitted on contexts that it did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from grice.models.relations.budget import DEFAULT_BUDGET, NEVER, budget_steps, threshold_for
from grice.models.relations.labels import FAULTS, LABELS, SETTINGS, Setting
from grice.models.relations.pointing import POINTED_BY, describe_spans
from grice.models.relations.quotes import span_shares, spans_of
from grice.models.relations.reader import ReadResponse, RelationReader
from grice.models.runtime.heads import softmax
from grice.models.training.relations.samples import RelationSample, TaughtResponse

UNCALIBRATED: dict[str, Any] = {
    "curves": {"bad": {"slope": 1.0, "offset": 0.0}, "labels": {label: {"slope": 1.0, "offset": 0.0} for label in LABELS}},
    "thresholds": {"settings": dict.fromkeys(SETTINGS, 0.5), "labels": dict.fromkeys(LABELS, 0.5)},
    "faulty": [0.5] * 101,
    "pointing": {"share": 1.0, "words": 0.0, "asked": 0.0},
}
HOLD = 1e-2
"""How strongly weights are held near where they start."""
POINTING_HOLD = 1.0
"""How strongly weights of `POINTED_BY` are held near 0."""
SMALLEST_STEP = 1e-6
"""Of a whole one."""
LEAST_SHOWN = 0.15
"""No label is shown that is less likely."""


@dataclass(frozen=True)
class ReadSample:
    """A response with its context, and what the reader says of it."""

    sample: RelationSample
    response: TaughtResponse
    scores: ReadResponse


def read_samples(reader: RelationReader, samples: Sequence[RelationSample]) -> list[ReadSample]:
    """Every response of the samples, in order."""
    return [
        ReadSample(sample, response, reader.score_beside(sample.spans, response.text))
        for sample in samples
        for response in sample.responses
    ]


def calibrate(reader: RelationReader, samples: Sequence[RelationSample], people: Sequence[RelationSample] = ()) -> dict[str, Any]:
    """What the manifest has of it.

    `curves`, `thresholds`, `fine` (the thresholds of other budgets), `faulty` (percentiles of how likely faulty responses are
    said to be) and `pointing` (what it follows from which span a fault is about).

    Args:
        people: replies of people, all fine; the budget of their setting holds for them too.
    """
    read = [each for each in read_samples(reader, samples) if each.response.bad is not None]
    bad = np.array([bool(each.response.bad) for each in read])
    scores = np.array([each.scores.bad for each in read])
    curve = fit_curve(scores, bad)
    shares = np.array([_share_of(curve, score) for score in scores])
    settings, steps = {}, {}
    replies: dict[tuple[Setting | None, str], list[float]] = {}
    for each in read_samples(reader, people):
        replies.setdefault((each.sample.setting, each.sample.source), []).append(_share_of(curve, each.scores.bad))
    for setting in SETTINGS:
        fine = [float(share) for each, share in zip(read, shares, strict=True) if each.sample.setting == setting]
        flags = [bool(each.response.bad) for each in read if each.sample.setting == setting]
        own = [share for share, is_bad in zip(fine, flags, strict=True) if not is_bad]
        # a few dozen fine responses say little of so rare an event
        groups = [shares[~bad].tolist(), own, *(found for (kind, _), found in replies.items() if kind == setting)]
        settings[setting] = max(threshold_for(group, DEFAULT_BUDGET) for group in groups)
        steps[setting] = budget_steps(groups)
    curves, labels = {}, {}
    for place, label in enumerate(LABELS):
        raw = np.array([each.scores.labels[place] for each in read], float)
        has = np.array([label in each.response.labels for each in read])
        curves[label] = fit_curve(raw, has)
        chances = 1 / (1 + np.exp(-(curves[label]["slope"] * raw + curves[label]["offset"])))
        labels[label] = max(LEAST_SHOWN, best_threshold(chances, has))
    return {
        "curves": {"bad": curve, "labels": curves},
        "thresholds": {"settings": settings, "labels": labels},
        "fine": steps,
        "faulty": [round(float(share), 4) for share in np.quantile(shares[bad], np.linspace(0, 1, 101))],
        "pointing": fit_pointing(read),
    }


def fit_pointing(read: Sequence[ReadSample]) -> dict[str, float]:
    """Weights of `POINTED_BY`, by a conditional logit: of the spans that a fault can be about, its own is to be the likeliest.

    Where nothing is to be chosen, the network's share alone decides.
    """
    rows = [row for each in read for row in _choices(each)]
    if not rows:
        return dict(UNCALIBRATED["pointing"])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = POINTING_HOLD * float(weights @ weights), 2 * POINTING_HOLD * weights
        for numbers, right in rows:
            chances = softmax((numbers @ weights).astype(np.float32))
            total -= float(np.log(chances[right] + SMALLEST_STEP))
            slope = slope + chances @ numbers - numbers[right]
        return total, slope

    found = minimize(loss, np.zeros(len(POINTED_BY)), jac=True, method="L-BFGS-B").x
    return dict(zip(POINTED_BY, map(float, found), strict=True))


def _choices(each: ReadSample) -> list[tuple[NDArray[np.float64], int]]:
    """For each fault with something to point at: the numbers of the spans that it can be about, and the place of its own."""
    if each.response.clash is None:
        return []
    spans, scores = each.scores.spans, each.scores
    shares = span_shares(scores.context, scores.of_context, len(spans))
    numbers = describe_spans(spans, each.response.text, shares).astype(np.float64)
    groups = [spans_of(label, spans) for label in LABELS if label in each.response.labels and label in FAULTS]
    return [(numbers[group], group.index(own)) for group in groups if (own := each.response.clash.span) in group and len(group) > 1]


def _share_of(curve: dict[str, float], score: float) -> float:
    return float(1 / (1 + np.exp(-(curve["slope"] * score + curve["offset"]))))


def fit_curve(scores: NDArray[np.float64], flags: NDArray[np.bool_]) -> dict[str, float]:
    """Platt scaling, held near slope 1."""
    slope, offset = fit_weights(np.stack([scores, np.ones_like(scores)], 1), flags, np.array([1.0, 0.0]))
    return {"slope": float(max(slope, 0.05)), "offset": float(offset)}


def fit_weights(
    inputs: NDArray[np.float64], flags: NDArray[np.bool_], start: NDArray[np.float64], steps: int = 50
) -> NDArray[np.float64]:
    """A logistic regression by Newton's steps, held near `start`. `inputs` (rows, inputs) to weights (inputs,).

    A step after which the loss would be larger is halved: whole ones run away where scores are steep.
    """

    def loss(weights: NDArray[np.float64]) -> float:
        scores = inputs @ weights
        return float(np.logaddexp(0, np.where(flags, -scores, scores)).sum() + HOLD / 2 * ((weights - start) ** 2).sum())

    weights: NDArray[np.float64] = start.copy()
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        curvature = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + HOLD * np.eye(len(start))
        step = np.linalg.solve(curvature, inputs.T @ (chance - flags) + HOLD * (weights - start))
        before, size = loss(weights), 1.0
        while loss(weights - size * step) > before and size > SMALLEST_STEP:
            size /= 2
        if size <= SMALLEST_STEP:
            break
        weights = weights - size * step
    return weights


def best_threshold(chances: NDArray[np.float64], flags: NDArray[np.bool_]) -> float:
    """The probability from which on F1 is highest; one that nothing reaches where no response has the label."""
    if not flags.any():
        return NEVER
    order = np.argsort(-chances, kind="stable")
    right = np.cumsum(flags[order])
    f1 = 2 * right / (np.arange(1, len(order) + 1) + flags.sum())
    return float(chances[order[int(f1.argmax())]])
