"""Answers questions about the place or train that was offered last, or that the user named."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import SlotSet
from rasa_sdk.executor import CollectingDispatcher

from . import find

USUAL = ("phone", "address")
"""What is told when the user does not say what."""


class ActionTellDetails(Action):
    def name(self) -> str:
        return "action_tell_details"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]) -> list[dict[str, Any]]:
        name = tracker.get_slot("name") or ""
        hit = find.named(name)
        row = hit[1] if hit else find.train(name)
        if row is None:
            dispatcher.utter_message(response="utter_nothing_to_tell")
            return []
        said = any(entity["entity"] == "detail" for entity in tracker.latest_message.get("entities", []))
        asked = tracker.get_slot("details") if said else None
        usual = [detail for detail in USUAL if detail in row] or ["price"]
        for detail in dict.fromkeys(_known_as(detail, row) for detail in asked or usual):
            dispatcher.utter_message(response=f"utter_tell_{detail}" if detail in row else "utter_no_detail", **row)
        return [SlotSet("name", row["name"]), SlotSet("details", asked or usual)]


def _known_as(detail: str, row: find.Row) -> str:
    """What something costs is the fee of an attraction, the price of a ticket, the price range of the others."""
    if detail != "price":
        return detail
    return next(cost for cost in ("fee", "price", "price_range") if cost in row)
