"""Where the behaviours of responses are scored: behind a service that may misbehave, and in process with the shipped model."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from conftest import TrainBot
from loopback_server import LoopbackServer, hanging, items_of, loopback, saying, sent
from rasa.core.agent import Agent, load_agent
from rasa.core.channels.channel import UserMessage
from rasa.core.nlg.generator import NaturalLanguageGenerator
from rasa.core.utils import AvailableEndpoints
from rasa.shared.core.events import BotUttered, UserUttered
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.utils.endpoints import EndpointConfig

from grice.models.results import BEHAVIORS

PLAIN = ({"name": "WhitespaceTokenizer"}, {"name": "KeywordIntentClassifier"})
TYPE = "grice.components.MonitoredResponseGenerator"
SAID = "Good bye."
ASKED = "For how many?"
RESPONSES = {"utter_bye": [{"text": SAID}], "utter_ask": [{"text": ASKED}], "utter_sorry": [{"text": "I did not get that."}]}
GENEROUS_MS = 60_000


def generator(monitor: str, **keys: Any) -> NaturalLanguageGenerator:
    return NaturalLanguageGenerator.create(EndpointConfig.from_dict({"type": TYPE, "monitor": monitor, **keys}), None)


def generated(nlg: NaturalLanguageGenerator, name: str = "utter_bye") -> dict[str, Any]:
    """The response after a user's turn, the bot's, and a user's."""
    events = [UserUttered("A table, please."), BotUttered(ASKED), UserUttered("two")]
    tracker = DialogueStateTracker.from_events("ann", events)
    response: dict[str, Any] | None = asyncio.run(nlg.generate(name, tracker, "console", domain_responses=RESPONSES))
    assert response is not None
    assert json.loads(json.dumps(response)) == response
    return response


def scored(connection: Any, request: bytes) -> bool:
    """Answers as `POST /v1/responses` does: what is no question is irrelevant, and repeats the turn before."""
    rows = []
    for item in items_of(request):
        *history, last = item["turns"]
        before = {"turn": len(history) - 1, **history[-1]}
        found: dict[str, float] = dict.fromkeys(BEHAVIORS, 0.1)
        found |= {} if "?" in last["text"] else {"!Rel": 0.9}
        read = {"history_read": len(history), "history_cut": 0, "text_cut": False}
        rows.append(
            {
                "probabilities": found,
                "thresholds": dict.fromkeys(BEHAVIORS, 0.4),
                "evidence": {"Red": before},
                "failures": [],
                **read,
            }
        )
    return sent(connection, json.dumps({"items": rows, "schema_version": 1}).encode())


def asked(server: LoopbackServer) -> list[dict[str, Any]]:
    """The items of all requests after the first, which warms up."""
    assert all(request.startswith(b"POST /v1/responses ") for request in server.requests)
    return [item for request in server.requests[1:] for item in items_of(request)]


def test_a_service_scores_the_response_after_its_history() -> None:
    with loopback(scored) as server:
        nlg = generator("http", url=server.url, deadline_ms=GENEROUS_MS)
        responses = [generated(nlg) for _ in range(3)]
        assert server.connections == 1
        items = asked(server)
    assert responses[0]["text"] == SAID
    grice = responses[0]["grice"]
    assert grice["behaviors"] == {**dict.fromkeys(BEHAVIORS, 0.1), "!Rel": 0.9}
    assert grice["evidence"] == {"Red": {"turn": 2, "speaker": "user", "text": "two"}}
    assert (grice["shown"], grice["exceeded"], grice["failures"]) == (["!Rel"], [], [])
    turns = [(turn["speaker"], turn["text"]) for turn in items[0]["turns"]]
    assert turns == [("user", "A table, please."), ("bot", ASKED), ("user", "two"), ("bot", SAID)]
    assert all((item["counted"], item["judged"]) == (False, False) for item in items)


def test_a_response_is_replaced_by_what_a_service_says() -> None:
    with loopback(scored) as server:
        keys = {"url": server.url, "deadline_ms": GENEROUS_MS, "fallback": {"!Rel": 0.5}, "fallback_response": "utter_sorry"}
        nlg = generator("http", **keys)
        assert generated(nlg)["text"] == "I did not get that."
        assert generated(nlg, "utter_ask")["text"] == ASKED


def test_responses_are_counted_where_that_is_wanted_and_the_key_is_sent() -> None:
    with loopback(scored) as server:
        nlg = generator("http", url=server.url, deadline_ms=GENEROUS_MS, counted=True, api_key="sesame")
        generated(nlg)
        assert [item["counted"] for item in asked(server)] == [True]
        assert items_of(server.requests[0])[0]["counted"] is False
        assert all(b"authorization: bearer sesame" in request.lower() for request in server.requests)


