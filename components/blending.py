"""The second reading of a message: how it travels through Rasa's pipeline, and how it is blended into the first."""

from __future__ import annotations

from rasa.shared.nlu.constants import TEXT
from rasa.shared.nlu.training_data.message import Message

from grice.middleware.turns.blending import READ, blended

WEIGHT = "grice_weight"
"""On the second reading of a message: how much it counts, 0 to 1."""


def second_reading(message: Message, rewrite: str, weight: float) -> Message:
    """The message as it is read in its rewritten form; it follows the message through the pipeline."""
    return Message(data={**message.data, TEXT: rewrite, WEIGHT: weight}, output_properties=set(message.output_properties))


def is_second_reading(message: Message) -> bool:
    """Whether `second_reading` made it."""
    return message.get(WEIGHT) is not None


def blend(message: Message, reading: Message) -> None:
    """Set on `message` what both readings say."""
    own, other = ({key: each.get(key) for key in (TEXT, *READ)} for each in (message, reading))
    for key, value in blended(own, other, float(reading.get(WEIGHT))).items():
        message.set(key, value, add_to_output=True)
