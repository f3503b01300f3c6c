"""The request that asks a model, and the name under which its reply is remembered."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from grice.middleware.llm.chat_settings import FIXED, ChatSettings
from grice.middleware.llm.reply import Message

Request = dict[str, Any]


def request_of(settings: ChatSettings, messages: Sequence[Message]) -> Request:
    """The body of a request to `/chat/completions`."""
    request: Request = {"model": settings.model, "messages": [dataclasses.asdict(each) for each in messages]}
    request.update({name: getattr(settings, name) for name in FIXED if name not in settings.omit})
    optional = {name: getattr(settings, name) for name in ("max_tokens", "top_p", "top_k")}
    request.update({name: value for name, value in optional.items() if value is not None})
    if settings.stop:
        request["stop"] = list(settings.stop)
    return request


def name_of(settings: ChatSettings, request: Request) -> str:
    """The name of a request in the cache: whatever changes the answer changes the name."""
    whole = json.dumps([settings.url, request], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()
