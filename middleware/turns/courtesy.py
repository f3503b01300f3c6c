"""Greetings, thanks and goodbyes: there is nothing in them to say anew."""

from __future__ import annotations

import re

_PHRASE = (
    r"(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|night|day)|good ?bye|bye|cheers|thanks?|thank ?you|thx"
    r"|see you|so long|take care|nice to meet you|have an? (?:\w+ )?(?:day|afternoon|evening|night|weekend|one|time))"
)
_FILLER = (
    r"(?:ok|okay|well|oh|and|there|again|everyone|all|so|very|much|a lot|now|then|soon|later|too"
    r"|for (?:that|everything|(?:all )?your help))"
)
_COURTESY = re.compile(rf"(?:{_FILLER} )*{_PHRASE}(?: (?:{_PHRASE}|{_FILLER}))*")
_WORD = re.compile(r"[^\W\d_]+|\d+")


def is_courtesy(text: str) -> bool:
    """Whether `text` is a greeting, thanks or a goodbye, or several of these, and says nothing else."""
    return _COURTESY.fullmatch(" ".join(_WORD.findall(text.casefold()))) is not None
