"""The slots that people ask for indirectly: categorical ones, with a few values in words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from grice.models.data.indirect_requests import AMBIGUOUS
from grice.models.errors import InputError
from grice.models.slots.inputs import words

MAX_VALUES = 64
"""A slot with more values is a list to search in, not a choice that one turn settles; each value is also a row for the resolver."""
BOOLEAN = ("True", "False")

_WHETHER = re.compile(r"\b(?:whether or not|whether|if)\s+(?P<clause>\S.*?)(?: or not)?[ .]*$", re.IGNORECASE)

_HAVING = re.compile(r"^(?:has|have|having|with|offers?|includes?) ")


@dataclass(frozen=True)
class RequestSlot:
    """A slot and what a user is doing when it is asked for.

    Attributes:
        service: whose slot it is: a service of a schema, or a bot.
        description: what the slot is, in a phrase.
        values: at least 2; `BOOLEAN` for a slot that is true or false.
        situation: what the user wants to do, as a sentence about the user.

    Raises:
        InputError: a slot has fewer than 2 values, more than `MAX_VALUES`, the same one twice, or one that is not in Latin script.
    """

    service: str
    name: str
    description: str
    values: tuple[str, ...]
    situation: str

    def __post_init__(self) -> None:
        check_values(f"{self.service}, slot {self.name}", self.values)

    @property
    def is_boolean(self) -> bool:
        """Whether its values are True and False."""
        return set(self.values) == set(BOOLEAN)

    @property
    def words(self) -> str:
        """Its name in words: `price_range` is "price range"."""
        return words(self.name)

    @property
    def phrasings(self) -> tuple[str, ...]:
        """The values as a person would say them; only True and False differ from `values`."""
        if not self.is_boolean:
            return self.values
        stated = {"True": self.clause, "False": f"it is not so that {self.clause}"}
        return tuple(stated[value] for value in self.values)

    @property
    def clause(self) -> str:
        """What is so where a boolean slot is True: "Whether pets are allowed" is "pets are allowed"."""
        found = _WHETHER.search(self.description)
        if found is None:
            thing = lower_first(self.description.strip(" ."))
            return f"it {thing}" if thing.startswith("is ") else f"there is {_HAVING.sub('', thing)}"
        return f"I can {found['clause'][3:]}" if found["clause"].startswith("to ") else found["clause"]


def check_values(where: str, values: Sequence[str]) -> None:
    """Refuse values that nobody can choose among.

    Raises:
        InputError: as `RequestSlot`.
    """
    if len(values) < 2:
        raise InputError(f"{where}, values", list(values), "at least 2 values; or leave the slot out, by naming the slots to take")
    if len(values) > MAX_VALUES:
        raise InputError(f"{where}, values", f"{len(values)} values", f"2 to {MAX_VALUES} values")
    seen: dict[str, str] = {}
    for value in values:
        if not isinstance(value, str) or not any(map(str.isalnum, value)) or value == AMBIGUOUS:
            raise InputError(f"{where}, value", value, "a text with a letter or a digit")
        foreign = [character for character in value if character.isalpha() and not _is_latin(character)]
        if foreign:
            raise InputError(f"{where}, value", value, "letters of the Latin script: the models read English")
        key = " ".join(value.casefold().split())
        if key in seen:
            raise InputError(f"{where}, values", f"{seen[key]!r} and {value!r}", "each value once, whatever its case and spaces")
        seen[key] = value


def lower_first(text: str) -> str:
    """`text` as it stands inside a sentence; an abbreviation keeps its capitals."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def situation_of(wish: str) -> str:
    """ "Find a restaurant." as a situation: "User wants to find a restaurant"."""
    return f"User wants to {lower_first(' '.join(wish.split()).rstrip('.'))}"


def _is_latin(character: str) -> bool:
    return unicodedata.name(character, "").startswith(("LATIN", "FULLWIDTH LATIN", "FEMININE", "MASCULINE", "MICRO"))
