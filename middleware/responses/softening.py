"""Whether a softer form of what the bot says is still the bot's: it asks where the bot asked, and does not wish what users wish."""

from __future__ import annotations

import re

_AS_USER = re.compile(
    r"\b(?:i|we)\s?(?:['’](?:d|m|re)|would|am|are|really|just)?\s?"
    r"(?:need|want|like|love|prefer|require|hope|wish|look(?:ing)?|search(?:ing)?)\b"
    r"|\b(?:find|get|give|tell|show|bring|help|book|reserve|recommend|suggest)\s+(?:me|us|one for me)\b"
    r"|\bmy\b|\b(?:can|could|will|would) you (?:please )?(?:find|book|reserve|get|give|tell|show|help|recommend|suggest|look)\b",
    re.IGNORECASE,
)


def still_the_bot(response: str, softer: str) -> bool:
    """Whether `softer` may stand for the bot's `response`."""
    asks_still = "?" in softer or "?" not in response
    return asks_still and len(_AS_USER.findall(softer)) <= len(_AS_USER.findall(response))
