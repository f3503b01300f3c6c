"""Rasa itself reads what `grice augment` writes, and reads NLU files as our reader does."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from rasa.shared.exceptions import InvalidEntityFormatException, SchemaValidationError
from rasa.shared.importers.rasa import RasaFileImporter
from rasa.shared.nlu.training_data import entities_parser
from rasa.shared.nlu.training_data.message import Message

from grice.middleware.authoring.augment import Entity, Example, read_nlu
from grice.middleware.authoring.augment.nlu_file import NluItem
from grice.middleware.authoring.augment.writing import separate_file
from grice.middleware.cli import main
from grice.middleware.schemas.rasa.annotation import parse_annotated
from grice.models.errors import InputError

NLU = """\
version: "3.1"
nlu:
- intent: find_train
  metadata: {topic: rail}
  examples: |
    - I want to travel from [Ely]{"entity": "city", "role": "from"} to [Cambridge]{"entity": "city", "role": "to", "value": "CBG"}
    - Find a train to [London](city:London Kings Cross) on [Monday](day)
- intent: book_table
  examples:
  - text: |
      Book a table for [4][{"entity": "people"}, {"entity": "number", "group": "1"}] people at [7pm](time)
    metadata:
      source: ours
- synonym: CBG
  examples: |
    - Cambridge city
- lookup: day
  examples: |
    - Monday
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    (path / "nlu.yml").write_text(NLU, encoding="utf-8")
    return path


def rasa_reads(folder: Path) -> list[Message]:
    """The messages of a folder, as training finds them; whatever Rasa warns of is an error."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UserWarning)
        found: list[Message] = RasaFileImporter(training_data_paths=[str(folder)]).get_nlu_data().training_examples
        return found


def spans(entities: Any) -> list[tuple[Any, ...]]:
    """Rasa's entities and ours in one form, values filled in."""
    return sorted((e["start"], e["end"], e["entity"], str(e["value"]), e.get("role"), e.get("group")) for e in entities)


def ours(example: Example) -> list[tuple[Any, ...]]:
    return spans(
        {
            "start": e.start,
            "end": e.end,
            "entity": e.entity,
            "value": example.text[e.start : e.end] if e.value is None else e.value,
            "role": e.role,
            "group": e.group,
        }
        for e in example.entities
    )


@pytest.mark.parametrize("arguments", [[], ["--in-place"]], ids=["separate file", "in place"])
def test_rasa_reads_the_variants_with_their_entities(folder: Path, arguments: list[str]) -> None:
    before = {message.get("text"): message for message in rasa_reads(folder)}
    assert main(["augment", str(folder), *arguments]) == 0
    after = {message.get("text"): message for message in rasa_reads(folder)}
    assert {text: message.data for text, message in after.items() if text in before} == {
        text: message.data for text, message in before.items()
    }
    new = [message for text, message in after.items() if text not in before]
    assert {message.get("intent") for message in new} == {"find_train", "book_table"}
    for message in new:
        text = message.get("text")
        for entity in message.get("entities"):
            assert text[entity["start"] : entity["end"]] in ("Ely", "Cambridge", "London", "Monday", "4", "7pm")
        labels = {(e["entity"], e["value"], e.get("role"), e.get("group")) for e in message.get("entities")}
        assert labels in (
            {("city", "Ely", "from", None), ("city", "CBG", "to", None)},
            {("city", "London Kings Cross", None, None), ("day", "Monday", None, None)},
            {("people", "4", None, None), ("number", "4", None, "1"), ("time", "7pm", None, None)},
        )
        wanted = {"example": {"source": "ours"}} if message.get("intent") == "book_table" else {"intent": {"topic": "rail"}}
        assert message.get("metadata") == wanted


def test_rasa_and_we_read_a_file_alike(folder: Path) -> None:
    messages = {message.get("text"): message for message in rasa_reads(folder)}
    examples = [example for item in read_nlu(folder / "nlu.yml").items for example, _ in item.examples]
    assert [example.text for example in examples] == list(messages)
    assert all(ours(example) == spans(messages[example.text].get("entities")) for example in examples)


def test_rasa_and_we_read_any_line_alike() -> None:
    dice = random.Random(7)
    pieces = [
        "[Ely]",
        "(city)",
        "(city:x y)",
        '{"entity": "a"}',
        '{"entity": "a", "role": "b", "value": 3}',
        "[{",
        '"entity": "c"}]',
    ]
    pieces += ["[", "]", "(", ")", "{", "}", ":", " to ", "x", "é", '{"role": "b"}', "[a [b]"]
    read = 0
    for _ in range(4000):
        line = "".join(dice.choices(pieces, k=dice.randint(1, 7)))
        try:
            wanted = spans(entities_parser.find_entities_in_training_example(line))
        except (InvalidEntityFormatException, SchemaValidationError):
            with pytest.raises(InputError):
                parse_annotated(line)
            continue
        text, entities = parse_annotated(line)
        assert text == entities_parser.replace_entities(line)
        assert ours(Example(text, "any", entities)) == wanted
        read += bool(entities)
    assert read > 200


def test_names_and_values_of_all_kinds_survive(tmp_path: Path) -> None:
    entities = (Entity(3, 6, "city", "e: ly"), Entity(3, 6, "b(c)", "e: ly", "r'o", 'g"'), Entity(10, 14, "ja nein", 2.5))
    named, plain = Example("in Ely at Bürö # no comment", "faq/wo: ist's", entities), Example("- : yes", "no")
    items = (NluItem(named.intent, ((named, None),)), NluItem(plain.intent, ((plain, {"a": [1, "no"]}),)))
    (tmp_path / "nlu.yml").write_text(separate_file(items, "3.1", ["x.yml"]), encoding="utf-8")
    messages = rasa_reads(tmp_path)
    assert [message.get("intent") for message in messages] == ["faq", "no"]
    assert [message.get("intent_response_key") for message in messages] == [named.intent, None]
    assert [message.get("text") for message in messages] == [named.text, plain.text]
    assert spans(messages[0].get("entities")) == ours(named)
    assert messages[1].get("metadata") == {"example": {"a": [1, "no"]}}


def test_an_empty_file_of_variants_is_no_trouble(folder: Path) -> None:
    assert main(["augment", str(folder), "--min-confidence", "1"]) == 0
    assert len(rasa_reads(folder)) == 3
