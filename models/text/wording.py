"""What can be told of a turn by its words alone: sentences, content words, negation, who it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from grice.models.dialogue import plain_text

FUNCTION_WORDS = frozenset((Path(__file__).parent / "function_words.txt").read_text(encoding="utf-8").split())
_WORD = re.compile(r"[a-z0-9']+")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\s,]+")
_HAS_WORD = re.compile(r"\w")
_NEGATION = re.compile(r"\b(?:not|no|never|nothing|none|neither|nor|cannot)\b|n't\b")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|we|our)\b")
_SECOND_PERSON = re.compile(r"\b(?:you|you're|you've|you'd|you'll|your|yours)\b")
_YES = re.compile(r"(?:yes|yeah|yep|sure|of course|i do|i am|i have)\b")
_NO = re.compile(r"(?:no|nope|not|never|i don't|i haven't|i'm not)\b")
_ASKS = re.compile(r"(?:do|did|have|are|were|can|could|is|was|what|which|who|where|when|why|how)\b")
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[^.!?\s] )[A-Z][a-z]+")


@dataclass(frozen=True)
class Wording:
    """One turn or sentence by its words; all lower-cased but `names`.

    Attributes:
        text: as it is read, white space normalised.
        words: in order. content: those that are no function words.
        names: words with a capital letter that do not start a sentence. numbers: runs of digits.
        question: it ends in a question mark. questions, exclamations: how many marks it has.
        negated, first_person, second_person: it has a word of that kind.
        affirms, denies: it starts as an answer does that says yes or no. asks: it starts as questions do.
    """

    text: str
    words: tuple[str, ...]
    content: frozenset[str]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    question: bool
    questions: int
    exclamations: int
    negated: bool
    first_person: bool
    second_person: bool
    affirms: bool
    denies: bool
    asks: bool

    @classmethod
    def of(cls, text: str) -> Wording:
        """The wording of `text`."""
        text = plain_text(text)
        lower = text.lower().replace("’", "'")
        words = tuple(_WORD.findall(lower))
        return cls(
            text,
            words,
            frozenset(word for word in words if len(word) > 1 and word not in FUNCTION_WORDS),
            tuple(_NAME.findall(text)),
            tuple(_NUMBER.findall(text)),
            text.endswith("?"),
            text.count("?"),
            text.count("!"),
            bool(_NEGATION.search(lower)),
            bool(_FIRST_PERSON.search(lower)),
            bool(_SECOND_PERSON.search(lower)),
            bool(_YES.match(lower)),
            bool(_NO.match(lower)),
            bool(_ASKS.match(lower)),
        )

    def runs(self, length: int) -> frozenset[tuple[str, ...]]:
        """All runs of `length` words."""
        return frozenset(self.words[start : start + length] for start in range(len(self.words) - length + 1))


def sentences(text: str, most: int) -> list[str]:
    """The sentences of `text`, at least one and `most` at most; what is beyond is part of the last."""
    found = [part for part in _SENTENCE_END.split(plain_text(text), maxsplit=most - 1) if _HAS_WORD.search(part)]
    return found or [plain_text(text)]
