"""Faults that people met with real bots: what `rasa test nlu` cannot take, what trained silently, what nobody was told."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ALIGNER, NLU_PIPELINE, REWRITER, LoadAgent, TrainBot, with_grice
from rasa.core.agent import Agent
from rasa.engine.graph import ExecutionContext, GraphSchema
from rasa.engine.storage.resource import Resource
from rasa.nlu.test import EntityEvaluationResult, align_entity_predictions
from rasa.nlu.tokenizers.whitespace_tokenizer import WhitespaceTokenizer
from rasa.shared.core.domain import Domain
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.constants import ENTITIES, TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.utils.endpoints import EndpointConfig

from grice.components import EntityAligner, MonitoredResponseGenerator
from grice.components.menu_fit import tell_misread
from grice.components.message_record import GRICE
from grice.components.slot_value_resolver import check_slots
from grice.middleware import TurnAnalysis
from grice.middleware.slots.filling import SlotFillingSettings
from grice.models import BotSchema
from grice.models.errors import InputError
from grice.models.meaning.results import PossibleMeaning, TurnMeaning

ORIGINAL = "I am on a tight budget, and there are many of us"
REWRITE = "I need a cheap place for two"


def found_by_diet(entity: str, value: str) -> dict[str, Any]:
    start = REWRITE.index(value)
    return {"entity": entity, "value": value, "start": start, "end": start + len(value), "extractor": "DIETClassifier"}


def aligned(*entities: dict[str, Any]) -> list[dict[str, Any]]:
    message = Message({TEXT: REWRITE, GRICE: {"original": ORIGINAL, "text": REWRITE}, ENTITIES: list(entities)})
    component = EntityAligner.create({}, None, Resource("aligner"), ExecutionContext(GraphSchema({})))
    (message,) = component.process([message])
    found: list[dict[str, Any]] = message.get(ENTITIES)
    return found


def test_rasa_can_evaluate_two_entities_that_are_implied() -> None:
    found = aligned(found_by_diet("price", "cheap"), found_by_diet("people", "two"))
    assert [(entity["entity"], entity["implied"], entity["extractor"], entity["found_by"]) for entity in found] == [
        ("price", True, "EntityAligner", "DIETClassifier"),
        ("people", True, "EntityAligner", "DIETClassifier"),
    ]
    tokens = WhitespaceTokenizer(WhitespaceTokenizer.get_default_config()).tokenize(Message({TEXT: ORIGINAL}), TEXT)
    result = EntityEvaluationResult([], found, tokens, ORIGINAL)
    labels = align_entity_predictions(result, {"DIETClassifier", "EntityAligner"})
    assert set(labels["extractor_labels"]["DIETClassifier"]) == {"O"}


def test_an_entity_in_the_users_own_words_keeps_its_extractor() -> None:
    (found,) = aligned({**found_by_diet("price", "place"), "value": "budget"})
    assert (found["extractor"], "found_by" in found) == ("DIETClassifier", False)
    assert ORIGINAL[found["start"] : found["end"]] == "budget"


def test_a_fallback_classifier_in_front_of_the_aligner_is_refused(train_bot: TrainBot) -> None:
    rewriter, *others = with_grice()
    model = train_bot((rewriter, *others[:-1], {"name": "FallbackClassifier"}, {"name": ALIGNER}), nlu_only=True)
    with pytest.raises(InvalidConfigException, match=r"EntityAligner: FallbackClassifier is listed before it.*Move it to the end"):
        Agent.load(str(model))


def test_the_log_says_what_was_decided_and_no_texts(load_agent: LoadAgent, caplog: pytest.LogCaptureFixture) -> None:
    agent = load_agent(({"name": REWRITER, "menu": True}, *NLU_PIPELINE, {"name": ALIGNER}))
    with caplog.at_level(logging.INFO, "grice.components.indirect_turn_rewriter"):
        asyncio.run(agent.parse_message("I am on a tight budget"))
    (line,) = [record.message for record in caplog.records if record.name == "grice.components.indirect_turn_rewriter"]
    assert line.startswith("turn: ")
    assert "read as" in line
    assert "budget" not in line


DOMAIN = {
    "slots": {"price": {"type": "categorical", "values": ["cheap", "dear"]}, "area": {"type": "text"}},
    "entities": ["price", {"area": {"roles": ["from", "to"]}}],
}


@pytest.mark.parametrize(
    ("name", "slot", "message"),
    [
        ("cost", {"values": ["cheap", "dear"]}, "slots: got 'cost'; allowed: a slot of the bot's domain: area, price"),
        (
            "price",
            {"values": ["cheap", "dear"], "entity": "cost"},
            "entity of slot price: got 'cost'; allowed: an entity of the domain",
        ),
        (
            "price",
            {"values": ["cheap", "free"]},
            "value of slot price: got 'free'; allowed: a value that the domain lists: cheap, dear",
        ),
    ],
)
def test_a_slot_entity_or_value_that_the_domain_lacks_is_refused(name: str, slot: dict[str, Any], message: str) -> None:
    slots = SlotFillingSettings.of(slots={name: {"description": "what it costs", **slot}}).slots
    with pytest.raises(InputError) as caught:
        check_slots(slots, DOMAIN)
    assert str(caught.value).startswith(message)
    check_slots(slots, {})


def test_slots_that_the_domain_has() -> None:
    slots = {"price": {"description": "a", "values": ["Cheap", "dear"]}, "area": {"description": "b", "values": ["north", "south"]}}
    check_slots(SlotFillingSettings.of(slots=slots).slots, DOMAIN)


def test_a_bot_does_not_start_with_a_slot_that_its_domain_lacks(train_bot: TrainBot) -> None:
    slots = {"cost": {"description": "what it costs", "values": ["cheap", "dear"]}}
    resolver = {"name": "grice.components.SlotValueResolver", "backend": "http", "url": "http://127.0.0.1:9", "slots": slots}
    model = train_bot((*NLU_PIPELINE, resolver))
    with pytest.raises(InvalidConfigException, match="SlotValueResolver: slots: got 'cost'; allowed: a slot of the bot's domain"):
        Agent.load(str(model))


RESPONSES = {"utter_greet": [{"text": "Hello."}]}
FALLBACK: dict[str, Any] = {
    "type": "grice.components.MonitoredResponseGenerator",
    "monitor": "scripted_monitor.Scripted",
    "fallback": {"!Rel": 0.5},
    "fallback_response": "utter_sory",
}


def test_a_fallback_response_that_the_domain_lacks_is_refused() -> None:
    domain = Domain.from_dict({"version": "3.1", "responses": RESPONSES})
    with pytest.raises(InvalidConfigException, match="setting fallback_response: got 'utter_sory'; allowed: a response of the bot"):
        MonitoredResponseGenerator(EndpointConfig(**FALLBACK), domain)


def test_it_is_said_once_where_rasa_tells_the_domain_late(caplog: pytest.LogCaptureFixture) -> None:
    from rasa.shared.core.trackers import DialogueStateTracker

    generator = MonitoredResponseGenerator(EndpointConfig(**FALLBACK), Domain.empty())
    for _ in range(2):
        tracker = DialogueStateTracker.from_events("a", [])
        asyncio.run(generator.generate("utter_greet", tracker, "rest", domain_responses=RESPONSES))
    said = [record.message for record in caplog.records if "fallback_response" in record.message]
    assert said == [
        "MonitoredResponseGenerator: setting fallback_response: got 'utter_sory'; "
        "allowed: a response of the bot's domain: utter_greet"
    ]


class Reads:
    """Reads every turn as one intent."""

    def __init__(self, intent: str) -> None:
        self.intent = intent

    def predict(self, asked: Any, /) -> list[TurnAnalysis]:
        possible = (PossibleMeaning("intent", self.intent, 0.9),)
        meaning = TurnMeaning("intent", self.intent, 0.9, 0.8, possible, (), 0.0, 0.1, None, ())
        return [TurnAnalysis("a", "a", "pass", "direct", meaning=meaning) for _ in asked]


def test_a_bot_whose_own_examples_are_misread_is_told_so_in_training(caplog: pytest.LogCaptureFixture) -> None:
    menu = BotSchema.of({"intents": [{"name": "greet", "examples": ["hello", "hi"]}, {"name": "bye", "examples": ["so long"]}]})
    with caplog.at_level(logging.INFO, "grice.components.menu_fit"):
        tell_misread(Reads("greet"), menu, "IndirectTurnRewriter")
        tell_misread(Reads("bye"), menu, "IndirectTurnRewriter")
    told = [(record.levelname, record.message.split(" (")[0]) for record in caplog.records]
    assert told[0] == ("INFO", "IndirectTurnRewriter: 2 of 3 examples are read as their own intent")
    assert told[1] == ("WARNING", "IndirectTurnRewriter: 1 of 3 of the bot's own examples are read as another intent")
    assert "greet as bye (2)" in caplog.records[3].message


def test_the_example_bot_listens_on_this_machine_only_and_ends_with_its_terminal() -> None:
    project = Path(__file__).parents[2] / "rasa_project"
    assert '"SANIC_HOST": "127.0.0.1"' in (project / "live" / "servers.py").read_text("utf-8")
    code = (
        "import signal, sys; sys.argv = ['run.py']; import run, os\n"
        "run.training.trained = lambda name, project: os.kill(os.getpid(), signal.SIGHUP)\n"
        "sys.exit(run.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
