"""Heads for other goals than a gift to a charity, and the goals that they learned from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import f1_score

from grice.models.face_acts.detector import GOALS, OTHER
from grice.models.face_acts.goals import KnownGoals
from grice.models.face_acts.heads import FaceHeads
from grice.models.runtime.heads import WordModel
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.training.face_acts.examples import FaceExample, other_examples
from grice.models.training.face_acts.members import IntentionRecipe, fit
from grice.models.training.face_acts.written import read_persuasion
from grice.models.training.recurrent_networks import RecurrentRecipe

HELD_HANDS = ("PH", "PK")
"""Hands that are not learned from."""
RECIPE = IntentionRecipe(networks=replace(RecurrentRecipe(), hidden=48, units=48), committee=3)
"""Half as wide as the heads for gifts to a charity: a point of accuracy for a third of the size."""
KEPT = 0.3
"""Share of the weights of the model on words that is kept."""
MIDDLES = 48
"""Groups of like goals."""
USUAL = 0.05
"""Of the goals of the held hands, which are as unlike as new ones are, the share that counts as far."""


def write_other_heads(folder: Path, encoder: SentenceEncoder) -> dict[str, float]:
    """Fit the heads, and write them and their goals into `folder`. Returns accuracy and macro-F1 (%) on the held hands.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    hands = other_examples(encoder)
    held = [each for name in HELD_HANDS for each in hands[name]]
    heads = fit([each for name, found in hands.items() if name not in HELD_HANDS for each in found], RECIPE)
    heads = replace(heads, words=with_fewer_weights(heads.words))
    heads.save(folder / OTHER)
    learn_goals(encoder).save(folder / GOALS)
    return held_figures(heads, held)


def with_fewer_weights(words: WordModel) -> WordModel:
    """The largest `KEPT` of the weights; the others are 0, and take no room in a packed file."""
    least = np.quantile(np.abs(words.weights), 1 - KEPT)
    return replace(words, weights=np.where(np.abs(words.weights) >= least, words.weights, np.float32(0)))


def learn_goals(encoder: SentenceEncoder) -> KnownGoals:
    """The middles of the goals that are learned from, and from where on a goal is near."""
    goals = {hand: encoder.encode([each.goal for each in found]) for hand, found in read_persuasion().items()}
    known = np.concatenate([vectors for hand, vectors in goals.items() if hand not in HELD_HANDS])
    middles = KMeans(MIDDLES, n_init=2, random_state=RECIPE.seed).fit(known).cluster_centers_
    vectors = (middles / np.linalg.norm(middles, axis=1, keepdims=True)).astype(np.float32)
    nearest = np.concatenate([(goals[hand] @ vectors.T).max(1) for hand in HELD_HANDS])
    return KnownGoals(vectors, np.array([np.quantile(nearest, USUAL)], np.float32))


def held_figures(heads: FaceHeads, examples: list[FaceExample]) -> dict[str, float]:
    """Accuracy and macro-F1, in %, on examples that were not learned from."""
    gold = np.concatenate([each.labels for each in examples])
    found = np.concatenate([heads.labels(heads.probabilities(each.inputs)) for each in examples])
    return {
        "accuracy": round(100 * float((found == gold).mean()), 2),
        "macro_f1": round(100 * float(f1_score(gold, found, average="macro", zero_division=0.0)), 2),
        "utterances": float(len(gold)),
    }
