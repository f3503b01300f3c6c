"""What can be told by its words of a turn in a dialogue of recommendations: its parts, the movies it names, cues, attitude."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import plain_text
from grice.models.text.wording import FUNCTION_WORDS

MOST_PARTS = 6
THIS, ANOTHER = "that movie", "another film"
"""What stands for the movie in question, and for others, in what is read."""

LEAST_SHORT_NAME = 5
"""Characters of a shortened name: shorter ones are words like others."""

_PART_END = re.compile(r"\.\.\.\s*|(?<=[.!?])\s+")
_ARTICLES = ("the", "a", "an")
_HAS_WORD = re.compile(r"\w")
_NAME = r"(?:[A-Z0-9][\w'’:&,.!?*-]*|of|the|and|in|to|a|an|on|for|from|with|at|by|vs\.?|&|-|–)"
_OPENING = (
    r"(?:[Yy]es|[Yy]eah|[Oo]h|O[Kk]|[Oo]kay|[Bb]ut|[Oo]r|[Aa]nd|Maybe|Also|Like|Well|Try|Have|Loved|Liked"
    r"|of|in|to|on|for|from|with|at|by|an?)"
)
_YEAR = r"\((?:18|19|20)\d\d\)"
_DATED = re.compile(rf"(?<![^\s.(\"])(?!{_OPENING}\s)(?:{_NAME}\s+){{1,10}}{_YEAR}|{_YEAR}")
"""A run of capitalised words, and small words between them, before a year in parentheses: how people name movies exactly."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|hardly|without|cannot|dont|didnt|havent|wasnt|isnt|wont|cant|doesnt)\b|n't\b"
)
_PRAISE = frozenset((Path(__file__).parent / "praise_words.txt").read_text(encoding="utf-8").split())
_BLAME = frozenset((Path(__file__).parent / "blame_words.txt").read_text(encoding="utf-8").split())
_CUES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        r"\?",
        r"!",
        rf"\b{THIS}\b",
        rf"\b{ANOTHER}\b",
        r"\b(?:hi|hello|hey|greetings|good (?:morning|evening|afternoon))\b",
        r"\b(?:bye|goodbye|good night|have a (?:good|great|nice)|take care|see ya|enjoy)\b",
        r"\b(?:thanks?|thx|ty|appreciate)\b",
        r"\b(?:welcome|no problem|glad|my pleasure)\b",
        r"\b(?:yes|yeah|yea|yep|yup|sure|ok|okay|alright|definitely|absolutely)\b",
        r"\b(?:no|nope|nah)\b",
        r"\b(?:seen|saw|watched|watch(?:ed)? it)\b",
        r"(?:haven'?t|havent|have not|never|didn'?t|not) (?:\w+ ){0,2}(?:seen|see|saw|watched|watch|heard)\b",
        r"\b(?:i have|i've|ive|already|i did|just) (?:\w+ ){0,2}(?:seen|saw|watched)\b|\bi (?:have|did)\b(?! not)",
        r"\b(?:have|did|do) (?:you|u)\b",
        r"\b(?:how|what) about\b",
        r"\b(?:recommend|suggest|suggestions?|recommendations?)\b",
        r"\b(?:looking for|in the mood|interested in|would like)\b",
        r"\b(?:what kind|what type|what sort|genres?|kinds?|types?)\b",
        r"\b(?:check|try|watch|see|rent|look|give|add|put|find) (?:\w+ ){0,2}(?:out|it|that|them|this|those|one|into|try|list)\b",
        r"\b(?:i'll|i will|will|gonna|going to|have to|might|may|want to|wanna|must)\b",
        r"\b(?:sounds?|looks?|seems?)\b",
        r"\bheard\b",
        r"\b(?:else|another|other|more|any)\b",
        r"\b(?:stars?|starring|starred|directed|actors?|actress|cast|plot|story|about)\b",
        r"\b(?:similar|like that|along th(?:e|ose) lines|same)\b",
        r"\b(?:into|thing|type|style|taste|interested)\b",
        r"\b(?:pass|skip|prefer|rather|instead|except|too)\b",
        r"\b(?:but|though|although|however)\b",
        r"\b(?:if you|you (?:should|might|may|would|will|could))\b",
        r"\b(?:both|either|neither|all|each|those|them|these)\b",
        r"\b(?:first|second|last|latter|former|original|sequel|new|old|older)\b",
        r"\b(?:what|which|who|when|where|why|how)\b",
        r"\b(?:i|i'm|i've|my|me)\b",
        r"\b(?:you|your)\b",
        r"\b(?:it|it's|its)\b",
        r"\b(?:ha(?:ha)+|lol)\b",
    )
)
CUES = len(_CUES) + 9
"""Length of `cues`."""


