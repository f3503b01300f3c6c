"""Models that read dialogue. Needs numpy, onnxruntime and tokenizers, nothing else."""

from typing import TYPE_CHECKING

from grice.models.lazy import offer

if TYPE_CHECKING:
    from grice.models.behaviors import BehaviorMonitor, load_behavior_monitor
    from grice.models.dialogue import Dialogue, Speaker, Turn
    from grice.models.directness import DirectnessModel, load_directness_scorer
    from grice.models.errors import GriceError
    from grice.models.face_acts import FaceActDetector, load_intention_detector
    from grice.models.frustration import FrustrationDetector, UserFrustration, load_frustration_detector
    from grice.models.meaning import MeaningQuestion, MeaningReader, TurnMeaning, load_meaning_reader
    from grice.models.minds import MindModel, MindReading, MindTracker, RecommendationDialogue, load_mind_model
    from grice.models.protocols import Model
    from grice.models.relations import RelationQuestion, RelationReader, ResponseRelations, load_relation_reader
    from grice.models.results import Behaviors, Directness, Intentions, Rewrite, SlotValues
    from grice.models.rewriter import Rewriter, load_rewriter
    from grice.models.runtime.runtime import Runtime
    from grice.models.schema import BotSchema
    from grice.models.slots import SlotQuestion, SlotResolver, load_slot_resolver

__all__ = [
    "BehaviorMonitor",
    "Behaviors",
    "BotSchema",
    "Dialogue",
    "Directness",
    "DirectnessModel",
    "FaceActDetector",
    "FrustrationDetector",
    "GriceError",
    "Intentions",
    "MeaningQuestion",
    "MeaningReader",
    "MindModel",
    "MindReading",
    "MindTracker",
    "Model",
    "RecommendationDialogue",
    "RelationQuestion",
    "RelationReader",
    "ResponseRelations",
    "Rewrite",
    "Rewriter",
    "Runtime",
    "SlotQuestion",
    "SlotResolver",
    "SlotValues",
    "Speaker",
    "Turn",
    "TurnMeaning",
    "UserFrustration",
    "load_behavior_monitor",
    "load_directness_scorer",
    "load_frustration_detector",
    "load_intention_detector",
    "load_meaning_reader",
    "load_mind_model",
    "load_relation_reader",
    "load_rewriter",
    "load_slot_resolver",
]

__getattr__, __dir__ = offer(
    __name__,
    {
        "grice.models.behaviors": (
            "BehaviorMonitor",
            "load_behavior_monitor",
        ),
        "grice.models.dialogue": (
            "Dialogue",
            "Speaker",
            "Turn",
        ),
        "grice.models.directness": (
            "DirectnessModel",
            "load_directness_scorer",
        ),
        "grice.models.errors": ("GriceError",),
        "grice.models.face_acts": (
            "FaceActDetector",
            "load_intention_detector",
        ),
        "grice.models.frustration": (
            "FrustrationDetector",
            "UserFrustration",
            "load_frustration_detector",
        ),
        "grice.models.meaning": (
            "MeaningQuestion",
            "MeaningReader",
            "TurnMeaning",
            "load_meaning_reader",
        ),
        "grice.models.minds": (
            "MindModel",
            "MindReading",
            "MindTracker",
            "RecommendationDialogue",
            "load_mind_model",
        ),
        "grice.models.protocols": ("Model",),
        "grice.models.relations": (
            "RelationQuestion",
            "RelationReader",
            "ResponseRelations",
            "load_relation_reader",
        ),
        "grice.models.results": (
            "Behaviors",
            "Directness",
            "Intentions",
            "Rewrite",
            "SlotValues",
        ),
        "grice.models.rewriter": (
            "Rewriter",
            "load_rewriter",
        ),
        "grice.models.runtime.runtime": ("Runtime",),
        "grice.models.schema": ("BotSchema",),
        "grice.models.slots": (
            "SlotQuestion",
            "SlotResolver",
            "load_slot_resolver",
        ),
    },
)
