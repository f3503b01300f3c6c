"""Finds names that a rewrite invents, puts together anew or loses.

The rewriter writes names it invents in small letters, so capitals alone do not show them: every word that is neither common nor in
the dialogue counts as a name. Names that the dialogue has must stand together as they do there: "curry garden" and "golden house"
do not support "golden garden".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from grice.middleware.turns.analysis import Finding
from grice.middleware.turns.guard.evidence import squashed
from grice.middleware.turns.guard.polarity import denied_words
from grice.middleware.turns.guard.vocabulary import NO_NAMES, common_words, same_word, unaccented
from grice.models.text.fact_words import words

_WORD_OR_MARK = re.compile(r"[^\W_]+|[^\w\s]")
_CONTRACTION = re.compile(r"(?<=\w)\s?['’]\s?(?:s|t|m|re|ve|ll|d)\b")
_SENTENCE_START = frozenset('.?!:;"“”(')
_BEFORE_NAME = frozenset(words("from at in called named near visit via"))
_BEFORE_TO = frozenset(words("go going get travel traveling travelling head heading train taxi trip ticket back off"))
_AFTER_NAME = frozenset(words("food restaurant restaurants cuisine hotel college museum station street road airport"))
_KINDS = frozenset(words("station airport restaurant hotel museum college theatre theater"))
"""These may follow any name: "the station in Ely" supports "Ely station"."""
_LARGEST_GAP = 2
"""Words of the dialogue that a name may leave out between two of its words: "acorn (guest) house"."""


class _Word(NamedTuple):
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


class Text:
    """A turn or rewrite with its words, split once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> list[_Word]:
        """The words in order, contractions cut off."""
        found = []
        before = "."
        shouted = self.text.isupper()
        for token in _WORD_OR_MARK.findall(_CONTRACTION.sub("", unaccented(self.text))):
            if token[0].isalnum():
                small = token.lower()
                capital = small != token and not shouted and before not in _SENTENCE_START and small not in NO_NAMES
                found.append(_Word(small, capital and token[0].isupper(), not before[0].isalnum()))
            before = token
        return found

    @cached_property
    def vocabulary(self) -> set[str]:
        """The distinct words."""
        return {word.text for word in self.words}

    @cached_property
    def letters(self) -> str:
        """Letters and digits only."""
        return squashed(unaccented(self.text))

    def has(self, word: str) -> bool:
        """Whether `word` is here in some form: inflected, spelt the American way, joined (guest house) or split (guesthouse)."""
        if word in self.vocabulary or (len(word) >= 6 and word in self.letters):
            return True
        return any(same_word(word, other) or (len(word) >= 4 and other.endswith(word)) for other in self.vocabulary)

    def has_pair(self, first: str, second: str) -> bool:
        """Whether the two words stand here in this order, close to each other."""
        texts = [word.text for word in self.words]
        for place, text in enumerate(texts):
            if text == first or same_word(first, text):
                following = texts[place + 1 : place + 2 + _LARGEST_GAP]
                if any(same_word(second, other) for other in following):
                    return True
        return first + second in self.letters


def added_names(rewrite: Text, sources: Sequence[Text]) -> Iterator[Finding]:
    """Names of the rewrite that none of `sources` (the turn first) contains, or not together."""
    missing = {word.text for word in rewrite.words if word.name_like}
    for source in sources:
        missing = {word for word in missing if not source.has(word)}
    for word in dict.fromkeys(word.text for word in rewrite.words):
        if word in missing:
            yield Finding("added", "name", word)
    for first, second in zip(rewrite.words, rewrite.words[1:]):  # noqa: B905 - pairs
        together = first.name_like and second.name_like and not second.after_mark and second.text not in _KINDS
        if together and not missing & {first.text, second.text} and not any(s.has_pair(first.text, second.text) for s in sources):
            yield Finding("added", "name", f"{first.text} {second.text}")


def dropped_names(turn: Text, history: Sequence[Text], rewrite: Text) -> Iterator[Finding]:
    """Names in the turn that the rewrite lost."""
    given = turn.words
    denied = denied_words(turn.text)
    for place, word in enumerate(given):
        if not word.uncommon or len(word.text) < 3 or word.text in denied or rewrite.has(word.text):
            continue
        before = given[place - 1].text if place else ""
        after = given[place + 1].text if place + 1 < len(given) else ""
        leads = before in _BEFORE_NAME or (before == "to" and place > 1 and given[place - 2].text in _BEFORE_TO)
        if word.capital or leads or after in _AFTER_NAME or any(word.text in source.vocabulary for source in history):
            yield Finding("dropped", "name", word.text)
    for run in _capital_runs(given):
        if not any(word.uncommon or rewrite.has(word.text) for word in run):
            yield Finding("dropped", "name", " ".join(word.text for word in run))


def _capital_runs(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Two or more capitalised words in a row."""
    run: list[_Word] = []
    for word in [*words, _Word("", False, False)]:
        if word.capital and not (run and word.after_mark):
            run.append(word)
            continue
        if len(run) > 1:
            yield run
        run = []
