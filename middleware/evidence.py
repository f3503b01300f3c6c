"""Finds the facts in a text that a rewrite must neither invent nor lose: numbers, times, dates, prices, codes and quoted values.

Two spellings of one fact share a key: "5pm" and "17:00", "two" and "2", "£20" and "20 pounds", "Tue" and "Tuesdays".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Literal

What = Literal["number", "time", "date", "price", "name", "quoted"]

NUMBER_WORDS = {
    **{w: n for n, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split())},
    **{"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "dozen": 12},
    **{w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)},
}
ORDINAL_WORDS = {w: n for n, w in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_DAY_FORMS = {"tues": "tuesday", "weds": "wednesday", "thur": "thursday", "thurs": "thursday"}
_MONTH_FORMS = {"sept": "september"}
DAY_NAMES = {**{day: day for day in WEEKDAYS}, **{day[:3]: day for day in WEEKDAYS}, **_DAY_FORMS}
MONTH_NAMES = {**{month: month for month in MONTHS}, **{month[:3]: month for month in MONTHS}, **_MONTH_FORMS}
RELATIVE_DAYS = ("today", "tonight", "tomorrow", "yesterday", "weekend", "weekends")
PARTS_OF_DAY = {"noon": 720, "midday": 720, "midnight": 0, "morning": -1, "afternoon": -2, "evening": -3}
_CURRENCIES = {
    **dict.fromkeys(("£", "pound", "pounds", "gbp", "quid"), "£"),
    **dict.fromkeys(("$", "dollar", "dollars", "usd", "bucks"), "$"),
    **dict.fromkeys(("€", "euro", "euros", "eur"), "€"),
    **dict.fromkeys(("pence", "cents"), "c"),
}
UNITS = {
    **dict.fromkeys(("person", "persons", "people", "ppl", "guest", "guests", "adult", "adults", "members", "us"), "people"),
    **dict.fromkeys(("of us", "diners", "travelers", "travellers", "passengers", "ticket", "tickets", "seat", "seats"), "people"),
    **dict.fromkeys(("other people", "others", "friends", "colleagues", "other guests", "other persons"), "others"),
    **dict.fromkeys(("night", "nights", "day", "days"), "nights"),
    **dict.fromkeys(("star", "stars"), "stars"),
    **dict.fromkeys(("hour", "hours", "hrs", "hr", "minute", "minutes", "mins", "min", "week", "weeks"), "duration"),
    **dict.fromkeys(("room", "rooms"), "rooms"),
}


@dataclass(frozen=True)
class Fact:
    """One fact in a text.

    Attributes:
        what: its kind.
        text: as it is written.
        needs: any of these keys supports it; empty where the words are too ambiguous to insist on ("sat", "a night").
        offers: keys that it supports in another text.
    """

    what: What
    text: str
    needs: frozenset[Hashable]
    offers: frozenset[Hashable]

    def supported_by(self, offered: frozenset[Hashable] | set[Hashable]) -> bool:
        """Whether the keys of another text support this fact."""
        return not self.needs or not self.needs.isdisjoint(offered)


def _either(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


_COUNT = rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|(?:{_either(NUMBER_WORDS)})\b(?:[- ](?:one|two|three|four|five|six|seven|eight|nine)\b)?"
_CLOCK_WORD = rf"\d{{1,2}}|(?:{_either(list(NUMBER_WORDS)[1:13])})\b"
_UNIT = rf"[\s-]?(?:{_either(UNITS)})\b"
_HALF = r"\s?(?P<half>[ap])\.?\s?m\b"
_FACT = re.compile(
    rf"""
      "(?P<quoted>[^"]{{2,80}})"
    | (?P<code>\b(?!\d+(?:st|nd|rd|th|[ap]m|\d*h|(?:{_either(UNITS)}|{_either(c for c in _CURRENCIES if c.isalpha())}))\b)
        (?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{{2,}}\b)
    | (?P<phone>(?<![\w.])\+?\d(?:[\s-]?\d){{8,14}}(?![\w:]))
    | (?P<numeric_date>\b\d{{1,4}}[/-]\d{{1,2}}(?:[/-]\d{{2,4}})(?!\d) | \b\d{{1,2}}/\d{{1,2}}(?!\d))
    | (?P<price>[£$€]\s?(?:{_COUNT}) | (?:{_COUNT})\s?(?:{_either(c for c in _CURRENCIES if c.isalpha())})\b)
    | (?P<clock>\b(?P<hour>[01]?\d|2[0-4])\s?:\s?(?P<minute>[0-5]\d)(?!\d)(?:{_HALF})?)
    | (?P<marked>\b(?P<hour2>\d{{1,2}})(?:\.(?P<minute2>[0-5]\d))?{_HALF.replace("half", "half2")} | (?:{_CLOCK_WORD})\s?o\s?'?\s?clock)
    | (?P<spoken>\b(?P<share>half|quarter|(?:{_CLOCK_WORD}))(?:\s+minutes)?\s+(?P<side>past|to)\s+(?P<hour3>{_CLOCK_WORD}))
    | (?P<ordinal>\b\d+(?:st|nd|rd|th)\b | \b(?:{_either(ORDINAL_WORDS)})\b)
    | (?P<number>\b(?:{_COUNT})(?![a-z\d])(?P<unit>{_UNIT})? | \b\d+(?P<unit2>{_UNIT}))
    | (?P<day>\b(?:{_either(DAY_NAMES)})(?:'?s)?\b)
    | (?P<month>\b(?:{_either(MONTH_NAMES)})\b)
    | (?P<relative>\b(?:{_either(RELATIVE_DAYS)})\b)
    | (?P<part>\b(?:{_either(PARTS_OF_DAY)})\b)
    | (?P<single>\b(?:an?|single)\s(?P<unit3>ticket|night|person|room|seat|day)\b)
    """,
    re.VERBOSE,
)
