"""Pipecat: a processor in front of the language model, and an observer. Needs pipecat-ai: `pip install 'grice[pipecat]'`.

    Pipeline([transport.input(), stt, user_aggregator, GriceProcessor(check), llm, tts, transport.output(), assistant_aggregator])
    PipelineWorker(pipeline, observers=[GriceObserver(check)])

The model reads a copy of the context in which the user's turns are said anew; the context itself keeps what was said. A bot with
tools has another `GriceProcessor` behind its model: after a call the aggregator sends the context up from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grice.integrations.conversation_check import ConversationCheck, read_anew
from grice.middleware.gateways.rows import Row
from grice.models.errors import MissingExtra

try:
    from pipecat.frames.frames import Frame, InterruptionFrame, LLMContextAssistantTurnFrame, LLMContextFrame, TTSSpeakFrame
    from pipecat.observers.base_observer import BaseObserver, FramePushed
    from pipecat.processors.aggregators.llm_context import LLMContext
    from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator
    from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
except ImportError as error:
    raise MissingExtra("pipecat-ai", "pipecat") from error


MARKS = ("pts", "metadata", "transport_source", "transport_destination", "interruptible")
"""What a frame carries whatever it is of."""


@dataclass
class AnewContextFrame(LLMContextFrame):
    """A context in which the user's turns are said anew: for the model alone."""


class GriceProcessor(FrameProcessor):
    """Says the user's turns anew on their way to the language model.

    Where the check's policy says `clarify`, the question is spoken (`TTSSpeakFrame`) and the model is not asked.

    Args:
        check: what looks at turns; its budget is added to the time to the first word, so keep it small.
        options: as of `FrameProcessor`.
    """

    def __init__(self, check: ConversationCheck, **options: Any) -> None:
        super().__init__(**options)
        self.check = check

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame) and not isinstance(frame, AnewContextFrame):
            await self._push_anew(frame, direction)
        else:
            await self.push_frame(frame, direction)

    async def _push_anew(self, frame: LLMContextFrame, direction: FrameDirection) -> None:
        rows = rows_of(frame.context)
        found = await self.check.acheck_turn(rows)
        if found.question and not frame.speculation:
            await self.push_frame(TTSSpeakFrame(found.question), FrameDirection.DOWNSTREAM)
            return
        if not found.rewrites:
            await self.push_frame(frame, direction)
            return
        messages: list[Any] = list(frame.context.messages)
        for place, rewrite in found.rewrites.items():
            messages[place] = {**messages[place], "content": read_anew(rows[place], rewrite, self.check.policy.mode)}
        context = LLMContext(messages, frame.context.tools, frame.context.tool_choice)
        anew = AnewContextFrame(context, frame.speculation)
        for name in MARKS:
            setattr(anew, name, getattr(frame, name))
        await self.push_frame(anew, direction)


class GriceObserver(BaseObserver):
    """Scores the bot's turns after they were spoken; one that the user interrupted is left out. `check.tell` hears of it.

    Args:
        check: what scores replies.
        options: as of `BaseObserver`.
    """

    def __init__(self, check: ConversationCheck, **options: Any) -> None:
        super().__init__(observe_every_push=False, **options)
        self.check = check
        self._context = LLMContext()
        self._interrupted = False

    async def on_push_frame(self, data: FramePushed) -> None:
        frame = data.frame
        if isinstance(frame, LLMContextFrame):
            if _asks_model(data):
                self._context, self._interrupted = frame.context, False
        elif isinstance(frame, InterruptionFrame):
            self._interrupted = True
        elif (
            isinstance(frame, LLMContextAssistantTurnFrame)
            and data.direction == FrameDirection.DOWNSTREAM
            and not self._interrupted
        ):
            self.check.check_reply_later(self._before(frame.text), frame.text)

    def _before(self, reply: str) -> Sequence[Row]:
        """What was said before a reply, which is in the context by now, maybe with what came after it: observers hear late."""
        rows = rows_of(self._context)
        places = [place for place, row in enumerate(rows) if row["role"] == "assistant" and row.get("content") == reply]
        return rows[: places[-1]] if places else rows


def _asks_model(data: FramePushed) -> bool:
    """Whether a context is on its way to the model: not as ours, on trial, or behind the bot's turn that was added to it."""
    is_told = isinstance(data.source, LLMAssistantAggregator) and data.direction == FrameDirection.DOWNSTREAM
    return not (is_told or data.frame.speculation or isinstance(data.frame, AnewContextFrame))


def rows_of(context: LLMContext) -> list[Row]:
    """The context's messages as rows, one each; those of one provider alone say nothing."""
    return [each if isinstance(each, dict) else {"role": "tool", "content": None} for each in context.messages]
