"""What our components have in common: settings that are checked before training, models that are loaded when Rasa loads."""

from __future__ import annotations

import contextlib
import logging
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

from rasa.engine.graph import ExecutionContext, GraphComponent, GraphSchema
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.constants import TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.history import dialogue_of, is_said
from grice.components.message_record import Record, failure_of, record_of
from grice.components.settings import ComponentSettings, read_settings
from grice.middleware.client.backends import warm_up
from grice.models.dialogue import Dialogue
from grice.models.errors import CircuitOpen, DeadlineExceeded, GriceError, InputError, ServiceError

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
    own: ClassVar[type[Any] | None] = None
    """The settings class of those keys that no other component has; made by its `of`, or by itself."""
    stage: ClassVar[str]
    """What failures are recorded as."""
    model: Any
    storage: ModelStorage
    resource: Resource
    """Where in Rasa's model a component keeps what it has learnt."""

    def __init__(self, settings: ComponentSettings, schema: GraphSchema, chosen: Any = None) -> None:
        self.settings = settings
        self.schema = schema
        self.chosen = chosen

    @classmethod
    def create(
        cls, config: dict[str, Any], model_storage: ModelStorage, resource: Resource, execution_context: ExecutionContext
    ) -> GriceComponent:
        """The component, without its models.

        Raises:
            InvalidConfigException: a key or a value is not allowed.
        """
        settings, chosen = cls.check(config)
        component = cls(settings, execution_context.graph_schema, chosen)
        component.storage, component.resource = model_storage, resource
        return component

    @classmethod
    def check(cls, config: Mapping[str, Any]) -> tuple[ComponentSettings, Any]:
        """The settings that a configuration gives, and those of no other component.

        Raises:
            InvalidConfigException: a key or a value is not allowed.
        """
        own = [each.name for each in fields(cls.own)] if cls.own is not None else []
        settings = read_settings(cls.__name__, config, cls.keys, own)
        given = {key: config[key] for key in own if key in config}
        try:
            return settings, None if cls.own is None else getattr(cls.own, "of", cls.own)(**given)
        except GriceError as error:
            raise InvalidConfigException(f"{cls.__name__}: {error}") from error

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

    def get_ready(self, use: bool = True) -> None:
        """Load the models, and use them once.

        Args:
            use: whether they are used.

        Raises:
            InvalidConfigException: one cannot be loaded.
        """
        try:
            self.load_models()
            with contextlib.suppress(ServiceError, DeadlineExceeded):  # it may come later; messages say if it did not
                if use:
                    self.warm_up()
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
                self._look_at(message, record_of(message).get("original", text), tracker)
            except Exception as error:  # noqa: BLE001 - a failure of ours costs the bot no message
                if not isinstance(error, CircuitOpen):  # the circuit breaker has said it
                    log.warning("%s failed, the message goes on unchanged: %s", type(self).__name__, type(error).__name__)
                self.leave(message, text, [failure_of(error, self.stage)])
        return messages

    def _look_at(self, message: Message, said: str, tracker: DialogueStateTracker | None) -> None:
        try:
            dialogue = dialogue_of(said, tracker, self.settings.history_turns)
        except InputError:  # too long, or not valid Unicode
            self.leave(message, said, [])
        else:
            self.look_at(message, dialogue, tracker)

    @abstractmethod
    def load_models(self) -> None:
        """Load what `look_at` needs.

        Raises:
            GriceError: it cannot be loaded.
        """

    def warm_up(self) -> None:
        """Use the model once."""
        warm_up(self.model, [WARM_UP])

    @abstractmethod
    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        """Set on the message what is found; only once all of it is known. The dialogue ends in what the user wrote."""

    @abstractmethod
    def leave(self, message: Message, text: str, failures: list[Record]) -> None:
        """Record that nothing was found: the text cannot be read, or the stages failed; must not raise."""
