"""Searches with what the slots hold: asks for more while there are many results, recommends one otherwise."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import SlotSet
from rasa_sdk.executor import CollectingDispatcher

from . import find
from .slot_values import ANY
from .topics import SIGNS, TOPICS, described, named_in

MANY = 3
"""With more results than this the bot asks for something that it does not know yet."""


class ActionSearch(Action):
    def name(self) -> str:
        return "action_search"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]) -> list[dict[str, Any]]:
        slots = Search(tracker).run(dispatcher)
        return [SlotSet(slot, value) for slot, value in slots.items()]


class Search:
    """One search: reads the tracker, utters, and returns the slots to set."""

    def __init__(self, tracker: Tracker) -> None:
        self.slot = dict(tracker.slots)
        self.intent = tracker.get_intent_of_latest_message() or ""
        self.another = self.intent in ("another", "deny")
        self.entities = {entity["entity"]: entity["value"] for entity in tracker.latest_message.get("entities", [])}
        self.text = tracker.latest_message.get("text") or ""
        self.rewritten = (tracker.latest_message.get("grice") or {}).get("decision") == "rewrite"
        self.changed: dict[str, Any] = {}

    def run(self, dispatcher: CollectingDispatcher) -> dict[str, Any]:
        topic = self._topic()
        if self.intent == "nlu_fallback" and not (topic and self.entities.keys() & TOPICS[topic].criteria.keys()):
            dispatcher.utter_message(response="utter_default")
            return {}
        if not topic:
            dispatcher.utter_message(response="utter_ask_topic")
            return {}
        if topic == "train":
            self._search_trains(dispatcher)
            return self.changed
        self._forget_what_belongs_to_another(topic)
        if self.intent == "no_preference":
            self._drop_what_does_not_matter(topic)
        self._change_price(topic)
        self._answer(topic, dispatcher)
        return self.changed

    def _topic(self) -> str | None:
        """What is searched: who answers the question that was asked does not start a search for something else, and neither does
        an indirect turn, whatever its rewrite calls it, unless the user's own words name something else."""
        under_way = self.slot.get("topic") if self.slot.get("name") and not self.slot.get("reference") else None
        if self.slot.get("topic") and self.slot.get("asked") in self.entities:
            return str(self.slot["topic"])
        if under_way and self.rewritten and not named_in(self.text):
            return str(under_way)
        if self.intent.startswith("find_"):
            return self.intent.removeprefix("find_")
        if "name" in self.entities and (hit := find.named(self.entities["name"])):
            return hit[0]
        signs = {SIGNS[entity] for entity in self.entities if entity in SIGNS}
        topic = self.slot.get("topic")
        if self.slot.get("departure") and self.slot.get("destination") and not topic:
            return "train"
        return topic if topic or len(signs) != 1 else signs.pop()

    def _forget_what_belongs_to_another(self, topic: str) -> None:
        if topic != self.slot.get("topic"):
            stale = [slot for slot in (*TOPICS[topic].criteria, "name") if slot not in self.entities]
            self._set(topic=topic, shown=None, asked=None, **dict.fromkeys(stale))

    def _wanted(self, topic: str) -> dict[str, str | None]:
        return {slot: self.slot.get(slot) for slot in TOPICS[topic].criteria}

    def _drop_what_does_not_matter(self, topic: str) -> None:
        """What the user named, such as `the area`, or else what the bot asked for; but not what the message gives a value of."""
        named = "price_range" if self.entities.get("detail") == "price" else self.entities.get("detail")
        slot = named if named in TOPICS[topic].criteria else self.slot.get("asked")
        if slot and slot not in self.entities:
            self._set(**{slot: ANY})

    def _change_price(self, topic: str) -> None:
        """`cheaper` and `dearer` start from the place offered last."""
        change = self.entities.get("price_change")
        if change not in ("cheaper", "dearer") or "price_range" not in TOPICS[topic].criteria or "price_range" in self.entities:
            return
        last = find.named(self.slot.get("name") or "")
        now = (last[1]["price_range"] if last and self.slot.get("offer") else None) or self.slot.get("price_range")
        at = find.PRICES.index(now) if now in find.PRICES else 1
        steps = find.PRICES[:at][::-1] or find.PRICES[:1] if change == "cheaper" else find.PRICES[at + 1 :] or find.PRICES[-1:]
        fitting = [price for price in steps if find.places(topic, {**self._wanted(topic), "price_range": price})]
        self._set(price_range=(fitting or steps)[0])

    def _answer(self, topic: str, dispatcher: CollectingDispatcher) -> None:
        if "name" in self.entities and (hit := find.named(self.entities["name"])):
            self._recommend(hit[0], hit[1], dispatcher)
            return
        wanted = self._wanted(topic)
        rows = find.places(topic, wanted)
        found = described(topic, wanted)
        if self.another:
            seen = [*(self.slot.get("shown") or []), self.slot.get("name")]
            rows = [row for row in rows if row["name"] not in seen]
        if not rows:
            self._set(name=None, offer=None)
            dispatcher.utter_message(response="utter_no_other" if self.another else "utter_none_found", found=found)
            return
        ask = next((slot for slot in TOPICS[topic].asked if not self.slot.get(slot)), None)
        if len(rows) > MANY and ask and not self.another:
            self._set(name=rows[0]["name"], asked=ask, shown=None, offer=topic, reference=None)
            dispatcher.utter_message(response=f"utter_ask_{ask}", count=len(rows), found=found, name=rows[0]["name"])
            return
        self._recommend(topic, rows[0], dispatcher)

    def _recommend(self, topic: str, row: find.Row, dispatcher: CollectingDispatcher) -> None:
        shown = (self.slot.get("shown") or []) if self.another else []
        self._set(topic=topic, name=row["name"], asked=None, shown=[*shown, row["name"]], offer=topic, reference=None)
        dispatcher.utter_message(response=f"utter_offer_{topic}", **row)

    def _search_trains(self, dispatcher: CollectingDispatcher) -> None:
        departure, destination = self.slot.get("departure") or "", self.slot.get("destination") or ""
        rows = find.trains(departure, destination, self.slot.get("leave_at"), self.slot.get("arrive_by"))
        shown = (self.slot.get("shown") or []) if self.another and self.slot.get("topic") == "train" else []
        rows = [row for row in rows if row["name"] not in shown]
        self._set(topic="train", asked=None)
        if not rows:
            self._set(name=None, offer=None)
            known = find.trains(departure, destination, None, None)
            dispatcher.utter_message(
                response="utter_no_train" if known else "utter_no_line", departure=departure, destination=destination
            )
            return
        self._set(name=rows[0]["name"], shown=[*shown, rows[0]["name"]], offer="train", reference=None)
        dispatcher.utter_message(response="utter_offer_train", day=self.slot.get("day"), **rows[0])

    def _set(self, **slots: Any) -> None:
        self.slot.update(slots)
        self.changed.update(slots)
