"""What our components have in common: settings that are checked before training, models that are loaded when Rasa loads."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from rasa.engine.graph import ExecutionContext, GraphComponent, GraphSchema
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.constants import TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.history import is_said
from grice.components.settings import ComponentSettings, read_settings
from grice.models.dialogue import Dialogue
from grice.models.errors import CircuitOpen, GriceError

log = logging.getLogger(__name__)

WARM_UP = Dialogue.of("That is more than I can spend.", [("bot", "The Copper Kettle is an expensive restaurant.")])


class Checked:
    """What "training" gives: nothing is learnt. Rasa keeps only results that it can store, so the checks run in every training."""

    def fingerprint(self) -> str:
        """The same for every result: what comes after does not depend on it."""
        return "checked"


class GriceComponent(GraphComponent):
    """A component in front of the tokenizer that looks at what the user wrote.

    It is registered as trainable, although it learns nothing: Rasa's training has no other place where a component that is no
    tokenizer and no featurizer is given its configuration. Listed first, it is also "trained" first, so a bad configuration is
    refused in seconds.
    """

    keys: ClassVar[Mapping[str, tuple[str, ...]]]
    """The keys of `config.yml` with each backend."""

    def __init__(self, settings: ComponentSettings, schema: GraphSchema) -> None:
        self.settings = settings
        self.schema = schema

    @classmethod
    def create(
        cls, config: dict[str, Any], model_storage: ModelStorage, resource: Resource, execution_context: ExecutionContext
    ) -> GriceComponent:
        """The component, without its models.

        Raises:
            InvalidConfigException: a key or a value is not allowed.
        """
        return cls(read_settings(cls.__name__, config, cls.keys), execution_context.graph_schema)

    @classmethod
    def load(
        cls,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
        **kwargs: Any,
    ) -> GriceComponent:
        """The component with its models, after one turn, so that the first user does not wait for that.

        Raises:
            InvalidConfigException: a model cannot be loaded.
        """
        component = cls.create(config, model_storage, resource, execution_context)
        component.get_ready()
        return component

    def get_ready(self) -> None:
        """Load the models.

        Raises:
            InvalidConfigException: one cannot be loaded.
        """
        try:
            self.load_models()
        except GriceError as error:
            raise InvalidConfigException(f"{type(self).__name__}: {error}") from error

    def train(self, training_data: TrainingData) -> Checked:
        """Learns nothing. A subclass checks the rest of the pipeline here."""
        return Checked()

    def process(self, messages: list[Message], tracker: DialogueStateTracker | None = None) -> list[Message]:
        """The messages, each with what was found. Whatever goes wrong is recorded on its message, which goes on unchanged."""
        for message in messages:
            text = message.get(TEXT)
            if not is_said(text):
                continue
            try:
                self.look_at(message, text, tracker)
            except Exception as error:  # no failure of ours may cost the bot a message
                if not isinstance(error, CircuitOpen):  # the circuit breaker has said it
                    log.warning("%s failed, the message goes on unchanged: %s", type(self).__name__, type(error).__name__)
                self.give_up(message, text, error)
        return messages

    @abstractmethod
    def load_models(self) -> None:
        """Load what `look_at` needs, and use it once.

        Raises:
            GriceError: it cannot be loaded.
        """

    @abstractmethod
    def look_at(self, message: Message, text: str, tracker: DialogueStateTracker | None) -> None:
        """Set on the message what is found; only once all of it is known."""

    @abstractmethod
    def give_up(self, message: Message, text: str, error: Exception) -> None:
        """Record the failure; must not raise."""
