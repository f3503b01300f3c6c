"""Says of each user message how plainly it says what is wanted."""

from __future__ import annotations

from typing import ClassVar

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.nlu.training_data.message import Message

from grice.components.grice_component import GriceComponent
from grice.components.message_record import Record, put, record_of, score_record
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS
from grice.middleware.capabilities.directness import DIRECTNESS
from grice.middleware.client.backends import load_backend
from grice.models.dialogue import Dialogue
from grice.models.protocols import Predicts
from grice.models.results import Directness


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.INTENT_CLASSIFIER, is_trainable=True)
class DirectnessScorer(GriceComponent):
    """Puts the score, and the label `direct` or `indirect`, on the message under `grice`; the text stays as it is.

    For bots that only want to know. `IndirectTurnRewriter` records the same itself; used together they score once.

        pipeline:
          - name: grice.components.DirectnessScorer
          - name: WhitespaceTokenizer
    """

    keys: ClassVar = {
        ONNX: ("direct_from", "deadline_ms", "directness_model", *RUNTIME_KEYS),
        HTTP: ("direct_from", *REMOTE_KEYS),
    }
    stage: ClassVar = "directness"
    model: Predicts[Dialogue, Directness]

    def load_models(self) -> None:
        self.model = load_backend(DIRECTNESS, self.settings.where)

    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        if "text" not in record_of(message):  # else the rewriter was here before, and has recorded the same
            score = self.model.predict([dialogue])[0]
            put(message, score_record(dialogue.last.text, score, self.settings.pipeline.direct_from))

    def leave(self, message: Message, text: str, failures: list[Record]) -> None:
        if "text" not in record_of(message):
            put(message, {**score_record(text, None, 0), "failures": failures})
