"""The response generator in Rasa: directly on real trackers and domains, and in a real bot."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import scripted_monitor
from conftest import TrainBot
from rasa.core.agent import Agent, load_agent
from rasa.core.channels.channel import UserMessage
from rasa.core.nlg.generator import NaturalLanguageGenerator
from rasa.core.utils import AvailableEndpoints
from rasa.shared.core.domain import Domain
from rasa.shared.core.events import BotUttered, SlotSet, UserUttered
from rasa.shared.core.slots import TextSlot
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.utils.endpoints import EndpointConfig

from grice.components import MonitoredResponseGenerator
from grice.components.monitored_response_generator import MAX_UNDER_WAY, WORKERS
from grice.models import Turn

PLAIN = ({"name": "WhitespaceTokenizer"}, {"name": "KeywordIntentClassifier"})
TYPE = "grice.components.MonitoredResponseGenerator"
SOFTENED = "Tell me your phone number."
RESPONSES: dict[str, list[dict[str, Any]]] = {
    "utter_ask": [{"text": SOFTENED}],
    "utter_slot": [{"text": "A table for {people}, then?"}],
    "utter_bye": [{"text": "Good bye."}],
    "utter_sorry": [{"text": "Sorry, bye, I did not get that."}],
    "utter_picture": [{"image": "picture.png"}],
    "utter_buttons": [{"text": SOFTENED, "buttons": [{"title": "Yes", "payload": "/affirm"}]}],
    "utter_lines": [{"text": f"{SOFTENED}\n- now\n- later"}],
    "utter_rest": [{"text": "On the web only.", "channel": "rest"}],
}


@pytest.fixture(autouse=True)
def open_gate() -> Iterator[None]:
    scripted_monitor.seen.clear()
    yield
    scripted_monitor.gate.set()


def generator(**keys: Any) -> NaturalLanguageGenerator:
    """As Rasa makes it: before there is a domain."""
    return NaturalLanguageGenerator.create(EndpointConfig.from_dict({"type": TYPE, "deadline_ms": 60_000, **keys}), None)


def tracker() -> DialogueStateTracker:
    slots = [TextSlot("people", mappings=[{}])]
    events = [UserUttered("A table, please."), BotUttered("For how many?"), UserUttered("two"), SlotSet("people", "two")]
    return DialogueStateTracker.from_events("ann", events, slots=slots)


def answered(nlg: NaturalLanguageGenerator, name: str, **kwargs: Any) -> dict[str, Any] | None:
    kwargs = {"domain_responses": RESPONSES, **kwargs}
    response: dict[str, Any] | None = asyncio.run(nlg.generate(name, tracker(), "console", **kwargs))
    return response


def generated(nlg: NaturalLanguageGenerator, name: str, **kwargs: Any) -> dict[str, Any]:
    response = answered(nlg, name, **kwargs)
    assert response is not None
    return response


def test_without_settings_responses_are_rasas_own() -> None:
    nlg = generator()
    assert isinstance(nlg, MonitoredResponseGenerator)
    for name, (response, *_) in RESPONSES.items():
        if name != "utter_slot":
            assert answered(nlg, name) == (None if "channel" in response else response)
    assert generated(nlg, "utter_slot") == {"text": "A table for two, then?"}
    assert answered(nlg, "utter_nothing") is None


def test_a_response_is_scored_after_its_history() -> None:
    response = generated(generator(monitor="scripted_monitor.Scripted"), "utter_slot")
    assert response["text"] == "A table for two, then?"
    grice = response["grice"]
    assert json.loads(json.dumps(grice)) == grice
    assert {label: value for label, value in grice["behaviors"].items() if value is not None} == {"!Rel": 0.1}
    assert len(grice["behaviors"]) == 9
    assert (grice["shown"], grice["evidence"]) == (None, {})
    assert (grice["original"], grice["softened"], grice["exceeded"], grice["failures"]) == (response["text"], False, [], [])
    (seen,) = scripted_monitor.seen
    assert seen.turns == (
        Turn("user", "A table, please."),
        Turn("bot", "For how many?"),
        Turn("user", "two"),
        Turn("bot", "A table for two, then?"),
    )


def test_what_a_response_shows_and_the_turn_it_is_about() -> None:
    grice = generated(generator(monitor="scripted_monitor.Thorough"), "utter_bye")["grice"]
    assert json.loads(json.dumps(grice)) == grice
    assert (grice["shown"], grice["exceeded"], grice["replaced_by"]) == (["!Rel"], [], None)
    assert grice["evidence"] == {"Red": {"turn": 1, "speaker": "bot", "text": "For how many?"}}
    assert generated(generator(monitor="scripted_monitor.Thorough"), "utter_slot")["grice"]["shown"] == []


def test_frustration_of_the_turn_that_is_answered_is_told() -> None:
    angry = "I have told you twice already. Let me talk to a human."
    events = [UserUttered("A table, please."), BotUttered("For how many?"), UserUttered(angry)]

    def told(nlg: NaturalLanguageGenerator, *more: BotUttered) -> Any:
        talk = DialogueStateTracker.from_events("ann", [*events, *more])
        response = asyncio.run(nlg.generate("utter_bye", talk, "console", domain_responses=RESPONSES))
        assert json.loads(json.dumps(response)) == response
        assert response["text"] == "Good bye."
        return response["grice"]["user_frustration"]

    nlg = generator(frustration=True)
    found = told(nlg)
    assert (found["shown"], found["turn"], found["text"]) == (True, 2, angry)
    assert 0.8 < found["probability"] < 1
    assert told(nlg, BotUttered("Good bye.")) is None  # the turn was answered already
    assert generated(nlg, "utter_bye")["grice"]["user_frustration"]["shown"] is False
    assert told(generator(monitor="scripted_monitor.Scripted")) is None


def test_the_history_that_is_read_can_be_limited() -> None:
    grice = generated(generator(monitor="scripted_monitor.Thorough", history_turns=2), "utter_slot")["grice"]
    assert len(scripted_monitor.seen[0].history) == 2
    assert grice["evidence"] == {"Red": {"turn": 0, "speaker": "bot", "text": "For how many?"}}


def test_a_response_over_its_threshold_is_replaced() -> None:
    nlg = generator(monitor="scripted_monitor.Scripted", fallback={"!Rel": 0.5, "Red": 0.1}, fallback_response="utter_ask")
    response = generated(nlg, "utter_bye")
    assert response["text"] == SOFTENED
    grice = response["grice"]
    assert (grice["original"], grice["text"], grice["exceeded"]) == ("Good bye.", SOFTENED, ["!Rel"])
    assert (grice["replaced_by"], grice["behaviors"]["!Rel"]) == ("utter_ask", 0.9)
    kept = generated(nlg, "utter_slot")
    assert (kept["text"], kept["grice"]["replaced_by"]) == ("A table for two, then?", None)


def test_a_fallback_over_the_threshold_goes_out_all_the_same() -> None:
    nlg = generator(monitor="scripted_monitor.Scripted", fallback={"!Rel": 0.5}, fallback_response="utter_sorry")
    assert generated(nlg, "utter_bye")["text"] == "Sorry, bye, I did not get that."
    asked = generated(nlg, "utter_sorry")
    assert (asked["text"], asked["grice"]["exceeded"], asked["grice"]["replaced_by"]) == (
        "Sorry, bye, I did not get that.",
        ["!Rel"],
        None,
    )


def test_a_fallback_that_the_domain_does_not_have() -> None:
    for name in ("utter_nowhere", "utter_rest"):
        nlg = generator(monitor="scripted_monitor.Scripted", fallback={"!Rel": 0.5}, fallback_response=name)
        response = generated(nlg, "utter_bye")
        assert response["text"] == "Good bye."
        assert [failure["stage"] for failure in response["grice"]["failures"]] == ["fallback"]
        assert name in response["grice"]["failures"][0]["message"]


def test_a_response_is_softened_by_the_shipped_model() -> None:
    response = generated(generator(soften=True, min_confidence=0.0), "utter_ask")
    grice = response["grice"]
    assert (grice["original"], grice["softened"], grice["failures"]) == (SOFTENED, True, [])
    assert response["text"] == grice["text"] == grice["rewrite"]["text"]
    assert response["text"] != SOFTENED


def test_a_softer_form_that_is_not_sure_enough_is_not_used() -> None:
    response = generated(generator(soften=True, min_confidence=1.0), "utter_ask")
    assert (response["text"], response["grice"]["softened"]) == (SOFTENED, False)
    assert response["grice"]["rewrite"]["confidence"] < 1


@pytest.mark.parametrize("name", ["utter_buttons", "utter_lines"])
def test_only_a_text_alone_is_softened(name: str) -> None:
    response = generated(generator(soften=True, min_confidence=0.0), name)
    assert (response["text"], response["grice"]["rewrite"]) == (RESPONSES[name][0]["text"], None)


def test_names_of_responses_that_are_softened_or_left_alone() -> None:
    nlg = generator(soften=True, min_confidence=0.0, soften_only=["utter_ask"], skip=["utter_bye"])
    assert generated(nlg, "utter_ask")["grice"]["rewrite"] is not None
    assert generated(nlg, "utter_slot")["grice"]["rewrite"] is None
    assert generated(nlg, "utter_bye") == {"text": "Good bye."}


@pytest.mark.parametrize(("monitor", "error"), [("Failing", "RuntimeError"), ("Short", "ModelError"), ("Confused", "ModelError")])
def test_a_monitor_that_fails_changes_nothing(monitor: str, error: str) -> None:
    nlg = generator(monitor=f"scripted_monitor.{monitor}", fallback={"!Rel": 0.0}, fallback_response="utter_sorry")
    response = generated(nlg, "utter_bye")
    assert response["text"] == "Good bye."
    assert (response["grice"]["behaviors"], response["grice"]["replaced_by"]) == (None, None)
    assert [(failure["stage"], failure["error"]) for failure in response["grice"]["failures"]] == [("monitor", error)]


def test_a_late_monitor_changes_nothing_and_does_not_block_the_loop() -> None:
    nlg = generator(monitor="scripted_monitor.Waiting", deadline_ms=150, fallback={"!Rel": 0.0}, fallback_response="utter_sorry")

    async def both() -> tuple[dict[str, Any], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        response = await nlg.generate("utter_bye", tracker(), "console", domain_responses=RESPONSES)
        ticking.cancel()
        return response, ticks

    scripted_monitor.gate.clear()
    started = time.monotonic()
    response, ticks = asyncio.run(both())
    assert time.monotonic() - started < 10
    assert ticks > 1
    assert response["text"] == "Good bye."
    assert response["grice"]["failures"] == [
        {"stage": "checks", "error": "DeadlineExceeded", "message": "the checks did not end within 150 ms"}
    ]


def test_a_monitor_that_hangs_holds_up_a_bounded_number_of_threads() -> None:
    nlg = generator(monitor="scripted_monitor.Waiting", deadline_ms=300)
    scripted_monitor.gate.clear()

    async def many() -> list[Any]:
        work = (nlg.generate("utter_bye", tracker(), "console", domain_responses=RESPONSES) for _ in range(40))
        return await asyncio.gather(*work)

    before = threading.active_count()
    responses = asyncio.run(many())
    assert threading.active_count() - before <= WORKERS
    errors = [response["grice"]["failures"][0]["error"] for response in responses]
    assert (errors.count("DeadlineExceeded"), errors.count("Overloaded")) == (MAX_UNDER_WAY, 40 - MAX_UNDER_WAY)
    assert {response["text"] for response in responses} == {"Good bye."}
    scripted_monitor.gate.set()
    scripted_monitor.seen.clear()
    assert "grice" in generated(nlg, "utter_bye")


def test_responses_of_the_action_server_use_the_domain_of_the_agent() -> None:
    nlg = generator(monitor="scripted_monitor.Scripted")
    nlg.responses = RESPONSES  # what an Agent does once its model is loaded
    response = asyncio.run(nlg.generate("utter_slot", tracker(), "console", people="six"))
    assert response["text"] == "A table for six, then?"


def test_what_was_found_lands_in_the_events_of_a_real_bot(train_bot: TrainBot) -> None:
    keys = {
        "monitor": "scripted_monitor.Scripted",
        "fallback": {"!Rel": 0.5},
        "fallback_response": "utter_greet",
        "deadline_ms": 60_000,
    }

    async def talk() -> tuple[list[str], DialogueStateTracker]:
        endpoints = AvailableEndpoints(nlg=EndpointConfig.from_dict({"type": TYPE, **keys}))
        agent: Agent = await load_agent(str(train_bot(PLAIN)), endpoints=endpoints)
        answers = []
        for text in ("hello", "bye"):
            answers += await agent.handle_message(UserMessage(text, sender_id="ann"))
        return [answer["text"] for answer in answers], await agent.tracker_store.retrieve("ann")

    texts, told = asyncio.run(talk())
    assert texts == ["Hello, I can find you a place to eat."] * 2
    uttered = [event for event in told.events if isinstance(event, BotUttered)]
    assert [event.metadata["utter_action"] for event in uttered] == ["utter_greet", "utter_bye"]
    assert [event.metadata["grice"]["replaced_by"] for event in uttered] == [None, "utter_greet"]
    assert uttered[1].metadata["grice"]["original"] == "Good bye."
    assert uttered[0].metadata["grice"]["behaviors"]["!Rel"] == 0.1


def test_a_domain_that_is_there_at_the_start_is_used() -> None:
    domain = Domain.from_dict({"responses": {"utter_bye": RESPONSES["utter_bye"]}})
    nlg = MonitoredResponseGenerator(EndpointConfig.from_dict({"type": TYPE}), domain)
    assert asyncio.run(nlg.generate("utter_bye", tracker(), "console")) == {"text": "Good bye."}
