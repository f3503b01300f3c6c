"""Asks the user back where neither the bot's NLU nor Grice knows which of few things was meant."""

from __future__ import annotations

from typing import Any

from rasa.core.constants import POLICY_PRIORITY, RULE_POLICY_PRIORITY
from rasa.core.policies.policy import Policy, PolicyPrediction, SupportedData
from rasa.engine.graph import ExecutionContext
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.shared.core.constants import ACTION_LISTEN_NAME
from rasa.shared.core.domain import Domain
from rasa.shared.core.events import ActionExecuted, UserUttered
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException

from grice.components.message_record import GRICE
from grice.models.errors import SettingsError

ACTION = "action"
KEYS = (ACTION, POLICY_PRIORITY)


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.POLICY_WITHOUT_END_TO_END_SUPPORT, is_trainable=True)
class ClarifyingPolicy(Policy):
    """Runs an action of the bot where the message has a question to the user (`clarification` under `grice`), then listens.

    The action says the question and offers its options; the user's answer is read in its light, and is not asked about again. A
    form goes on after it.

        policies:
          - name: RulePolicy
          - name: grice.components.ClarifyingPolicy
            action: action_clarify  # the default; in the domain's `actions`

    It comes before rules: on other messages it predicts nothing. It is trained only to be checked.
    """

    @staticmethod
    def get_default_config() -> dict[str, Any]:
        """What `config.yml` need not say."""
        return {ACTION: "action_clarify", POLICY_PRIORITY: RULE_POLICY_PRIORITY + 1}

    @classmethod
    def create(
        cls,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
        **kwargs: Any,
    ) -> ClarifyingPolicy:
        """The policy.

        Raises:
            InvalidConfigException: a key is unknown.
        """
        for key, value in config.items():
            if key not in KEYS:
                allowed = f"no such key; the keys are: {', '.join(KEYS)}"
                raise InvalidConfigException(f"{cls.__name__}: {SettingsError(str(key), value, allowed)}")
        return cls(config, model_storage, resource, execution_context)

    @staticmethod
    def supported_data() -> SupportedData:
        """Stories and rules both: it reads neither."""
        return SupportedData.ML_AND_RULE_DATA

    def train(self, training_trackers: list[Any], domain: Domain, **kwargs: Any) -> Resource:
        """Learns nothing.

        Raises:
            InvalidConfigException: the domain has no such action.
        """
        action = self.config[ACTION]
        if action not in domain.action_names_or_texts:
            error = SettingsError(ACTION, action, f"an action of the domain; add `- {action}` to `actions` of domain.yml")
            raise InvalidConfigException(f"{type(self).__name__}: {error}")
        return self._resource

    @classmethod
    def load(
        cls,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
        **kwargs: Any,
    ) -> ClarifyingPolicy:
        """The policy; nothing was kept."""
        return cls.create(config, model_storage, resource, execution_context)

    def predict_action_probabilities(
        self, tracker: DialogueStateTracker, domain: Domain, rule_only_data: dict[str, Any] | None = None, **kwargs: Any
    ) -> PolicyPrediction:
        """The action right after a message that has a question, then listening; else nothing."""
        probabilities = self._default_predictions(domain)
        chosen = self._next(tracker)
        if chosen:
            probabilities[domain.index_for_action(chosen)] = 1.0
        return self._prediction(probabilities)

    def _next(self, tracker: DialogueStateTracker) -> str:
        if not _has_question(tracker) or self._asked_before(tracker):
            return ""
        asks = str(self.config[ACTION])
        after: dict[str, str] = {ACTION_LISTEN_NAME: asks, asks: ACTION_LISTEN_NAME}
        return after.get(tracker.latest_action_name or "", "")

    def _asked_before(self, tracker: DialogueStateTracker) -> bool:
        """Whether the message answers such a question: nobody is asked twice in a row."""
        heard = 0
        for event in reversed(tracker.events):
            heard += isinstance(event, UserUttered)
            if heard == 1 and isinstance(event, ActionExecuted) and event.action_name == self.config[ACTION]:
                return True
            if heard > 1:
                break
        return False


def _has_question(tracker: DialogueStateTracker) -> bool:
    said = tracker.latest_message
    return said is not None and bool((dict(said.parse_data or {}).get(GRICE) or {}).get("clarification"))