def parts(text: str) -> list[str]:
    """The messages and sentences of a turn, at least one and `MOST_PARTS` at most; what is beyond is part of the last."""
    found = [part for part in _PART_END.split(plain_text(text), maxsplit=MOST_PARTS - 1) if _HAS_WORD.search(part)]
    return found or [plain_text(text)]


def movies(text: str) -> list[str]:
    """The movies that a text names with their year, as it names them."""
    return list(_dated(text))


@functools.lru_cache(maxsize=2048)
def _dated(text: str) -> tuple[str, ...]:
    return tuple(found[0] for found in _DATED.finditer(text) if not found[0].startswith("("))


def dated_replaced(text: str, stand_in: Callable[[str], str]) -> str:
    """`text` with something else for each movie that it names with its year."""
    return _DATED.sub(lambda found: f" {stand_in(found[0])} ", text)


@functools.lru_cache(maxsize=2048)
def title(item: str) -> str:
    """A movie's name without its year."""
    return re.sub(rf"\s*{_YEAR}", "", item).strip()


@functools.lru_cache(maxsize=512)
def naming(item: str) -> re.Pattern[str]:
    """How a text may name a movie: a year, a leading article and what follows a colon may be missing.

    A name of function words alone ("It", "Up") needs its year.
    """
    name = title(item) or item.strip()
    words = name.split()
    forms = [_spaced(words)]
    if all(word.lower() in FUNCTION_WORDS for word in words):
        return re.compile(rf"(?<!\w){forms[0]}\s*{_YEAR}")
    short = name.partition(":")[0].split()
    short = short[1:] if short and short[0].lower() in _ARTICLES else short
    if len(" ".join(short)) >= LEAST_SHORT_NAME:
        forms.append(_spaced(short))
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)(?:\s*{_YEAR})?", re.IGNORECASE)


@functools.lru_cache(maxsize=512)
def spelt_out(name: str) -> re.Pattern[str]:
    """How a text names a movie as `name` does, in whatever case."""
    return re.compile(rf"(?<!\w){_spaced(name.split())}(?!\w)", re.IGNORECASE)


def _spaced(words: Sequence[str]) -> str:
    return r"\s+".join(map(re.escape, words))


def names(text: str, item: str) -> bool:
    """Whether a text names `item`, with its year or without."""
    return bool(naming(item).search(text))


@functools.lru_cache(maxsize=8192)
def masked(text: str, item: str | None = None) -> str:
    """`text` with `THIS` for `item` and `ANOTHER` for other dated movies; without an item, with `THIS` for all."""
    text = text.replace("&quot;", '"').replace("’", "'")
    if item is None:
        return plain_text(dated_replaced(text, lambda _: THIS))
    return plain_text(dated_replaced(naming(item).sub(f" {THIS} ", text), lambda _: ANOTHER))


@functools.lru_cache(maxsize=8192)
def cues(text: str) -> NDArray[np.float32]:
    """Of a masked text: how often it has each cue, its praise and blame with and without a negation before; shape (`CUES`,)."""
    lower = text.lower()
    words = re.findall(r"[a-z']+", lower)
    tone = np.zeros(4)
    for place, word in enumerate(words):
        if word in _PRAISE or word in _BLAME:
            negated = bool(_NEGATION.search(" ".join(words[max(0, place - 4) : place])))
            tone[2 * (word in _BLAME) + negated] += 1
    found = [min(len(cue.findall(lower)), 3) for cue in _CUES]
    good, bad = tone[0] + tone[3], tone[1] + tone[2]
    whole = [np.sign(good - bad), bool(_NEGATION.search(lower)), np.log1p(len(words)), lower.rstrip().endswith("?"), bool(words)]
    return np.array([*found, *np.minimum(tone, 3), *whole], np.float32)
