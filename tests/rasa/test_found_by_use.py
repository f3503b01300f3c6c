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
from grice.components.menu_fit import only_told, tell_misread, tell_rewritten_away
from grice.components.message_record import GRICE
from grice.components.slot_value_resolver import check_slots
from grice.middleware import TurnAnalysis
from grice.middleware.capabilities.meaning import MeaningReport
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
    pipeline = (*with_grice()[:-1], {"name": "FallbackClassifier"}, {"name": ALIGNER})
    for nlu_only in (True, False):
        with pytest.raises(
            InvalidConfigException, match=r"EntityAligner: FallbackClassifier is listed before it.*Move it to the end"
        ):
            train_bot(pipeline, nlu_only=nlu_only)
    assert train_bot((*with_grice(), {"name": "FallbackClassifier"}), nlu_only=True).exists()


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


@pytest.mark.parametrize("force", [True, False], ids=["forced", "cached"])
def test_training_refuses_a_slot_that_the_domain_lacks(train_bot: TrainBot, force: bool) -> None:
    slots = {"cost": {"description": "what it costs", "values": ["cheap", "dear"]}}
    resolver = {"name": "grice.components.SlotValueResolver", "backend": "http", "url": "http://127.0.0.1:9", "slots": slots}
    with pytest.raises(InvalidConfigException, match="SlotValueResolver: slots: got 'cost'; allowed: a slot of the bot's domain"):
        train_bot((*NLU_PIPELINE, resolver), force=force)
    assert train_bot((*NLU_PIPELINE, resolver), nlu_only=True).exists()


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
    """Reads a turn as the intent that it names, or as none; a turn of `silent` cannot be read."""

    def __init__(self, silent: str = "") -> None:
        self.silent = silent

    def predict(self, asked: Any, /) -> list[MeaningReport]:
        return [self.read(each.dialogue.last.text) for each in asked]

    def read(self, text: str) -> MeaningReport:
        possible = tuple(PossibleMeaning("intent", name, 0.9) for name in ("greet", "bye") if name in text)
        found = TurnMeaning("intent", "greet", 0.9, 0.8, possible, (), 0.0, 0.1, None, ())
        return MeaningReport(None if text == self.silent else found)


MENU = BotSchema.of(
    {
        "intents": [
            {"name": "greet", "examples": ["greet", "greet you", "hello"]},
            {"name": "bye", "examples": ["bye", "greet them", "so long"]},
        ]
    }
)


def told_in_training(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.message) for record in caplog.records if record.name == "grice.components.menu_fit"]


def test_it_is_told_how_many_of_the_bots_own_examples_are_misread(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "grice.components.menu_fit"):
        tell_misread("MeaningResolver", MENU, Reads())
        tell_misread("MeaningResolver", MENU, Reads(silent="greet them"))
    told = "MeaningResolver: {} of 6 of the bot's own examples are read as another intent"
    assert told_in_training(caplog) == [
        ("INFO", f"{told.format(1)} (bye as greet (1))"),
        ("INFO", told.format(0)),
    ]
    caplog.clear()
    menu = BotSchema.of({"intents": [{"name": "greet", "examples": ["bye", "bye bye"]}, {"name": "bye", "examples": ["so long"]}]})
    tell_misread("MeaningResolver", menu, Reads())
    ((level, message),) = told_in_training(caplog)
    assert (level, message.split(":")[1]) == (
        "WARNING",
        " 2 of 3 of the bot's own examples are read as another intent (greet as bye (2))",
    )


@pytest.mark.parametrize(
    ("becomes", "away", "level"),
    [
        ({"greet": "greet"}, "1 of 6 of the bot's own examples are rewritten, 0 of them", "INFO"),
        ({"greet": "bye", "hello": "bye", "so long": "later"}, "3 of 6 of the bot's own examples are rewritten, 2 of", "WARNING"),
    ],
)
def test_it_is_told_how_many_of_the_bots_own_examples_are_rewritten_into_another_intent(
    caplog: pytest.LogCaptureFixture, becomes: dict[str, str], away: str, level: str
) -> None:
    def rewrite(dialogues: Any) -> list[TurnAnalysis]:
        texts = [each.last.text for each in dialogues]
        return [
            TurnAnalysis(text, becomes[text], "rewrite", "indirect")
            if text in becomes
            else TurnAnalysis(text, text, "pass", "direct")
            for text in texts
        ]

    with caplog.at_level(logging.INFO, "grice.components.menu_fit"):
        tell_rewritten_away("IndirectTurnRewriter", MENU, rewrite, Reads())
    ((found, message),) = told_in_training(caplog)
    assert (found, away in message) == (level, True)


@pytest.mark.parametrize(
    "pipeline",
    [with_grice(history_turns=9), (*NLU_PIPELINE, {"name": "grice.components.MeaningResolver", "history_turns": 9})],
    ids=["rewriter", "resolver"],
)
def test_training_says_once_how_the_bots_own_examples_fare(
    train_bot: TrainBot, caplog: pytest.LogCaptureFixture, pipeline: Any
) -> None:
    with caplog.at_level(logging.INFO, "grice.components.menu_fit"):
        train_bot(pipeline)
    ((_, message),) = told_in_training(caplog)
    assert " of the bot's own examples are " in message


def test_a_check_that_fails_does_not_stop_training(caplog: pytest.LogCaptureFixture) -> None:
    with only_told("MeaningResolver"):
        raise RuntimeError("I want to book")
    assert told_in_training(caplog) == [("WARNING", "MeaningResolver: the bot's own examples could not be checked: RuntimeError")]


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
