"""The middleware in LangChain's own agent, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fake_models import FakeDirectness, FakeRewriter
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from scripted.langchain import ScriptedModel
from scripted_checks import ANEW, WISH, asking_pipeline

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.langchain import GriceMiddleware
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.pipeline import Pipeline
from grice.models.errors import DeadlineExceeded

Made = Callable[..., ConversationCheck]


def ask(agent: Any, text: Any, is_async: bool = False, **more: Any) -> dict[str, Any]:
    given = {"messages": [{"role": "user", "content": text}]}
    found: dict[str, Any] = asyncio.run(agent.ainvoke(given, **more)) if is_async else agent.invoke(given, **more)
    return found


def said(found: dict[str, Any]) -> list[Any]:
    return [each.content for each in found["messages"]]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_reads_the_turn_anew_and_the_state_keeps_it(make_check: Made, is_async: bool) -> None:
    model = ScriptedModel(replies=[AIMessage("That is Red.")])
    found = ask(create_agent(model, [], middleware=[GriceMiddleware(make_check())]), WISH, is_async)
    assert model.read == [[ANEW]]
    assert said(found) == [WISH, "That is Red."]
    assert found["grice"]["decision"] == "rewrite"
    assert found["grice"]["rewrite"] == "please: I wish it were warmer."
    assert found["grice"]["shown"] == ["Red"]
    assert found["grice"]["probabilities"]["Red"] == 0.9


@pytest.mark.parametrize("text", ["Heat it.", "/wish", '{"wish": 1}', "I wish. poison"])
def test_what_is_left_alone(make_check: Made, text: str) -> None:
    model = ScriptedModel(replies=[AIMessage("Fine.")])
    ask(create_agent(model, [], middleware=[GriceMiddleware(make_check())]), text)
    assert model.read == [[text]]


def test_a_late_turn_is_waited_for_once(make_check: Made) -> None:
    """Before the agent, and not again before the model."""
    asked: list[Any] = []

    class Late:
        def predict(self, given: Any) -> Any:
            asked.append(given)
            raise DeadlineExceeded("the pipeline did not answer within 200 ms")

    model = ScriptedModel(replies=[AIMessage("Fine.")])
    ask(create_agent(model, [], middleware=[GriceMiddleware(make_check(Late()))]), WISH)
    assert model.read == [[WISH]]
    assert len(asked) == 1


def test_of_parts_only_the_text_changes(make_check: Made) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    model = ScriptedModel(replies=[AIMessage("Fine.")])
    ask(create_agent(model, [], middleware=[GriceMiddleware(make_check())]), [{"type": "text", "text": WISH}, image])
    assert model.read == [[[{"type": "text", "text": ANEW}, image]]]


def test_after_a_tool_the_model_reads_the_same_as_before(make_check: Made) -> None:
    @tool
    def heat(degrees: int) -> str:
        """Heat the room."""
        return f"heated to {degrees}"

    call = {"name": "heat", "args": {"degrees": 22}, "id": "1"}
    model = ScriptedModel(replies=[AIMessage("", tool_calls=[call]), AIMessage("Done.")])
    check = make_check()
    found = ask(create_agent(model, [heat], middleware=[GriceMiddleware(check)]), WISH)
    assert model.read == [[ANEW], [ANEW, "", "heated to 22"]]
    assert said(found) == [WISH, "", "heated to 22", "Done."]
    assert len(check.pipeline.rewriter.batches) == 1  # type: ignore[attr-defined]


def test_the_next_turn_comes_after_the_first_as_it_went_out(make_check: Made) -> None:
    model = ScriptedModel(replies=[AIMessage("So do I."), AIMessage("Well.")])
    agent = create_agent(model, [], middleware=[GriceMiddleware(make_check())], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    ask(agent, WISH, config=config)
    found = ask(agent, "Heat it.", config=config)
    assert model.read[-1] == [ANEW, "So do I.", "Heat it."]
    assert said(found) == [WISH, "So do I.", "Heat it.", "Well."]
    assert said(agent.get_state(config).values) == said(found)
    assert found["grice"]["decision"] == "pass"


def test_a_reply_is_scored_in_the_light_of_what_was_said(make_check: Made, told: list[ScoredReply]) -> None:
    ask(create_agent(ScriptedModel(replies=[AIMessage("That is Red.")]), [], middleware=[GriceMiddleware(make_check())]), WISH)
    (scored,) = told
    assert [turn.text for turn in scored.dialogue.turns] == [WISH, "That is Red."]
    assert scored.report.behaviors is not None
    assert scored.report.behaviors.evidence == {"Red": 0}


@pytest.mark.parametrize("is_async", [False, True])
def test_the_user_is_asked_back_without_the_model(make_check: Made, is_async: bool) -> None:
    model = ScriptedModel(replies=[])
    check = make_check(asking_pipeline(), clarify=True, clarify_with="What do you mean?")
    found = ask(create_agent(model, [], middleware=[GriceMiddleware(check)]), WISH, is_async)
    assert model.read == []
    assert said(found) == [WISH, "What do you mean?"]


def test_a_late_check_leaves_the_turn_and_the_reply(make_check: Made, told: list[ScoredReply]) -> None:
    directness = FakeDirectness()
    directness.gate.clear()
    pipeline = Pipeline(directness, FakeRewriter(), PipelineSettings())
    model = ScriptedModel(replies=[AIMessage("Fine.")])
    found = ask(create_agent(model, [], middleware=[GriceMiddleware(make_check(pipeline, budget_ms=50))]), WISH)
    directness.gate.set()
    assert model.read == [[WISH]]
    assert said(found) == [WISH, "Fine."]
    assert len(told) == 1
