"""Which of the options that a bot listed a turn names: "the first one", "option B", "the one by the window".

Only words that name one count. A hint at one ("my wife gets seasick") names none; which one it means is not told here.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.models.text.verbatim import words as compared

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LETTERS = "abcdefgh"
_PLACES = {
    **{word: place for place, word in enumerate(ORDINALS, start=1)},
    **{f"{place}{end}": place for place, end in enumerate(("st", "nd", "rd", *["th"] * 7), start=1)},
}
_PAIR = {"former": 1, "latter": 2}
_COUNTED = {**{word: place for place, word in enumerate(_NUMBERS, start=1)}, **{str(place): place for place in range(1, 11)}}
_MARKS = frozenset(("option", "number", "nr", "no", "choice", "variant", "answer", "letter"))

_WORDS = {
    name: frozenset(listed.split())
    for name, listed in json.loads(Path(__file__).with_name("option_words.json").read_text(encoding="utf-8")).items()
}
"""`wish` stands beside words that name an option, `praise` behind them; `beside` are words in a name that the option need not have.

A clause with one of those that `denies` names none.
"""
_ASKED = ("is", "are", "do", "does")
"""A clause that begins with one of these asks about an option."""
_REASON = re.compile(r"\b(?:because|since|you (?:said|mentioned|listed|named|offered))\b.*")

_CLAUSE = re.compile(r"[,;:!?\n—–]+|\.(?=\s|$)|\s-\s")
_WORD = re.compile(r"[a-z0-9']+(?:-[a-z0-9']+)*")
_MARKER = re.compile(r"(?:(?<=\s)|^)(?:\(?([1-9]|10|[a-h])\)|([1-9]|10)\.)\s+", re.I)
_ASKS = re.compile(r"\b(?:which|what|who|whom|where|when|how|prefer)\b", re.I)
_OPENER = re.compile(r"^(?:either|well|ok(?:ay)?|sure|great|thanks|thank you|sorry|alright|good|fine|yes|no|and|or)\b\s*", re.I)
_BETWEEN = re.compile(r"(?:who|which|where)\b", re.I)
"""What begins a clause about the option before: "Mia, who does stretching"."""
_LINE = re.compile(r"^[ \t]*[-*•][ \t]+(\S.*)$", re.M)
_STOP = r"(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)\.(?=\s|$)"
_SENTENCE = re.compile(rf"(?:{_STOP}|[!?])\s*|:\s+|\n")
_END = re.compile(rf"[,;:!?\n]|{_STOP}|\s+(?:and|or)\s*$")
_BEFORE_A_LIST = re.compile(r"(?:for|in|on|at|as|with|under|by|from|of)\b", re.I)


def choose_option(text: str, pending: str) -> int | None:
    """The place of the option that a turn names, from 1; None where it names none, or several.

    Args:
        text: the turn.
        pending: what the bot said last, with its options: "1) … 2) …", "(a) … (b) …" or "X, Y or Z". Where no list is found in
            it, a number alone says which one.
    """
    asked = _Listed.of(pending)
    clauses = list(_clauses(text))
    alone = len([clause for clause in clauses if not _WORDS["wish"].issuperset(clause) or clause == ["one"]]) == 1
    found = {place for clause in clauses if clause[0] not in _ASKED for place in _named(clause, asked, alone)}
    return found.pop() if len(found) == 1 else None


def read_options(pending: str) -> tuple[str, ...]:
    """The options that a bot's turn lists, in order; none where it lists none, or it cannot be told where one ends."""
    marks = list(_MARKER.finditer(pending))
    names = [(mark[1] or mark[2]).lower() for mark in marks]
    if len(names) > 1 and names in ([str(place) for place in range(1, len(names) + 1)], [*_LETTERS[: len(names)]]):
        ends = [*(mark.start() for mark in marks[1:]), len(pending)]
        return tuple(_until_stop(pending[mark.end() : end]) for mark, end in zip(marks, ends, strict=True))
    if len(lines := _LINE.findall(pending)) > 1:
        return tuple(map(_until_stop, lines))
    sentences = _SENTENCE.split(pending)
    listing = ((sentence, joint) for joint in (" or ", " and ") for sentence in sentences if joint in sentence)
    return next((_of_sentence(*each) for each in listing), ())


