"""The agent in LiveKit's own session, typed to and spoken to, with a scripted model and no audio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from livekit.agents import DEFAULT_API_CONNECT_OPTIONS, AgentSession, function_tool
from livekit.agents.llm import ChatChunk, ChoiceDelta, FunctionToolCall, LLMStream
from scripted.livekit import ScriptedEars, ScriptedModel, Silence
from scripted_checks import ANEW, WISH, asking_pipeline

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.livekit import GriceAgent, score_replies
from grice.models.errors import DeadlineExceeded

Made = Callable[..., ConversationCheck]


class Heater(GriceAgent):
    """Hears what a test says."""

    def __init__(self, check: ConversationCheck, ears: ScriptedEars) -> None:
        super().__init__(check=check, instructions="You heat houses.")
        self.ears = ears

    def stt_node(self, audio: Any, model_settings: Any) -> Any:
        return self.ears.events()

    @function_tool
    async def heat(self, degrees: int) -> str:
        """Heat the room."""
        return f"heated to {degrees}"


@asynccontextmanager
async def talking(check: ConversationCheck, model: ScriptedModel) -> AsyncIterator[tuple[AgentSession, ScriptedEars]]:
    ears = ScriptedEars()
    handling: Any = {"turn_detection": "stt", "endpointing": {"min_delay": 0.0, "max_delay": 0.0}}
    async with AgentSession(llm=model, stt=ears, turn_handling=handling) as session:
        score_replies(session, check)
        session.input.audio = Silence()
        await session.start(Heater(check, ears))
        yield session, ears


def said(items: Any) -> list[tuple[str, str | None]]:
    return [(each.role, each.text_content) for each in items if each.type == "message" and each.role != "system"]


async def until(holds: Callable[[], object]) -> None:
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.03)
    raise AssertionError("it never did")


def test_the_model_reads_typed_turns_anew_and_the_history_keeps_them(make_check: Made, told: list[ScoredReply]) -> None:
    model, check = ScriptedModel("So do I.", "That is Ign."), make_check()

    async def talk() -> Any:
        async with talking(check, model) as (session, _):
            await session.run(user_input=WISH)
            await session.run(user_input="Heat it.")
            return said(session.history.items), said(session.current_agent.chat_ctx.items)

    history, context = asyncio.run(talk())
    assert model.read == [[ANEW], [ANEW, "So do I.", "Heat it."]]
    assert history == [("user", WISH), ("assistant", "So do I."), ("user", "Heat it."), ("assistant", "That is Ign.")]
    assert context == history
    check.finish()
    assert [turn.text for turn in told[-1].dialogue.turns] == [WISH, "So do I.", "Heat it.", "That is Ign."]
    assert told[-1].report.shown == ("Ign",)
    assert len(told) == 2


def test_a_spoken_turn(make_check: Made) -> None:
    model, check = ScriptedModel("So do I."), make_check()

    async def talk() -> Any:
        async with talking(check, model) as (session, ears):
            ears.hear(WISH)
            await until(lambda: len(said(session.history.items)) == 2)
            return said(session.current_agent.chat_ctx.items)

    assert asyncio.run(talk()) == [("user", WISH), ("assistant", "So do I.")]
    assert model.read[-1] == [ANEW]


def test_a_late_spoken_turn_is_waited_for_once(make_check: Made) -> None:
    """When it is completed, and not again in front of the model."""
    asked: list[Any] = []

    class Late:
        def predict(self, given: Any) -> Any:
            asked.append(given)
            raise DeadlineExceeded("the pipeline did not answer within 200 ms")

    model = ScriptedModel("Fine.")

    async def talk() -> None:
        async with talking(make_check(Late()), model) as (session, ears):
            ears.hear(WISH)
            await until(lambda: len(said(session.history.items)) == 2)

    asyncio.run(talk())
    assert model.read[-1] == [WISH]
    assert len(asked) == 1


def test_after_a_tool_the_model_reads_the_same_as_before(make_check: Made) -> None:
    call = FunctionToolCall(name="heat", arguments='{"degrees": 22}', call_id="1")
    model = ScriptedModel(call, "Done.")

    async def talk() -> None:
        async with talking(make_check(), model) as (session, _):
            await session.run(user_input=WISH)

    asyncio.run(talk())
    assert model.read == [[ANEW], [ANEW]]


def test_the_user_is_asked_back_without_the_model(make_check: Made) -> None:
    model = ScriptedModel()
    check = make_check(asking_pipeline(), clarify=True, clarify_with="What do you mean?")

    async def talk() -> Any:
        async with talking(check, model) as (session, ears):
            ears.hear(WISH)
            await until(lambda: len(said(session.history.items)) == 2)
            return said(session.history.items), said(session.current_agent.chat_ctx.items)

    asked = [("user", WISH), ("assistant", "What do you mean?")]
    assert asyncio.run(talk()) == (asked, asked)
    assert model.read == []


class Halting(ScriptedModel):
    """Stops in the middle of its first reply, and is interrupted there."""

    def chat(self, **given: Any) -> Any:
        is_first = not self.read
        stream = super().chat(**given)
        return HaltingStream(self, stream) if is_first else stream


class HaltingStream(LLMStream):
    def __init__(self, model: ScriptedModel, stream: LLMStream) -> None:
        super().__init__(model, chat_ctx=stream.chat_ctx, tools=stream.tools, conn_options=DEFAULT_API_CONNECT_OPTIONS)

    async def _run(self) -> None:
        self._event_ch.send_nowait(ChatChunk(id="1", delta=ChoiceDelta(role="assistant", content="That is")))
        await asyncio.Event().wait()


def test_an_agent_that_is_interrupted_goes_on(make_check: Made, told: list[ScoredReply]) -> None:
    """What was heard of the reply stays in the history; that reply is not scored, the next one is."""
    model, check = Halting("That is Ign.", "Done."), make_check()

    async def talk() -> Any:
        async with talking(check, model) as (session, ears):
            ears.hear(WISH)
            await until(lambda: session.agent_state == "speaking")
            ears.hear("Heat it.")
            await until(lambda: len(said(session.history.items)) == 4)
            return said(session.history.items), [each.interrupted for each in session.history.items if each.type == "message"]

    history, interrupted = asyncio.run(talk())
    assert history == [("user", WISH), ("assistant", "That is"), ("user", "Heat it."), ("assistant", "Done.")]
    assert interrupted[-3:] == [True, False, False]
    assert model.read == [[ANEW], [ANEW, "That is", "Heat it."]]
    check.finish()
    assert [[turn.text for turn in scored.dialogue.turns] for scored in told] == [[WISH, "That is", "Heat it.", "Done."]]


def test_after_a_question_the_model_answers_again(make_check: Made) -> None:
    """`StopResponse` keeps the model silent for that turn alone."""
    model = ScriptedModel("Done.")
    check = make_check(asking_pipeline(), clarify=True, clarify_with="What do you mean?")

    async def talk() -> Any:
        async with talking(check, model) as (session, ears):
            ears.hear(WISH)
            await until(lambda: len(said(session.history.items)) == 2)
            ears.hear("Heat it.")
            await until(lambda: len(said(session.history.items)) == 4)
            return said(session.current_agent.chat_ctx.items)

    context = asyncio.run(talk())
    assert context == [("user", WISH), ("assistant", "What do you mean?"), ("user", "Heat it."), ("assistant", "Done.")]
    assert model.read == [[WISH, "What do you mean?", "Heat it."]]


@pytest.mark.parametrize("text", ["Heat it.", "/wish", "I wish. poison"])
def test_what_is_left_alone(make_check: Made, text: str) -> None:
    model = ScriptedModel("Fine.")

    async def talk() -> None:
        async with talking(make_check(), model) as (session, _):
            await session.run(user_input=text)

    asyncio.run(talk())
    assert model.read == [[text]]