def failure_of(response: dict[str, Any]) -> tuple[str, str]:
    assert response["text"] == SAID
    (failure,) = response["grice"]["failures"]
    assert (response["grice"]["behaviors"], response["grice"]["replaced_by"]) == (None, None)
    return failure["stage"], failure["error"]


def test_a_service_that_hangs_costs_one_deadline_once_and_is_asked_again_when_it_is_back() -> None:
    with loopback(scored) as server:
        keys = {"url": server.url, "fallback": {"!Rel": 0.0}, "fallback_response": "utter_sorry", "deadline_ms": 4500}
        nlg = generator("http", **keys)
        server.answer, server.healthy = hanging(server.cut), False
        assert failure_of(generated(nlg)) == ("monitor", "DeadlineExceeded")
        assert server.cut.wait(30)
        assert [failure_of(generated(nlg)) for _ in range(5)] == [("monitor", "CircuitOpen")] * 5
        server.answer, server.healthy = scored, True
        end = time.monotonic() + 60
        while generated(nlg)["text"] == SAID:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (saying({"detail": "No monitor is loaded here."}, "501 Not Implemented"), "ServiceError"),
        (saying({"detail": "busy"}, "429 Too Many Requests"), "ServiceError"),
        (saying({"items": [{"probabilities": {"Rude": 0.5}}], "schema_version": 1}), "ServiceError"),
        (saying(b"<html>"), "ServiceError"),
    ],
    ids=["no monitor", "429", "another shape", "no JSON"],
)
def test_a_service_that_fails_changes_nothing(answer: Any, error: str) -> None:
    with loopback(answer) as server:
        nlg = generator("http", url=server.url, deadline_ms=GENEROUS_MS)
        assert failure_of(generated(nlg)) == ("monitor", error)


@pytest.mark.parametrize("how", ["stopped", "hangs"])
def test_a_service_that_is_not_there_when_rasa_starts_does_not_stop_it(how: str) -> None:
    with loopback(hanging(threading.Event()), healthy=False) as server:
        url = server.url
        if how == "stopped":
            server.stop()
        assert failure_of(generated(generator("http", url=url))) == ("monitor", "CircuitOpen")


def test_the_shipped_model_scores_in_process() -> None:
    from grice.models.behaviors.monitor import load_behavior_monitor

    nlg = generator("local", deadline_ms=GENEROUS_MS)
    grice = generated(nlg, "utter_ask")["grice"]
    assert grice["failures"] == []
    assert set(grice["behaviors"]) == set(BEHAVIORS)
    thresholds = load_behavior_monitor().thresholds
    assert grice["shown"] == [label for label, value in grice["behaviors"].items() if value >= thresholds[label]]
    assert grice["evidence"]["Red"] == {"turn": 1, "speaker": "bot", "text": ASKED}
    assert grice["behaviors"]["Red"] > generated(nlg)["grice"]["behaviors"]["Red"]


def test_the_shipped_model_in_a_real_bot(train_bot: TrainBot) -> None:
    async def talk() -> tuple[list[str], DialogueStateTracker]:
        nlg = EndpointConfig.from_dict({"type": TYPE, "monitor": "local", "deadline_ms": GENEROUS_MS})
        agent: Agent = await load_agent(str(train_bot(PLAIN)), endpoints=AvailableEndpoints(nlg=nlg))
        answers = [await agent.handle_message(UserMessage(text, sender_id="ann")) for text in ("hello", "bye")]
        return [answer["text"] for each in answers for answer in each], await agent.tracker_store.retrieve("ann")

    texts, told = asyncio.run(talk())
    assert texts == ["Hello, I can find you a place to eat.", SAID]
    found = [event.metadata["grice"] for event in told.events if isinstance(event, BotUttered)]
    assert all(None not in grice["behaviors"].values() and not grice["failures"] for grice in found)


PROGRAM = f"""
import asyncio, sys
import grice.components
from rasa.core.nlg.generator import NaturalLanguageGenerator
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.utils.endpoints import EndpointConfig
rasas_own = set(sys.modules)
entry = EndpointConfig.from_dict({{"type": "{TYPE}", "monitor": "local", "deadline_ms": 60000}})
work = NaturalLanguageGenerator.create(entry, None).generate(
    "utter_bye", DialogueStateTracker.from_events("ann", []), "console", domain_responses={{"utter_bye": [{{"text": "Bye."}}]}}
)
assert asyncio.run(work)["grice"]["behaviors"]["!Rel"] is not None
heavy = {{"pydantic", "fastapi", "torch", "transformers"}}
print(sorted(heavy & set(sys.modules) | {{"sklearn", "scipy", "tensorflow"}} & (set(sys.modules) - rasas_own)))
"""


def test_the_shipped_model_needs_none_of_the_heavy_packages() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
