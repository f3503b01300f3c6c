"""Examples of the API's documentation; a test posts every one of them."""

from __future__ import annotations

from typing import Any

Examples = dict[str, Any]

HISTORY = [
    {"speaker": "user", "text": "I'm looking for somewhere to eat near the station."},
    {"speaker": "bot", "text": "The Copper Kettle serves Thai food close by. Shall I book a table?"},
]
AGAIN = "The Copper Kettle serves Thai food. Shall I book a table?"
INDIRECT = "There will be five of us, and we get off work at 7."


def _example(summary: str, value: Examples) -> Examples:
    return {"summary": summary, "value": value}


DIRECTNESS: Examples = {
    "text": _example("A turn alone", {"text": INDIRECT}),
    "conversation": _example("A turn after its history", {"turns": [*HISTORY, {"speaker": "user", "text": INDIRECT}]}),
    "batch": _example("Several turns", {"items": [{"text": INDIRECT}, {"text": "Book a table for five at 7 pm."}]}),
}

REWRITE: Examples = {
    "direct": _example("A user's turn in direct form", {"turns": [*HISTORY, {"speaker": "user", "text": INDIRECT}]}),
    "indirect": _example("A bot's reply in softer form", {"text": "Tell me your phone number.", "form": "indirect"}),
    "batch": _example("Several turns", {"items": [{"text": INDIRECT}, {"text": "It is rather warm in here.", "form": "direct"}]}),
}

TURNS: Examples = {
    "conversation": _example("The whole conversation in one call", {"turns": [*HISTORY, {"speaker": "user", "text": INDIRECT}]}),
    "kept": _example(
        "A dialogue that the service keeps: what the bot said since, and the new turn",
        {"dialogue_id": "table-for-five", "bot": "Shall I book a table?", "text": INDIRECT},
    ),
    "replace": _example("The rewrite alone for the NLU", {"text": INDIRECT, "mode": "replace"}),
    "batch": _example(
        "Turns of several dialogues", {"items": [{"text": INDIRECT, "dialogue_id": "a"}, {"text": "Yes.", "dialogue_id": "b"}]}
    ),
}

PRICE = {
    "name": "price_range",
    "description": "How much the restaurant charges",
    "values": ["cheap", "moderate", "expensive"],
}
OUTDOORS = {"name": "outdoor_seating", "description": "Whether one can sit outside", "values": ["True", "False"]}
BUDGET = "Rent is due tomorrow, so nothing fancy. And I want to feel the sun."
SLOTS: Examples = {
    "conversation": _example(
        "Several slots of a turn",
        {
            "turns": [{"speaker": "bot", "text": "What should it cost?"}, {"speaker": "user", "text": BUDGET}],
            "slots": [PRICE, OUTDOORS],
        },
    ),
    "kept": _example(
        "After a dialogue that the service keeps, and what the bot said since",
        {"dialogue_id": "lunch", "bot": "What should it cost?", "text": BUDGET, "slots": [PRICE]},
    ),
    "batch": _example(
        "Several turns", {"items": [{"text": BUDGET, "slots": [PRICE]}, {"text": "We love the sun.", "slots": [OUTDOORS]}]}
    ),
}

RESPONSES: Examples = {
    "conversation": _example(
        "A response with its whole conversation",
        {"turns": [*HISTORY, {"speaker": "user", "text": INDIRECT}, {"speaker": "bot", "text": AGAIN}], "bot_version": "1.4"},
    ),
    "kept": _example(
        "A response in a dialogue that the service keeps",
        {"dialogue_id": "table-for-five", "text": AGAIN, "event_id": "b7", "channel": "rest", "action": "utter_ask_book"},
    ),
    "batch": _example(
        "Responses that are only scored", {"items": [{"text": AGAIN, "counted": False}, {"text": "I am sorry to hear it."}]}
    ),
}

ASKED = [
    {"speaker": "bot", "text": "Would you give a little to our food bank?"},
    {"speaker": "user", "text": "How do I know that it reaches people?"},
]
ASSURED = {"speaker": "bot", "text": "We publish every year what we hand out."}

