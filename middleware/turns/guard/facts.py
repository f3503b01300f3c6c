"""What is in a text, first part: the facts that a rewrite must neither invent nor lose: numbers, times, dates, prices, quotations.

Two spellings of one fact share a key: "5pm" and "17:00", "two" and "2", "£20" and "20 pounds", "Tue" and "Tuesdays".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Literal

from grice.models.text import fact_words as table

What = Literal["number", "time", "date", "price", "name", "quoted"]
Key = tuple[object, ...]

_TOKEN = re.compile(r"\w*\d\w*(?:[.:,/-]\d\w*)*|[^\W\d_]+|[^\w\s]")
_HALF_OF_DAY = re.compile(r"\b([ap])\s?\.\s?m\b\.?")
_GLUED = re.compile(r"\b(by|at|after|before|for|from|until|till|around)(?=\d)")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_QUOTED = re.compile(r"\"([^\"]{1,80})\"|“([^”]{1,80})”|(?<!\w)'(\w[^']{0,78}\w)'(?!\w)")
_CLOCK = re.compile(r"(\d{1,2})([:.])([0-5]\d)(am|pm)?")
_HOUR = re.compile(r"(\d{1,2})(am|pm)")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_CALENDAR = re.compile(r"\d{1,4}[/-]\d{1,2}[/-]\d{2,4}|\d{1,2}/\d{1,2}")
_RANGE = re.compile(r"(\d+)-(\d+)")
_COUNT = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)([a-z]*)")

_BEFORE_TIME = frozenset(table.words("at by after before until till around about from to than past between"))
_BEFORE_DAY = frozenset(table.words("on this next by every until till from last"))
_BEFORE_MONTH = frozenset(table.words("in of next last until since early late"))
_BEFORE_ORDINAL = frozenset(table.words("the that this"))
_AFTER_FOR_ONE = frozenset(("", *table.words("on at please from and in starting . , ? ! ;")))
_WISHES = frozenset(table.words("good great nice lovely wonderful pleasant"))
_PARTING = frozenset(table.words("thanks thank bye goodbye all everything nothing else set done finished help enough day"))
_MORE = frozenset(table.words("other more extra additional further"))
_JUST = frozenset(table.words("just only for"))
_AMBIGUOUS_DAYS = frozenset(table.words("mon wed sat sun"))
_AMBIGUOUS_MONTHS = frozenset(table.words("may march mar dec jan"))

_LONGEST_NUMBER = 20
"""In characters; what is longer is compared as written."""
_FEWEST_DIGITS = 3


@dataclass(frozen=True)
class Fact:
    """One fact in a text.

    Attributes:
        what: its kind.
        text: as it is written, in small letters.
        needs: any of these keys in another text supports it; empty where the words are too ambiguous to insist on.
        offers: keys that it supports in another text.
    """

    what: What
    text: str
    needs: frozenset[Key]
    offers: frozenset[Key]

    @property
    def verbatim(self) -> str:
        """The letters and digits of a code or a quotation, which another text may space in another way (CB1 2AB, cb12ab)."""
        return next((str(key[1]) for key in self.needs if key[0] in ("code", "quoted")), "")


def offered(facts: Iterable[Fact]) -> set[Key]:
    """All keys that `facts` support."""
    return {key for fact in facts for key in fact.offers}


def squashed(text: str) -> str:
    """Letters and digits only, in small letters."""
    return _NOT_ALPHANUMERIC.sub("", text.lower())


def find_facts(text: str) -> list[Fact]:
    """The facts in `text`, in order."""
    plain = _GLUED.sub(r"\1 ", _HALF_OF_DAY.sub(r"\1m", text.lower().replace("’", "'")))
    return [*_quoted(plain), *_Scanner(_TOKEN.findall(plain)).facts()]


def _quoted(text: str) -> Iterator[Fact]:
    if '"' in text or "“" in text or "'" in text:
        for match in _QUOTED.finditer(text):
            yield _fact("quoted", match.group(), ("quoted", squashed(match.group())))


def _fact(what: What, text: str, *keys: Key, insist: bool = True, offers: Iterable[Key] = ()) -> Fact:
    needed = frozenset(keys)
    return Fact(what, text, needed if insist else frozenset(), needed | frozenset(offers))


def _number(text: str, value: float, unit: str = "", also: Iterable[Key] = ()) -> Fact:
    """A number with a unit is supported by itself with that unit or without any; one without a unit, by any."""
    key, bare, any_unit = ("count", value, unit), ("count", value, ""), ("count", value, "any")
    return Fact("number", text, frozenset({key, bare} if unit else {any_unit}) | frozenset(also), frozenset({key, any_unit, *also}))


def _code(token: str) -> Fact:
    """TR4376, CB1; also supports its digits, which may be written apart."""
    digits = "".join(filter(str.isdecimal, token))
    apart = [("count", float(digits), "any")] if _FEWEST_DIGITS <= len(digits) <= _LONGEST_NUMBER else []
    return _fact("name" if token[0].isalpha() else "number", token, ("code", squashed(token)), offers=apart)


def _price(text: str, value: float, currency: str) -> Fact:
    return _fact("price", text, ("price", value, currency), offers=[("count", value, "any")])


def _clock_key(hour: int, minute: int, half: str = "") -> Key:
    """The minutes of the day that a time can mean: without am or pm, 5:00 is two of them and 17:00 one."""
    if half:
        return "time", frozenset({(hour % 12 + (12 if half == "pm" else 0)) * 60 + minute})
    if 1 <= hour <= 11:
        return "time", frozenset({hour * 60 + minute, (hour + 12) * 60 + minute})
    return "time", frozenset({hour % 24 * 60 + minute})


class _Scanner:
    """Walks over the tokens of one text; each step returns the facts at a place and how many tokens they took."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def facts(self) -> list[Fact]:
        found: list[Fact] = []
        place = 0
        while place < len(self.tokens):
            token = self.tokens[place]
            if not token.isalpha() and _has_digit(token):
                facts, taken = self._digits(place, token)
            elif token in _STARTS:
                facts, taken = self._word(place, token)
            else:
                facts, taken = [], 1
            found += facts
            place += taken
        return found

    def at(self, place: int) -> str:
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def _digits(self, place: int, token: str) -> tuple[list[Fact], int]:
        following = self.at(place + 1)
        if len(token) > _LONGEST_NUMBER:
            return [_code(token)], 1
        if (match := _CLOCK.fullmatch(token)) and int(match[1]) <= 24:
            return self._clock(token, match, following)
        if match := _HOUR.fullmatch(token):
            return [_fact("time", token, _clock_key(int(match[1]), 0, match[2]))], 1
        if match := _ORDINAL.fullmatch(token):
            return [_fact("number", token, ("ordinal", int(match[1])))], 1
        if _CALENDAR.fullmatch(token):
            return [_fact("date", token, ("date", *map(int, re.split(r"[/-]", token))))], 1
        if match := _RANGE.fullmatch(token):
            return [_number(part, float(part)) for part in match.groups()], 1
        match = _COUNT.fullmatch(token)
        if match and (not match[2] or match[2] in table.UNITS or match[2] in table.CURRENCIES):
            return self._count(place, float(match[1].replace(",", "")), 1, match[2])
        return [_code(token)], 1

    def _clock(self, token: str, match: re.Match[str], following: str) -> tuple[list[Fact], int]:
        half = match[4] or (following if following in {"am", "pm"} else "")
        key = _clock_key(int(match[1]), int(match[3]), half)
        taken = 2 if half and not match[4] else 1
        if match[2] == "." and not half:
            return self._decimal(token, following, key)
        return [_fact("time", token, key)], taken

    def _decimal(self, token: str, following: str, as_time: Key) -> tuple[list[Fact], int]:
        value = float(token)
        if following in table.CURRENCIES:
            return [_price(f"{token} {following}", value, table.CURRENCIES[following])], 2
        return [_number(token, value, also=[as_time])], 1

    def _word(self, place: int, token: str) -> tuple[list[Fact], int]:
        before, following = self.at(place - 1), self.at(place + 1)
        if token in table.CURRENCIES:
            match = _COUNT.fullmatch(following)
            if match and not match[2]:
                return [_price(token + following, float(match[1].replace(",", "")), table.CURRENCIES[token])], 2
            return [], 1
        if token in ("half", "quarter"):
            return self._spoken_time(place, 30 if token == "half" else 15)
        if token in table.NUMBERS:
            spoken = self._spoken_time(place, table.NUMBERS[token])
            return spoken if spoken[0] else self._count(place, *self._spelt(place))
        if token in table.ORDINALS:
            return [_fact("number", token, ("ordinal", table.ORDINALS[token]), insist=before in _BEFORE_ORDINAL)], 1
        if token in table.DAYS:
            sure = token not in _AMBIGUOUS_DAYS or before in _BEFORE_DAY
            return [_fact("date", token, ("date", table.DAYS[token]), insist=sure)], 1
        if token in table.MONTHS:
            sure = token not in _AMBIGUOUS_MONTHS or before in _BEFORE_MONTH or _has_digit(before) or _has_digit(following)
            return [_fact("date", token, ("date", table.MONTHS[token]), insist=sure)], 1
        if token in table.TIMES_OF_DAY:
            return [_fact("time", token, ("time", frozenset({table.TIMES_OF_DAY[token]})))], 1
        if token in table.PARTS_OF_DAY:
            also = [("date", "tonight")] if token == "evening" else []
            return [_fact("time", token, ("part", token), insist=before not in _WISHES, offers=also)], 1
        if token in table.RELATIVE_DAYS:
            return [self._relative(place, token, before)], 1
        if token in table.ALONE or (token == "me" and before in _JUST):
            return [self._counted(token, 1.0)], 1
        if token in table.TOGETHER:
            return [self._counted(token, 2.0)], 1
        if token == "and" and following == "i" and self.at(place - 2) == "my":
            return [self._counted("and i", 2.0)], 2
        return self._single(place, following)

    @staticmethod
    def _counted(text: str, value: float) -> Fact:
        """How many come, without a number: offers the number and needs nothing."""
        return _fact(
            "number", text, ("count", value, "people"), insist=False, offers=[("count", value, "any"), ("count", value, "")]
        )

    def _relative(self, place: int, token: str, before: str) -> Fact:
        parting = _PARTING.intersection(self.tokens[max(0, place - 8) : place + 4])
        also: list[Key] = [("part", "evening"), ("date", "today")] if token == "tonight" else []
        return _fact("date", token, ("date", token.removesuffix("s")), insist=not parting and before not in _WISHES, offers=also)

    def _single(self, place: int, following: str) -> tuple[list[Fact], int]:
        """ "A night", "a single ticket": offers the number one and needs nothing."""
        unit = table.UNITS.get(following)
        if unit is None:
            return [], 1
        return [_fact("number", following, ("count", 1.0, unit), insist=False, offers=[("count", 1.0, "any")])], 2

    def _spelt(self, place: int) -> tuple[float, int]:
        """The value of a number in words, and how many tokens it takes: "twenty - five", "two hundred"."""
        value, taken = table.NUMBERS[self.tokens[place]], 1
        unit_place = place + (2 if self.at(place + 1) == "-" else 1)
        if value >= 20 and 1 <= table.NUMBERS.get(self.at(unit_place), 0) <= 9:
            value, taken = value + table.NUMBERS[self.at(unit_place)], unit_place - place + 1
        scale = table.SCALES.get(self.at(place + taken))
        return (float(value * scale), taken + 1) if scale else (float(value), taken)

    def _spoken_time(self, place: int, minutes: int) -> tuple[list[Fact], int]:
        """ "Quarter past 12", "ten to six"; nothing where the tokens say something else."""
        side, hour = self.at(place + 1), self.at(place + 2)
        number = int(hour) if hour.isdecimal() and len(hour) <= 2 else table.NUMBERS.get(hour, 0)
        if side not in {"past", "to"} or not 1 <= number <= 12 or minutes >= 60 or self.at(place - 1) in {"from", "between"}:
            return [], 1
        if side == "to":
            number, minutes = (number - 2) % 12 + 1, 60 - minutes
        half = self.at(place + 3)
        text = " ".join(self.tokens[place : place + 3])
        return [_fact("time", text, _clock_key(number, minutes, half if half in {"am", "pm"} else ""))], 3

    def _count(self, place: int, value: float, taken: int, unit: str = "") -> tuple[list[Fact], int]:
        end = place + taken
        following = self.at(end)
        written = self.tokens[place:end]
        before = self.at(place - 1)
        currency = table.CURRENCIES.get(unit) or table.CURRENCIES.get(following)
        if currency:
            return [_price(" ".join([*written, following] if not unit else written), value, currency)], taken + (0 if unit else 1)
        if following in {"am", "pm"} or self.tokens[end : end + 3] == ["o", "'", "clock"]:
            half = following if following in {"am", "pm"} else ""
            return [_fact("time", " ".join([*written, following]), _clock_key(int(value) % 25, 0, half))], taken + (
                1 if half else 3
            )
        if before in table.MONTHS or following in table.MONTHS:
            return [_fact("number", written[0], ("ordinal", int(value)))], taken
        unit_class = table.UNITS.get(unit) or self._unit(place, end)
        if written == ["one"] and self._is_pronoun(before, following, unit_class):
            return [], taken
        also: list[Key] = []
        if before in _BEFORE_TIME and not unit_class and value == int(value) <= 24:
            also.append(_clock_key(int(value), 0))
        if len(written[0]) >= 5 and written[0].isdecimal():
            also.append(("code", written[0]))
        return [_number(" ".join(written), value, unit_class, also)], taken

    @staticmethod
    def _is_pronoun(before: str, following: str, unit_class: str) -> bool:
        """ "That one", "one day", but not "for one", "one ticket"."""
        if unit_class:
            return following == "day" and before not in {"for", "stay"}
        return not (before == "for" and following in _AFTER_FOR_ONE)

    def _unit(self, place: int, end: int) -> str:
        """The class of what is counted from `place` to `end`, empty where it is not said."""
        place_after = end + (1 if self.at(end) == "-" else 0)
        following, next_one = self.at(place_after), self.at(place_after + 1)
        if following in _MORE and (next_one in table.UNITS or following == "other"):
            unit = table.UNITS.get(next_one, "")
            return "others" if unit == "people" else unit
        if following == "of" and next_one == "us":
            return "people"
        if self.at(place - 2) in {"party", "group", "table"} and self.at(place - 1) in {"of", "for"}:
            return "people"
        return table.UNITS.get(following, "")


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


_STARTS: Set[str] = {
    *table.NUMBERS, *table.ORDINALS, *table.DAYS, *table.MONTHS, *table.TIMES_OF_DAY, *table.PARTS_OF_DAY, *table.RELATIVE_DAYS,
    *table.CURRENCIES, *table.ALONE, *table.TOGETHER, "half", "quarter", "a", "an", "single", "me", "and",
}  # fmt: skip
