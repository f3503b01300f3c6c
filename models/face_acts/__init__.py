"""What the turns of a persuasion do to the face of speaker and hearer."""

from grice.models.face_acts.descriptions import (
    DESCRIPTIONS,
    PHRASINGS,
    IntentionDescription,
    IntentionDescriptions,
    Phrasing,
    descriptions_of,
)
from grice.models.face_acts.detector import FaceActDetector, load_intention_detector

__all__ = [
    "DESCRIPTIONS",
    "PHRASINGS",
    "FaceActDetector",
    "IntentionDescription",
    "IntentionDescriptions",
    "Phrasing",
    "descriptions_of",
    "load_intention_detector",
]
