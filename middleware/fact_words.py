"""The words that stand for numbers, units, money, days, months and times of day, each with what it means."""

from __future__ import annotations

NUMBERS = {
    **{w: n for n, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split())},
    **{"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "dozen": 12},
    **{w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)},
}
SCALES = {"hundred": 100, "thousand": 1000}
ORDINALS = {w: n for n, w in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)}

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAYS = {
    **{form: day for day in WEEKDAYS for form in (day, f"{day}s", day[:3])},
    **{"tues": "tuesday", "weds": "wednesday", "thur": "thursday", "thurs": "thursday"},
}
MONTH_NAMES = "january february march april may june july august september october november december".split()
MONTHS = {**{form: month for month in MONTH_NAMES for form in (month, month[:3])}, "sept": "september"}
RELATIVE_DAYS = {"today", "tonight", "tomorrow", "yesterday", "weekend", "weekends"}
PARTS_OF_DAY = {"morning", "afternoon", "evening"}
TIMES_OF_DAY = {"noon": 720, "midday": 720, "midnight": 0}

CURRENCIES = {
    **dict.fromkeys(("£", "pound", "pounds", "gbp", "quid"), "£"),
    **dict.fromkeys(("$", "dollar", "dollars", "usd", "bucks"), "$"),
    **dict.fromkeys(("€", "euro", "euros", "eur"), "€"),
    **dict.fromkeys(("pence", "cents"), "c"),
}
UNITS = {
    **dict.fromkeys(("person", "persons", "people", "ppl", "guest", "guests", "adult", "adults", "member", "members"), "people"),
    **dict.fromkeys(("diners", "travelers", "travellers", "passengers", "ticket", "tickets", "seat", "seats"), "people"),
    **dict.fromkeys(("others", "friend", "friends", "colleagues"), "others"),
    **dict.fromkeys(("night", "nights", "day", "days"), "nights"),
    **dict.fromkeys(("star", "stars"), "stars"),
    **dict.fromkeys(("hour", "hours", "hrs", "minute", "minutes", "mins", "week", "weeks", "month", "months"), "duration"),
    **dict.fromkeys(("room", "rooms"), "rooms"),
}
"""Units by class. A ticket or a seat is one person's; "6 other people" are not 6 people, the speaker comes on top."""

AREAS = {
    **{form: side for side in ("north", "south", "east", "west") for form in (side, f"{side}ern", f"{side}side", f"{side}erly")},
    **dict.fromkeys(("centre", "center", "central", "centrally", "centralized", "downtown", "middle", "heart"), "centre"),
}
PRICE_RANGES = {
    **dict.fromkeys(("cheap", "cheaper", "cheapest", "inexpensive", "affordable", "economical"), "cheap"),
    **dict.fromkeys(("moderate", "moderately", "medium", "midrange"), "moderate"),
    **dict.fromkeys(("expensive", "pricey", "pricy", "upscale", "luxury", "luxurious", "posh", "lavish", "costly"), "expensive"),
}
