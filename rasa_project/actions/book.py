"""Writes the booking that a form has completed to the database."""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import SlotSet
from rasa_sdk.executor import CollectingDispatcher

from . import find, town

DETAILS = {"restaurant": ("people", "day", "time"), "hotel": ("people", "day", "nights"), "train": ("people", "day")}

log = logging.getLogger(__name__)


class ActionBook(Action):
    def name(self) -> str:
        return "action_book"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]) -> list[dict[str, Any]]:
        again = [SlotSet("confirm", None)]
        kind, name = tracker.get_slot("offer"), tracker.get_slot("name")
        if not tracker.get_slot("confirm"):
            dispatcher.utter_message(response="utter_not_booked")
            return again
        details = {slot: tracker.get_slot(slot) for slot in DETAILS[kind]}
        if kind == "train" and (train := find.train(name)):
            details["time"] = train["leaves"]
        try:
            reference = town.book(tracker.sender_id, kind, name, **details)
        except sqlite3.Error:
            log.exception("the booking could not be written")
            dispatcher.utter_message(response="utter_booking_failed")
            return again
        dispatcher.utter_message(response="utter_booked", reference=reference)
        return [*again, SlotSet("reference", reference), SlotSet("offer", None)]