def _of_sentence(sentence: str, joint: str) -> tuple[str, ...]:
    """The options of "I have X, Y or Z": of the first as many words as the longest other has, for what introduces it."""
    head, last = sentence.rsplit(joint, 1)
    told = [_OPENER.sub("", part).strip() for part in re.split(rf",\s*(?:{joint.strip()} )?|{joint}", head)]
    parts = [part for part in told if part and not _BETWEEN.match(part)]
    if len(parts) > 1 and _ASKS.search(parts[0]):
        del parts[0]
    if not parts or (len(parts) > 1 and _BEFORE_A_LIST.match(parts[0]) and parts[0].split()[0] != parts[1].split()[0]):
        return ()
    others = [*parts[1:], _until_stop(last)]
    longest = max(len(each.split()) for each in others)
    return (" ".join(parts[0].split()[-longest:]), *others)


def _until_stop(text: str) -> str:
    return _END.split(text.strip())[0].strip()


@dataclass(frozen=True)
class _Listed:
    """What a turn answers.

    Attributes:
        options: the words of each option. others: the words that the bot said beside them.
        numbered: whether the options have numbers or letters.
    """

    options: tuple[frozenset[str], ...]
    others: frozenset[str]
    numbered: bool

    @classmethod
    def of(cls, pending: str) -> _Listed:
        options = tuple(frozenset(compared(option)) for option in read_options(pending))
        others = frozenset(compared(pending)).difference(*options)
        return cls(options, others, bool(options) and _MARKER.search(pending) is not None)


def _clauses(text: str) -> Iterator[list[str]]:
    plain = re.sub(r"\bno\.\s*(?=\d)|#(?=\d)", "number ", text.lower().replace("’", "'"))
    for clause in _CLAUSE.split(plain):
        words = _WORD.findall(_REASON.sub("", clause))
        if words:
            yield words


def _named(clause: Sequence[str], asked: _Listed, alone: bool) -> Iterator[int]:
    """The places that a clause may name: by words of one option, or by a number. `alone`: it is all that the turn says."""
    place = _marked(clause)
    if place is None and _WORDS["denies"].isdisjoint(clause):
        words = _without_wish(clause)
        own = set(compared(" ".join(words))) - _WORDS["beside"] - asked.others
        fitting = [at for at, option in enumerate(asked.options, start=1) if own and own <= option]
        if len(fitting) == 1:
            yield fitting[0]
        place = _place(words, clause, asked, alone)
    if place is not None and (not asked.options or place <= len(asked.options)):
        yield place


def _marked(clause: Sequence[str]) -> int | None:
    """The place of "number two" or "option b", if the clause says that and nothing else."""
    for at, (mark, said) in enumerate(itertools.pairwise(clause)):
        place = _COUNTED.get(said) or (_LETTERS.find(said) + 1 if len(said) == 1 else 0)
        number = mark in _MARKS and (mark != "no" or said.isdigit())  # nobody is "no one"
        if number and place and not _without_wish([*clause[:at], *clause[at + 2 :]]):
            return place
    return None


def _place(words: Sequence[str], clause: Sequence[str], asked: _Listed, alone: bool) -> int | None:
    """The place of "the first one", "last" or "b", if the words say that and nothing else."""
    told = [word for word in words if word not in _MARKS]
    if asked.numbered and alone and (told or list(clause)) == ["one"]:
        return 1
    if len(told) != 1 or not (alone or "the" in clause or "one" in clause):
        return None
    (word,), count = told, len(asked.options)
    if word in _PAIR:
        return _PAIR[word] if count in (0, 2) else None
    if word == "last":
        return count or None
    if word in _LETTERS and alone and (word != "a" or clause[0] == word):
        return _LETTERS.index(word) + 1
    return _PLACES.get(word) or (_COUNTED.get(word) if asked.numbered and alone else None)


def _without_wish(clause: Sequence[str]) -> list[str]:
    """The words of a clause that name something: without those that wish, and praise at its end."""
    end = len(clause)
    while end and clause[end - 1] in _WORDS["praise"] | _WORDS["wish"]:
        end -= 1
    return [word for word in clause[:end] if word not in _WORDS["wish"]]
