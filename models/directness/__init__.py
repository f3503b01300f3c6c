"""How plainly a turn says what is wanted."""

from grice.models.directness.scorer import DirectnessModel, load_directness_scorer

__all__ = [
    "DirectnessModel",
    "load_directness_scorer",
]
