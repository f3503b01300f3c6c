"""The reader of meaning as a slot-value resolver: a menu with one slot and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from grice.models.dialogue import check_each
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import SAID, MeaningQuestion
from grice.models.meaning.scores import MeaningScores
from grice.models.results import SlotValues
from grice.models.runtime.heads import softmax
from grice.models.schema import BotSchema, SlotSpec
from grice.models.slots.questions import SlotQuestion

SPOKEN_FROM = 0.3
"""From this likelihood on a turn speaks of the one slot that is asked about; of a whole menu's slots the reader is stricter. It was
chosen on SGD's dev split, on services that the training split does not have."""


class MeaningSlotResolver:
    """Answers slot questions with a reader of meaning. A value that is excluded, or any that will do, is no value."""

    def __init__(self, reader: MeaningReader) -> None:
        self.reader = reader
        self.manifest, self.precision, self.provider = reader.manifest, reader.precision, reader.provider

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        """One result a question, in order."""
        check_each(questions, SlotQuestion, "questions")
        menus = [BotSchema(slots=(SlotSpec(each.slot, each.description, each.values),)) for each in questions]
        asked = [MeaningQuestion(each.dialogue, menu) for each, menu in zip(questions, menus, strict=True)]
        return [self._conclude(each) for each in self.reader.score(asked)]

    def _conclude(self, scores: MeaningScores) -> SlotValues:
        slot = next(place for place, option in enumerate(scores.options) if option.kind == "slot")
        values = [place for place, option in enumerate(scores.options) if option.kind == "value"]
        spoken = self.reader.spoken(scores, slot)
        shares = softmax(scores.values[values])
        said = SAID[int(scores.slot_states[slot][1:].argmax())] if spoken >= SPOKEN_FROM else ""
        return SlotValues(
            tuple(min(1.0, float(share) * spoken) for share in shares),
            1 - spoken,
            scores.options[values[int(shares.argmax())]].value if said == "meant" else None,
            said == "ambiguous",
        )
