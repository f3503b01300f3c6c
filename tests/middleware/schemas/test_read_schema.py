"""Menus from files: every format is recognised by its content, and a Rasa bot may be a file or many."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from grice.middleware.schemas import FORMATS, read_schema, schema_of_rasa
from grice.models.errors import DataCorrupt, DataNotFound, InputError, MissingExtra
from grice.models.schema import BotSchema

ROOT = Path(__file__).parents[3]

DOMAIN = """
version: "3.1"
intents: [greet, rent, faq]
entities: [color]
slots:
  hull: {type: text, mappings: [{type: from_entity, entity: color}]}
  guests: {type: float, mappings: [{type: custom}]}
forms:
  rent_form: {required_slots: [guests]}
"""
NLU = """
version: "3.1"
nlu:
- intent: greet
  examples: |
    - hello
    - ça va?
    no example
- intent: rent
  examples:
  - text: a [red](color) one
    metadata: {sentiment: neutral}
  - text: |
      a [navy](color) one
- intent: faq/ask_hours
  examples: |
    - when do you open?
- synonym: blue
  examples: |
    - navy
- synonym: red
  examples: |
    - crimson
- lookup: weather
  examples: |
    - sun
- regex: number
  examples: |
    - \\d+
- unknown: x
"""
RULES = """
version: "3.1"
rules:
- rule: rent
  steps:
  - intent: rent
  - slot_was_set: [hull: red]
  - action: rent_form
  - active_loop: rent_form
- rule: ask in between
  condition: [active_loop: rent_form]
  steps:
  - intent: faq/ask_hours
  - action: utter_faq
  - action: rent_form
