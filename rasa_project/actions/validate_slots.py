"""After every message: checks what the slots were filled with, and has a form's question asked again that got no answer."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import SlotSet
from rasa_sdk.executor import CollectingDispatcher

from .slot_values import ANY, READERS, Refused
from .topics import TOPICS

BETWEEN = {
    "ask_detail",
    "cancel",
    "find_restaurant",
    "find_hotel",
    "find_attraction",
    "find_train",
    "another",
    "narrow",
    "greet",
    "help",
    "goodbye",
}
"""Intents that may come between a form's questions; data/rules.yml says what happens then."""

NOT_BETWEEN = {"train_form": {"find_train", "another", "narrow"}}
"""Of these, what a form that is itself a search takes for an answer."""

SEARCH = {slot for topic in TOPICS.values() for slot in topic.criteria}
"""What an answer to a form's question does not change, whatever was found in it."""

BOOKING = ("people", "day", "time", "nights")


class ActionValidateSlotMappings(Action):
    def name(self) -> str:
        return "action_validate_slot_mappings"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]) -> list[dict[str, Any]]:
        before = _values_before(tracker)
        filled, unread = _read(tracker.slots_to_validate(), before, dispatcher)
        if filled.get("details"):
            filled["details"] = [detail for detail in filled["details"] if f"utter_tell_{detail}" in domain["responses"]]
        form = tracker.active_loop.get("name")
        _settle_train_times(filled)
        if form == "train_form":
            _settle_train_ends(filled, before, tracker)
        if filled.get("confirm") and any(before.get(slot) and filled.get(slot, before[slot]) != before[slot] for slot in BOOKING):
            filled["confirm"] = None  # what was confirmed is no longer what was asked
        if form and _answers(form, filled, domain):
            filled.update({slot: before.get(slot) for slot in SEARCH if slot in filled})
        elif form and tracker.get_slot("requested_slot") and _intent(tracker) not in _between(form):
            dispatcher.utter_message(response="utter_not_understood")
            filled[tracker.get_slot("requested_slot")] = None
        return [SlotSet(slot, value) for slot, value in {**unread, **filled}.items()]


def _read(said: dict[str, Any], before: dict[str, Any], dispatcher: CollectingDispatcher) -> tuple[dict[str, Any], dict[str, Any]]:
    """The slots that were filled, and those that a slip of the NLU would have filled; what was refused is as it was before."""
    filled: dict[str, Any] = {}
    unread: dict[str, Any] = {}
    for slot, value in said.items():
        try:
            filled[slot] = READERS[slot](value) if slot in READERS and isinstance(value, str) else value
        except Refused as refused:
            if refused.response:
                dispatcher.utter_message(response=refused.response, **refused.arguments)
            (filled if refused.response else unread)[slot] = before.get(slot)
    return filled, unread


def _answers(form: str, filled: dict[str, Any], domain: dict[str, Any]) -> bool:
    return any(slot in filled for slot in domain["forms"][form]["required_slots"])


def _between(form: str) -> set[str]:
    return BETWEEN - NOT_BETWEEN.get(form, set())


def _intent(tracker: Tracker) -> str | None:
    intent: str | None = tracker.get_intent_of_latest_message()
    return intent


def _settle_train_times(filled: dict[str, Any]) -> None:
    """A train is searched by the time it leaves or by the time it arrives, not by both."""
    if filled.get("arrive_by"):
        filled["leave_at"] = ANY
    elif filled.get("leave_at"):
        filled["arrive_by"] = None


def _settle_train_ends(filled: dict[str, Any], before: dict[str, Any], tracker: Tracker) -> None:
    """The time of a train is no table's, and a town that answers the question for one end is not the other end as well."""
    if "time" in filled:
        filled["time"] = before.get("time")
    ends = {slot: filled.get(slot, tracker.get_slot(slot)) for slot in ("departure", "destination")}
    if ends["departure"] and ends["departure"] == ends["destination"]:
        other = "departure" if tracker.get_slot("requested_slot") == "destination" else "destination"
        filled[other] = before.get(other) if before.get(other) != ends[other] else None


def _values_before(tracker: Tracker) -> dict[str, Any]:
    """The slots before the newest message."""
    values: dict[str, Any] = {}
    last_user = max((place for place, event in enumerate(tracker.events) if event["event"] == "user"), default=0)
    for event in tracker.events[:last_user]:
        if event["event"] == "slot":
            values[event["name"]] = event["value"]
    return values
