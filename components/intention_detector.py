"""Says of each user message what it does to the face of the user and of the bot, and whether the one to be persuaded will agree."""

from __future__ import annotations

from typing import Any, ClassVar

from rasa.engine.graph import ExecutionContext, GraphSchema
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.training_data.message import Message

from grice.components.grice_component import WARM_UP, GriceComponent
from grice.components.history import dialogue_of
from grice.components.message_record import Record, failure_of, put, record_of
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS, ComponentSettings, read_settings
from grice.middleware.capabilities.intentions import INTENTIONS
from grice.middleware.client.backends import load_backend
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded, InputError, ServiceError, SettingsError
from grice.models.protocols import Predicts
from grice.models.results import PERSUASION_ROLES, Intentions, PersuasionRole

OWN_KEYS = ("user_role", "intentions_model")


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.INTENT_CLASSIFIER, is_trainable=True)
class IntentionDetector(GriceComponent):
    """Puts the face act of the message, and what is known of the conversation so far, on the message under `grice`, `intentions`.

    For bots that ask for something, or are asked. Text, intent and entities stay as they are; actions read
    `tracker.latest_message.parse_data["grice"]["intentions"]`.

        pipeline:
          - name: grice.components.IntentionDetector
            user_role: persuadee  # or persuader, where the user wants something of the bot
          - name: WhitespaceTokenizer

    Without a tracker (`rasa test nlu`, `rasa shell nlu`) it works without history.
    """

    keys: ClassVar = {
        ONNX: (*OWN_KEYS, "deadline_ms", *RUNTIME_KEYS),
        HTTP: ("user_role", *REMOTE_KEYS),
    }
    model: Predicts[Dialogue, Intentions]

    def __init__(self, settings: ComponentSettings, schema: GraphSchema, user_role: PersuasionRole, intentions_model: str) -> None:
        super().__init__(settings, schema)
        self.user_role = user_role
        self.intentions_model = intentions_model

    @classmethod
    def create(
        cls, config: dict[str, Any], model_storage: ModelStorage, resource: Resource, execution_context: ExecutionContext
    ) -> IntentionDetector:
        settings = read_settings(cls.__name__, config, cls.keys, OWN_KEYS)
        role, model = config.get("user_role", "persuadee"), config.get("intentions_model", INTENTIONS.model)
        try:
            if role not in PERSUASION_ROLES:
                raise SettingsError("user_role", role, ", ".join(PERSUASION_ROLES))
            if not isinstance(model, str):
                raise SettingsError("intentions_model", model, "a string")
        except SettingsError as error:
            raise InvalidConfigException(f"{cls.__name__}: {error}") from error
        return cls(settings, execution_context.graph_schema, role, model)

    def load_models(self) -> None:
        self.model = load_backend(INTENTIONS, self.settings.where, self.intentions_model, user_role=self.user_role)
        try:
            self.model.predict([WARM_UP])
        except (ServiceError, DeadlineExceeded):  # it may come later; messages say if it did not
            return

    def look_at(self, message: Message, text: str, tracker: DialogueStateTracker | None) -> None:
        said = record_of(message).get("original", text)  # the rewriter may have been here before
        try:
            dialogue = dialogue_of(said, tracker, self.settings.history_turns)
        except InputError:  # too long, or not valid Unicode
            _record(message, None)
            return
        _record(message, _found(self.model.predict([dialogue])[0]))

    def give_up(self, message: Message, text: str, error: Exception) -> None:
        _record(message, None, [failure_of(error, "intentions")])


def _record(message: Message, found: Record | None, failures: list[Record] | None = None) -> None:
    record = record_of(message)
    put(message, {**record, "intentions": found, "failures": [*record.get("failures", []), *(failures or [])]})


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