"""
MENU = BotSchema.of(
    {
        "intents": [
            {"name": "greet", "examples": ["hello", "ça va?"]},
            {"name": "rent", "examples": ["a red one", "a navy one"], "slots": ["hull", "guests"]},
            {"name": "faq/ask_hours", "examples": ["when do you open?"]},
        ],
        "slots": {"hull": {"values": ["red", "blue"]}, "guests": {}},
    }
)
TOOLS = [{"name": "rent", "description": "rent a kayak", "parameters": {}}]
SERVICES = [{"service_name": "Kayaks", "slots": [], "intents": [{"name": "Rent", "description": "rent"}]}]


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(f"{path.name}.yml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_bots_folder(tmp_path: Path) -> None:
    write(tmp_path, domain=DOMAIN, data__nlu=NLU, data__more__rules=RULES, tests__stories="nlu: [{intent: x, examples: '- x'}]")
    assert read_schema(tmp_path) == MENU
    assert read_schema(tmp_path, "rasa") == MENU


def test_a_domain_file_is_read_with_the_training_data_beside_it(tmp_path: Path) -> None:
    write(tmp_path, domain=DOMAIN, nlu=NLU, data__rules=RULES)
    assert read_schema(tmp_path / "domain.yml") == MENU


def test_a_domain_in_parts(tmp_path: Path) -> None:
    intents, slots = DOMAIN.split("\nslots:")
    write(tmp_path, domain__intents=intents, domain__kayaks__slots=f"slots:{slots}", data__nlu=NLU, data__rules=RULES)
    assert read_schema(tmp_path) == MENU
    assert [intent.name for intent in read_schema(tmp_path / "domain").intents] == ["greet", "rent", "faq"]


def test_training_data_alone(tmp_path: Path) -> None:
    schema = read_schema(write(tmp_path, talk=NLU) / "talk.yml")
    assert [slot.name for slot in schema.slots_of("rent")] == ["color"]
    assert schema.slot("color").values == ("red", "blue")


def test_a_single_file_with_all(tmp_path: Path) -> None:
    nlu, rules = (text.replace('version: "3.1"\n', "") for text in (NLU, RULES))
    assert read_schema(write(tmp_path, bot=DOMAIN + nlu + rules) / "bot.yml") == MENU


def test_the_example_bot() -> None:
    schema = read_schema(ROOT / "rasa_project")
    assert len(schema.intents) == 16
    assert schema.slot("area").values == ("centre", "south", "north", "west", "east")
    assert "area" in schema.intent("find_hotel").slots
    assert not {"topic", "offer"} & {slot.name for slot in schema.slots}


def test_each_format_is_recognised_by_its_content_and_by_no_other(tmp_path: Path) -> None:
    contents = {"grice": MENU.as_dict(), "rasa": {"intents": ["greet"]}, "sgd": SERVICES, "tools": TOOLS}
    assert set(contents) == set(FORMATS)
    for name, content in contents.items():
        assert [other for other, each in FORMATS.items() if each.recognise(content)] == [name]
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content))
        assert read_schema(path) == read_schema(path, name)


def test_our_own_format_in_yaml(tmp_path: Path) -> None:
    path = (
        write(tmp_path, menu='intents: [{name: rent, examples: ["yes, 1 kayak"]}]\nslots: {size: , yes: {values: [no]}}')
        / "menu.yml"
    )
    assert read_schema(path) == BotSchema.of(
        {"intents": [{"name": "rent", "examples": ["yes, 1 kayak"]}], "slots": {"size": None, "yes": {"values": ["no"]}}}
    )


def test_a_live_domain_gives_the_same_as_files(tmp_path: Path) -> None:
    write(tmp_path, domain=DOMAIN)
    domain = {
        "intents": ["greet", "rent", "faq"],
        "entities": ["color"],
        "slots": {
            "hull": {"type": "text", "mappings": [{"type": "from_entity", "entity": "color"}]},
            "guests": {"type": "float", "mappings": [{"type": "custom"}]},
        },
        "forms": {"rent_form": {"required_slots": ["guests"]}},
    }
    assert read_schema(tmp_path) == schema_of_rasa(domain, {})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"menu": 1}', "got 'a mapping with menu'; allowed: grice: Grice's own"),
        ("a.json", '[{"a": 1}]', "got 'a list of 1, the first a mapping with a'"),
        ("a.yml", "hello", "got 'a str'"),
        ("a.yml", "", "got 'nothing'"),
        ("a.json", '{"intents": [{"name": "a"}], "entities": []}', r"\(grice rasa\)"),
        ("a.json", '{"intents": [{"name": "a", "say": 1}]}', "schema, intent 0, key: got 'say'"),
    ],
)
def test_what_is_not_recognised_is_told(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_schema(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "a.json: not valid JSON: .*; a YAML file ends in .yml or .yaml"),
        ("a.json", "[" * 200_000, "a.json: nested too deeply"),
        ("a.yml", "a: [", "a.yml, line 1: not valid YAML"),
        ("a.yml", "a: 1\na: 2", "a.yml, line 2: not valid YAML"),
        ("a.yml", "a: \ud800", "a.yml: not UTF-8"),
    ],
)
def test_what_cannot_be_read(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(DataCorrupt, match=message):
        read_schema(tmp_path / name)


def test_files_that_are_not_there_or_say_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="no such file or folder"):
        read_schema(tmp_path / "nobody.yml")
    with pytest.raises(DataNotFound, match="nothing of a Rasa bot in it"):
        read_schema(tmp_path)
    with pytest.raises(InputError, match="got 'a folder'; allowed: a file: a list of tools"):
        read_schema(tmp_path, "tools")
    with pytest.raises(InputError, match="format: got 'yaml'; allowed: auto, grice, rasa, sgd, tools"):
        read_schema(tmp_path, "yaml")
    with pytest.raises(InputError, match="services: got 'a'; allowed: only with an SGD schema"):
        read_schema(write(tmp_path, domain=DOMAIN), services=["a"])


def test_a_part_of_the_wrong_kind_names_its_file(tmp_path: Path) -> None:
    write(tmp_path, domain=DOMAIN, data__nlu="nlu: {intent: greet}")
    with pytest.raises(InputError, match=r"data/nlu\.yml, nlu: got .*; allowed: a list"):
        read_schema(tmp_path)


def test_without_ruamel_yaml_json_is_read_and_yaml_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    (tmp_path / "menu.json").write_text(json.dumps(MENU.as_dict()))
    assert read_schema(tmp_path / "menu.json") == MENU
    with pytest.raises(MissingExtra, match=r"ruamel.yaml is not installed; run: pip install 'grice\[schema\]'"):
        read_schema(write(tmp_path, domain=DOMAIN) / "domain.yml")
