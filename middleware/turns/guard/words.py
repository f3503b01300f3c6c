"""What is in a text, second part: its words, and which of them may be names.

A word may be a name where it is not common, or has a capital inside a sentence. The rewriter writes names that it invents in small
letters, so capitals alone do not show them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import NamedTuple

from grice.models.text import fact_words
from grice.models.text.fact_words import words

_WORD_OR_MARK = re.compile(r"[^\W_]+|[^\w\s]")
_CONTRACTION = re.compile(r"(?<=\w)\s?['’]\s?(?:s|t|m|re|ve|ll|d)\b")
_SENTENCE_START = frozenset('.?!:;"“”(')
_SHORT_FORMS = frozenset(words("i id wi fi tv gps asap atm im etc"))
_RARE_BUT_COMMON = frozenset(
    words("nobody itself himself herself themselves everywhere nowhere below above whose whom versus plus despite unlike ours")
)
_OFTEN_CAPITALISED = frozenset(words("please thanks thank yes no hi hello ok okay wifi internet sir you do can and"))
_NO_NAMES = frozenset(
    {*_SHORT_FORMS, *_OFTEN_CAPITALISED, *fact_words.DAYS, *fact_words.MONTHS, *fact_words.NUMBERS, *fact_words.RELATIVE_DAYS}
    | {*fact_words.AREAS, *fact_words.PRICE_RANGES, *fact_words.CURRENCIES}
)
"""Words that a capital does not make a name; the guard compares most of them as facts of another kind."""
_ENDINGS = frozenset(("", *words("s es n d ed r er ers ing ly y ies al ion ions ment e ation ations")))
_SPELLINGS = (("our", "or"), ("ise", "ize"), ("isation", "ization"), ("tre", "ter"), ("ll", "l"), ("ogue", "og"))
"""British and American."""


class Word(NamedTuple):
    """A word in small letters. `capital` is set only inside a sentence; `after_mark`: punctuation stands before it."""

    text: str
    capital: bool
    after_mark: bool

    @property
    def uncommon(self) -> bool:
        return self.text.isalpha() and self.text not in common_words()

    @property
    def name_like(self) -> bool:
        return self.uncommon or self.capital


def split_words(text: str) -> list[Word]:
    """The words of `text` in order, contractions cut off."""
    found = []
    before = "."
    shouted = text.isupper()
    for token in _WORD_OR_MARK.findall(_CONTRACTION.sub("", unaccented(text))):
        if token[0].isalnum():
            small = token.lower()
            capital = small != token and not shouted and before not in _SENTENCE_START and small not in _NO_NAMES
            found.append(Word(small, capital and token[0].isupper(), not before[0].isalnum()))
        before = token
    return found


@cache
def common_words() -> frozenset[str]:
    """Words that are no names (see `grice.models.training.rewriter.common_words`), and those that stand for other facts."""
    listed = resources.files("grice.models.text").joinpath("common_words.txt").read_text(encoding="utf-8").split()
    tables: tuple[Iterable[str], ...] = (
        *(fact_words.NUMBERS, fact_words.SCALES, fact_words.ORDINALS, fact_words.DAYS, fact_words.MONTHS, fact_words.CURRENCIES),
        *(fact_words.RELATIVE_DAYS, fact_words.PARTS_OF_DAY, fact_words.TIMES_OF_DAY, fact_words.UNITS),
        *(fact_words.AREAS, fact_words.PRICE_RANGES),
    )
    return frozenset({*listed, *(word for table in tables for word in table), *_SHORT_FORMS, *_RARE_BUT_COMMON})


def unaccented(text: str) -> str:
    """`text` with é as e and ’ as '."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text.replace("’", "'")) if not unicodedata.combining(c))


def same_word(one: str, other: str) -> bool:
    """Whether two words (small letters) are forms of one: an ending more or less, or British and American spelling."""
    if one == other:
        return True
    shared = 0
    for left, right in zip(one, other):  # noqa: B905 - the shorter decides
        if left != right:
            break
        shared += 1
    if shared >= 4 and one[shared:] in _ENDINGS and other[shared:] in _ENDINGS:
        return True
    return shared >= 2 and _american(one) == _american(other)


def _american(word: str) -> str:
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word
