"""The bot's own menu: what its training data say of it is kept in the model, its domain is there already."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.shared.core.domain import Domain
from rasa.shared.nlu.training_data.formats.rasa_yaml import RasaYAMLWriter
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.middleware.schemas.rasa import mappings_of_rasa, schema_of_rasa
from grice.middleware.schemas.rasa.slots import RasaMapping
from grice.models.schema import BotSchema

TRAINING = "nlu.json"
DOMAIN = Resource("domain_provider")
"""Where Rasa keeps the domain that a model was trained with; a model of the NLU alone has none."""


@dataclass(frozen=True)
class BotMenu:
    """What a bot can understand.

    Attributes:
        schema: its intents, by their examples, and slots; of a model of the NLU alone entities are the slots.
        mappings: by slot, how an entity fills it.
    """

    schema: BotSchema
    mappings: Mapping[str, RasaMapping]


def keep_menu(storage: ModelStorage, resource: Resource, data: TrainingData) -> None:
    """Keep what training data say of the menu under a resource of the model."""
    with storage.write_to(resource) as folder:
        (folder / TRAINING).write_text(json.dumps(training_content(data), ensure_ascii=False), encoding="utf-8")


def read_menu(storage: ModelStorage, resource: Resource) -> BotMenu | None:
    """The menu of a model; None where nothing was kept, as in one that a component was put into after training.

    Raises:
        InputError: the bot has too many intents, slots or values, or none.
    """
    try:
        with storage.read_from(resource) as folder:
            training: dict[str, Any] = json.loads((folder / TRAINING).read_text(encoding="utf-8"))
    except (ValueError, FileNotFoundError):
        return None
    domain = read_domain(storage)
    return BotMenu(schema_of_rasa(domain, **training), mappings_of_rasa(domain, training["examples"]))


def menu_of(data: TrainingData) -> BotSchema:
    """The menu that training data show by themselves, without domain.

    Raises:
        InputError: the bot has too many intents, slots or values, or none.
    """
    return schema_of_rasa({}, **training_content(data))


def training_content(data: TrainingData) -> dict[str, Any]:
    """What `schema_of_rasa` reads of training data, as JSON values."""
    examples: defaultdict[str, list[str]] = defaultdict(list)
    for message in data.intent_examples:
        examples[message.get_full_intent()].append(RasaYAMLWriter.generate_message(message.as_dict_nlu()))
    synonyms: defaultdict[str, list[str]] = defaultdict(list)
    for way, value in data.entity_synonyms.items():
        synonyms[value].append(way)
    lookups = {table["name"]: table["elements"] for table in data.lookup_tables if isinstance(table["elements"], list)}
    return {"examples": examples, "synonyms": synonyms, "lookups": lookups}


def read_domain(storage: ModelStorage) -> dict[str, Any]:
    """The domain that a model was trained with; empty where it has none."""
    try:
        with storage.read_from(DOMAIN) as folder:
            domain: dict[str, Any] = Domain.from_path(folder).as_dict()
    except ValueError:  # of a model without domain, or while it is trained
        return {}
    return domain
