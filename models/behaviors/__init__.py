"""What a bot's response does: nine behaviours, scored on its dialogue."""

from grice.models.behaviors.definitions import DEFINITIONS, MAXIMS, BehaviorDefinition, Maxim, definitions_of
from grice.models.behaviors.monitor import BehaviorMonitor, load_behavior_monitor

__all__ = [
    "DEFINITIONS",
    "MAXIMS",
    "BehaviorDefinition",
    "BehaviorMonitor",
    "Maxim",
    "definitions_of",
    "load_behavior_monitor",
]
