"""What is in a text, fifth part: whether it agrees to something, and whether it only hesitates or sets a condition."""

from __future__ import annotations

import re

from grice.models.text.fact_words import words

_AGREES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|okay?|perfect|great|go ahead)\b"
    r"|\b(?:book|reserve|order|buy|take|confirm)\s+(?:it|that|this|one|them)\b",
    re.IGNORECASE,
)
_HESITATES = re.compile(
    r"\b(?:hold on|hang on|wait a|one moment|sleep on it|on the fence|undecided|maybe later|not yet"
    r"|let me (?:think|check|ask|see)|(?:not|n['’]t) (?:\w+ ){0,2}(?:sure|certain|decided|know yet)|(?:can['’]?t|cannot) decide"
    r"|(?:should|must|need to|have to|got to|['’]ll|will|going to|better|rather|want to|let me) (?:\w+ ){0,2}"
    r"(?:ask|consult|discuss|(?:talk|speak) (?:to|with)|talk (?:\w+ )?over|check with|think (?:about|it over)"
    r"|(?:run|pass) (?:\w+ )?(?:by|past)|hear from|get back to you))\b",
    re.IGNORECASE,
)
_DEFERS = re.compile(
    r"\b(?:hear|see|ask|know|find out) (?:first )?what (?!you\b|i\b|it\b)(?:[\w'’]+ ){1,3}?(?:says?|thinks?|makes? of)\b"
    r"|(?:\bis|['’]s) (?:\w+ )?up to (?:my|our|her|his|him|them|their)\b|\bnot (?:\w+ )?my (?:call|decision)\b"
    r"|\b(?:my|our|his|her|their|the) (?:\w+ ){1,2}(?:has|have|gets?) the (?:final|last) (?:say|word)\b",
    re.IGNORECASE,
)
"""Somebody else is to decide."""
_CONDITION = re.compile(r"\b(?:if|unless|as long as|provided|depends|depending|in case|on condition)\b", re.IGNORECASE)
_NO_CONDITION = re.compile(
    r"\b(?:know|wonder\w*|see|check|ask\w*|tell me|find out|sure|mind|curious|care|as) if\b|\bif (?:possible|not|so|you|that)\b",
    re.IGNORECASE,
)
_REPLY = frozenset(
    words(
        "i guess so suppose yes yeah no nope nah none ok okay sure fine alright right maybe perhaps think that is it s the very"
        " well good great"
    )
)


def commits(before: str, after: str) -> bool:
    """Whether text `after` agrees to what text `before` hesitates about, or sets a condition for that `after` has not."""
    if not _AGREES.search(after):
        return False
    return (_hesitates(before) and not _hesitates(after)) or (_has_condition(before) and not _has_condition(after))


def is_mere_reply(text: str) -> bool:
    """Whether it says nothing but a yes or no of some kind, so that it cannot hint at anything."""
    return set(re.findall(r"[^\W\d_]+", text.lower())) <= _REPLY


def _hesitates(text: str) -> bool:
    return (_HESITATES.search(text) or _DEFERS.search(text)) is not None


def _has_condition(text: str) -> bool:
    return _CONDITION.search(_NO_CONDITION.sub("", text)) is not None
