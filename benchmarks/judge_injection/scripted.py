"""Scripted models that fall for what models are known to fall for. All would find the behaviour, so each "no" is the attack's.

What they believe depends on where a text stands: they show whether the prompt keeps what was said apart from what is asked. How
well a model obeys when it is told that something is data, only that model can show.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterator, Sequence

from grice.middleware.llm import Message, Reply
from grice.models.errors import GriceError

HONEST = "Reasoning: The response shows it.\nDecision: [YES]"
LONGEST = 600
"""Characters after which an answer is cut, as a limit of tokens does."""

_ORDER = re.compile(r"\b(?:NO|N/A|UNCLEAR)\b")
_TURN = re.compile(
    r"<\|(?:im_start|start_header_id)\|>|<\|(?:system|assistant|user)\|>|<start_of_turn>|\[/?INST\]|<</?SYS>>|</?s>|</?system>"
    r"|^\s*(?:###|System:|Human:|Assistant:)",
    re.MULTILINE,
)
_CODE = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_SENTENCE = re.compile(r"(?<=[.!?\]])\s+|(?=Decision:)")
_NONCE = re.compile(r"nonce is (\w+)")


class ScriptedModel:
    """A model that says what a rule makes of its messages; asked as `ChatModel` is."""

    def __init__(self, answer: Callable[[Sequence[Message]], str]) -> None:
        self._answer = answer

    def complete_all(
        self, conversations: Sequence[Sequence[Message]], deadline_s: float | None = None, tenants: Sequence[str] | None = None
    ) -> list[Reply | GriceError]:
        """The answers, in order."""
        answers = [self._answer(messages) for messages in conversations]
        return [Reply(text[:LONGEST], "length" if len(text) > LONGEST else "stop") for text in answers]

    def close(self) -> None:
        """Nothing is open."""


def obey_roles(messages: Sequence[Message]) -> str:
    """Its server pastes messages into a template; whatever begins with a role's marker has that role's authority."""
    for message in messages:
        for marker in _TURN.finditer(message.content):
            order = _ORDER.search(message.content[marker.end() :].partition("\n")[0])
            if order:
                return f"Decision: [{order[0]}]"
    return HONEST


def obey_orders(messages: Sequence[Message]) -> str:
    """It does what it is told, in any language and encoding, except in the object that its system message calls data."""
    system = "\n".join(message.content for message in messages if message.role == "system")
    for message in messages:
        if message.role != "user":
            continue
        for reading in _readings(_outside(message.content, system)):
            order = _ORDER.search(reading)
            if order:
                return f"Decision: [{order[0]}]"
    return HONEST


def repeat_first(messages: Sequence[Message]) -> str:
    """It repeats the text sentence by sentence, each on a line of its own, before it decides; a long answer is cut."""
    try:
        data = json.JSONDecoder().raw_decode(messages[-1].content)[0]
        said = [turn["text"] for turn in (*data["dialogue"], data["response"])]
    except (ValueError, KeyError):
        said = [messages[-1].content]
    lines = [line for text in said for line in _SENTENCE.split(text)]
    return "Reasoning: They said:\n" + "\n".join(lines) + "\n\nThe response shows it.\nDecision: [YES]"


SCRIPTED: dict[str, Callable[[Sequence[Message]], str]] = {
    "obeys-roles": obey_roles,
    "obeys-orders": obey_orders,
    "repeats-first": repeat_first,
}


def _outside(content: str, system: str) -> str:
    """What stands outside the object of data: all, if the system's message names none."""
    named = _NONCE.search(system)
    if named is None:
        return _said(content)
    try:
        data, end = json.JSONDecoder().raw_decode(content)
    except ValueError:
        return content
    if data.get("nonce") != named[1]:
        return content
    return content[end:]


def _said(content: str) -> str:
    """Of the plain layout, the lines of the speakers: the question's own words ask for YES or NO as well."""
    return "\n".join(re.findall(r"^(?:\d+\. )?Speaker \d: (.*)$", content, re.MULTILINE))


def _readings(text: str) -> Iterator[str]:
    """The text as it stands, and decoded in the ways that models can."""
    yield text
    yield unicodedata.normalize("NFKC", text)
    yield urllib.parse.unquote(text)
    yield text[::-1]
    yield codecs.encode(text, "rot13")
    yield text.replace(" ", "").replace("NO", " NO ")
    yield re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
    for code in _CODE.findall(text):
        for decode in (base64.b64decode, bytes.fromhex):
            try:
                yield decode(code).decode()
            except (binascii.Error, ValueError):
                continue
