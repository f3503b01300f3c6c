"""What is said to a model, and what it says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from grice.models.errors import JudgeError

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Message:
    """One message of a conversation with a model."""

    role: Role
    content: str


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Attributes:
        text: the answer; empty where it refused or said nothing.
        finish_reason: why it ended, in the server's word: `stop`, `length` (cut by the limit of tokens), `content_filter`, …
        refused: it declined to answer, or a filter of the server kept the answer back.
        prompt_tokens, completion_tokens: as the server counted them; None where it did not.
        cost: what the answer costs in US dollars, by the prices of the settings; None where a price or a count is missing.
        cached: it was remembered: nothing was asked, and nothing paid, this time.
    """

    text: str
    finish_reason: str = "stop"
    refused: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    cached: bool = False


def reply_of(body: bytes) -> Reply:
    """The reply in the body of an answer of `/chat/completions`; it has no cost yet.

    Raises:
        JudgeError: the body is something else. Its content is not shown: it may quote the conversation.
    """
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
        usage = answer.get("usage") or {}
        prompt_tokens, completion_tokens = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    except (ValueError, TypeError, LookupError, AttributeError):
        raise JudgeError(f"the server answered {len(body)} bytes that are no chat completion; is judge_url its base URL?") from None
    if not isinstance(text, str):
        raise JudgeError("the server answered a chat completion without text")
    return Reply(text, str(choice.get("finish_reason") or ""), refused, prompt_tokens, completion_tokens)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
