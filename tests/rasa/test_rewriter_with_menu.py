"""Rewriting by the bot's own menu, and asking the user back, in real bots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import ALIGNER, NLU_PIPELINE, REWRITER, LoadAgent, TrainBot, talk, with_grice
from loopback_server import LoopbackServer, loopback, sent
from rasa.core.agent import Agent
from rasa.shared.core.events import UserUttered
from rasa.shared.exceptions import InvalidConfigException
from rasa.utils.endpoints import EndpointConfig

from grice.middleware import Pipeline, TurnAnalysis
from grice.middleware.turns.clarification import Clarification, ClarifyOption
from grice.models import MeaningQuestion

OPENING = "I am looking for a place to eat."
BUDGET = "I am on a tight budget"
LEAVING = "It is getting late and I am tired, I had better stop here."
WITH_MENU = ({"name": REWRITER, "menu": True}, *NLU_PIPELINE, {"name": ALIGNER})
POLICY = "grice.components.ClarifyingPolicy"
POLICIES = ({"name": "RulePolicy"}, {"name": POLICY})
ACTIONS = "\nactions: [action_clarify]\n"
QUESTION = Clarification(
    "",
    (ClarifyOption("intent", "find_food", "I want food.", 0.5), ClarifyOption("act", "yes", "Yes.", 0.4)),
    "What do you mean: “I want food”, “Yes”, or something else?",
)


def heard(tracker: Any) -> dict[str, Any]:
    found: dict[str, Any] = next(event for event in reversed(tracker.events) if isinstance(event, UserUttered)).parse_data
    return found


def test_a_turn_is_rewritten_by_the_bots_own_menu(load_agent: LoadAgent) -> None:
    answers, tracker = asyncio.run(talk(load_agent(WITH_MENU), [LEAVING], "menu"))
    assert answers == ["Good bye."]
    parsed = heard(tracker)
    assert (parsed["grice"]["decision"], parsed["grice"]["reason"], parsed["grice"]["label"]) == ("rewrite", "indirect", "indirect")
    assert parsed["grice"]["text"] in ("bye", "good bye")
    assert parsed["grice"]["directness"] is None
    assert 0 < parsed["grice"]["weight"] <= 1
    assert parsed["intent"]["name"] == "bye"


def test_the_menu_is_read_before_the_first_message(load_agent: LoadAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[Any] = []
    monkeypatch.setattr(Pipeline, "prepare", lambda self, asked: prepared.extend(asked))
    load_agent(WITH_MENU)
    (question,) = prepared
    assert isinstance(question, MeaningQuestion)
    assert {intent.name for intent in question.schema.intents} == {"find_food", "inform", "greet", "bye"}
    assert {slot.name for slot in question.schema.slots} == {"price", "people", "area"}


def test_a_model_that_kept_no_menu_does_without(load_agent: LoadAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def predict(self: Pipeline, dialogues: Any) -> list[TurnAnalysis]:
        asked.extend(dialogues)
        return [TurnAnalysis(BUDGET, BUDGET, "pass", "direct")]

    monkeypatch.setattr(Pipeline, "predict", predict)
    agent = load_agent(with_grice())
    asked.clear()
    asyncio.run(agent.parse_message(BUDGET))
    assert not any(isinstance(each, MeaningQuestion) for each in asked)


@pytest.mark.parametrize(("sure_nlu", "decision", "question"), [(1.0, "clarify", QUESTION.question), (0.0, "pass", None)])
def test_a_question_stays_only_where_the_nlu_is_unsure(
    load_agent: LoadAgent, monkeypatch: pytest.MonkeyPatch, sure_nlu: float, decision: str, question: str | None
) -> None:
    agent = load_agent(({"name": REWRITER, "menu": True, "sure_nlu": sure_nlu}, *NLU_PIPELINE, {"name": ALIGNER}))
    asks(monkeypatch)
    found = asyncio.run(agent.parse_message("hello"))
    assert (found["grice"]["decision"], found["grice"]["reason"]) == (decision, "unknown")
    assert (found["grice"]["clarification"] or {}).get("question") == question
    assert found["intent"]["name"] == "greet"
    assert json.loads(json.dumps(found["grice"])) == found["grice"]


def asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on there is a question about every turn."""

    def predict(self: Pipeline, dialogues: Any) -> list[TurnAnalysis]:
        texts = [each.dialogue.last.text for each in dialogues]
        return [TurnAnalysis(text, text, "clarify", "unknown", clarification=QUESTION) for text in texts]

    monkeypatch.setattr(Pipeline, "predict", predict)


@pytest.fixture(scope="module")
def actions() -> Iterator[LoopbackServer]:
    """An action server with one action, which says the question of the latest message."""

    def run(connection: Any, request: bytes) -> bool:
        body = json.loads(request.partition(b"\r\n\r\n")[2])
        question = body["tracker"]["latest_message"]["grice"]["clarification"]["question"]
        return sent(connection, json.dumps({"events": [], "responses": [{"text": question}]}).encode())

    with loopback(run) as server:
        yield server


def test_the_policy_has_the_question_asked_once_and_a_form_goes_on(
    train_bot: TrainBot, actions: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = ({"name": REWRITER, "menu": True, "sure_nlu": 1.0}, *NLU_PIPELINE, {"name": ALIGNER})
    endpoint = EndpointConfig(actions.url)
    agent = Agent.load(str(train_bot(pipeline, policies=POLICIES, more=ACTIONS)), action_endpoint=endpoint)
    answers, _ = asyncio.run(talk(agent, [OPENING], "policy"))
    assert answers == ["What price range would you like?"]
    with monkeypatch.context() as patch:
        asks(patch)
        answers, tracker = asyncio.run(talk(agent, ["hm"], "policy"))
        assert answers == [QUESTION.question]
        assert tracker.active_loop_name == "table_form"
        answers, _ = asyncio.run(talk(agent, ["hm"], "policy"))
        assert answers[-1] == "What price range would you like?"
        assert QUESTION.question not in answers
    answers, _ = asyncio.run(talk(agent, ["cheap please", "for 5 people"], "policy"))
    assert answers == ["How many people will come?", "A table for 5, cheap."]


@pytest.mark.parametrize(
    ("config", "more", "message"),
    [
        (
            {},
            "",
            r"ClarifyingPolicy: setting action: got 'action_clarify'; allowed: an action of the domain; add `- action_clarify`",
        ),
        (
            {"actions": "a"},
            ACTIONS,
            r"ClarifyingPolicy: setting actions: got 'a'; allowed: no such key; the keys are: action, priority",
        ),
    ],
)
def test_what_the_policy_refuses_in_training(train_bot: TrainBot, config: dict[str, Any], more: str, message: str) -> None:
    policies = ({"name": "RulePolicy"}, {"name": POLICY, **config})
    with pytest.raises(InvalidConfigException, match=message):
        train_bot(NLU_PIPELINE, force=False, policies=policies, more=more)
