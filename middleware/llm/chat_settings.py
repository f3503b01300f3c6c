"""Which model is asked, where, and how."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.llm.reply import Message, Reply
from grice.middleware.runtime.base_url import check_base_url, check_key
from grice.middleware.settings import check_settings, secret, setting
from grice.models.errors import SettingsError

FIXED = ("temperature", "seed")
"""Parameters that are always sent, so that the same question has the same answer as far as the server allows."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class ChatSettings:
    """How a model is asked. Temperature and seed are always sent unless they are in `omit`.

    Attributes:
        url: base URL of an OpenAI-compatible server, such as `http://127.0.0.1:8000/v1`.
        model: the model's name there.
        api_key: sent as a bearer token; empty: none is needed.
        max_tokens: tokens that an answer may have; None: as many as the server allows.
        omit: parameters that the server refuses (some models take no temperature), so that they are not sent.
        attempts: how often a question is asked while the server is busy, fails or cannot be reached.
        timeout_s: how long one attempt may take, in seconds.
        deadline_s: how long one question may take with all attempts and the waits between them, in seconds.
        workers: questions asked side by side.
        per_minute: requests a minute, at most; a question that is asked again counts again. None: without limit.
        temperature: of the answers, 0 (the likeliest words) to 2.
        seed: of the answers, for servers that know one.
        prompt_price, completion_price: US dollars a million tokens; None: not known. Prices change: none are built in.
        top_p: only the likeliest words that together have this probability are drawn; None: as the server has it.
        top_k: only so many of the likeliest words are drawn; None: as the server has it. OpenAI's own server refuses it.
        stop: the answer ends before the first of these texts.

    Raises:
        SettingsError: a value is out of range.
    """

    url: str = field(repr=False)
    model: str
    api_key: str = secret("")
    max_tokens: int | None = setting(None, 1, _MILLION)
    omit: tuple[str, ...] = ()
    attempts: int = setting(4, 1, 20)
    timeout_s: float = setting(60.0, 0.001, 3600)
    deadline_s: float = setting(300.0, 0.001, 86_400)
    workers: int = setting(4, 1, 64)
    per_minute: float | None = setting(None, 1, _MILLION)
    temperature: float = setting(0.0, 0, 2)
    seed: int = setting(0, 0, 2**32 - 1)
    prompt_price: float | None = setting(None, 0, _MILLION)
    completion_price: float | None = setting(None, 0, _MILLION)
    top_p: float | None = setting(None, 0, 1)
    top_k: int | None = setting(None, 1, _MILLION)
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_settings(self)
        check_base_url("url", self.url)
        if not self.model:
            raise SettingsError("model", "", "the name of a model")
        check_key("api_key", self.api_key)
        for name in self.omit:
            if name not in FIXED:
                raise SettingsError("omit", name, ", ".join(FIXED))

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """US dollars for so many tokens; None where a price or a count is not known."""
        if self.prompt_price is None or self.completion_price is None or prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / _MILLION

    def priced(self, reply: Reply) -> Reply:
        """The reply with what it costs."""
        return replace(reply, cost=self.cost(reply.prompt_tokens, reply.completion_tokens))


ChatRequest = dict[str, Any]


def request_of(settings: ChatSettings, messages: Sequence[Message]) -> ChatRequest:
    """The body of a request to `/chat/completions`."""
    request: ChatRequest = {"model": settings.model, "messages": [dataclasses.asdict(each) for each in messages]}
    request.update({name: getattr(settings, name) for name in FIXED if name not in settings.omit})
    optional = {name: getattr(settings, name) for name in ("max_tokens", "top_p", "top_k")}
    request.update({name: value for name, value in optional.items() if value is not None})
    if settings.stop:
        request["stop"] = list(settings.stop)
    return request


def name_of(settings: ChatSettings, request: ChatRequest, tenant: str = DEFAULT_TENANT) -> str:
    """The name of a request in the cache: whatever changes the answer changes the name, and so does who asks.

    So nobody learns from a remembered answer what another tenant has asked.
    """
    owner = [] if tenant == DEFAULT_TENANT else [tenant]
    whole = json.dumps([settings.url, request, *owner], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()
