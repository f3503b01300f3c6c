"""Gives the bot's NLU a direct form of what the user wrote."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import ClassVar

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.nlu.constants import TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.blending import second_reading
from grice.components.bot_menu import keep_menu, menu_of, read_menu
from grice.components.grice_component import WARM_UP, Checked, GriceComponent
from grice.components.history import is_said
from grice.components.menu_fit import only_told, patient, tell_misread, tell_rewritten_away
from grice.components.message_record import SURE_NLU, Record, put, record_of
from grice.components.pipeline_order import check_order
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS
from grice.middleware.capabilities.meaning import MEANING
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.client.backends import load_backend, warm_up
from grice.middleware.settings import check_settings, setting
from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.parse_data import annotation
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import Predicts
from grice.models.schema import BotSchema

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MenuSettings:
    """What the rewriter makes of the bot's menu and of its own doubts.

    Attributes:
        menu: whether turns are rewritten by what they mean of the bot's menu.
        sure_nlu: where the NLU is as sure as this of its intent, the user is not asked back, 0 to 1.

    Raises:
        SettingsError: a value is out of range.
    """

    menu: bool = False
    sure_nlu: float = setting(0.7, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_settings(self)


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

    With `menu: true` the bot's own menu, its intents by their examples and its slots, is read when the bot is trained, and a turn
    is rewritten by what it means of that menu. Where the reader of meaning is torn between few meanings, and the bot's NLU is less
    sure than `sure_nlu`, `clarification` of the record is a question to the user, which `ClarifyingPolicy`
    has asked.

    Without a tracker (`rasa test nlu`, `rasa shell nlu`) it works without history.
    """

    keys: ClassVar = {
        ONNX: (
            *("mode", "menu", "sure_nlu", "direct_from", "indirect_from", "rewrite_from", "clarify_from", "clarify_below"),
            *(
                "verified_from",
                "min_confidence",
                "deadline_ms",
                "directness_model",
                "rewriter_model",
                "meaning_model",
                *RUNTIME_KEYS,
            ),
        ),
        HTTP: ("mode", "menu", "sure_nlu", *REMOTE_KEYS),
    }
    own: ClassVar = MenuSettings
    chosen: MenuSettings
    stage: ClassVar = "rewriter"
    model: Predicts[Dialogue | MeaningQuestion, TurnAnalysis]
    menu: BotSchema | None = None

    def train(self, training_data: TrainingData) -> Checked:
        """Keeps what the training data say of the menu; checks where in the pipeline it is and, where they run here, its models.

        Says in the log how many of the bot's own examples its models would rewrite into another intent.

        Raises:
            InvalidConfigException: it is not in front of the tokenizer, or no `EntityAligner` follows, the bot has no menu that can
                be read, or a model cannot be loaded. In front of a command generator of Rasa Pro: `mode` is `blend`.
        """
        check_order(self.schema, type(self).__name__, self.settings.mode)
        if self.chosen.menu:
            keep_menu(self.storage, self.resource, training_data)
        self.get_ready(use=self.settings.backend == ONNX)
        if self.settings.backend == ONNX:
            with only_told(type(self).__name__):
                self._tell_fit(self.menu or menu_of(training_data))
        return Checked()

    def _tell_fit(self, menu: BotSchema) -> None:
        """Say how the bot's own examples fare; a resolver behind says how they are read."""
        name, settings = type(self).__name__, patient(self.settings.pipeline)
        reader, turns = load_backend(MEANING, settings, settings.meaning_model), load_backend(TURNS, settings)
        tell_rewritten_away(name, menu, lambda dialogues: turns.predict([self._question(each) for each in dialogues]), reader)
        if self.menu is not None and not any(node.uses.__name__ == "MeaningResolver" for node in self.schema.nodes.values()):
            tell_misread(name, menu, reader)

    def load_models(self) -> None:
        if self.chosen.menu:
            found = read_menu(self.storage, self.resource)
            self.menu = None if found is None else found.schema
        self.model = load_backend(TURNS, self.settings.where, mode=self.settings.pipeline.mode)

    def warm_up(self) -> None:
        warm_up(self.model, [self._question(WARM_UP)])

    def _question(self, dialogue: Dialogue) -> Dialogue | MeaningQuestion:
        return dialogue if self.menu is None else MeaningQuestion(dialogue, self.menu)

    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        text = dialogue.last.text
        analysis = self.model.predict([self._question(dialogue)])[0]
        if not is_said(analysis.text):  # what Rasa would take for a command is no rewrite
            analysis = replace(analysis, text=text, decision="pass", reason="refused")
        record = self._record(message, analysis)
        put(message, record)
        read = None if analysis.meaning is None else f"{analysis.meaning.kind} {analysis.meaning.meaning}".strip()
        log.info("turn: %s (%s), read as %s; texts are under `grice` of the parse data", analysis.decision, analysis.reason, read)
        message.set(SURE_NLU, self.chosen.sure_nlu)
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
