"""The words for numbers, units, money, days, months, times of day, parts of town and price ranges, each with what it means."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The words of a list written as one string."""
    return tuple(text.split())


NUMBERS = {
    **{
        word: number
        for number, word in enumerate(words("zero one two three four five six seven eight nine ten eleven twelve thirteen"))
    },
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "dozen": 12,
    **{word: 10 * number for number, word in enumerate(words("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)},
}
ALONE = frozenset(words("alone solo myself"))
TOGETHER = frozenset(words("both couple pair twins"))
"""Words that stand for one person, or for two, without saying the number."""
SCALES = {"hundred": 100, "thousand": 1000}
ORDINALS = {word: n for n, word in enumerate(words("first second third fourth fifth sixth seventh eighth ninth tenth"), start=1)}

WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")
DAYS = {
    **{form: day for day in WEEKDAYS for form in (day, f"{day}s", day[:3])},
    "tues": "tuesday",
    "weds": "wednesday",
    "thur": "thursday",
    "thurs": "thursday",
}
MONTH_NAMES = words("january february march april may june july august september october november december")
MONTHS = {**{form: month for month in MONTH_NAMES for form in (month, month[:3])}, "sept": "september"}
RELATIVE_DAYS = frozenset(words("today tonight tomorrow yesterday weekend weekends"))
PARTS_OF_DAY = frozenset(words("morning afternoon evening"))
TIMES_OF_DAY = {"noon": 720, "midday": 720, "midnight": 0}
"""In minutes of the day."""

CURRENCIES = {
    **dict.fromkeys(words("£ pound pounds gbp quid"), "£"),
    **dict.fromkeys(words("$ dollar dollars usd bucks"), "$"),
    **dict.fromkeys(words("€ euro euros eur"), "€"),
    **dict.fromkeys(words("pence cents"), "c"),
}
UNITS = {
    **dict.fromkeys(
        words("person persons people ppl guest guests adult adults member members diners travelers travellers"), "people"
    ),
    **dict.fromkeys(words("passengers ticket tickets seat seats"), "people"),
    **dict.fromkeys(words("others friend friends colleagues"), "others"),
    **dict.fromkeys(words("night nights day days"), "nights"),
    **dict.fromkeys(words("star stars"), "stars"),
    **dict.fromkeys(words("hour hours hrs minute minutes mins week weeks month months"), "duration"),
    **dict.fromkeys(words("room rooms"), "rooms"),
}
"""Units by class. A ticket or a seat is one person's; "6 other people" are not 6 people, the speaker comes on top."""

AREAS = {
    **{form: side for side in words("north south east west") for form in (side, f"{side}ern", f"{side}side", f"{side}erly")},
    **dict.fromkeys(words("centre center central centrally centralized downtown"), "centre"),
}
PRICE_RANGES = {
    **dict.fromkeys(words("cheap cheaper cheapest inexpensive affordable economical"), "cheap"),
    **dict.fromkeys(words("moderate moderately medium midrange"), "moderate"),
    **dict.fromkeys(words("expensive pricey pricy upscale luxury luxurious posh lavish costly"), "expensive"),
}
