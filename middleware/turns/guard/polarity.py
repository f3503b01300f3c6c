"""What is in a text, third part: what it affirms and what it denies.

A negation reaches to the end of its clause. Wordings that deny on the surface only ("I don't mind", "why not", "can't you find",
"not to pay for parking") leave it open, and so does what one will do oneself or later: an open word is never turned around.

Parts of town and price ranges are values of closed classes, which a text may name in many words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from grice.models.text.fact_words import AREAS, PRICE_RANGES, words

Polarity: TypeAlias = "bool | None"
"""True affirmed, False denied, None open."""
Clause = Sequence[str]
"""The words of a clause, in small letters."""

_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|[.,;:?!–—]|\s-\s")
_SPLIT_CONTRACTION = re.compile(r"\s(?=n't\b)|(?<=\w)\s(?='\s?(?:t|s|m|re|ve|ll|d)\b)|(?<=')\s(?=(?:t|s|m|re|ve|ll|d)\b)")
_NEGATIONS = frozenset(
    words(
        "not no never without nothing none nobody neither nor cannot dont doesnt isnt wont cant wouldnt shouldnt skip cancel avoid"
    )
)
"""Besides everything that ends in n't."""
_OF_THE_PAST = frozenset(words("haven't hasn't hadn't didn't wasn't weren't havent hasnt hadnt didnt wasnt"))
_ANSWERS = frozenset(words("no nope nah yes yeah yep yea"))
_CLAUSE_ENDS = frozenset(
    (*".,;:?!–—", " - ", *words("but just because so though although since while if when unless please thanks thank"))
)
_NEW_CLAUSE = frozenset(
    words(
        "i we you they it that this there can could will would please find get give book let make tell show everything"
        " don't dont i'm i'd i'll i've it's that's there's let's"
    )
)
"""After "and", "or" or an answering "no", these begin another clause."""
_SAYS_NOT_NEEDED = frozenset(words("needed necessary required need require important wanted essential"))
_REQUESTS = _SAYS_NOT_NEEDED.union(words("want book reserve make find get send include"))
_OPEN = frozenset(
    words(
        "mind care matter matters sure know idea preference preferences prefer particular problem worry wait hesitate"
        " forget wonder until than except besides other only mention hurt happen why else anything more further anymore"
        " longer enough later earlier difference doubt afford whether too very think find picky specific least before"
        " after pay paying paid extra fee fees charge charges spend issue bother concern familiar believe able walk starve"
        " miss trouble lost stuck stranded shame difficult hard fail mess decision choosy"
    )
)
"""In a clause with a negation, these leave it open what is denied."""
_REFUSED = frozenset(words("need want book reserve require"))
"""A negation right before these refuses, whatever else the clause says, but for what follows."""
_COSTS_OR_PARTING = frozenset(words("pay paying paid extra fee fees anything else more further anymore afford spend")).union(
    AREAS, PRICE_RANGES
)
_LIMITS = _COSTS_OR_PARTING.union(words("than other except until before after very too"))
_POSTPONED = frozenset(words("later myself ourselves yourself"))
_HINTS = frozenset(words("instead rather only all enough already everything changed thanks thank actually"))
"""What may stand for a no: "I can do that later", "that is all"."""
_GENERIC = frozenset(
    words(
        "a an the i me my we us our you your it its they them that this these those is are was were be been am do does"
        " did have has had having can could will would shall should may might must to of in on at for from by with and or"
        " as so if need needs needed want wanted like yes ok okay one ones some something everything all get give go going"
        " make find look looking see let really actually there about each any what which where who how time now today"
        " right good great fine here also then try day side place places number priced suggest interested ready help think"
        " know before after pm am town much either both between stay area way even well still yet two too it's i'm i'd i'll"
        " i've that's"
    )
)
"""Words of no topic: that one is affirmed here and denied there says nothing."""
_SAME = {
    **dict.fromkeys(words("reserve reservation reservations reserved reserving booking bookings booked"), "book"),
    **dict.fromkeys(words("internet wi wireless"), "wifi"),
    **dict.fromkeys(words("park parked"), "parking"),
    **dict.fromkeys(words("cab ride"), "taxi"),
}


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of `text` in order; some may be empty."""
    clause: list[str] = []
    tokens = _tokens(text)
    for token, following in zip(tokens, (*tokens[1:], "")):  # noqa: B905 - no tokens, no clauses
        joins = (token in ("and", "or") and following in _NEW_CLAUSE) or (token == "and" and following in ("not", "no"))
        answers = not clause and token in _ANSWERS and following in _NEW_CLAUSE
        asks_back = token == "no" and following in ("?", "")
        if token in _CLAUSE_ENDS or joins or answers or asks_back:
            if token == "?" and clause and clause[0].endswith("n't"):
                clause.append("why")
            yield clause
            clause = []
        else:
            clause.append("without" if token == "instead" and following == "of" else token)
    yield clause


def denied_words(said: Sequence[Clause]) -> set[str]:
    """The words in denied clauses: "not British but Turkish" gives british."""
    return {word for clause in said for word, polarity in _polarities(clause) if polarity is False}


def topics(said: Sequence[Clause]) -> dict[str, Polarity]:
    """The words that say something, each with its polarity; open where it is both affirmed and denied."""
    found: dict[str, Polarity] = {}
    for clause in said:
        for word, polarity in _polarities(clause):
            topic = _SAME.get(word, word)
            if topic not in _GENERIC and not _is_negation(topic):
                found[topic] = polarity if found.get(topic, polarity) is polarity else None
    return found


def may_decline(said: Sequence[Clause]) -> bool:
    """Whether a user who says this may mean no to what was offered."""
    everything = {word for clause in said for word in clause}
    return any(map(_is_negation, everything)) or not everything.isdisjoint(_ANSWERS | _POSTPONED | _HINTS)


def declines_request(clause: Clause) -> bool:
    """Whether a clause denies something that one asks for."""
    denied = any(polarity is False for _, polarity in _polarities(clause))
    return (denied and not _REQUESTS.isdisjoint(clause)) or _refuses(clause, _COSTS_OR_PARTING)


def _tokens(text: str) -> list[str]:
    plain = text.lower().replace("’", "'").replace("´", "'")
    if " '" in plain or "' " in plain or " n't" in plain:
        plain = _SPLIT_CONTRACTION.sub("", plain)
    return _TOKEN.findall(plain)


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _polarities(clause: Clause) -> list[tuple[str, Polarity]]:
    places = [place for place, word in enumerate(clause) if _is_negation(word)]
    said = set(clause)
    if not places:
        polarity = None if _POSTPONED & said else True
        return [(word, polarity) for word in clause]
    start = places[0]
    if len(places) > 1 or clause[start] in _OF_THE_PAST or (_is_open(said) and not _refuses(clause, _LIMITS)):
        return [(word, None) for word in clause]
    whole = not _SAYS_NOT_NEEDED.isdisjoint(clause[start:])
    return [(word, False if whole or place > start else None) for place, word in enumerate(clause)]


def _refuses(clause: Clause, exceptions: frozenset[str]) -> bool:
    refused = any(_is_negation(word) and following in _REFUSED for word, following in pairwise(clause))
    return refused and exceptions.isdisjoint(clause)


def _is_open(said: set[str]) -> bool:
    return not (_OPEN.isdisjoint(said) and said.isdisjoint(AREAS) and said.isdisjoint(PRICE_RANGES))


_CHOICE_WORD = re.compile(r"[^\W\d_]+|[.,;:?!]")
_MIDDLE_OF_TOWN = re.compile(r"\b(?:middle|heart)\s+of\s+(?:the\s+|your\s+)?(?:town|city|cent)\w*")
_CUISINE_OR_TIME = re.compile(
    r"\b(?:(?:middle|mid|far|north|south|east)[\s-]+east(?:ern)?|(?:north|south|east|west)(?:ern)?\s+(?:europ|americ|afric|india|asia)\w*)"
)
_WORTH_A_LOOK = frozenset({"middle", "heart", *AREAS, *PRICE_RANGES})
_REFUSED_CHOICE = re.compile(
    r"(?:\bnot|n['’]t|\bno|\bnothing)\s+(?:(?:want|like|need|go|to|in|on|an?|the|too|very|so|anything|something|overly)\s+){0,5}"
    rf"({'|'.join((*AREAS, *PRICE_RANGES))})\b"
)
_AGAINST = frozenset(words("not t dont no too overly less than without never nothing neither nor other far away avoid"))
_ENDS_OF_AGAINST = frozenset((*".,;:?!", "but", "just", "only", "instead"))


def regions(text: str) -> list[str]:
    """Regions of the world, in small letters, whose names hold a point of the compass and are no parts of town."""
    return _CUISINE_OR_TIME.findall(text.lower())


def choices(table: Mapping[str, str], text: str) -> dict[str, bool]:
    """The values of `table` in `text`, each with whether it is affirmed ("not too expensive" is not)."""
    found: dict[str, bool] = {}
    affirmed = True
    said = _CHOICE_WORD.findall(text.lower())
    if not _WORTH_A_LOOK.isdisjoint(said):
        said = _CHOICE_WORD.findall(_CUISINE_OR_TIME.sub("", _MIDDLE_OF_TOWN.sub("centre", text.lower())))
    for word in said:
        if word in _ENDS_OF_AGAINST:
            affirmed = True
        elif word in _AGAINST:
            affirmed = False
        elif word in table:
            found[table[word]] = found.get(table[word], False) or affirmed
    return found


def refused_choices(table: Mapping[str, str], text: str) -> set[str]:
    """The values of `table` that `text` plainly does not want."""
    return {table[word] for word in _REFUSED_CHOICE.findall(text.lower()) if word in table}
