"""Which of a slot's values a turn means."""

from grice.models.slots.questions import MOST_VALUES, SlotQuestion
from grice.models.slots.resolver import SlotResolver, load_slot_resolver

__all__ = [
    "MOST_VALUES",
    "SlotQuestion",
    "SlotResolver",
    "load_slot_resolver",
]
