"""A language model of LiveKit's, and ears that hear what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from livekit import rtc
from livekit.agents import DEFAULT_API_CONNECT_OPTIONS, llm, stt
from livekit.agents.voice.io import AudioInput


class ScriptedModel(llm.LLM):
    """Says one reply after the other, texts or calls of tools."""

    def __init__(self, *replies: str | llm.FunctionToolCall) -> None:
        super().__init__()
        self.replies = list(replies)
        self.read: list[list[str | None]] = []

    def chat(self, *, chat_ctx: llm.ChatContext, tools: Any = None, **_: Any) -> llm.LLMStream:
        messages = [each for each in chat_ctx.items if each.type == "message" and each.role != "system"]
        self.read.append([each.text_content for each in messages])
        return ScriptedStream(self, chat_ctx, tools or [], self.replies.pop(0))


class ScriptedStream(llm.LLMStream):
    """One reply."""

    def __init__(self, model: llm.LLM, chat_ctx: llm.ChatContext, tools: Any, reply: str | llm.FunctionToolCall) -> None:
        super().__init__(model, chat_ctx=chat_ctx, tools=tools, conn_options=DEFAULT_API_CONNECT_OPTIONS)
        self._reply = reply

    async def _run(self) -> None:
        said = {"content": self._reply} if isinstance(self._reply, str) else {"tool_calls": [self._reply]}
        self._event_ch.send_nowait(llm.ChatChunk(id="1", delta=llm.ChoiceDelta(role="assistant", **said)))


class ScriptedEars(stt.STT):
    """Stands where a recogniser of speech does; `hear` is what a turn of the user is told by."""

    def __init__(self) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=True, interim_results=False))
        self._heard: asyncio.Queue[str] = asyncio.Queue()

    def hear(self, text: str) -> None:
        """The user has said a turn."""
        self._heard.put_nowait(text)

    async def events(self) -> AsyncIterator[stt.SpeechEvent]:
        """What a `stt_node` yields."""
        while True:
            data = [stt.SpeechData(language="en", text=await self._heard.get())]
            yield stt.SpeechEvent(type=stt.SpeechEventType.START_OF_SPEECH)
            yield stt.SpeechEvent(type=stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=data)
            yield stt.SpeechEvent(type=stt.SpeechEventType.END_OF_SPEECH)

    async def _recognize_impl(self, *_: Any, **__: Any) -> stt.SpeechEvent:
        raise RuntimeError("this stand-in streams only: it recognises no single recording")


class Silence(AudioInput):
    """A microphone that nobody speaks into."""

    def __init__(self) -> None:
        super().__init__(label="silence")

    async def __anext__(self) -> rtc.AudioFrame:
        await asyncio.Event().wait()
        raise StopAsyncIteration
