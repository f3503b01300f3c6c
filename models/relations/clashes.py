"""Values of a response that cannot be right beside a row: found by comparing them, and only where little can be misunderstood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grice.models.relations.inputs import row_text
from grice.models.relations.results import QuotedSpan, RelationFinding, RelationQuestion
from grice.models.relations.sentences import sentence_places
from grice.models.relations.values import StatedValue, is_borne_out, known_amounts, stated_values

STEM = 5
LEAST = 4
"""Letters that words must share at their beginning to be alike, where neither is shorter."""

_WORD = re.compile(r"[a-z]{3,}")
_PRICES = frozenset({"price", "cost", "costs", "fare", "fee", "pay", "pays"})
_LEAVES = frozenset({"leave", "leaves", "depart", "departs", "departure"})
_OPEN = re.compile(r"\?|\b(?:if|unless|instead|rather|another)\b", re.IGNORECASE)
"""A sentence with one of these may speak of another value than the row's, and be right."""
_ELSEWHERE = re.compile(
    r"n['’]t\b|\b(?:not|no|never|nor|or|than|other|next|earlier|later|new|mov\w+|chang\w+|reschedul\w+|would|could|might|about|around|"
    r"almost|nearly)\b",
    re.IGNORECASE,
)
"""So may a part of a sentence with one of these."""
_PART = re.compile(r"[,;:](?=\s)|\s[-–—]\s")


@dataclass(frozen=True)
class ValueClash:
    """A value that contradicts a row: the sentence's, the place of the row, and the field with what it has."""

    value: StatedValue
    row: int
    field: str
    has: str


def find_clash(question: RelationQuestion) -> RelationFinding | None:
    """The first value of the response that contradicts a row, with the row's words and its own; its probability is 1."""
    place, response = len(question.dialogue.history), question.dialogue.last.text
    for number, (start, end) in enumerate(sentence_places(response)):
        for clash in clashes_in(question, response[start:end]):
            first, last = start + clash.value.start, start + clash.value.end
            words = QuotedSpan("response", place, number, first, last, response[first:last])
            return RelationFinding("!Fac", 1.0, quote_field(question, clash), words, rule=True)
    return None


def clashes_in(question: RelationQuestion, sentence: str) -> list[ValueClash]:
    """Values of a sentence of the response that contradict its rows.

    A value of a row that the user said is no fact but a wish, as slots are: nothing clashes with it.
    """
    turns = question.dialogue.history
    found = find_clashes(sentence, question.facts, [*(turn.text for turn in turns), *question.documents, *question.policy])
    wished = known_amounts(turn.text for turn in turns if turn.speaker == "user") if found else set()
    return [clash for clash in found if not wished & {each.amount for each in _values(clash.has, clash.value)}]


def find_clashes(sentence: str, rows: Sequence[Mapping[str, str]], said: Iterable[str]) -> list[ValueClash]:
    """Times, dates, days and amounts of a sentence that nothing has, where its row has another in the field that it names.

    The sentence names exactly one field that has one value of that kind, and neither asks, denies nor speaks of another one.

    Args:
        said: turns and documents; a value in one of them does not clash, nor does one that follows from what was given.
    """
    about = row_of(sentence, rows)
    if about is None or _OPEN.search(sentence):
        return []
    clashes, own = [], stated_values(sentence)
    known: set[str] | None = None
    for value in own:
        named = [name for name in rows[about] if named_in(sentence, name) and _values(rows[about][name], value)]
        if value.kind == "number" or len(named) != 1 or re.search(r"\d", named[0]) or _ELSEWHERE.search(_part(sentence, value)):
            continue
        has = _values(rows[about][named[0]], value)
        if len(has) != 1 or has[0].amount in {each.amount for each in own}:
            continue
        if known is None:
            known = known_amounts([*said, *(text for row in rows for text in (row_text(row), *row.values()))])
        if not is_borne_out(value, known) and not _follows(value, known):
            clashes.append(ValueClash(value, about, named[0], rows[about][named[0]]))
    return clashes


def quote_field(question: RelationQuestion, clash: ValueClash) -> QuotedSpan:
    """The field of the row with its value, where they stand in the row's text."""
    quoted = f"{clash.field}: {clash.has}"
    fields = [f"{name}: {value}" for name, value in question.facts[clash.row].items()]
    start = sum(len(each) + len("; ") for each in fields[: fields.index(quoted)])
    return QuotedSpan("fact", clash.row, 0, start, start + len(quoted), quoted)


def named_in(sentence: str, name: str) -> bool:
    """Whether a word of the sentence is alike to one of the field's name: "arrives" and "arrival", "costs" and "price"."""
    said, words = set(_WORD.findall(sentence.lower())), set(_WORD.findall(name.lower()))
    if any(words & group and said & group for group in (_PRICES, _LEAVES)):
        return True
    return any(_alike(one, other) for one in said for other in words)


def row_of(sentence: str, rows: Sequence[Mapping[str, str]]) -> int | None:
    """The only row, or the only one of which the sentence names a value that is no number, time or date."""
    if len(rows) == 1:
        return 0
    lower = sentence.lower()
    named = [
        place
        for place, row in enumerate(rows)
        if any(len(value) > 3 and value.lower() in lower and not stated_values(value) for value in row.values())
    ]
    return named[0] if len(named) == 1 else None


def _alike(one: str, other: str) -> bool:
    shared = min(len(one), len(other), STEM)
    return one == other or (shared >= LEAST and one[:shared] == other[:shared])


def _part(sentence: str, value: StatedValue) -> str:
    """The part of a sentence, between commas and the like, that a value stands in."""
    ends = [match.start() for match in _PART.finditer(sentence)]
    start = max((end for end in ends if end < value.start), default=0)
    return sentence[start : min((end for end in ends if end >= value.end), default=len(sentence))]


def _values(text: str, like: StatedValue) -> list[StatedValue]:
    """Those of a text that can be compared with a value: weekdays only with weekdays, shares only with shares."""
    return [each for each in stated_values(text) if each.kind == like.kind and each.unit == like.unit]


def _follows(value: StatedValue, known: set[str]) -> bool:
    """Whether a time lies as many minutes or hours from a known one as a known number says."""
    if value.kind != "time":
        return False
    apart = [abs(_minutes(each) - _minutes(value.amount)) for each in known if ":" in each]
    return any(str(each) in known or (each % 60 == 0 and str(each // 60) in known) for each in apart)


def _minutes(time: str) -> int:
    hour, _, minute = time.partition(":")
    return 60 * int(hour) + int(minute)