SUGGESTED = {"speaker": "bot", "text": "Have you seen Hidden Harbour (1987)?"}
WANTED = {"speaker": "user", "text": "Not yet, but it sounds good. I will watch it."}

MIND: Examples = {
    "conversation": _example("The bot recommends", {"turns": [SUGGESTED, WANTED]}),
    "kept": _example("A turn in a dialogue that the service keeps", {"dialogue_id": "film-night", "text": "I loved that one!"}),
    "named": _example(
        "Items by name; the user recommends", {"turns": [SUGGESTED, WANTED], "about": ["Hidden Harbour"], "seeker": "bot"}
    ),
    "batch": _example("Several", {"items": [{"text": "Any good comedy?"}, {"text": "How about a classic?", "speaker": "bot"}]}),
}

INTENTIONS: Examples = {
    "conversation": _example("The bot persuades", {"turns": [*ASKED, ASSURED]}),
    "kept": _example("A turn in a dialogue that the service keeps", {"dialogue_id": "food-bank", "text": "Fine, I am in."}),
    "reversed": _example("The user persuades", {"text": "You really should let me return it.", "user_role": "persuader"}),
    "batch": _example("Several", {"items": [{"text": "No, sorry."}, {"text": "Every cent helps.", "speaker": "bot"}]}),
}

EVENTS: Examples = {
    "bot": _example(
        "What a bot said",
        {
            "event_id": "6f1d0c5e",
            "dialogue_id": "table-for-five",
            "speaker": "bot",
            "text": "Shall I book a table?",
            "timestamp": 1795183200.25,
            "action": "utter_ask_book",
        },
    ),
    "batch": _example(
        "What was said since",
        {
            "items": [
                {"event_id": "u1", "dialogue_id": "a", "speaker": "user", "text": "Hello.", "timestamp": 1795183201.0},
                {"event_id": "b1", "dialogue_id": "a", "speaker": "bot", "text": "Hello!", "timestamp": 1795183201.5},
            ]
        },
    ),
}

PARSE: Examples = {
    "rasa": _example("What Rasa posts", {"text": INDIRECT, "message_id": "table-for-five", "token": None}),
    "alone": _example("A text without a sender: it has no history and is not kept", {"text": INDIRECT}),
}

_READ = {"history_read": 2, "history_cut": 0, "text_cut": False}

