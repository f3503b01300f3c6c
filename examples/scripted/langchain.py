"""A chat model of LangChain's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


class ScriptedModel(BaseChatModel):
    """Says one reply after the other.

    Attributes:
        replies: what it says.
    """

    replies: list[AIMessage]
    _read: list[list[Any]] = PrivateAttr(default_factory=list)

    @property
    def read(self) -> list[list[Any]]:
        """The contents of the messages of each call."""
        return self._read

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self._read.append([each.content for each in messages])
        return ChatResult(generations=[ChatGeneration(message=self.replies[len(self._read) - 1])])
