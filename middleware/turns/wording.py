"""Whether a turn says in so many words what it is read as: then it needs no rewrite, however indirect the rest of it is."""

from __future__ import annotations

import re

from grice.middleware.turns.statement import Statement

_REQUEST = re.compile(
    r"\b(?:please|pl[sz]|(?:i|we)(?:'d| would) (?:like|love|prefer)|(?:i|we)(?: \w+)? (?:want|need|wish) to|what (?:i|we) want"
    r"|i wanna|(?:tell|show|give|get|find|send|bring|book|let|help) (?:me|us)\b|(?:can|could|will|would) (?:you|u|i|we)"
    r"|may (?:i|we))\b|\bhow (?:much|many|long)\b[^.!?]*\?",
    re.I,
)
"""Words by which somebody asks for something."""
_REPLY = re.compile(
    r"\W*(?:yes|yeah|yep|yup|yea|yh|no|nope|nah|sure|ok|okay|of course|go ahead|do it|not yet|not sure|maybe|any(?:thing|one)?)\b",
    re.I,
)
"""What a reply in so many words begins with."""


def is_said_directly(text: str, statement: Statement) -> bool:
    """Whether a turn asks for an intent by words of asking, or begins a reply without values by one such as yes or no."""
    if statement.kind == "intent":
        return _REQUEST.search(text) is not None
    return not statement.answers and not statement.slots and _REPLY.match(text) is not None


def is_same(text: str, other: str) -> bool:
    """Whether two texts have the same letters and digits in the same order."""
    return _letters(text) == _letters(other)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
