"""Rasa 3.6 adapters: the only code that imports rasa. Name a class by its path in `config.yml` or `endpoints.yml`."""

from grice.components.clarifying_policy import ClarifyingPolicy
from grice.components.directness_scorer import DirectnessScorer
from grice.components.entity_aligner import EntityAligner
from grice.components.indirect_turn_rewriter import IndirectTurnRewriter
from grice.components.intention_detector import IntentionDetector
from grice.components.meaning_resolver import MeaningResolver
from grice.components.monitor_event_broker import MonitorEventBroker
from grice.components.monitored_response_generator import MonitoredResponseGenerator
from grice.components.slot_value_resolver import SlotValueResolver

__all__ = [
    "ClarifyingPolicy",
    "DirectnessScorer",
    "EntityAligner",
    "IndirectTurnRewriter",
    "IntentionDetector",
    "MeaningResolver",
    "MonitorEventBroker",
    "MonitoredResponseGenerator",
    "SlotValueResolver",
]
