"""Refuses a rewrite that the dialogue does not support: what it adds, drops and flips, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from grice.middleware.turns.analysis import Finding
from grice.middleware.turns.guard.agreement import commits, is_mere_reply
from grice.middleware.turns.guard.bounds import turned_bounds
from grice.middleware.turns.guard.facts import Fact, find_facts, offered, squashed
from grice.middleware.turns.guard.polarity import (
    Clause,
    choices,
    clauses,
    declines_request,
    denied_words,
    may_decline,
    refused_choices,
    regions,
    topics,
)
from grice.middleware.turns.guard.roles import exchanged_roles
from grice.middleware.turns.guard.topics import added_topics
from grice.middleware.turns.guard.words import Word, same_word, split_words, unaccented
from grice.models.dialogue import Dialogue
from grice.models.text.fact_words import AREAS, PRICE_RANGES, words

_BEFORE_NAME = frozenset(words("from at in called named near visit via"))
_BEFORE_TO = frozenset(words("go going get travel traveling travelling head heading train taxi trip ticket back off"))
_AFTER_NAME = frozenset(words("food restaurant restaurants cuisine hotel college museum station street road airport"))
_KINDS = frozenset(words("station airport restaurant hotel museum college theatre theater"))
"""These may follow any name: "the station in Ely" supports "Ely station"."""
_RELATIVES = frozenset(words("law laws"))
"""After "in" no names: "my mother-in-law"."""
_UNDERSTOOD = frozenset(words("tonight"))
"""A rewrite may leave these out."""
_LARGEST_GAP = 2
"""Words of the dialogue that a name may leave out between two of its words: "acorn (guest) house"."""

_CHOICES: tuple[tuple[Mapping[str, str], Literal["name", "price"]], ...] = ((AREAS, "name"), (PRICE_RANGES, "price"))
_IMPLIED = "price"
"""A price range may be implied ("I have little money"), a part of town may not. Neither may contradict what the turn says."""


class Guard:
    """Compares a rewrite with the turn and its history."""

    def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
        """What speaks against `rewrite` as another form of the last turn of `dialogue`; empty if nothing does."""
        turn, new = _Text(dialogue.last.text), _Text(rewrite)
        history = [_Text(earlier.text) for earlier in reversed(dialogue.history)]
        return (*_added(turn, history, new), *_dropped(turn, history, new), *_flipped(turn, new), *_turned(turn, new))


def find_added(texts: Sequence[str], sources: Sequence[str]) -> list[tuple[Finding, ...]]:
    """Of each text the numbers, times, dates, prices, quotations and names that none of `sources` has, in order."""
    given = [_Text(source) for source in sources]
    return [(*_added_facts(text, given), *_added_choices(text, given)) for text in map(_Text, texts)]


def _added_choices(text: _Text, sources: Sequence[_Text]) -> Iterator[Finding]:
    for table, what in _CHOICES:
        for value in choices(table, text.text):
            if not any(value in choices(table, source.text) for source in sources):
                yield Finding("added", what, value)


def _added_facts(rewrite: _Text, sources: Sequence[_Text]) -> Iterator[Finding]:
    facts: Sequence[Fact] = [fact for fact in rewrite.facts if fact.needs]
    for source in sources:
        facts = source.lacks(facts)
    for fact in facts:
        yield Finding("added", fact.what, fact.text)
    yield from _added_names(rewrite, sources)
    for region in regions(rewrite.text):
        if not any(region in source.text.lower() for source in sources):
            yield Finding("added", "name", region)


def _added(turn: _Text, history: Sequence[_Text], rewrite: _Text) -> Iterator[Finding]:
    """What neither the turn nor its history says."""
    sources = (turn, *history)
    yield from _added_facts(rewrite, sources)
    for topic in added_topics(rewrite.texts, [source.texts for source in sources]):
        yield Finding("added", "topic", topic)
    for table, what in _CHOICES:
        given = choices(table, turn.text)
        for value in choices(table, rewrite.text):
            contradicted = value not in given and any(given.values())
            hinted = what == _IMPLIED and not is_mere_reply(turn.text)
            named = value in given or hinted or any(value in choices(table, source.text) for source in history)
            if contradicted or not named:
                yield Finding("added", what, value)


def _added_names(rewrite: _Text, sources: Sequence[_Text]) -> Iterator[Finding]:
    """Names that no source contains, or not together: "curry garden" and "golden house" do not support "golden garden"."""
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


def _dropped(turn: _Text, history: Sequence[_Text], rewrite: _Text) -> Iterator[Finding]:
    """What the user gave and the rewrite lost."""
    for fact in rewrite.lacks([fact for fact in turn.facts if fact.needs and fact.text not in _UNDERSTOOD]):
        yield Finding("dropped", fact.what, fact.text)
    yield from _dropped_names(turn, history, rewrite)
    for table, what in _CHOICES:
        kept = choices(table, rewrite.text)
        for value, affirmed in choices(table, turn.text).items():
            if affirmed and value not in kept:
                yield Finding("dropped", what, value)


def _dropped_names(turn: _Text, history: Sequence[_Text], rewrite: _Text) -> Iterator[Finding]:
    given = turn.words
    denied = denied_words(turn.clauses)
    for place, word in enumerate(given):
        if not word.uncommon or len(word.text) < 3 or word.text in denied or rewrite.has(word.text):
            continue
        before = given[place - 1].text if place else ""
        if before == "in" and word.text in _RELATIVES:
            continue
        after = given[place + 1].text if place + 1 < len(given) else ""
        leads = before in _BEFORE_NAME or (before == "to" and place > 1 and given[place - 2].text in _BEFORE_TO)
        if word.capital or leads or after in _AFTER_NAME or any(word.text in source.vocabulary for source in history):
            yield Finding("dropped", "name", word.text)
    for run in _capital_runs(given):
        if not any(word.uncommon or rewrite.has(word.text) for word in run):
            yield Finding("dropped", "name", " ".join(word.text for word in run))


def _capital_runs(given: Sequence[Word]) -> Iterator[list[Word]]:
    """Two or more capitalised words in a row."""
    run: list[Word] = []
    for word in [*given, Word("", False, False)]:
        if word.capital and not (run and word.after_mark):
            run.append(word)
            continue
        if len(run) > 1:
            yield run
        run = []


def _flipped(turn: _Text, rewrite: _Text) -> Iterator[Finding]:
    """What one of the two affirms and the other denies, and a denied request out of nowhere."""
    for table, _ in _CHOICES:
        given, unwanted = choices(table, turn.text), refused_choices(table, turn.text)
        for value, affirmed in choices(table, rewrite.text).items():
            if (affirmed and value in unwanted) or (not affirmed and given.get(value)):
                yield Finding("negation", "negation", value)
    before, after = topics(turn.clauses), topics(rewrite.clauses)
    turned = [word for word, polarity in after.items() if polarity is not None and before.get(word) is (not polarity)]
    for word in turned:
        yield Finding("negation", "negation", word)
    if not turned and not may_decline(turn.clauses):
        for clause in filter(declines_request, rewrite.clauses):
            yield Finding("negation", "negation", " ".join(clause))


def _turned(turn: _Text, rewrite: _Text) -> Iterator[Finding]:
    """A time on its other side, exchanged parts, and a yes for a hesitation or a condition."""
    for bound in turned_bounds(turn.text, rewrite.text):
        yield Finding("negation", "time", bound.text)
    for each in exchanged_roles(turn.text, rewrite.text):
        yield Finding("negation", each.what, each.text)
    if commits(turn.text, rewrite.text):
        yield Finding("added", "agreement", rewrite.text)


class _Text:
    """A turn or rewrite, with what is in it found once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def facts(self) -> list[Fact]:
        return find_facts(self.text)

    @cached_property
    def words(self) -> list[Word]:
        return split_words(self.text)

    @cached_property
    def clauses(self) -> list[Clause]:
        return list(clauses(self.text))

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.words]

    @cached_property
    def vocabulary(self) -> set[str]:
        return {word.text for word in self.words}

    @cached_property
    def letters(self) -> str:
        return squashed(unaccented(self.text))

    def lacks(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        """Those of `facts` that the text does not support."""
        if not facts:
            return facts
        keys = offered(self.facts)
        left = [fact for fact in facts if fact.needs.isdisjoint(keys)]
        letters = squashed(self.text)
        return [fact for fact in left if not fact.verbatim or fact.verbatim not in letters]

    def has(self, word: str) -> bool:
        """Whether `word` is here in some form: inflected, spelt the American way, joined (guest house) or split (guesthouse)."""
        if word in self.vocabulary or (len(word) >= 6 and word in self.letters):
            return True
        return any(same_word(word, other) or (len(word) >= 4 and other.endswith(word)) for other in self.vocabulary)

    def has_pair(self, first: str, second: str) -> bool:
        """Whether the two words stand here in this order, close to each other."""
        texts = self.texts
        for place, text in enumerate(texts):
            if text == first or same_word(first, text):
                following = texts[place + 1 : place + 2 + _LARGEST_GAP]
                if any(same_word(second, other) for other in following):
                    return True
        return first + second in self.letters
