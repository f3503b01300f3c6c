"""Intents that the reader of meaning cannot tell apart by their own texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from grice.middleware.runtime.progress import Progress
from grice.middleware.schemas.check.finding import SchemaFinding
from grice.middleware.schemas.limits import spread
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import MeaningPredictor
from grice.models.schema import BotSchema, IntentSpec

MOST_LISTED = 2000
"""Examples on the menu that texts are read against, of all intents together: the reader keeps the vectors of no more than these."""
MOST_READ = 600
"""Texts that are read, of all intents together; at least one of each."""

TIMES = 2
"""So many times likelier than a text's own intent another has to be."""


@dataclass(frozen=True)
class _OwnText:
    """An example of an intent, or its description, and the menu that it is read against, which lacks it."""

    intent: str
    text: str
    menu: BotSchema


def find_confusions(schema: BotSchema, reader: MeaningPredictor, progress: Progress | None = None) -> list[SchemaFinding]:
    """Pairs of intents, the first with texts that are read as the second; the pair with the most of them first.

    An intent's texts are its examples, or its description where it has none. Each is read as a turn, against a menu without it and
    without slots; it is read as another intent where that is twice as likely as its own, however likely acts are. A text that is
    all that its intent says is read against the names of all intents alone. Of very many texts some are read, evenly spread.
    """
    texts = list(_own_texts(schema))
    found: defaultdict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    read: defaultdict[str, int] = defaultdict(int)
    for done, own in enumerate(texts, start=1):
        (meaning,) = reader.predict([MeaningQuestion(Dialogue.of(own.text), own.menu)])
        read[own.intent] += 1
        shares = {each.name: each.share for each in meaning.possible if each.kind == "intent"}
        other = max(shares, key=lambda name: shares[name], default=own.intent)
        if shares.get(other, 0.0) > TIMES * shares.get(own.intent, 0.0):
            found[own.intent, other].append((shares[other], own.text))
        if progress:
            progress(done, len(texts))
    ranked = sorted(found.items(), key=lambda pair: (-len(pair[1]), -max(pair[1])[0]))
    return [
        _finding(schema.intent(name), other, read[name], [text for _, text in sorted(shown, reverse=True)])
        for (name, other), shown in ranked
    ]


def _own_texts(schema: BotSchema) -> Iterator[_OwnText]:
    intents = [intent for intent in schema.intents if intent.examples or intent.description.strip()]
    if len(intents) < 2:
        return
    listed, read = max(2, MOST_LISTED // len(intents)), max(1, MOST_READ // len(intents))
    kept = [replace(intent, examples=spread(list(intent.examples), listed), slots=(), service="") for intent in intents]
    names = BotSchema(tuple(IntentSpec(intent.name) for intent in kept))
    for place, intent in enumerate(kept):
        for text in spread(list(intent.examples), read) or (intent.description,):
            left = replace(intent, examples=tuple(each for each in intent.examples if each != text))
            alone = not left.examples and (not intent.examples or not intent.description.strip())
            yield _OwnText(intent.name, text, names if alone else BotSchema((*kept[:place], left, *kept[place + 1 :])))


def _finding(intent: IntentSpec, other: str, read: int, texts: list[str]) -> SchemaFinding:
    kind = "examples" if intent.examples else "description"
    of = f"{read}" if read == len(intent.examples) else f"{read} (of {len(intent.examples)})"
    count = f"{len(texts)} of {of} examples are" if intent.examples else "its description is"
    message = f"{count} read as {other}; change the {kind}, or make the two one intent"
    return SchemaFinding("like-intents", (intent.name, other), message, tuple(texts))
