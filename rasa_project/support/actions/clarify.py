"""Asks which of few things the user meant; the town-information bot has the same action."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.executor import CollectingDispatcher


class ActionClarify(Action):
    """Asks the question that Grice has about the latest message, with a button an option; `ClarifyingPolicy` runs it."""

    def name(self) -> str:
        return "action_clarify"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]) -> list[dict[str, Any]]:
        asked = (tracker.latest_message.get("grice") or {}).get("clarification")
        if asked is None:
            dispatcher.utter_message(response="utter_default")
            return []
        dispatcher.utter_message(text=asked["question"], buttons=[_button(option) for option in asked["options"]])
        return []


def _button(option: dict[str, Any]) -> dict[str, str]:
    """What is sent when it is pressed: an intent as such, anything else as the user would say it."""
    payload = f"/{option['name']}" if option["kind"] == "intent" else option["text"]
    return {"title": option["text"].rstrip("."), "payload": payload}
