"""Rasa itself reads the stories and NLU data of indirect requests, and refuses the domains that our reader refuses."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from iur_bad_domains import BAD_DOMAINS
from iur_fixtures import DOMAIN, write_domain
from rasa.core.test import _create_data_generator
from rasa.shared.core.domain import Domain
from rasa.shared.core.events import SlotSet, UserUttered
from rasa.shared.core.training_data.story_reader.yaml_story_reader import YAMLStoryReader
from rasa.shared.exceptions import RasaException
from rasa.shared.importers.rasa import RasaFileImporter
from rasa.shared.nlu.training_data.formats.rasa_yaml import RasaYAMLReader

from grice.middleware.authoring.indirect_requests import (
    Candidate,
    Generated,
    bot_slots,
    nlu_text,
    read_domain,
    slots_of_domain,
    stories_text,
)
from grice.models.data.indirect_requests import AMBIGUOUS

SAID = {
    ("size", "large"): "My whole shift is asleep, so fill the bucket: all [of] it",
    ("size", "2"): "Make it a pair",
    ("roast", "dark"): 'They say "black as night" tastes best: #1 for me',
    ("with_milk", "False"): "Cows are no friends of mine",
    ("with_milk", "True"): "It is too bitter for me otherwise",
}


def _requests(folder: Path) -> list[Generated]:
    slots = {slot.name: slot for slot in slots_of_domain(read_domain(write_domain(folder)))}
    made = [
        Generated(Candidate(slots[name], value, text, "template"), value, "justification", "rules", 8.0, (value,), 7.0, "local")
        for (name, value), text in SAID.items()
    ]
    vague = Candidate(slots["size"], "large", "Not too little", "template")
    return [*made, Generated(vague, AMBIGUOUS, "simple elaboration", "rules", 8.0, (), 7.0, "local")]


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot's folder with the generated stories and NLU data."""
    requests = _requests(tmp_path)
    domain = read_domain(tmp_path / "domain.yml")
    slots = bot_slots(domain, [request.candidate.asked for request in requests])
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_iur.yml").write_text(stories_text(requests, slots), encoding="utf-8")
    (tmp_path / "nlu.yml").write_text(nlu_text(requests, slots), encoding="utf-8")
    return tmp_path


def test_rasa_reads_the_stories(bot: Path) -> None:
    path = str(bot / "tests" / "test_iur.yml")
    assert YAMLStoryReader.is_test_stories_file(path)
    domain = Domain.load(str(bot / "domain.yml"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # of Rasa itself
        steps = YAMLStoryReader(domain).read_from_file(path)
    found = [[event for event in step.events if isinstance(event, (UserUttered, SlotSet))] for step in steps]
    assert [(turn.text, slot.key, slot.value) for turn, slot in found] == [
        (SAID["size", "large"], "size", "large"),
        (SAID["size", "2"], "size", "2"),
        (SAID["roast", "dark"], "roast", "dark"),
        (SAID["with_milk", "False"], "with_milk", False),
        (SAID["with_milk", "True"], "with_milk", True),
    ]
    assert [turn.intent_name for turn, _ in found] == ["order", "order", "inform", "no_milk", "inform"]
    roast = found[2][0]
    assert [(entity["entity"], entity["value"], entity["role"]) for entity in roast.entities] == [("roast", "dark", "bean")]


def test_rasa_makes_test_trackers_of_the_stories(bot: Path) -> None:
    from rasa.core.agent import Agent

    domain = Domain.load(str(bot / "domain.yml"))
    generator = _create_data_generator(str(bot / "tests"), Agent(domain=domain), use_conversation_test_files=True)
    trackers = generator.generate_story_trackers()
    assert len(trackers) == len(SAID)


def test_rasa_reads_the_nlu_data(bot: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # of Rasa itself
        data = RasaYAMLReader().read(str(bot / "nlu.yml"))
    assert {example.get("text") for example in data.intent_examples} == set(SAID.values())
    (entity,) = next(each for each in data.intent_examples if each.get("text") == SAID["size", "2"]).get("entities")
    assert (entity["entity"], entity["value"], entity["start"], entity["end"]) == ("size", "2", 0, len(SAID["size", "2"]))
    (bot / "config.yml").write_text("language: en\nassistant_id: a\npipeline: []\n")
    importer = RasaFileImporter(str(bot / "config.yml"), str(bot / "domain.yml"), [str(bot / "nlu.yml")])
    assert len(importer.get_nlu_data().intent_examples) == len(SAID)


@pytest.mark.parametrize("name", BAD_DOMAINS)
def test_rasa_refuses_what_our_reader_refuses(tmp_path: Path, name: str) -> None:
    path = write_domain(tmp_path, BAD_DOMAINS[name][0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            domain = Domain.load(str(path))
    except (RasaException, TypeError):  # a value that a text slot does not take is a TypeError
        return
    assert domain.is_empty()  # what Rasa reads of a version that it does not know


def test_rasa_takes_the_domain_that_our_reader_takes(tmp_path: Path) -> None:
    domain = Domain.load(str(write_domain(tmp_path)))
    ours = read_domain(tmp_path / "domain.yml")
    assert [slot.name for slot in ours.slots] == [slot.name for slot in domain.slots][: len(ours.slots)]  # Rasa adds its own
    assert set(ours.intents) <= set(domain.intents)
    assert set(ours.entities) == set(domain.entities)
    assert DOMAIN.count("type: from_entity") == 2
