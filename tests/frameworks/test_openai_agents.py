"""The configuration of a run, in the SDK's own runner, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from agents import Agent, ModelResponse, OutputGuardrailTripwireTriggered, RunConfig, Runner, SQLiteSession, Usage, function_tool
from agents.models.interface import Model
from agents.run import CallModelData, ModelInputData
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from scripted_checks import ANEW, WISH

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.openai_agents import with_grice

Made = Callable[..., ConversationCheck]
PLAIN = RunConfig(tracing_disabled=True)


def saying(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[part], role="assistant", status="completed", type="message")


class ScriptedModel(Model):
    """Says one reply after the other, and remembers what it read."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs = list(outputs)
        self.read: list[list[Any]] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        self.read.append([each.get("content", each.get("output")) for each in input])
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id="r")

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield


def run(model: Model, given: Any, config: RunConfig, tools: Any = (), **more: Any) -> Any:
    agent = Agent(name="a", model=model, tools=list(tools))
    return asyncio.run(Runner.run(agent, given, run_config=config, **more))


def test_the_model_reads_the_turn_anew_and_the_run_keeps_it(make_check: Made, told: list[ScoredReply]) -> None:
    model = ScriptedModel(saying("That is Red."))
    result = run(model, WISH, with_grice(make_check(), PLAIN))
    assert model.read == [[ANEW]]
    assert result.to_input_list()[0] == {"content": WISH, "role": "user"}
    (found,) = result.output_guardrail_results
    assert found.guardrail.get_name() == "grice"
    assert found.output.output_info["shown"] == ["Red"]
    assert [turn.text for turn in told[0].dialogue.turns] == [WISH, "That is Red."]


@pytest.mark.parametrize("text", ["Heat it.", "/wish", "I wish. poison"])
def test_what_is_left_alone(make_check: Made, text: str) -> None:
    model = ScriptedModel(saying("Fine."))
    assert run(model, text, with_grice(make_check(), PLAIN)).final_output == "Fine."
    assert model.read == [[text]]


def test_of_parts_only_the_text_changes(make_check: Made) -> None:
    model = ScriptedModel(saying("Fine."))
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}
    given = [{"role": "user", "content": [{"type": "input_text", "text": WISH}, image]}]
    run(model, given, with_grice(make_check(), PLAIN))
    assert model.read == [[[{"type": "input_text", "text": ANEW}, image]]]


def test_after_a_tool_and_in_a_session(make_check: Made, told: list[ScoredReply]) -> None:
    @function_tool
    def heat() -> str:
        """Heat the room."""
        return "heated"

    call = ResponseFunctionToolCall(arguments="{}", call_id="1", name="heat", type="function_call")
    model = ScriptedModel(call, saying("Done."), saying("That is Ign."))
    session, check = SQLiteSession("ann"), make_check()
    run(model, WISH, with_grice(check, PLAIN), [heat], session=session)
    assert model.read == [[ANEW], [ANEW, None, "heated"]]
    run(model, "Heat it.", with_grice(check, PLAIN), [heat], session=session)
    assert model.read[-1][0] == ANEW
    assert model.read[-1][-1] == "Heat it."
    stored = asyncio.run(session.get_items())
    assert stored[0] == {"content": WISH, "role": "user"}
    assert [turn.text for turn in told[-1].dialogue.turns] == [WISH, "Done.", "Heat it.", "That is Ign."]


def test_a_reply_can_be_refused(make_check: Made) -> None:
    with pytest.raises(OutputGuardrailTripwireTriggered) as caught:
        run(ScriptedModel(saying("That is Red.")), WISH, with_grice(make_check(), PLAIN, {"Red": 0.5}))
    assert caught.value.guardrail_result.output.output_info["refused"] == ["Red"]
    assert run(ScriptedModel(saying("Fine.")), WISH, with_grice(make_check(), PLAIN, {"Red": 0.5})).final_output == "Fine."


@pytest.mark.parametrize("is_async", [False, True])
def test_a_filter_of_ones_own_comes_first(make_check: Made, is_async: bool) -> None:
    def wishing(data: CallModelData[Any]) -> ModelInputData:
        return ModelInputData([{"role": "user", "content": WISH}], "Be kind.")

    async def later(data: CallModelData[Any]) -> ModelInputData:
        return wishing(data)

    model = ScriptedModel(saying("Fine."))
    own = RunConfig(tracing_disabled=True, call_model_input_filter=later if is_async else wishing)
    run(model, "Heat it.", with_grice(make_check(), own))
    assert model.read == [[ANEW]]
