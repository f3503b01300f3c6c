"""Every example runs, offline. Where one is a server or a client, the other side is real, on loopback."""

from __future__ import annotations

import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fake_models import all_fakes
from live_service import eventually, serving
from loopback_server import LoopbackServer, loopback
from scripted_checks import ANEW, WISH

from grice import Dialogue, Monitor
from grice.integrations import ConversationCheck, ScoredReply
from grice.middleware.gateways.proxy.app import create_proxy
from grice.middleware.gateways.proxy.settings import ProxySettings

EXAMPLES = Path(__file__).parents[2] / "examples"
Made = Callable[..., ConversationCheck]
RUN = {"chat_loop", "langchain_agent", "livekit_agent", "pipecat_agent", "fastapi_streaming", "batch_scoring"}


def streaming(connection: socket.socket, _: bytes) -> bool:
    """A model that says "That is Red.", word by word."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for delta in ({"role": "assistant", "content": ""}, {"content": "That is "}, {"content": "Red."}, {}):
        choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        line = f"data: {json.dumps(chunk)}\n\n".encode()
        connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
    connection.sendall(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    return True


def read_by(server: LoopbackServer) -> list[list[str]]:
    """The contents of the messages of each request."""
    bodies = [json.loads(each.partition(b"\r\n\r\n")[2]) for each in server.requests]
    return [[row["content"] for row in body["messages"]] for body in bodies]


@contextmanager
def uvicorn_serving(app: Any) -> Iterator[str]:
    """The address of an application of somebody else's than Grice."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: server.started, 60)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def test_each_is_run_here_and_listed() -> None:
    files = {path.stem for path in EXAMPLES.glob("*.py")}
    assert files == RUN
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in files if f"[`{name}.py`]({name}.py)" not in listed] == []


@pytest.mark.parametrize("name", ["langchain_agent", "livekit_agent", "pipecat_agent"])
def test_an_agent(name: str, make_check: Made, told: list[ScoredReply], monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    example = importlib.import_module(name)
    monkeypatch.setattr(example, "TURNS", ("Heat it.", WISH))
    check = make_check()
    example.main(check)
    printed = capsys.readouterr().out
    assert "read:  Heat it.\n" in printed
    assert f"read:  {WISH} please: {WISH} <user: Heat it.> <bot: What price range would you like?>\n" in printed
    assert "agent: Then try the Copper Kettle." in printed
    assert [scored.dialogue.last.text for scored in told] == ["What price range would you like?", "Then try the Copper Kettle."]


def test_the_chat_loop_behind_the_proxy() -> None:
    with loopback(streaming) as upstream:
        settings = ProxySettings(upstream=f"{upstream.url}/v1", budget_ms=20_000)
        with serving(create_proxy(all_fakes(), settings)) as proxy:
            kept = {
                "PATH": os.environ["PATH"],
                "OPENAI_API_KEY": "sk-1",
                "OPENAI_BASE_URL": f"{str(proxy.base_url).rstrip('/')}/v1",
            }
            command = [sys.executable, str(EXAMPLES / "chat_loop.py")]
            ran = subprocess.run(command, input=f"{WISH}\nHeat it.\n", env=kept, capture_output=True, text=True, check=False)
        asked = read_by(upstream)
    assert ran.stdout == "[rewrite] That is Red.\n[pass] That is Red.\n", ran.stderr
    assert asked == [[ANEW], [ANEW, "That is Red.", "Heat it."]]


def test_the_service_that_streams(make_check: Made, told: list[ScoredReply], monkeypatch: pytest.MonkeyPatch) -> None:
    check = make_check()
    with loopback(streaming) as upstream:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{upstream.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
        with uvicorn_serving(importlib.import_module("fastapi_streaming").create_app(check)) as url:
            answer = httpx.post(f"{url}/chat", json={"messages": [{"role": "user", "content": WISH}]}, timeout=60, trust_env=False)
        asked = read_by(upstream)
    assert answer.text == "That is Red."
    assert asked == [[ANEW]]
    check.finish()
    assert told[0].report.shown == ("Red",)


def test_batch_scoring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """With the shipped model."""
    rows = [
        {"role": "user", "content": "My dog died yesterday."},
        {"role": "assistant", "content": "Great! Anything else?"},
        {"role": "user", "content": "No."},
        {"role": "assistant", "content": "I am so sorry for your loss."},
    ]
    path = tmp_path / "dialogues.jsonl"
    path.write_text(f"{json.dumps({'id': 'a', 'messages': rows})}\n")
    monkeypatch.setattr(sys, "argv", ["batch_scoring.py", str(path)])
    runpy.run_path(str(EXAMPLES / "batch_scoring.py"), run_name="__main__")
    scored = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["id"], each["turn"]) for each in scored] == [("a", 1), ("a", 3)]
    dialogue = Dialogue.of_messages(rows)
    expected = Monitor.load().predict([Dialogue(dialogue.turns[:2]), dialogue])
    for found, report in zip(scored, expected, strict=True):
        assert report.behaviors is not None
        assert found["probabilities"] == pytest.approx(dict(report.behaviors.probabilities), abs=1e-3)
        assert found["shown"] == list(report.shown)
