"""Examples of the API's documentation; a test posts every one of them."""

from __future__ import annotations

from typing import Any

Examples = dict[str, Any]

HISTORY = [
    {"speaker": "user", "text": "I'm looking for somewhere to eat near the station."},
    {"speaker": "bot", "text": "The Copper Kettle serves Thai food close by. Shall I book a table?"},
]
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
