"""What can be told by its words of a turn in a dialogue of recommendations: its parts, the movies it names, cues, attitude."""

from __future__ import annotations

import functools
import re

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import plain_text
from grice.models.wording import FUNCTION_WORDS

MOST_PARTS = 6
THIS, ANOTHER = "that movie", "another film"
"""What stands for the movie in question, and for others, in what is read."""

_PART_END = re.compile(r"\.\.\.\s*|(?<=[.!?])\s+")
_HAS_WORD = re.compile(r"\w")
_NAME = r"(?:[A-Z0-9][\w'’:&,.!?*-]*|of|the|and|in|to|a|an|on|for|from|with|at|by|vs\.?|&|-|–)"
_OPENING = r"(?:[Yy]es|[Yy]eah|[Oo]h|O[Kk]|[Oo]kay|[Bb]ut|[Oo]r|[Aa]nd|Maybe|Also|Like|Well|Try|Have|Loved|Liked|of|in|to|on|for|from|with|at|by|an?)"
_DATED = re.compile(rf"(?<![^\s.(\"])(?!{_OPENING}\s)(?:{_NAME}\s+){{1,10}}\((?:18|19|20)\d\d\)|\((?:18|19|20)\d\d\)")
"""A run of capitalised words, and small words between them, before a year in parentheses: how people name movies exactly."""
_YEAR = re.compile(r"\s*\(\d{4}\)")
_TERM = re.compile(r"[a-z']+|\d+|[?!.,:]+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|hardly|without|cannot|dont|didnt|havent|wasnt|isnt|wont|cant|doesnt)\b|n't\b"
)
_PRAISE = frozenset(
    "love loved loves like liked likes enjoy enjoyed enjoyable great good awesome amazing excellent fantastic wonderful perfect "
    "hilarious funny fun favorite favorites favourite best classic interesting cool nice cute brilliant incredible fan solid "
    "beautiful superb adorable epic terrific entertaining beloved better awsome lol".split()
)
_BLAME = frozenset(
    "hate hated hates dislike disliked boring bored awful terrible horrible bad worse worst stupid silly dumb lame sucked sucks "
    "suck disappointing disappointed meh overrated weird creepy gross cheesy slow dull childish annoying scary terrified "
    "disturbing ridiculous tired crap trash weak poor violent violence sad dark unfunny weary".split()
)
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
    return [found[0] for found in _DATED.finditer(text) if not found[0].startswith("(")]


@functools.lru_cache(maxsize=512)
def _naming(item: str) -> re.Pattern[str]:
    title = _YEAR.sub("", item).strip() or item.strip()
    words = title.split()
    year = r"(?:\s*\(\d{4}\))"
    exact = r"\s+".join(map(re.escape, words))
    if all(word.lower() in FUNCTION_WORDS for word in words):
        return re.compile(rf"(?<!\w){exact}\s*\(\d{{4}}\)")
    main = title.partition(":")[0].split()
    short = [word for word in main if word.lower() not in ("the", "a", "an")] if len(main) < len(words) or main[0].lower() == "the" else []
    forms = [exact, *([r"(?:the\s+)?" + r"\s+".join(map(re.escape, short))] if short and len(" ".join(short)) > 4 else [])]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w){year}?", re.IGNORECASE)


def names(text: str, item: str) -> bool:
    """Whether a text names `item`, with its year or without."""
    return bool(_naming(item).search(text))


@functools.lru_cache(maxsize=8192)
def masked(text: str, item: str | None = None) -> str:
    """`text` with `THIS` for `item` and `ANOTHER` for other dated movies; without an item, with `THIS` for all."""
    text = text.replace("&quot;", '"').replace("’", "'")
    if item is None:
        return plain_text(_DATED.sub(f" {THIS} ", text))
    text = _naming(item).sub(" @@ ", text)
    text = _DATED.sub(lambda found: found[0] if "@@" in found[0] else f" {ANOTHER} ", text)
    return plain_text(text.replace("@@", THIS))


def terms(text: str) -> list[str]:
    """The words and marks of a masked text."""
    return _TERM.findall(text.lower().replace(THIS, "@this").replace(ANOTHER, "@another"))


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
