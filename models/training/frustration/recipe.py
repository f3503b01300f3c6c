"""Training the detector of frustration on written turns; what it is worth is told by hands that it did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from grice.models.frustration.heads import FrustrationHeads
from grice.models.frustration.inputs import SLOTS, FrustrationInputs, read_inputs
from grice.models.manifest import write_manifest
from grice.models.relations.budget import DEFAULT_BUDGET, share_above, threshold_for
from grice.models.runtime.heads import WordModel, halved, sigmoid
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.training.frustration.written import HANDS, HELD_HAND, LEARNED, read_talks
from grice.models.training.heads import fit_words
from grice.models.training.relations.calibration import fit_curve
from grice.models.training.relations.evaluate import auc

TurnFlags = NDArray[np.bool_]
TurnScores = NDArray[np.float64]
LEAST_SPREAD = 1e-6


InputPart = Literal["vector", "features", "words"]
PARTS: tuple[InputPart, ...] = get_args(InputPart)


@dataclass(frozen=True)
class FrustrationRecipe:
    """How the two linear models are fitted.

    Attributes:
        strength, word_strength: of the regularisation, scikit-learn's C, of vector and features and of words.
        feature_scale: a standard deviation of a feature counts as much as this length of a vector.
        reads: what is read of a turn; the others are left out, to see what they are worth.
    """

    strength: float = 1.0
    word_strength: float = 3.0
    feature_scale: float = 0.15
    reads: tuple[InputPart, ...] = PARTS


@dataclass(frozen=True)
class FrustrationExamples:
    """Last turns of users, in order.

    Attributes:
        frustrated: whether each is, shape (n,). hands: who wrote each.
    """

    inputs: tuple[FrustrationInputs, ...]
    frustrated: TurnFlags
    hands: tuple[str, ...]

    def at(self, places: NDArray[np.int64]) -> FrustrationExamples:
        """Some of them."""
        inputs, hands = tuple(self.inputs[at] for at in places), tuple(self.hands[at] for at in places)
        return FrustrationExamples(inputs, self.frustrated[places], hands)


def read_examples(encoder: SentenceEncoder, names: Sequence[str] = LEARNED, folder: Path = HANDS) -> FrustrationExamples:
    """The last turns of these hands.

    Raises:
        DataNotFound, DataCorrupt: a hand is not there, or not in the shorthand.
    """
    rows = [
        (read_inputs(encoder, talk.dialogue_of(said).turns), said.frustrated, hand)
        for hand, talks in read_talks(folder, names).items()
        for talk in talks
        for said in talk.nexts
    ]
    inputs, flags, hands = zip(*rows, strict=True)
    return FrustrationExamples(tuple(each for each in inputs if each is not None), np.array(flags, bool), hands)


def fit(examples: FrustrationExamples, recipe: FrustrationRecipe) -> FrustrationHeads:
    """The two models, from these examples alone."""
    features = np.stack([each.features for each in examples.inputs])
    middle, spread = features.mean(0), np.maximum(features.std(0), LEAST_SPREAD)
    vectors = np.stack([each.vector for each in examples.inputs])
    scales = np.repeat(
        [float("vector" in recipe.reads), recipe.feature_scale * ("features" in recipe.reads)], [vectors.shape[1], len(middle)]
    )
    table = np.hstack([vectors, (features - middle) / spread]) * scales
    model = LogisticRegression(C=recipe.strength, max_iter=1000).fit(table, examples.frustrated)
    weights, bias = halved(model.coef_[0] * scales), model.intercept_.astype(np.float32)
    return FrustrationHeads(middle, spread, weights, bias, _fit_words(examples, recipe))


def _fit_words(examples: FrustrationExamples, recipe: FrustrationRecipe) -> WordModel:
    if "words" not in recipe.reads:
        return WordModel(np.zeros((SLOTS, 1), np.float32), np.zeros(1, np.float32), np.ones(SLOTS, np.float32))
    labels = examples.frustrated.astype(float)[:, None, None]
    return fit_words([each.words for each in examples.inputs], SLOTS, labels, recipe.word_strength)


def score_held_hands(examples: FrustrationExamples, recipe: FrustrationRecipe) -> TurnScores:
    """What is said of each turn by models that saw no turn of its hand, shape (n,)."""
    scores = np.zeros(len(examples.inputs))
    for hand in dict.fromkeys(examples.hands):
        held = np.array(examples.hands) == hand
        heads = fit(examples.at(np.flatnonzero(~held)), recipe)
        scores[held] = [heads.score(each) for each in examples.at(np.flatnonzero(held)).inputs]
    return scores


def compare_parts(examples: FrustrationExamples, recipe: FrustrationRecipe) -> dict[str, dict[str, float]]:
    """Of vector, features and words alone, and of all: `auc`, and `recall_at_5` and `recall_at_2` in %, on held hands."""
    sets: dict[str, tuple[InputPart, ...]] = {**{part: (part,) for part in PARTS}, "all": PARTS}
    return {name: _figures(examples, score_held_hands(examples, replace(recipe, reads=reads))) for name, reads in sets.items()}


def _figures(examples: FrustrationExamples, scores: TurnScores) -> dict[str, float]:
    flags, hands = examples.frustrated, np.array(examples.hands)
    own = [auc(scores[hands == hand].tolist(), flags[hands == hand].tolist()) for hand in dict.fromkeys(examples.hands)]
    found = {f"recall_at_{budget:g}": 100 * _found(scores, flags, budget) for budget in (5.0, DEFAULT_BUDGET)}
    return {name: round(value, 3) for name, value in {"auc": float(np.mean(own)), **found}.items()}


def _found(scores: TurnScores, flags: TurnFlags, budget: float) -> float:
    return share_above(scores[flags].tolist(), threshold_for(scores[~flags].tolist(), budget))


def train_frustration(
    out: Path, recipe: FrustrationRecipe | None = None, encoder: SentenceEncoder | None = None, folder: Path = HANDS
) -> dict[str, dict[str, float]]:
    """Train on the hands `LEARNED` of a folder into `out/model` (`heads.npz`, `manifest.json`); returns what `compare_parts` tells.

    The curve and the threshold are fitted to the scores of turns by models that saw no turn of their hand.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    recipe, encoder = recipe or FrustrationRecipe(), encoder or load_sentence_encoder()
    examples = read_examples(encoder, folder=folder)
    held = score_held_hands(examples, recipe)
    curve = fit_curve(held, examples.frustrated)
    shares = sigmoid((curve["slope"] * held + curve["offset"]).astype(np.float32))
    figures = compare_parts(examples, recipe)
    written = out / "model"
    written.mkdir(parents=True, exist_ok=True)
    fit(examples, recipe).save(written / "heads.npz")
    write_manifest(
        written,
        {
            "name": "frustration",
            "version": "1",
            "task": "frustration",
            "settings": {
                "encoder": encoder.identity,
                "curve": curve,
                "threshold": threshold_for(shares[~examples.frustrated].tolist(), DEFAULT_BUDGET),
            },
            "training": {
                "data": f"written hands {', '.join(LEARNED)}, {len(examples.inputs)} last turns of users; held out: {HELD_HAND}",
                "recipe": asdict(recipe),
            },
            "metrics": {"one hand held out at a time": figures},
        },
    )
    return figures
