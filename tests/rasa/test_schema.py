"""The menu of a bot is the same whether our reader or Rasa itself has read its files."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from rasa.shared.core.constants import DEFAULT_INTENTS as DEFAULT_INTENTS_OF_RASA
from rasa.shared.importers.rasa import RasaFileImporter
from rasa.shared.nlu.training_data.formats.rasa_yaml import RasaYAMLWriter

from grice.middleware.schemas import read_schema, schema_of_rasa
from grice.middleware.schemas.rasa.files import read_bot
from grice.middleware.schemas.rasa.menu import DEFAULT_INTENTS
from grice.middleware.schemas.rasa.training_data import read_training

BOT = Path(__file__).parents[2] / "rasa_project"


def test_the_menu_of_a_loaded_bot_is_that_of_its_files() -> None:
    importer = RasaFileImporter(domain_path=str(BOT / "domain.yml"), training_data_paths=[str(BOT / "data")])
    domain, data = importer.get_domain().as_dict(), importer.get_nlu_data()
    examples: defaultdict[str, list[str]] = defaultdict(list)
    for message in data.intent_examples:
        examples[message.get_full_intent()].append(RasaYAMLWriter.generate_message(message.as_dict_nlu()))
    synonyms: defaultdict[str, list[str]] = defaultdict(list)
    for way, value in data.entity_synonyms.items():
        synonyms[value].append(way)
    training = read_training(read_bot(BOT), domain["forms"])
    lookups = {table["name"]: table["elements"] for table in data.lookup_tables}
    loaded = schema_of_rasa(domain, examples, lookups=lookups, synonyms=synonyms, triggers=training.triggers)
    read = read_schema(BOT)
    for intent in read.intents:
        assert set(loaded.intent(intent.name).slots) == set(intent.slots)
        assert loaded.intent(intent.name).examples == intent.examples
    assert {slot.name: set(slot.values) for slot in loaded.slots} == {slot.name: set(slot.values) for slot in read.slots}


def test_the_intents_that_are_left_out_are_rasas_own() -> None:
    assert set(DEFAULT_INTENTS_OF_RASA) == DEFAULT_INTENTS
