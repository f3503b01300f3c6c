"""Rasa's annotated examples: `[Ely](city)`, `[the Ivy]{"entity": "place", "role": "to"}`, `[Ely][{…}, {…}]` for several at once.

The patterns are those of Rasa 3.6 (`rasa.shared.nlu.training_data.entities_parser`), so that both read a line alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from grice.models.errors import InputError

_ANNOTATION = re.compile(
    r"\[(?P<text>[^\]]+?)\](?:\((?P<entity>[^:)]+?)(?:\:(?P<value>[^)]+))?\)|\{(?P<dict>[^}]+?)\}|\[(?P<dicts>.*?)\])"
)
_DICT = re.compile(r"\{([^}]+?)\}")
_SIMPLE_NAME = re.compile(r"[^:()\[\]{}]+")
ALLOWED = '[text](entity), [text](entity:value), [text]{"entity": "…", "value": "…", "role": "…", "group": "…"} or [text][{…}, {…}]'


@dataclass(frozen=True)
class Entity:
    """An annotated span of an example.

    Attributes:
        start, end: characters, end exclusive.
        entity: its type, such as `city`.
        value: what the span stands for; None where it is the span's own text.
        role, group: as in Rasa; None where not given.
    """

    start: int
    end: int
    entity: str
    value: str | int | float | None = None
    role: str | None = None
    group: str | None = None

    @property
    def label(self) -> tuple[object, ...]:
        """All but where it stands."""
        return self.entity, self.value, self.role, self.group

    def at(self, start: int, end: int) -> Entity:
        """The same entity at another place."""
        return replace(self, start=start, end=end)


def parse_annotated(line: str) -> tuple[str, tuple[Entity, ...]]:
    """The plain text of an annotated example and its entities, in order.

    Raises:
        InputError: an annotation in braces is no JSON object with a string `entity` and at most `value`, `role` and `group`.
    """
    plain, entities = "", []
    place = 0
    for match in _ANNOTATION.finditer(line):
        plain += line[place : match.start()]
        start, end = len(plain), len(plain) + len(match["text"])
        entities += list(_entities(match, start, end))
        plain += match["text"]
        place = match.end()
    return plain + line[place:], tuple(entities)


def _entities(match: re.Match[str], start: int, end: int) -> Iterator[Entity]:
    if match["entity"]:
        yield Entity(start, end, match["entity"], match["value"] or None)
        return
    for inner in [match["dict"]] if match["dict"] else _DICT.findall(match["dicts"]):
        yield _from_json(f"{{{inner}}}", start, end)


def _from_json(text: str, start: int, end: int) -> Entity:
    try:
        given: Any = json.loads(text)
    except ValueError as error:
        raise InputError("annotation", text, f"{ALLOWED}; the part in braces must be JSON ({error})") from error
    strings = [given.get(name) for name in ("entity", "role", "group") if name in given]
    value = given.get("value")
    usable = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if "entity" not in given or not all(isinstance(string, str) for string in strings) or ("value" in given and not usable):
        raise InputError("annotation", text, f"{ALLOWED}; entity, role and group are strings, value is a string or a number")
    return Entity(start, end, given["entity"], value, given.get("role"), given.get("group"))


def annotated(text: str, entities: Sequence[Entity]) -> str:
    """`text` with its entities written in; the reverse of `parse_annotated`.

    Raises:
        InputError: Rasa's format has no way to write it: overlapping spans, brackets in a span or `}` in a value, text that reads
            as an annotation, a line break, space at an end.
    """
    line, place = "", 0
    for (start, end), group in groupby(sorted(entities, key=_span), key=_span):
        line += text[place:start] + _marked(text[start:end], list(group))
        place = end
    line += text[place:]
    wanted = text, tuple(sorted(entities, key=_span))
    if len(line.splitlines()) != 1 or line != line.strip("\n\r ") or "\\u" in line.lower() or _read_back(line) != wanted:
        raise InputError("example", line, "one that Rasa's annotation format can express")
    return line


def _read_back(line: str) -> tuple[str, tuple[Entity, ...]] | None:
    try:
        return parse_annotated(line)
    except InputError:
        return None


def _span(entity: Entity) -> tuple[int, int]:
    return entity.start, entity.end


def _marked(words: str, entities: Sequence[Entity]) -> str:
    if len(entities) > 1:
        return f"[{words}][{', '.join(map(_as_json, entities))}]"
    (entity,) = entities
    bare = entity.role is None and entity.group is None and _SIMPLE_NAME.fullmatch(entity.entity)
    if bare and entity.value is None:
        return f"[{words}]({entity.entity})"
    if bare and isinstance(entity.value, str) and _SIMPLE_NAME.fullmatch(entity.value):
        return f"[{words}]({entity.entity}:{entity.value})"
    return f"[{words}]{_as_json(entity)}"


def _as_json(entity: Entity) -> str:
    given = {"entity": entity.entity, "role": entity.role, "group": entity.group, "value": entity.value}
    return json.dumps({name: value for name, value in given.items() if value is not None}, ensure_ascii=False)
