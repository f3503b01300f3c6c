"""The processor and the observer in Pipecat's own pipeline, between its own aggregators, with a scripted model and no audio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fake_models import fake_pipeline
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMContextAssistantTurnFrame,
    LLMContextFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
    LLMTextFrame,
    TextFrame,
    TTSSpeakFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.tests.utils import SleepFrame, run_test
from scripted.pipecat import ScriptedModel
from scripted_checks import ANEW, WISH, asking_pipeline

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.pipecat import AnewContextFrame, GriceObserver, GriceProcessor
from grice.models.dialogue import Dialogue

Made = Callable[..., ConversationCheck]


def typed(text: Any) -> LLMMessagesAppendFrame:
    """The user writes."""
    return LLMMessagesAppendFrame(messages=[{"role": "user", "content": text}], run_llm=True)


def talk(check: ConversationCheck, model: ScriptedModel, *frames: Frame) -> tuple[LLMContext, Sequence[Frame]]:
    """The context after a bot got the frames, and what came out behind it."""

    async def run() -> tuple[LLMContext, Sequence[Frame]]:
        context = LLMContext([{"role": "system", "content": "You heat houses."}])
        pair = LLMContextAggregatorPair(context)
        bot = Pipeline([pair.user(), GriceProcessor(check), model, pair.assistant()])
        sent = [each for frame in frames for each in (frame, SleepFrame(1.0))]
        down, _ = await run_test(bot, frames_to_send=sent, observers=[GriceObserver(check)], start_timeout=60.0)
        return context, down

    found = asyncio.run(run())
    check.finish()
    return found


def said(context: LLMContext) -> list[Any]:
    return [each["content"] for each in context.messages if isinstance(each, dict)][1:]


def test_the_model_reads_the_turn_anew_and_the_context_keeps_it(make_check: Made, told: list[ScoredReply]) -> None:
    model = ScriptedModel("So do I.", "That is Ign.")
    context, _ = talk(make_check(), model, typed(WISH), typed("Heat it."))
    assert [each[1:] for each in model.read] == [[ANEW], [ANEW, "So do I.", "Heat it."]]
    assert said(context) == [WISH, "So do I.", "Heat it.", "That is Ign."]
    assert [turn.text for turn in told[-1].dialogue.turns] == [WISH, "So do I.", "Heat it.", "That is Ign."]
    assert told[-1].report.shown == ("Ign",)
    assert len(told) == 2


@pytest.mark.parametrize("text", ["Heat it.", "/wish", "I wish. poison"])
def test_what_is_left_alone(make_check: Made, text: str) -> None:
    model = ScriptedModel("Fine.")
    talk(make_check(), model, typed(text))
    assert model.read[0][1:] == [text]


def test_the_user_is_asked_back_without_the_model(make_check: Made) -> None:
    model = ScriptedModel()
    _, down = talk(make_check(asking_pipeline(), clarify=True, clarify_with="What do you mean?"), model, typed(WISH))
    assert model.read == []
    assert [each.text for each in down if isinstance(each, TTSSpeakFrame)] == ["What do you mean?"]


@pytest.mark.parametrize("direction", list(FrameDirection))
def test_a_context_comes_anew_in_both_directions(make_check: Made, direction: FrameDirection) -> None:
    """Above the model on its way down, below it on its way up, as after a call of a tool; tools go with it."""
    context = LLMContext([{"role": "user", "content": WISH}], tool_choice="auto")

    async def run() -> Sequence[Sequence[Frame]]:
        frames = [LLMContextFrame(context, speculation=True)]
        processor = GriceProcessor(make_check())
        return await run_test(processor, frames_to_send=frames, frames_to_send_direction=direction, start_timeout=60.0)

    down, up = asyncio.run(run())
    (frame,) = [each for each in (*down, *up) if isinstance(each, LLMContextFrame)]
    assert isinstance(frame, AnewContextFrame)
    assert frame.speculation
    assert frame.context.tool_choice == "auto"
    assert frame.context.messages == [{"role": "user", "content": ANEW}]
    assert context.messages == [{"role": "user", "content": WISH}]


def test_a_context_keeps_what_its_frame_is_marked_with(make_check: Made) -> None:
    frame = LLMContextFrame(LLMContext([{"role": "user", "content": WISH}]))
    frame.interruptible, frame.metadata, frame.transport_destination = False, {"call": 7}, "left"

    async def run() -> Sequence[Frame]:
        down, _ = await run_test(GriceProcessor(make_check()), frames_to_send=[frame], start_timeout=60.0)
        return down

    (anew,) = [each for each in asyncio.run(run()) if isinstance(each, AnewContextFrame)]
    assert (anew.interruptible, anew.metadata, anew.transport_destination) == (False, {"call": 7}, "left")


class Slow:
    """A pipeline that looks at one turn until it may go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self._pipeline = fake_pipeline()

    def predict(self, dialogues: Sequence[Dialogue]) -> Any:
        if dialogues[0].last.text == WISH:
            self.begun.set()
            assert self.go_on.wait(60)
        return self._pipeline.predict(dialogues)


