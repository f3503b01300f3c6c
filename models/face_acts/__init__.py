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
from grice.models.face_acts.goals import PersuasionQuestion

__all__ = [
    "DESCRIPTIONS",
    "PHRASINGS",
    "FaceActDetector",
    "IntentionDescription",
    "IntentionDescriptions",
    "PersuasionQuestion",
    "Phrasing",
    "descriptions_of",
    "load_intention_detector",
]
