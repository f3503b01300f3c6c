"""A real bot and our REST service in its own environment: Rasa's `nlu:` endpoint in front of a real plain NLU server, responses."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
from conftest import TrainBot
from rasa.core.agent import load_agent
from rasa.core.channels.channel import UserMessage
from rasa.core.utils import AvailableEndpoints
from rasa.shared.core.events import BotUttered, UserUttered
from rasa.utils.endpoints import EndpointConfig

ROOT = Path(__file__).parents[2]
SERVER_PYTHON = Path(os.environ.get("GRICE_SERVER_PYTHON", ROOT / ".venv" / "bin" / "python"))
"""An environment with the extra `server`, which cannot be Rasa's own."""

PLAIN = ({"name": "WhitespaceTokenizer"}, {"name": "KeywordIntentClassifier"}, {"name": "RegexEntityExtractor"})
RASA_TOKEN, KEY = "token-of-rasa", "key-of-grice-itself"
START_S = 120.0

pytestmark = pytest.mark.skipif(not SERVER_PYTHON.exists(), reason="no environment for the REST service: set GRICE_SERVER_PYTHON")


def asked(url: str, **headers: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as response:
        return json.loads(response.read())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(command: list[str], log: Path, answers: Callable[[], object], **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process, once it answers."""
    with (
        log.open("wb") as out,
        subprocess.Popen(command, stdout=out, stderr=out, cwd=log.parent, env={**os.environ, **environment}) as running,
    ):
        try:
            end = time.monotonic() + START_S
            while True:
                assert running.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                try:
                    answers()
                    break
                except (URLError, OSError):
                    time.sleep(0.1)
            yield running
        finally:
            running.kill()


@pytest.fixture(scope="module")
def model(train_bot: TrainBot) -> Path:
    return train_bot(PLAIN)


@pytest.fixture(scope="module")
def nlu_url(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Rasa server that parses."""
    folder = tmp_path_factory.mktemp("nlu")
    port = free_port()
    command = [sys.executable, "-m", "rasa", "run", "--enable-api", "--interface", "127.0.0.1", "--port", str(port)]
    command += ["--model", str(model), "--auth-token", RASA_TOKEN]
    status = f"http://127.0.0.1:{port}/status?token={RASA_TOKEN}"
    with process(command, folder / "log", lambda: asked(status)):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def service_url(nlu_url: str, tmp_path: Path) -> Iterator[str]:
    """Our service in front of it."""
    port = free_port()
    start = "import sys; from grice.middleware.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [str(SERVER_PYTHON), "-c", start, "serve", "--port", str(port), "--nlu-url", nlu_url]
    url = f"http://127.0.0.1:{port}"
    settings = {"GRICE_NLU_TOKEN": RASA_TOKEN, "GRICE_API_KEYS": KEY, "GRICE_DIRECT_FROM": "0.6", "GRICE_THREADS": "1"}
    with process(command, tmp_path / "service.log", lambda: asked(f"{url}/health/ready"), **settings):
        yield url


def test_a_conversation_through_the_service(model: Path, service_url: str, tmp_path: Path) -> None:
    broker = {
        "type": "grice.components.MonitorEventBroker",
        "transport": "http",
        "url": service_url,
        "api_key": KEY,
        "spool_path": str(tmp_path / "spool.jsonl"),
        "retry_ms": 20,
    }
    endpoints = AvailableEndpoints(nlu=EndpointConfig(service_url, token=KEY), event_broker=EndpointConfig.from_dict(dict(broker)))

    def kept() -> list[tuple[str, str]]:
        answer = asked(f"{service_url}/v1/dialogues/ann", authorization=f"Bearer {KEY}")
        return [(turn["speaker"], turn["text"]) for turn in answer["turns"]]

    async def talk() -> tuple[list[tuple[str, str]], list[UserUttered]]:
        agent = await load_agent(str(model), endpoints=endpoints)
        said: list[tuple[str, str]] = []
        for text in ("find me a restaurant", "I am on a tight budget"):
            answers = await agent.handle_message(UserMessage(text, sender_id="ann"))
            said += [("user", text), *(("bot", answer["text"]) for answer in answers)]
            end = time.monotonic() + 20
            while kept() != said:  # the bot's turns come by the event broker, a moment later
                assert time.monotonic() < end, (kept(), said)
                await asyncio.sleep(0.05)
        tracker = await agent.tracker_store.retrieve("ann")
        await agent.tracker_store.event_broker.close()
        await agent.http_interpreter.session.close()
        return said, [event for event in tracker.events if isinstance(event, UserUttered)]

    said, heard = asyncio.run(talk())
    assert said[1] == ("bot", "What price range would you like?")
    assert kept() == said
    first, second = heard
    assert first.parse_data["grice"]["original"] == "find me a restaurant"
    assert first.intent_name == "find_food"
    grice = second.parse_data["grice"]
    assert (grice["original"], second.parse_data["text"]) == (second.text, second.text)
    assert (grice["decision"], grice["failures"]) == ("rewrite", [])
    assert grice["text"] == grice["rewrite"]["text"]
    assert 0 < grice["weight"] < 1
    price = next(found for found in second.entities if found["entity"] == "price")
    assert (price["value"], price["start"], price["end"], price["implied"]) == ("cheap", 0, len(second.text), True)
    assert all(0 <= start < end <= len(second.text) for start, end in second.parse_data["text_tokens"])


def test_a_wrong_token_is_an_empty_intent_to_rasa(model: Path, service_url: str) -> None:
    async def parsed(token: str) -> dict[str, Any]:
        agent = await load_agent(str(model), endpoints=AvailableEndpoints(nlu=EndpointConfig(service_url, token=token)))
        found: dict[str, Any] = await agent.http_interpreter.parse(UserMessage("find me a restaurant", sender_id="bob"))
        await agent.http_interpreter.session.close()
        return found

    assert asyncio.run(parsed("other"))["intent"]["name"] == ""
    assert asyncio.run(parsed(KEY))["intent"]["name"] == "find_food"


@pytest.mark.parametrize("counted", [False, True])
def test_responses_are_scored_by_the_service(model: Path, service_url: str, counted: bool) -> None:
    keys = {"monitor": "http", "url": service_url, "api_key": KEY, "counted": counted, "deadline_ms": 60_000}
    nlg = EndpointConfig.from_dict({"type": "grice.components.MonitoredResponseGenerator", **keys})

    async def talk() -> list[BotUttered]:
        agent = await load_agent(str(model), endpoints=AvailableEndpoints(nlg=nlg))
        for text in ("hello", "find me a restaurant"):
            await agent.handle_message(UserMessage(text, sender_id="eve"))
        tracker = await agent.tracker_store.retrieve("eve")
        return [event for event in tracker.events if isinstance(event, BotUttered)]

    found = [event.metadata["grice"] for event in asyncio.run(talk())]
    assert [(grice["text"], grice["failures"]) for grice in found] == [
        ("Hello, I can find you a place to eat.", []),
        ("What price range would you like?", []),
    ]
    assert all(0 <= value <= 1 for grice in found for value in grice["behaviors"].values())
    assert {"speaker": "bot", "text": found[0]["text"], "turn": 1} in found[1]["evidence"].values()
    rates = asked(f"{service_url}/v1/rates", authorization=f"Bearer {KEY}")["rates"]
    assert {rate["scored"] for rate in rates} == {2 if counted else 0}
