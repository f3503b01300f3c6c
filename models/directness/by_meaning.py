"""The reader of meaning as a directness scorer: of the same pass, how much more likely a turn is direct than indirect."""

from __future__ import annotations

from collections.abc import Sequence

from grice.models.dialogue import Dialogue, check_each
from grice.models.directness.curve import LogisticCurve
from grice.models.manifest import Manifest
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion
from grice.models.results import Directness
from grice.models.runtime.runtime import Runtime
from grice.models.schema import BotSchema, IntentSpec

ANY_BOT = BotSchema((IntentSpec("request", "wants the bot to do something"),))
"""A menu for bots of which nothing is known."""


class MeaningDirectness:
    """Scores the last turn of a dialogue with the reader of meaning that the manifest names.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the reader cannot be loaded. InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, runtime: Runtime = Runtime()) -> None:
        self.manifest = manifest
        self.curve = LogisticCurve.of(manifest)
        self.reader = load_meaning_reader(manifest.setting("reader", str, "the name of a reader of meaning"), runtime=runtime)
        self.provider = self.reader.provider

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        """The directness of the last turn of each dialogue, in order."""
        check_each(dialogues, Dialogue, "dialogues")
        scores = self.reader.score([MeaningQuestion(dialogue, ANY_BOT) for dialogue in dialogues])
        return [
            Directness(
                self.curve.at(each.directness),
                each.pieces.history_read,
                len(dialogue.history) - each.pieces.history_read,
                each.pieces.text_cut,
            )
            for dialogue, each in zip(dialogues, scores, strict=True)
        ]
