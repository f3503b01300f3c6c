"""The files of a Rasa bot as one mapping: its domain and its training data, in a file or in many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grice.middleware.schemas.content import read_content
from grice.middleware.schemas.rasa.menu import schema_of_rasa
from grice.middleware.schemas.rasa.training_data import read_training
from grice.models.errors import DataNotFound, InputError
from grice.models.schema import BotSchema

DOMAINS = ("domain.yml", "domain.yaml", "domain")
TRAINING = ("data", "nlu.yml", "nlu.yaml")
LISTS = ("intents", "entities", "nlu", "rules", "stories")
MAPPINGS = ("slots", "forms")
TELLING = frozenset({"nlu", "entities", "forms", "responses", "actions", "rules", "stories", "session_config"})
"""Keys that only Rasa has."""


def is_rasa(content: object) -> bool:
    """Whether it is a domain or training data."""
    if not isinstance(content, Mapping):
        return False
    intents, slots = content.get("intents"), content.get("slots")
    plain_names = isinstance(intents, list) and any(isinstance(each, str) for each in intents)
    typed = isinstance(slots, Mapping) and any(isinstance(each, Mapping) and "type" in each for each in slots.values())
    return bool(TELLING & set(content)) or plain_names or typed


def read_bot(path: Path) -> dict[str, Any]:
    """What the YAML files of a bot say, as if it were one file.

    Args:
        path: the bot's folder, of which the domain and the training data are read; another folder, of which all YAML files are
            read; or a file. A domain file is read with the training data beside it.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataNotFound, DataCorrupt: there is no such file, or one is no YAML.
        InputError: a part is of the wrong kind; says in which file.
    """
    found: dict[str, Any] = {**{name: [] for name in LISTS}, **{name: {} for name in MAPPINGS}}
    for file in _files(path):
        content = read_content(file)
        if isinstance(content, Mapping):
            _add(found, content, file)
    if not any(found.values()):
        raise DataNotFound(
            f"{path}: nothing of a Rasa bot in it; give its folder, a domain with intents and slots, or data with nlu"
        )
    return found


def schema_of_bot(content: Mapping[str, Any]) -> BotSchema:
    """The menu of a bot, from its files as one mapping.

    Raises:
        InputError: as `schema_of_rasa`.
    """
    training = read_training(content, content.get("forms") or {})
    return schema_of_rasa(
        content, training.examples, lookups=training.lookups, synonyms=training.synonyms, triggers=training.triggers
    )


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        parts = [path / name for name in (*DOMAINS, *TRAINING) if (path / name).exists()]
    else:
        beside = TRAINING if path.name in DOMAINS else ()
        parts = [path, *(path.with_name(name) for name in beside if path.with_name(name).exists())]
    for part in parts or [path]:
        inside = sorted(part.rglob("*")) if part.is_dir() else [part]
        yield from (file for file in inside if not part.is_dir() or file.suffix in (".yml", ".yaml"))


def _add(found: dict[str, Any], content: Mapping[str, Any], file: Path) -> None:
    for name in LISTS:
        given = content.get(name) or []
        if not isinstance(given, list):
            raise InputError(f"{file}, {name}", given, "a list")
        found[name] += given
    for name in MAPPINGS:
        given = content.get(name) or {}
        if not isinstance(given, Mapping):
            raise InputError(f"{file}, {name}", given, "a mapping")
        found[name].update(given)
