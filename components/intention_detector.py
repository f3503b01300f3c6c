"""Says of each user message what it does to the face of the user and of the bot, and whether the one to be persuaded will agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.nlu.training_data.message import Message

from grice.components.grice_component import GriceComponent
from grice.components.message_record import Record, put, record_of
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS
from grice.middleware.capabilities.intentions import INTENTIONS
from grice.middleware.client.backends import load_backend
from grice.middleware.settings import check_settings
from grice.models.dialogue import Dialogue
from grice.models.face_acts.goals import PersuasionQuestion
from grice.models.protocols import Predicts
from grice.models.results import PERSUASION_ROLES, Intentions, PersuasionRole


@dataclass(frozen=True)
class IntentionSettings:
    """What only this component is told.

    Attributes:
        user_role: whether the user is the one to be persuaded, or persuades.
        goal: what the persuader wants, in a few words; empty: a gift to a charity.
        intentions_model: in process, a shipped name or the path of a folder.

    Raises:
        SettingsError: a value is none of those.
    """

    user_role: PersuasionRole = "persuadee"
    goal: str = ""
    intentions_model: str = INTENTIONS.model

    def __post_init__(self) -> None:
        check_settings(self)


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.INTENT_CLASSIFIER, is_trainable=True)
class IntentionDetector(GriceComponent):
    """Puts the face act of the message, and what is known of the conversation so far, on the message under `grice`, `intentions`.

    For bots that ask for something, or are asked. Text, intent and entities stay as they are; actions read
    `tracker.latest_message.parse_data["grice"]["intentions"]`.

        pipeline:
          - name: grice.components.IntentionDetector
            user_role: persuadee  # or persuader, where the user wants something of the bot
            goal: take out a membership  # what the persuader wants; left out: a gift to a charity
          - name: WhitespaceTokenizer

    Without a tracker (`rasa test nlu`, `rasa shell nlu`) it works without history.
    """

    keys: ClassVar = {
        ONNX: ("user_role", "goal", "intentions_model", "deadline_ms", *RUNTIME_KEYS),
        HTTP: ("user_role", "goal", *REMOTE_KEYS),
    }
    own: ClassVar = IntentionSettings
    stage: ClassVar = "intentions"
    chosen: IntentionSettings
    model: Predicts[Dialogue | PersuasionQuestion, Intentions]

    def load_models(self) -> None:
        chosen = self.chosen
        self.model = load_backend(INTENTIONS, self.settings.where, chosen.intentions_model, user_role=chosen.user_role)

    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        _record(message, _found(self.model.predict([PersuasionQuestion(dialogue, self.chosen.goal.strip())])[0]), [])

    def leave(self, message: Message, text: str, failures: list[Record]) -> None:
        _record(message, None, failures)


def _record(message: Message, found: Record | None, failures: list[Record]) -> None:
    record = record_of(message)
    put(message, {**record, "intentions": found, "failures": [*record.get("failures", []), *failures]})


def _found(result: Intentions) -> Record:
    return {
        "role": result.roles[-1],
        "label": result.label,
        "probabilities": dict(result.probabilities),
        "agreement": result.agreement[-1],
        "counts": {role: result.counts(role) for role in PERSUASION_ROLES},
        "balance": {role: result.balance(role) for role in PERSUASION_ROLES},
        "history_read": result.history_read,
    }
