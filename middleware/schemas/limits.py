"""What others write, made to fit a menu: descriptions, values and examples may be longer or more than a menu takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from grice.models.dialogue import plain_text
from grice.models.schema import MOST_CHARACTERS, MOST_CHOICES, MOST_EXAMPLES

Part = TypeVar("Part")

TRUTH = ("true", "false")
"""The values of a slot that is true or false."""


def phrase(text: object) -> str:
    """A description in one line; the end of a long one goes. Empty where there is none."""
    line = plain_text(text) if isinstance(text, str) else ""
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


def choices(values: Iterable[object]) -> tuple[str, ...]:
    """Values as texts, each once; null is none of them. None at all where a slot cannot list them: it is free text then."""
    texts: dict[str, None] = {}
    for value in values:
        if value is None or value == "":
            continue
        if not isinstance(value, (str, int, float)) or (isinstance(value, str) and not value.strip()):
            return ()
        text = TRUTH[not value] if isinstance(value, bool) else str(value)
        if len(text) > MOST_CHARACTERS:
            return ()
        texts[text] = None
    return tuple(texts) if len(texts) <= MOST_CHOICES else ()


def examples(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts in one line, each once; of more than a menu takes, as many as it takes, evenly spread from the first on."""
    lines = dict.fromkeys(map(plain_text, texts))
    return spread([line for line in lines if line and len(line) <= MOST_CHARACTERS], MOST_EXAMPLES)


def spread(parts: list[Part], most: int) -> tuple[Part, ...]:
    """At most `most` of the parts, evenly spread from the first on."""
    kept = min(len(parts), most)
    return tuple(parts[place * len(parts) // kept] for place in range(kept))