def test_a_turn_that_is_interrupted_while_it_is_looked_at_does_not_reach_the_model(make_check: Made) -> None:
    """Frames of the system do not wait for it, and the next turn is read."""
    slow, model = Slow(), ScriptedModel("Done.")

    class Interrupting(FrameProcessor):
        """Interrupts where a text comes, once the turn before it is looked at."""

        async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
            await super().process_frame(frame, direction)
            if isinstance(frame, TextFrame):
                assert await asyncio.to_thread(slow.begun.wait, 60)
                await self.push_frame(InterruptionFrame())
                slow.go_on.set()
            else:
                await self.push_frame(frame, direction)

    async def run() -> Sequence[Frame]:
        wish, heat = ({"role": "user", "content": text} for text in (WISH, "Heat it."))
        frames = [LLMContextFrame(LLMContext([wish])), TextFrame("interrupt"), LLMContextFrame(LLMContext([wish, heat]))]
        bot = Pipeline([Interrupting(), GriceProcessor(make_check(slow)), model])
        down, _ = await run_test(bot, frames_to_send=frames, start_timeout=60.0)
        return down

    down = asyncio.run(run())
    assert [each[-1] for each in model.read] == ["Heat it."]
    assert [type(each) for each in down if isinstance(each, (InterruptionFrame, LLMTextFrame))] == [InterruptionFrame, LLMTextFrame]


def test_a_bot_that_is_interrupted_goes_on(make_check: Made, told: list[ScoredReply]) -> None:
    """What was heard of the reply stays in the context; that reply is not scored, the next one is."""

    class Halting(ScriptedModel):
        """Stops in the middle of its first reply."""

        async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
            if not isinstance(frame, LLMContextFrame) or self.read:
                await super().process_frame(frame, direction)
                return
            await FrameProcessor.process_frame(self, frame, direction)
            self.read.append([each["content"] for each in frame.context.messages])
            await self.push_frame(LLMFullResponseStartFrame())
            await self.push_frame(LLMTextFrame("That is"))
            await asyncio.sleep(600)

    model = Halting("Done.")
    context, _ = talk(make_check(), model, typed(WISH), InterruptionFrame(), typed("Heat it."))
    assert [each[1:] for each in model.read] == [[ANEW], [ANEW, "That is", "Heat it."]]
    assert said(context) == [WISH, "That is", "Heat it.", "Done."]
    assert [[turn.text for turn in scored.dialogue.turns] for scored in told] == [[WISH, "That is", "Heat it.", "Done."]]


def test_a_reply_that_was_interrupted_is_not_scored(make_check: Made, told: list[ScoredReply]) -> None:
    context = LLMContext([{"role": "user", "content": "Heat it."}])
    turn = LLMContextAssistantTurnFrame(text="That is Ign.", timestamp="")
    check = make_check()

    async def run(*frames: Frame) -> None:
        sent = [each for frame in frames for each in (frame, SleepFrame(0.3))]
        observers: list[Any] = [GriceObserver(check)]
        await run_test(GriceProcessor(check), frames_to_send=sent, observers=observers, start_timeout=60.0)

    asyncio.run(run(LLMContextFrame(context), InterruptionFrame(), turn))
    check.finish()
    assert told == []
    asyncio.run(run(InterruptionFrame(), LLMContextFrame(context), turn))
    check.finish()
    assert [scored.dialogue.last.text for scored in told] == ["That is Ign."]
