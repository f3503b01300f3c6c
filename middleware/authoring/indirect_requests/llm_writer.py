"""Writes candidates with a large language model: first facts about the value, then one request for each strategy."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from grice.middleware.authoring.indirect_requests.criteria import Candidate
from grice.middleware.authoring.indirect_requests.prompts import facts_prompt, request_prompt
from grice.middleware.authoring.indirect_requests.request_slot import RequestSlot
from grice.middleware.llm import ChatModel, ChatSettings, Reply
from grice.models.data.indirect_requests import STRATEGIES
from grice.models.errors import GriceError, JudgeError

Decoding = Literal["llama", "server"]

MAX_FACTS = 5
FACT_TOKENS = 256

_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s*(?P<fact>\S.*?)\s*$", re.MULTILINE)
_QUOTES = "\"'“”‘’ "
_LABEL = "Indirect User Request:"


def writing_settings(settings: ChatSettings, decoding: Decoding, seed: int) -> tuple[ChatSettings, ChatSettings]:
    """How requests are drawn, and how facts are (appendix D): `llama` as the paper drew from Llama 2, `server` as the server does
    by itself, which is how it drew from OpenAI's models. Facts are several lines, so they have no stop and more tokens.
    """
    if decoding == "server":
        drawn = replace(settings, seed=seed, omit=tuple(dict.fromkeys((*settings.omit, "temperature"))))
        return drawn, drawn
    drawn = replace(settings, temperature=0.5, top_p=0.9, top_k=50, max_tokens=128, stop=("\n",), seed=seed)
    return drawn, replace(drawn, stop=(), max_tokens=FACT_TOKENS)


class LlmWriter:
    """Asks a model for candidates.

    Args:
        chat: draws requests. thinking: draws facts. See `writing_settings`.
    """

    def __init__(self, chat: ChatModel, thinking: ChatModel) -> None:
        self._chat = chat
        self._thinking = thinking

    def write(self, slot: RequestSlot, value: str) -> list[Candidate]:
        """One candidate for each strategy, each made of a fact about `value` in the slot's situation; one that fails is left out.

        Raises:
            GriceError: the model could not be asked, or gave no facts.
        """
        facts = self._facts(slot, value)
        planned = [(strategy, facts[place % len(facts)]) for place, strategy in enumerate(STRATEGIES)]
        replies = self._chat.complete_all([request_prompt(slot, value, fact, strategy) for strategy, fact in planned])
        failures = [reply for reply in replies if isinstance(reply, GriceError)]
        if len(failures) == len(replies):
            raise failures[0]
        return [
            Candidate(slot, value, one_line(reply.text), "llm", strategy, fact, self._chat.settings.model)
            for (strategy, fact), reply in zip(planned, replies, strict=True)
            if isinstance(reply, Reply)
        ]

    def _facts(self, slot: RequestSlot, value: str) -> list[str]:
        reply = self._thinking.complete(facts_prompt(slot, value))
        listed = [match["fact"] for match in _ITEM.finditer(reply.text)]
        facts = (listed or [line.strip() for line in reply.text.splitlines() if line.strip()])[:MAX_FACTS]
        if not facts:
            raise JudgeError(f"the model said nothing when asked for facts about {value!r} as {slot.description!r}")
        return facts


def one_line(text: str) -> str:
    """A request as a model gives it, without the label and quotation marks that some put around it."""
    line = next(filter(None, map(str.strip, text.splitlines())), "")
    return line.removeprefix(_LABEL).strip(_QUOTES)
