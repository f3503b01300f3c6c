"""The configuration of a run, in the SDK's own runner, whole and streamed, with its own scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from agents import Agent, OutputGuardrailTripwireTriggered, RunConfig, Runner, SQLiteSession, function_tool
from agents.run import CallModelData, ModelInputData
from agents.testing import ScriptedModel, assistant_message, function_call
from scripted_checks import ANEW, WISH

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.openai_agents import with_grice
from grice.models.errors import InputError

Made = Callable[..., ConversationCheck]
PLAIN = RunConfig(tracing_disabled=True)


def scripted(*outputs: Any) -> ScriptedModel:
    """A model that says texts and makes calls, one after the other."""
    return ScriptedModel([[assistant_message(each) if isinstance(each, str) else each] for each in outputs])


def read(model: ScriptedModel) -> list[list[Any]]:
    """What each call of the model was given."""
    return [[each.get("content", each.get("output")) for each in call.input] for call in model.calls]


@dataclass
class Run:
    """One way to run an agent.

    Attributes:
        heard: the text that came while the model spoke, where it is streamed.
    """

    streamed: bool
    heard: list[str] = field(default_factory=list)

    def __call__(self, model: ScriptedModel, given: Any, config: RunConfig, tools: Any = (), **more: Any) -> Any:
        agent = Agent(name="a", model=model, tools=list(tools))
        found = asyncio.run(self._run(agent, given, run_config=config, **more))
        assert {call.streamed for call in model.calls} == {self.streamed}
        model.assert_complete()
        return found

    async def _run(self, *given: Any, **more: Any) -> Any:
        if not self.streamed:
            return await Runner.run(*given, **more)
        result = Runner.run_streamed(*given, **more)
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                self.heard.append(event.data.delta)
        return result


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def run(request: pytest.FixtureRequest) -> Run:
    return Run(request.param)


@function_tool
def heat() -> str:
    """Heat the room."""
    return "heated"


def heating(call_id: str = "1") -> Any:
    return function_call("heat", "{}", call_id=call_id)


def test_the_model_reads_the_turn_anew_and_the_run_keeps_it(run: Run, make_check: Made, told: list[ScoredReply]) -> None:
    model = scripted("That is Red.")
    result = run(model, WISH, with_grice(make_check(), PLAIN))
    assert read(model) == [[ANEW]]
    assert result.to_input_list()[0] == {"content": WISH, "role": "user"}
    assert result.final_output == "That is Red."
    (found,) = result.output_guardrail_results
    assert found.guardrail.get_name() == "grice"
    assert found.output.output_info["shown"] == ["Red"]
    assert found.output.output_info["probabilities"]["Red"] == 0.9
    assert [turn.text for turn in told[0].dialogue.turns] == [WISH, "That is Red."]
    assert len(told) == 1
    assert "".join(run.heard) == ("That is Red." if run.streamed else "")


@pytest.mark.parametrize("text", ["Heat it.", "/wish", "I wish. poison"])
def test_what_is_left_alone(run: Run, make_check: Made, text: str) -> None:
    model = scripted("Fine.")
    assert run(model, text, with_grice(make_check(), PLAIN)).final_output == "Fine."
    assert read(model) == [[text]]


def test_of_parts_only_the_text_changes_and_the_callers_list_does_not(run: Run, make_check: Made) -> None:
    model = scripted("Fine.")
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}
    given = [{"role": "user", "content": [{"type": "input_text", "text": WISH}, image]}]
    run(model, given, with_grice(make_check(), PLAIN))
    assert read(model) == [[[{"type": "input_text", "text": ANEW}, image]]]
    assert given == [{"role": "user", "content": [{"type": "input_text", "text": WISH}, image]}]


def test_after_a_tool_and_in_a_session(run: Run, make_check: Made, told: list[ScoredReply]) -> None:
    session, check = SQLiteSession("ann"), make_check()
    model = scripted(heating(), "Done.")
    run(model, WISH, with_grice(check, PLAIN), [heat], session=session)
    assert read(model) == [[ANEW], [ANEW, None, "heated"]]
    model = scripted("That is Ign.")
    run(model, "Heat it.", with_grice(check, PLAIN), [heat], session=session)
    assert read(model)[-1][0] == ANEW
    assert read(model)[-1][-1] == "Heat it."
    stored = asyncio.run(session.get_items())
    assert stored[0] == {"content": WISH, "role": "user"}
    assert [turn.text for turn in told[-1].dialogue.turns] == [WISH, "Done.", "Heat it.", "That is Ign."]


@pytest.mark.parametrize("where", [{"conversation_id": "c"}, {"auto_previous_response_id": True}])
def test_where_the_server_keeps_the_conversation_a_turn_is_sent_once(run: Run, make_check: Made, where: dict[str, Any]) -> None:
    model = scripted(heating(), heating("2"), "Done.")
    run(model, WISH, with_grice(make_check(), PLAIN, scored=False), [heat], **where)
    assert read(model) == [[ANEW], ["heated"], ["heated"]]


def test_who_refuses_replies_has_them_scored(make_check: Made) -> None:
    with pytest.raises(InputError, match="scored: got False; allowed: True where refuse_from is given"):
        with_grice(make_check(), PLAIN, {"Red": 0.5}, scored=False)


def test_a_reply_can_be_refused(run: Run, make_check: Made) -> None:
    with pytest.raises(OutputGuardrailTripwireTriggered) as caught:
        run(scripted("That is Red."), WISH, with_grice(make_check(), PLAIN, {"Red": 0.5}))
    assert caught.value.guardrail_result.output.output_info["refused"] == ["Red"]
    assert run(scripted("Fine."), WISH, with_grice(make_check(), PLAIN, {"Red": 0.5})).final_output == "Fine."


@pytest.mark.parametrize("is_async", [False, True])
def test_a_filter_of_ones_own_comes_first(run: Run, make_check: Made, is_async: bool) -> None:
    wish = {"role": "user", "content": WISH}

    def wishing(data: CallModelData[Any]) -> ModelInputData:
        return ModelInputData([wish], "Be kind.")

    async def later(data: CallModelData[Any]) -> ModelInputData:
        return wishing(data)

    model = scripted("Fine.")
    own = RunConfig(tracing_disabled=True, call_model_input_filter=later if is_async else wishing)
    run(model, "Heat it.", with_grice(make_check(), own))
    assert read(model) == [[ANEW]]
    assert model.calls[0].system_instructions == "Be kind."
    assert wish == {"role": "user", "content": WISH}
