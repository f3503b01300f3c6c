"""The menu of a bot: what it can understand. Services, intents and slots, from wherever the bot declares them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

from grice.models.dialogue import check_each
from grice.models.errors import InputError

Part = TypeVar("Part")

MOST_INTENTS = 512
MOST_SLOTS = 128
MOST_CHOICES = 256
"""Values of one slot. One with more is looked up in a list, not hinted at."""
MOST_EXAMPLES = 64
MOST_CHARACTERS = 1000
"""Of a name, a description, a value or an example."""


@dataclass(frozen=True)
class SlotSpec:
    """A slot: something that the bot wants to know.

    Attributes:
        name: as the bot calls it. description: what it is, in a phrase.
        values: its possible values; none: it is free text, such as a name or a number.

    Raises:
        InputError: a text cannot be used, or a value comes twice.
    """

    name: str
    description: str = ""
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_name(self.name, "name of a slot")
        _check_phrase(self.description, f"description of slot {self.name}")
        object.__setattr__(self, "values", _phrases(self.values, f"values of slot {self.name}", MOST_CHOICES))

    @property
    def is_free(self) -> bool:
        """Whether its values are not listed."""
        return not self.values


@dataclass(frozen=True)
class IntentSpec:
    """An intent: something that the bot can be asked for or told.

    Attributes:
        name: as the bot calls it. description: what the user wants with it, in a phrase.
        examples: turns that have it, in the bot's own training data.
        slots: names of the slots that belong to it. service: the service that offers it; "": the bot has but one.

    Raises:
        InputError: a text cannot be used, or an example or slot comes twice.
    """

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    service: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name, "name of an intent")
        _check_phrase(self.description, f"description of intent {self.name}")
        _check_phrase(self.service, f"service of intent {self.name}")
        object.__setattr__(self, "examples", _phrases(self.examples, f"examples of intent {self.name}", MOST_EXAMPLES))
        object.__setattr__(self, "slots", _phrases(self.slots, f"slots of intent {self.name}", MOST_SLOTS))


@dataclass(frozen=True)
class BotSchema:
    """What a bot can understand.

    Attributes:
        intents, slots: in any order; models read them as sets.
        services: what each service is, by the name that intents have as `service`.

    Raises:
        InputError: there is neither an intent nor a slot, there are too many, a name comes twice, or an intent names a slot or a
            service that is not there.
    """

    intents: tuple[IntentSpec, ...] = ()
    slots: tuple[SlotSpec, ...] = ()
    services: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_each(self.intents, IntentSpec, "intents")
        check_each(self.slots, SlotSpec, "slots")
        for name in ("intents", "slots", "services"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.intents and not self.slots:
            raise InputError("schema", "no intent and no slot", "at least one of them")
        _check_names([intent.name for intent in self.intents], "intents", MOST_INTENTS)
        _check_names([slot.name for slot in self.slots], "slots", MOST_SLOTS)
        _check_names([name for name, _ in self.services], "services", MOST_INTENTS)
        known, services = {slot.name for slot in self.slots}, {name for name, _ in self.services}
        for intent in self.intents:
            for slot in intent.slots:
                if slot not in known:
                    raise InputError(
                        f"slot of intent {intent.name}", slot, ", ".join(sorted(known)) or "none: the schema has no slots"
                    )
            if intent.service and services and intent.service not in services:
                raise InputError(f"service of intent {intent.name}", intent.service, ", ".join(sorted(services)))

    @cached_property
    def fingerprint(self) -> str:
        """The same for equal schemas, whatever the order of their parts, and of the texts and names that these list."""
        content = asdict(self)
        for part in (*content["intents"], *content["slots"]):
            part.update({name: sorted(texts) for name, texts in part.items() if not isinstance(texts, str)})
        ordered = {name: sorted(content[name], key=lambda part: json.dumps(part, sort_keys=True)) for name in content}
        return hashlib.sha256(json.dumps(ordered, sort_keys=True).encode()).hexdigest()

    def intent(self, name: str) -> IntentSpec:
        """The intent called `name`.

        Raises:
            InputError: there is none.
        """
        return _named(name, "intent", {intent.name: intent for intent in self.intents})

    def slot(self, name: str) -> SlotSpec:
        """The slot called `name`.

        Raises:
            InputError: there is none.
        """
        return _named(name, "slot", {slot.name: slot for slot in self.slots})

    def slots_of(self, intent: str) -> tuple[SlotSpec, ...]:
        """The slots that belong to an intent; all where it names none.

        Raises:
            InputError: there is no such intent.
        """
        names = self.intent(intent).slots
        return tuple(map(self.slot, names)) if names else self.slots

    @classmethod
    def of(cls, content: object) -> BotSchema:
        """The schema that plain data says, as in a request, in JSON or in YAML.

        `{"intents": [{"name", "description", "examples", "slots", "service"}], "slots": {name: {"description", "values"}},
        "services": {name: description}}`: all but names may be left out.

        Raises:
            InputError: a part is unknown or of the wrong kind; says which.
        """
        parts = _mapping(content, "schema", ("intents", "slots", "services"))
        intents = parts.get("intents", [])
        if not isinstance(intents, (list, tuple)):
            raise InputError("schema, intents", intents, "a list of {name, description, examples, slots, service}")
        slots = _mapping(parts.get("slots", {}), "schema, slots")
        services = _mapping(parts.get("services", {}), "schema, services")
        return cls(
            tuple(_intent(given, f"schema, intent {place}") for place, given in enumerate(intents)),
            tuple(_slot(name, given) for name, given in slots.items()),
            tuple(
                (_check_name(name, "schema, service"), _check_phrase(text, f"service {name}")) for name, text in services.items()
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data from which `of` makes the same schema."""
        return {
            "intents": [
                {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(intent).items() if value}
                for intent in self.intents
            ],
            "slots": {
                slot.name: {"description": slot.description, **({"values": list(slot.values)} if slot.values else {})}
                for slot in self.slots
            },
            **({"services": dict(self.services)} if self.services else {}),
        }


