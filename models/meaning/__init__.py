"""What a user turn means, of all that a bot can understand.

from grice.models import BotSchema, Dialogue, MeaningQuestion, load_meaning_reader
"""

from grice.models.meaning.reader import MeaningReader, load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, TurnMeaning

__all__ = ["MeaningQuestion", "MeaningReader", "TurnMeaning", "load_meaning_reader"]
