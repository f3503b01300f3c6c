"""Whether a text says a slot's value in so many words.

A value is said verbatim if its words are in the text, next to each other and in order. Words are compared in lower case and without
the final s of a plural; the number words from one to twelve are the same as their digits. True and False are never said verbatim:
what a person would say for them is not in the schema.
"""

from __future__ import annotations

import functools
import re

_WORD = re.compile(r"\w+")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS, start=1)}
_BOOLEANS = frozenset({"true", "false"})


def says(text: str, value: str) -> bool:
    """Whether `text` says `value` verbatim; see the module's description."""
    wanted, said = _compared(value), _compared(text)
    if not wanted or wanted[0] not in said or value.casefold() in _BOOLEANS:
        return False
    return any(said[start : start + len(wanted)] == wanted for start in range(len(said) - len(wanted) + 1))


def words(text: str) -> list[str]:
    """The words of `text` as they are compared."""
    return list(_compared(text))


@functools.lru_cache(maxsize=4096)  # a menu's values are looked for in each of its examples
def _compared(text: str) -> tuple[str, ...]:
    return tuple(_word(word) for word in _WORD.findall(text.casefold()))


def _word(word: str) -> str:
    if word in _DIGITS:
        return _DIGITS[word]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