def _intent(given: object, where: str) -> IntentSpec:
    parts = _mapping(given, where, ("name", "description", "examples", "slots", "service"))
    if "name" not in parts:
        raise InputError(where, "no name", "a name")
    given_parts: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in parts.items()}
    return IntentSpec(**given_parts)


def _slot(name: object, given: object) -> SlotSpec:
    parts = _mapping({} if given is None else given, f"schema, slot {name}", ("description", "values"))
    values = parts.get("values")
    if not isinstance(values, (list, tuple, type(None))):
        raise InputError(f"values of slot {name}", values, "a list of texts, or nothing for free text")
    return SlotSpec(_check_name(name, "name of a slot"), parts.get("description", ""), tuple(values or ()))


def _mapping(given: object, where: str, keys: tuple[str, ...] = ()) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(where, given, f"a mapping{' with ' + ', '.join(keys) if keys else ''}")
    for key in given:
        if keys and key not in keys:
            raise InputError(f"{where}, key", key, ", ".join(keys))
    return given


def _named(name: str, what: str, known: Mapping[str, Part]) -> Part:
    if name not in known:
        raise InputError(what, name, ", ".join(known) or "none: the schema has none")
    return known[name]


def _check_names(names: list[str], what: str, most: int) -> None:
    if len(names) > most:
        raise InputError(f"schema, {what}", f"{len(names)} of them", f"at most {most}")
    if len(set(names)) < len(names):
        raise InputError(f"schema, {what}", next(name for name in names if names.count(name) > 1), "each name once")


def _check_name(name: object, what: str) -> str:
    if isinstance(name, str) and not name.strip():
        raise InputError(what, name, "a text that is not blank")
    return _check_phrase(name, what)


def _check_phrase(text: object, what: str) -> str:
    if not isinstance(text, str):
        raise InputError(what, text, "a text")
    if len(text) > MOST_CHARACTERS:
        raise InputError(what, text, f"at most {MOST_CHARACTERS} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(what, text.encode("utf-8", "backslashreplace").decode(), "valid Unicode (no lone surrogates)") from error
    return text


def _phrases(texts: object, what: str, most: int) -> tuple[str, ...]:
    check_each(texts, str, what)
    given = tuple(_check_name(text, what) for text in texts)  # type: ignore[attr-defined]
    if len(given) > most:
        raise InputError(what, f"{len(given)} of them", f"at most {most}")
    if len(set(given)) < len(given):
        raise InputError(what, next(text for text in given if given.count(text) > 1), "each once")
    return given
