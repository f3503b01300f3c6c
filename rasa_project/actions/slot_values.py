"""What a slot may hold: each reader turns what the user said into the slot's value, or refuses it with a response."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import town

NUMBER_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
ANY = "any"
MOST_PEOPLE = 20
MOST_NIGHTS = 30
SHORTEST_NAME = 4

CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?")


class Refused(Exception):
    """A value that a slot cannot hold: the response that says so, if it is worth saying, and its arguments."""

    def __init__(self, response: str | None, value: str, **arguments: str) -> None:
        super().__init__(f"{response}: {value!r}")
        self.response = response
        self.arguments = {"value": value, **arguments}


def read_number(text: str) -> int | None:
    """The number that digits or a word up to twelve say, wherever it stands in the text."""
    for word in re.findall(r"\d+|[a-z]+", text.lower()):
        if word.isdigit():
            return int(word)
        if word in NUMBER_WORDS:
            return NUMBER_WORDS.index(word)
    return None


def people(text: str) -> str:
    return _count(text, MOST_PEOPLE, "utter_invalid_people")


def nights(text: str) -> str:
    return _count(text, MOST_NIGHTS, "utter_invalid_nights")


def day(text: str) -> str:
    for name in town.DAYS:
        if name in text.lower():
            return name.capitalize()
    raise Refused("utter_invalid_day", text)


def time(text: str) -> str:
    """`HH:MM`; noon and midnight, 7pm, 7.30 pm and 19 are understood."""
    said = text.lower().strip()
    if said in ("noon", "midday", "midnight"):
        return "00:00" if said == "midnight" else "12:00"
    match = CLOCK.fullmatch(said)
    if not match:
        raise Refused("utter_invalid_time", text)
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        raise Refused("utter_invalid_time", text)
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02d}:{minute:02d}"


def time_or_any(text: str) -> str:
    return ANY if text == ANY else time(text)


def place(text: str) -> str:
    towns = town.values("trains", "departure")
    for name in towns:
        if name.lower() == text.lower().strip():
            return name
    raise Refused("utter_invalid_place", text, towns=_listed([name for name in towns if name != "Quillhaven"]))


def stars(text: str) -> str:
    number = read_number(text)
    if number is None:
        raise Refused(None, text)
    return str(number)


def choice(table: str, column: str, response: str | None = None) -> Callable[[str], str]:
    """A reader of the values that a column of the database has, and of `any`; anything else is taken for a slip of the NLU."""

    def read(text: str) -> str:
        known = town.values(table, column)
        if text.lower() in (*known, ANY):
            return text.lower()
        raise Refused(response, text, choices=_listed(known))

    return read


def yes(text: str) -> str:
    """Whatever word for parking or internet was found, it is wanted."""
    return ANY if text == ANY else "yes"


def name(text: str) -> str:
    """The name of a place as the database has it, said with or without its article."""
    for table in town.PLACES:
        for known in town.values(table, "name"):
            if bare(known) == bare(text):
                return known
    raise Refused("utter_invalid_name" if len(text) > SHORTEST_NAME else None, text)


def bare(name: str) -> str:
    return name.lower().replace("'", "").replace("’", "").removeprefix("the ").strip()


def _count(text: str, most: int, response: str) -> str:
    number = read_number(text)
    if number is None or not 1 <= number <= most:
        raise Refused(None if number is None else response, text)
    return str(number)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1]


READERS: dict[str, Callable[[str], str]] = {
    "people": people,
    "nights": nights,
    "day": day,
    "time": time,
    "leave_at": time_or_any,
    "arrive_by": time,
    "departure": place,
    "destination": place,
    "stars": stars,
    "food": choice("restaurants", "food", "utter_invalid_food"),
    "price_range": choice("restaurants", "price_range"),
    "area": choice("restaurants", "area"),
    "hotel_kind": choice("hotels", "kind"),
    "attraction_kind": choice("attractions", "kind"),
    "parking": yes,
    "internet": yes,
    "name": name,
}
"""The slots whose values are read; what a reader is not there for stays as it was said."""
