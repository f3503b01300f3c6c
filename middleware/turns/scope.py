"""Which turns are none that our models can read: they know English, and what people say to a bot."""

from __future__ import annotations

import re
import unicodedata

from grice.middleware.turns.guard.words import common_words, split_words
from grice.models.text.fact_words import words

MOST_CHARACTERS = 600
"""Of a longer turn the models would read a part only."""
FEWEST_WORDS = 4
"""Fewer do not show a language."""
LEAST_KNOWN = 0.34
"""Share of the words of an English turn that are common English words; of 40,000 turns written for this project 3 in 1,000 have
fewer, and most of those have one of `_ENGLISH`."""

_ENGLISH = frozenset(
    words("the of my your with and this that would need please from under behind their she his you are our what when where there")
)
"""Frequent English words that hardly any other language has."""
_COMMAND = re.compile(r"\s*/\w")
_CODE = re.compile(
    r"```|</?[a-z][^<>]*>|\b\w+\([^()]*\)\s*[;{]|\b(?:select\b.+\bfrom|insert\s+into|def\s+\w+\(|import\s+\w+$)|^\s*\w+://\S+\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_MARK_OF_CODE = re.compile(r"[{}\[\]<>;=\\|]")
_MOST_MARKS = 0.08


def is_out_of_scope(text: str) -> bool:
    """Whether it is a command, code, longer than what is read, in another script, or in another language than English."""
    return (
        len(text) > MOST_CHARACTERS
        or _COMMAND.match(text) is not None
        or _is_code(text)
        or _is_other_script(text)
        or _is_other_language(text)
    )


def _is_code(text: str) -> bool:
    marks = len(_MARK_OF_CODE.findall(text))
    return _CODE.search(text) is not None or (marks > 2 and marks >= _MOST_MARKS * len(text))


def _is_other_script(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    others = [character for character in letters if not character.isascii() and "LATIN" not in unicodedata.name(character, "")]
    return 2 * len(others) > len(letters)


def _is_other_language(text: str) -> bool:
    said = [word.text for word in split_words(text) if word.text.isalpha()]
    known = common_words()
    return len(said) >= FEWEST_WORDS and sum(word in known for word in said) < LEAST_KNOWN * len(said) and _ENGLISH.isdisjoint(said)