DIRECTNESS_ANSWER: Examples = {"schema_version": 1, "score": 0.12, **_READ, "failures": []}
REWRITE_ANSWER: Examples = {
    "schema_version": 1,
    "text": "Book a table for five at 7.",
    "confidence": 0.83,
    "tokens": 9,
    "finished": True,
    **_READ,
    "failures": [],
}
TURN_ANSWER: Examples = {
    "schema_version": 1,
    "dialogue_id": "table-for-five",
    "original": INDIRECT,
    "text": f"{INDIRECT} Book a table for five at 7.",
    "decision": "rewrite",
    "reason": "indirect",
    "directness": {"score": 0.12, **_READ},
    "rewrite": {"text": "Book a table for five at 7.", "confidence": 0.83, "tokens": 9, "finished": True, **_READ},
    "findings": [],
    "failures": [],
}
RESPONSE_ANSWER: Examples = {
    "schema_version": 1,
    "event_id": "b7",
    "dialogue_id": "table-for-five",
    "probabilities": {
        "Emp": 0.04,
        "!Emp": 0.21,
        "!Com": 0.06,
        "!Fac": 0.02,
        "!Sel": 0.05,
        "!Par": 0.11,
        "Red": 0.83,
        "Ign": 0.44,
        "!Rel": 0.12,
    },
    "thresholds": dict.fromkeys(("Emp", "!Emp", "!Com", "!Fac", "!Sel", "!Par", "Red", "Ign", "!Rel"), 0.5),
    "shown": ["Red"],
    "evidence": {"Red": {"turn": 1, **HISTORY[1]}},
    "judgements": [],
    "history_read": 3,
    "history_cut": 0,
    "text_cut": False,
    "failures": [],
}
SLOTS_ANSWER: Examples = {
    "schema_version": 1,
    "slots": [
        {
            "name": "price_range",
            "value": "cheap",
            "ambiguous": False,
            "not_mentioned": 0.06,
            "probabilities": {"cheap": 0.86, "moderate": 0.06, "expensive": 0.02},
        },
        {
            "name": "outdoor_seating",
            "value": "True",
            "ambiguous": False,
            "not_mentioned": 0.11,
            "probabilities": {"True": 0.81, "False": 0.08},
        },
    ],
    "failures": [],
}
MIND_ANSWER: Examples = {
    "schema_version": 1,
    "turns": [
        {
            "place": 0,
            "role": "recommender",
            "coarse": ["recommend"],
            "fine": ["inquire-about-item"],
            "probabilities": {
                "request-preference": 0.02,
                "clarify": 0.01,
                "respond-to-feedback": 0.02,
                "answer": 0.0,
                "show-item": 0.08,
                "inquire-about-item": 0.91,
                "explain-item": 0.04,
                "explain-by-preference": 0.03,
                "explain-suggestively": 0.01,
                "other": 0.03,
            },
        }
    ],
    "attitudes": [
        {
            "item": "Hidden Harbour (1987)",
            "place": 1,
            "suggested_by": "recommender",
            "seen": 0.12,
            "liked": 0.83,
            "likely_to_watch": True,
        }
    ],
    "next": {
        "role": "recommender",
        "strategies": ["recommend", "explain"],
        "probabilities": {"request": 0.11, "respond": 0.29, "recommend": 0.66, "explain": 0.52, "other": 0.2},
        "effective": {"request": False, "respond": False, "recommend": True, "explain": True, "other": False},
    },
    "history_read": 1,
    "history_cut": 0,
    "failures": [],
}

INTENTIONS_ANSWER: Examples = {
    "schema_version": 1,
    "role": "persuader",
    "label": "spos+",
    "probabilities": {
        "spos+": 0.78,
        "spos-": 0.0,
        "hpos+": 0.05,
        "hpos-": 0.01,
        "sneg+": 0.0,
        "hneg+": 0.02,
        "hneg-": 0.01,
        "other": 0.13,
    },
    "roles": ["persuader", "persuadee", "persuader"],
    "labels": ["hneg-", "hpos-", "spos+"],
    "agreement": [0.71, 0.58, 0.6],
    "counts": {
        "persuader": {"spos+": 1, "spos-": 0, "hpos+": 0, "hpos-": 0, "sneg+": 0, "hneg+": 0, "hneg-": 1, "other": 0},
        "persuadee": {"spos+": 0, "spos-": 0, "hpos+": 0, "hpos-": 1, "sneg+": 0, "hneg+": 0, "hneg-": 0, "other": 0},
    },
    "balance": {"persuader": 0, "persuadee": -1},
    **_READ,
    "failures": [],
}
EVENT_ANSWER: Examples = {"schema_version": 1, "event_id": "6f1d0c5e", "kept": True}
PARSE_ANSWER: Examples = {
    "text": INDIRECT,
    "intent": {"name": "book_restaurant", "confidence": 0.97},
    "entities": [{"entity": "people", "start": 17, "end": 21, "value": "five", "extractor": "DIETClassifier"}],
    "intent_ranking": [{"name": "book_restaurant", "confidence": 0.97}],
    "grice": {
        "original": INDIRECT,
        "text": f"{INDIRECT} Book a table for five at 7.",
        "mode": "append",
        "decision": "rewrite",
        "reason": "indirect",
        "directness": 0.12,
        "label": "indirect",
        "rewrite": {"text": "Book a table for five at 7.", "confidence": 0.83},
        "findings": [],
        "failures": [],
        "event_id": "2ff1b0a1c5f84e6aa1c31c5d0e6a5a0b",
    },
}
