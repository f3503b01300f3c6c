"""A bot's own examples as sentences that say what a turn means: as they stand, or with the values that are meant put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grice.middleware.turns.guard import find_added
from grice.middleware.turns.statement import Statement
from grice.models.meaning.menu import say_intent, say_name
from grice.models.meaning.results import MeaningQuestion, SlotMeaning
from grice.models.schema import BotSchema
from grice.models.text.verbatim import says, words

MOST_EXAMPLES = 2

_ARTICLE = re.compile(r"\b([Aa])n?(\s+)$")


def fitting_examples(statement: Statement, question: MeaningQuestion) -> list[str]:
    """Those of the intent that say just the values that are meant, the shortest first, then those into which they can be put.

    Two at most; none where something else than a value is said of a slot. An example that tells more is left out: another value
    of the menu, or a number, time, date, price, name or quotation that neither the dialogue, nor the values that are meant, nor
    the intent's description has. Words of the menu are no names.
    """
    schema, slots = question.schema, statement.slots
    intent = next((each for each in schema.intents if (statement.kind, statement.name) == ("intent", each.name)), None)
    if intent is None or any(slot.said != "meant" for slot in slots):
        return []
    meant = {value for slot in slots for value in slot.values}
    listed = {value for slot in schema.slots for value in slot.values} | meant
    by_length = sorted(intent.examples, key=lambda text: len(words(text)))
    candidates = dict.fromkeys((*by_length, *_with_values(by_length, slots, schema)))
    named = [text for text in candidates if {value for value in listed if says(text, value)} == meant]
    added = find_added(named, [*(turn.text for turn in question.dialogue.turns), *meant, say_intent(intent)])
    menu = _words_of(schema)
    told = [
        text
        for text, findings in zip(named, added, strict=True)
        if all(each.what == "name" and menu.issuperset(words(each.value)) for each in findings)
    ]
    return told[:MOST_EXAMPLES]


def _words_of(schema: BotSchema) -> set[str]:
    """The words by which the bot's intents, services and slots are called."""
    said = [
        *map(say_intent, schema.intents),
        *(text for _, text in schema.services),
        *(say_name(slot.name) for slot in schema.slots),
    ]
    return {word for text in said for word in words(text)}


def _with_values(examples: Sequence[str], slots: Sequence[SlotMeaning], schema: BotSchema) -> Iterator[str]:
    listed = {slot.name: slot.values for slot in schema.slots}
    for example in examples:
        text = example
        for slot in slots:
            if not says(text, slot.values[0]):
                text = _put_in(text, slot.values[0], listed.get(slot.slot, ()))
        if text:
            yield text


def _put_in(text: str, value: str, listed: Sequence[str]) -> str:
    """`text` with `value` in place of the one of `listed` that stands in it; "" where none, several or one twice do."""
    places = [place for each in listed for place in _places(text, each)]
    if len(places) != 1:
        return ""
    start, end = places[0]
    before = _ARTICLE.sub(lambda found: f"{found[1]}{'n' if value[:1].lower() in 'aeiou' else ''}{found[2]}", text[:start])
    return f"{before}{value}{text[end:]}"


def _places(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Where in `text` the words of `value` stand next to each other; from where to where, in characters."""
    wanted, said = words(value), list(re.finditer(r"\w+", text))
    compared = words(text)
    for start in range(len(said) - len(wanted) + 1 if wanted else 0):
        if compared[start : start + len(wanted)] == wanted:
            yield said[start].start(), said[start + len(wanted) - 1].end()
