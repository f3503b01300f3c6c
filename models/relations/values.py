"""Numbers, dates, times and amounts of a response, held exactly against those that the bot was given."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

ValueKind = Literal["time", "amount", "date", "number"]

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_SMALL = {word: number for number, word in enumerate(_NUMBER_WORDS)}
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_VALUE = re.compile(
    r"(?P<time>\b\d{1,2}:\d{2}(?:\s*[ap]\.?m\b\.?)?|\b\d{1,2}(?:\.\d{2})?\s*[ap]\.?m\b\.?)"
    r"|(?P<amount>[$€£]\s?\d[\d,]*(?:\.\d+)?|\b\d[\d,]*(?:\.\d+)?\s?(?:euros?|dollars?|pounds?|cents?|%|percent|usd|eur|gbp)\b)"
    rf"|(?P<date>\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}} (?:of )?{_MONTH}|\b{_MONTH} \d{{1,2}}\b|\b\d{{4}}-\d{{2}}-\d{{2}}\b"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun))\b)"
    r"|(?P<number>\b\d[\d,]*(?:\.\d+)?)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


MOST_NUMBERS = 24
"""Of those that were given, so many are added up."""


@dataclass(frozen=True)
class StatedValue:
    """A value in a text: its kind, what it amounts to (the same for 5 pm and 17:00), and where it stands.

    Attributes:
        unit: "day" of a day of the week, "%" of a share; "" of all others.
    """

    kind: ValueKind
    amount: str
    start: int
    end: int
    unit: str = ""


def stated_values(text: str) -> list[StatedValue]:
    """The values of a text, in order."""
    found = []
    for match in _VALUE.finditer(text):
        kind: ValueKind = "number"
        for each in ("time", "amount", "date"):
            if match[each] is not None:
                kind = each
        amount = _amount(kind, match[0])
        unit = "day" if amount in _DAYS else "%" if re.search(r"%|percent", match[0], re.IGNORECASE) else ""
        found.append(StatedValue(kind, amount, match.start(), match.end(), unit))
    return found


def _amount(kind: ValueKind, text: str) -> str:
    lower = text.lower().replace(" ", "")
    if kind == "time":
        hour, _, minute = re.sub(r"[apm.]+$", "", lower).replace(".", ":").partition(":")
        late = "p" in lower and int(hour) < 12
        return f"{int(hour) + 12 * late}:{minute or '00'}"
    if kind == "date" and lower[:3] in _DAYS:
        return lower[:3]
    if kind == "date" and lower.count("-") == 2:
        return str(int(lower[-2:]))
    digits = _DIGITS.search(lower)
    number = digits[0].replace(",", "").rstrip(".") if digits else lower
    return number.rstrip("0").rstrip(".") if "." in number else number


def known_amounts(texts: Iterable[str]) -> set[str]:
    """What the values of texts amount to; a time also without its half of the day, small numbers in words too."""
    found: set[str] = set()
    for text in texts:
        for value in stated_values(text):
            found.add(value.amount)
            digits = _DIGITS.findall(text[value.start : value.end])
            found |= {*digits, *(str(int(each)) for each in digits if each.isdigit())}
            if value.kind == "time":
                hour, _, minute = value.amount.partition(":")
                found |= {f"{int(hour) % 12}:{minute}", f"{int(hour) % 12 + 12}:{minute}"}
        found |= {str(_SMALL[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in _SMALL}
    return found


def is_borne_out(value: StatedValue, known: set[str]) -> bool:
    """Whether it was given, or is the sum, difference or product of two that were, a third one added or taken away perhaps."""
    if value.amount in known:
        return True
    if value.kind in ("time", "date") or not _DIGITS.fullmatch(value.amount):
        return False
    wanted = float(value.amount)
    numbers = sorted({float(each) for each in known if re.fullmatch(r"\d+(?:\.\d+)?", each)})[:MOST_NUMBERS]
    once = {wanted - each for each in (0.0, *numbers)} | {wanted + each for each in numbers}
    return any(
        abs(left - result) < 0.01
        for one, other in itertools.combinations_with_replacement(numbers, 2)
        for result in (one + other, abs(one - other), one * other)
        for left in once
    )
