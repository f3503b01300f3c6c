"""The action of both example bots that asks the user back, run as Rasa's action server runs it."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from typing import Any

import pytest
from rasa_sdk.executor import ActionExecutor

PROJECT = Path(__file__).parents[2] / "rasa_project"
QUESTION = "What do you mean: “report an outage”, “the router”, or something else?"
CLARIFICATION = {
    "question": QUESTION,
    "slot": "",
    "options": [
        {"kind": "intent", "name": "report_no_connection", "text": "I want to report an outage.", "share": 0.5},
        {"kind": "value", "name": "router", "text": "The router.", "share": 0.4},
    ],
}


@pytest.fixture(params=[PROJECT, PROJECT / "support"], ids=["town", "support"])
def executor(request: pytest.FixtureRequest) -> ActionExecutor:
    """An action server's executor with the action of one bot, and no other."""
    spec = importlib.util.spec_from_file_location("clarify", request.param / "actions" / "clarify.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = ActionExecutor()
    found.register_action(module.ActionClarify)
    return found


def said(executor: ActionExecutor, grice: Any) -> dict[str, Any]:
    """What the action says after a message with this record."""
    latest = {"text": "hm", "intent": {}, "entities": [], **({} if grice is None else {"grice": grice})}
    tracker = {"sender_id": "ann", "slots": {}, "latest_message": latest, "events": [], "latest_input_channel": "rest"}
    call = {"next_action": "action_clarify", "sender_id": "ann", "tracker": tracker, "domain": {}, "version": "3.6.0"}
    answer = asyncio.run(executor.run(call))
    assert answer is not None
    found = answer if isinstance(answer, dict) else answer.dict()
    assert found["events"] == []
    (response,) = found["responses"]
    return dict(response)


def test_it_says_the_question_and_offers_a_button_an_option(executor: ActionExecutor) -> None:
    response = said(executor, {"clarification": CLARIFICATION})
    assert response["text"] == QUESTION
    assert response["buttons"] == [
        {"title": "I want to report an outage", "payload": "/report_no_connection"},
        {"title": "The router", "payload": "The router."},
    ]


@pytest.mark.parametrize("grice", [None, {}, {"clarification": None}], ids=["no record", "empty record", "no question"])
def test_without_a_question_it_says_that_it_did_not_understand(executor: ActionExecutor, grice: Any) -> None:
    response = said(executor, grice)
    assert response.get("response", response.get("template")) == "utter_default"
    assert response["buttons"] == []
