"""Gives the bot's NLU a direct form of what the user wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.nlu.constants import TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.blending import second_reading
from grice.components.grice_component import Checked, GriceComponent
from grice.components.history import is_said
from grice.components.message_record import Record, put, record_of
from grice.components.pipeline_order import check_order
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.client.backends import load_backend
from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.parse_data import annotation
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import Predicts


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.INTENT_CLASSIFIER, is_trainable=True)
class IndirectTurnRewriter(GriceComponent):
    """Scores each user message in the light of the conversation, rewrites an indirect one, and lets the NLU read the result.

    What it reads is a matter of `mode`: the message and its rewrite one by one (`blend`, the default; see `blending`), one behind
    the other (`append`), or the rewrite alone (`replace`).

    List it first, and `EntityAligner` after the last component that finds entities:

        pipeline:
          - name: grice.components.IndirectTurnRewriter
          - name: WhitespaceTokenizer
          - name: CountVectorsFeaturizer
          - name: DIETClassifier
          - name: grice.components.EntityAligner

    Without a tracker (`rasa test nlu`, `rasa shell nlu`) it works without history.
    """

    keys: ClassVar = {
        ONNX: (
            *("mode", "direct_from", "clarify_below", "min_confidence", "deadline_ms"),
            *("directness_model", "rewriter_model", *RUNTIME_KEYS),
        ),
        HTTP: ("mode", *REMOTE_KEYS),
    }
    stage: ClassVar = "rewriter"
    model: Predicts[Dialogue | MeaningQuestion, TurnAnalysis]

    def load_models(self) -> None:
        self.model = load_backend(TURNS, self.settings.where, mode=self.settings.pipeline.mode)

    def train(self, training_data: TrainingData) -> Checked:
        """Learns nothing; checks where in the pipeline it is.

        Raises:
            InvalidConfigException: it is not in front of the tokenizer, or no `EntityAligner` follows.
        """
        check_order(self.schema, type(self).__name__)
        return Checked()

    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        text = dialogue.last.text
        analysis = self.model.predict([dialogue])[0]
        if not is_said(analysis.text):  # what Rasa would take for a command is no rewrite
            analysis = replace(analysis, text=text, decision="pass", reason="refused")
        record = self._record(message, analysis)
        put(message, record)
        if self.settings.mode != "blend" and record["text"] != text:
            message.set(TEXT, record["text"], add_to_output=True)

    def process(self, messages: list[Message], tracker: DialogueStateTracker | None = None) -> list[Message]:
        """The messages, each with what was found; in mode `blend` a rewritten one is followed by its second reading."""
        return [each for message in super().process(messages, tracker) for each in (message, *self._readings(message))]

    def _readings(self, message: Message) -> list[Message]:
        record = record_of(message)
        rewritten = self.settings.mode == "blend" and record.get("text") not in (None, message.get(TEXT))
        return [second_reading(message, record["text"], record["weight"])] if rewritten else []

    def leave(self, message: Message, text: str, failures: list[Record]) -> None:
        record = self._record(message, TurnAnalysis(text, text, "pass", "failed" if failures else "not_text"))
        put(message, {**record, "failures": [*record["failures"], *failures]})

    def _record(self, message: Message, analysis: TurnAnalysis) -> Record:
        """The record of the analysis, with what the directness scorer recorded before and this one has not found."""
        earlier, record = record_of(message), annotation(analysis, self.settings.mode)
        if record["directness"] is None:
            record.update({key: earlier[key] for key in ("directness", "label") if key in earlier})
        return {**record, "failures": [*earlier.get("failures", []), *record["failures"]]}
