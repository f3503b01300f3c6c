"""What the service can be asked: one method a route, named as its operation in the API's documentation. Both clients have them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote

from grice.middleware.client.rest.call import ServiceCall
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError

Answered = TypeVar("Answered")
"""The object that the service answers; with `AsyncClient`, what gives it when awaited."""
Conversation: TypeAlias = str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | Dialogue
"""A text; a conversation as `Dialogue` or as rows, each with `role` and `content` or with `speaker` and `text`; or a whole item."""


class Operations(ABC, Generic[Answered]):
    """Every route of the service.

    Methods that take a conversation look at its last turn; what else their route knows is given by name:

        client.analyse_turns([{"role": "user", "content": "It is cold in here."}], mode="replace")
        client.analyse_turns(items=[first, second])

    An answer is the object that the documentation of the route shows, with `items` where `items` were given.

    Each raises:
        RequestRefused: the service refused; `status` and `problem` say why.
        DeadlineExceeded: the answer did not come in time, with all tries.
        ServiceError: the service cannot be reached, or answered something else than it says.
    """

    @abstractmethod
    def send(self, call: ServiceCall) -> Answered:
        """The object that the service answers to a call."""

    def analyse_turns(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """What a user turn says, as a bot should read it."""
        return self.send(item_call("/v1/turns", conversation, items, fields))

    def score_directness(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """How direct a turn is."""
        return self.send(item_call("/v1/directness", conversation, items, fields))

    def rewrite(self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any) -> Answered:
        """A turn in direct or indirect form, with neither gate nor guard."""
        return self.send(item_call("/v1/rewrite", conversation, items, fields))

    def read_meaning(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """What a turn means of a bot's menu."""
        return self.send(item_call("/v1/meaning", conversation, items, fields))

    def resolve_slots(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """Which value of a slot a turn means."""
        return self.send(item_call("/v1/slots", conversation, items, fields))

    def detect_intentions(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """Face acts of a dialogue that persuades."""
        return self.send(item_call("/v1/intentions", conversation, items, fields))

    def read_minds(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """What both sides of a recommendation want and believe."""
        return self.send(item_call("/v1/mind", conversation, items, fields))

    def score_responses(
        self, conversation: Conversation | None = None, *, items: Sequence[Conversation] = (), **fields: Any
    ) -> Answered:
        """What the bot's response does."""
        return self.send(item_call("/v1/responses", conversation, items, fields))

    def keep_events(self, event: Mapping[str, Any] | None = None, *, items: Sequence[Mapping[str, Any]] = ()) -> Answered:
        """Tell of turns that took place; each is kept once, by its `event_id`."""
        return self.send(item_call("/v1/events", event, items, {}))

    def parse(self, body: Mapping[str, Any]) -> Answered:
        """As Rasa's `nlu:` endpoint is asked."""
        return self.send(ServiceCall("POST", "/model/parse", dict(body), repeatable=False))

    def guard_litellm(self, body: Mapping[str, Any]) -> Answered:
        """As LiteLLM's generic guardrail asks."""
        return self.send(ServiceCall("POST", "/beta/litellm_basic_guardrail_api", dict(body)))

    def classify(self, body: Mapping[str, Any]) -> Answered:
        """As vLLM's `/classify` is asked: `model` and `input`."""
        return self.send(ServiceCall("POST", "/classify", dict(body)))

    def read_dialogue(self, dialogue_id: str) -> Answered:
        """The turns that are kept of a dialogue."""
        return self.send(ServiceCall("GET", f"/v1/dialogues/{in_path(dialogue_id)}"))

    def delete_dialogue(self, dialogue_id: str) -> Answered:
        """Forget a dialogue; the answer is empty."""
        return self.send(ServiceCall("DELETE", f"/v1/dialogues/{in_path(dialogue_id)}"))

    def list_schemas(self) -> Answered:
        """Which schemas are stored."""
        return self.send(ServiceCall("GET", "/v1/schemas"))

    def read_menu(self, body: Mapping[str, Any]) -> Answered:
        """What a bot can understand, as its own files say it: `{"text": …}`, such as the content of a `domain.yml`."""
        return self.send(ServiceCall("POST", "/v1/schemas", dict(body)))

    def put_schema(self, schema_id: str, schema: Mapping[str, Any]) -> Answered:
        """Store what a bot can understand, such as `BotSchema.as_dict()`."""
        return self.send(ServiceCall("PUT", f"/v1/schemas/{in_path(schema_id)}", dict(schema)))

    def read_schema(self, schema_id: str) -> Answered:
        """A stored schema, as `BotSchema.of` takes it."""
        return self.send(ServiceCall("GET", f"/v1/schemas/{in_path(schema_id)}"))

    def delete_schema(self, schema_id: str) -> Answered:
        """Forget a schema; the answer is empty."""
        return self.send(ServiceCall("DELETE", f"/v1/schemas/{in_path(schema_id)}"))

    def list_models(self) -> Answered:
        """Which models are loaded."""
        return self.send(ServiceCall("GET", "/v1/models"))

    def list_behaviors(self) -> Answered:
        """The nine behaviours in words."""
        return self.send(ServiceCall("GET", "/v1/behaviors"))

    def read_rates(self, window_s: int | None = None, bot_version: str | None = None, channel: str | None = None) -> Answered:
        """How often responses show a behaviour."""
        return self.send(
            ServiceCall("GET", "/v1/rates", query={"window_s": window_s, "bot_version": bot_version, "channel": channel})
        )

    def read_alarms(self, last: int | None = None) -> Answered:
        """The last alarming responses."""
        return self.send(ServiceCall("GET", "/v1/alarms", query={"last": last}))

    def read_rate_history(
        self,
        window_s: int | None = None,
        bot_version: str | None = None,
        channel: str | None = None,
        steps: int | None = None,
        by: str | None = None,
    ) -> Answered:
        """How often responses showed a behaviour, over time; `by`: `bot_version` or `channel` tells those apart."""
        named = {"window_s": window_s, "bot_version": bot_version, "channel": channel, "steps": steps, "by": by}
        return self.send(ServiceCall("GET", "/v1/rates/history", query=named))

    def compare_versions(self, first: str, second: str, window_s: int | None = None, channel: str | None = None) -> Answered:
        """Two versions of the bot, side by side, with a test of difference."""
        named = {"first": first, "second": second, "window_s": window_s, "channel": channel}
        return self.send(ServiceCall("GET", "/v1/rates/comparison", query=named))

    def read_alerts(self) -> Answered:
        """The rules of alerts, what fires now, and what was told."""
        return self.send(ServiceCall("GET", "/v1/alerts"))

    def judge_alarm(self, place: str, feedback: Mapping[str, Any]) -> Answered:
        """Say of an alarm that it is `seen`, `wrong` or `right`: `{"verdict": …}`."""
        return self.send(ServiceCall("POST", f"/v1/alarms/{in_path(place)}/feedback", dict(feedback)))

    def live(self) -> Answered:
        """Whether the process answers."""
        return self.send(ServiceCall("GET", "/health/live"))

    def ready(self) -> Answered:
        """Whether the service can be used."""
        return self.send(ServiceCall("GET", "/health/ready"))


METRICS = ServiceCall("GET", "/metrics")
FEEDBACK = ServiceCall("GET", "/v1/alarms/feedback")


def live_call(window_s: int | None, bot_version: str | None, channel: str | None) -> ServiceCall:
    """The call that live events answer."""
    return ServiceCall("GET", "/v1/live", query={"window_s": window_s, "bot_version": bot_version, "channel": channel})


def live_request(call: ServiceCall, after: str) -> dict[str, Any]:
    """What httpx is told of that call.

    Args:
        after: the place of an alarm; "": none.
    """
    return {**call.request(), "headers": {"last-event-id": after} if after else {}}


def item_call(
    path: str, conversation: Conversation | None, items: Sequence[Conversation], fields: Mapping[str, Any]
) -> ServiceCall:
    """A call of a route that takes an item, or several.

    Raises:
        InputError: both are given, or neither.
    """
    if (conversation is None) == (not items):
        given = "neither" if conversation is None else "both"
        raise InputError("conversation and items", given, "one of them")
    asked = [item_of(each, fields) for each in (items or [conversation])]  # type: ignore[list-item]
    # What is kept without a name of its own would be kept twice.
    repeatable = all("dialogue_id" not in each or "event_id" in each for each in asked)
    return ServiceCall("POST", path, {"items": asked} if items else asked[0], repeatable=repeatable)


def item_of(conversation: Conversation, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A conversation as an item of a request."""
    if isinstance(conversation, Mapping):
        return {**conversation, **fields}
    if isinstance(conversation, str):
        return {"text": conversation, **fields}
    if isinstance(conversation, Dialogue):
        return {"turns": [{"speaker": turn.speaker, "text": turn.text} for turn in conversation.turns], **fields}
    return {"turns": list(conversation), **fields}


def in_path(name: str) -> str:
    """A name that stands in a path."""
    if not isinstance(name, str) or not name:
        raise InputError("name", name, "a string that is not empty")
    return quote(name, safe="")
