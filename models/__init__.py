"""Models that read dialogue. Needs numpy, onnxruntime and tokenizers, nothing else."""

from grice.models.behaviors import BehaviorMonitor, load_behavior_monitor
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.directness import DirectnessScorer, load_directness_scorer
from grice.models.errors import GriceError
from grice.models.protocols import Model
from grice.models.results import Behaviors, Directness, Rewrite
from grice.models.rewriter import Rewriter, load_rewriter

__all__ = [
    "BehaviorMonitor",
    "Behaviors",
    "Dialogue",
    "Directness",
    "DirectnessScorer",
    "GriceError",
    "Model",
    "Rewrite",
    "Rewriter",
    "Speaker",
    "Turn",
    "load_behavior_monitor",
    "load_directness_scorer",
    "load_rewriter",
]
