"""The real LiteLLM proxy, with the sample configuration, between a client and a scripted server. `make test-gateways`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving
from loopback_server import Answer, hanging, loopback, saying, sent
from openai_server import completion
from redis_process import eventually

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

ROOT = Path(__file__).parent.parent.parent
LITELLM = ROOT / ".venv-gateways" / "bin" / "litellm"
KEY = "a-key-of-sixteen-characters"
MASTER = "sk-0123456789abcdef0123456789abcdef0123456789abcdef"
ROWS = [{"role": "system", "content": "You heat houses."}, {"role": "user", "content": "I wish it were warmer."}]
ANEW = "I wish it were warmer. please: I wish it were warmer."

pytestmark = [
    pytest.mark.gateways,
    pytest.mark.skipif(not LITELLM.exists(), reason="LiteLLM is not installed: make test-gateways"),
]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def litellm(grice_url: str, upstream_url: str, folder: Path, patience_s: int = 30) -> Iterator[httpx.Client]:
    """LiteLLM's proxy with the sample configuration; only the addresses are others, and how long it waits for Grice: on a busy
    machine the first answer takes longer than the sample's second, and the call goes on as it came."""
    text = (ROOT / "deploy" / "litellm.yaml").read_text(encoding="utf-8")
    assert "https://api.openai.com/v1" in text
    assert "http://127.0.0.1:8300" in text
    assert "timeout: 1\n" in text
    path = folder / "litellm.yaml"
    text = text.replace("https://api.openai.com/v1", f"{upstream_url}/v1").replace("http://127.0.0.1:8300", grice_url)
    path.write_text(text.replace("timeout: 1\n", f"timeout: {patience_s}\n"))
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    environment = {
        **kept,
        "OPENAI_API_KEY": "sk-1",
        "GUARDRAIL_KEY": KEY,
        "LITELLM_MASTER_KEY": MASTER,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "NO_PROXY": "*",
    }
    command = [str(LITELLM), "--config", str(path), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            client.headers["authorization"] = f"Bearer {MASTER}"
            eventually(lambda: is_ready(client, process), 180)
            assert process.poll() is None, (folder / "log").read_text()[-3000:]
            yield client
    finally:
        process.terminate()
        process.wait(30)


def is_ready(client: httpx.Client, process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is not None:
        return True
    try:
        return client.get("/health/liveliness").status_code == 200
    except httpx.TransportError:
        return False


class Script:
    """What the model says: it streams where it is asked to."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.says = "That is fine."

    def __call__(self, connection: socket.socket, request: bytes) -> bool:
        if not request.startswith(b"POST /v1/chat/completions"):  # it looks whether the server is there
            return sent(connection, b"{}", "404 Not Found")
        body = json.loads(request.partition(b"\r\n\r\n")[2])
        self.asked.append(body["messages"])
        if not body.get("stream"):
            return sent(connection, json.dumps(completion(self.says)).encode())
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        first, *others = self.says.split()
        words = [first, *(f" {word}" for word in others)]
        deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in words), {}]
        for delta in deltas:
            choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
            line = f"data: {json.dumps(chunk)}\n\n".encode()
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
        connection.sendall(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        return True


class Setting:
    """The three servers of a test."""

    def __init__(self, client: httpx.Client, grice: httpx.Client, script: Script) -> None:
        self.client = client
        self.grice = grice
        self.script = script

    def scored(self) -> int:
        found = self.grice.get("/v1/rates", params={"channel": "litellm"}).json()["rates"]
        return max(each["scored"] for each in found)


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    script = Script()
    with ExitStack() as stack:
        grice = stack.enter_context(serving(create_app(all_fakes(), ServiceSettings(api_keys=(KEY,)))))
        grice.headers["authorization"] = f"Bearer {KEY}"
        upstream = stack.enter_context(loopback(script))
        client = stack.enter_context(litellm(str(grice.base_url), upstream.url, tmp_path_factory.mktemp("litellm")))
        yield Setting(client, grice, script)


def ask(client: httpx.Client, rows: Sequence[Any], **more: Any) -> httpx.Response:
    return client.post("/v1/chat/completions", json={"model": "gpt-4o-mini", "messages": rows, **more})


def test_an_indirect_turn_reaches_the_model_said_anew(setting: Setting) -> None:
    response = ask(setting.client, ROWS)
    assert response.status_code == 200, response.text
    assert response.json()["choices"][0]["message"]["content"] == "That is fine."
    assert setting.script.asked[-1] == [ROWS[0], {"role": "user", "content": ANEW}]


def test_of_parts_only_the_text_changes(setting: Setting) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    response = ask(setting.client, [{"role": "user", "content": [{"type": "text", "text": "I wish it were warmer."}, image]}])
    assert response.status_code == 200, response.text
    assert setting.script.asked[-1] == [{"role": "user", "content": [{"type": "text", "text": ANEW}, image]}]


@pytest.mark.parametrize("text", ["Heat it.", "/wish", '{"wish": 1}', "I wish. poison"])
def test_what_is_left_alone(setting: Setting, text: str) -> None:
    rows = [*ROWS[:1], {"role": "user", "content": text}]
    assert ask(setting.client, rows).status_code == 200
    assert setting.script.asked[-1] == rows


def test_a_reply_is_scored_in_the_light_of_its_conversation(setting: Setting) -> None:
    before = setting.scored()
    setting.script.says = "That is Red."
    ask(setting.client, ROWS)
    eventually(lambda: setting.scored() == before + 1)
    alarm = setting.grice.get("/v1/alarms").json()["alarms"][0]
    assert alarm["evidence"] == {"Red": "I wish it were warmer."}
    assert (alarm["channel"], alarm["text"]) == ("litellm", "That is Red.")


def test_a_streamed_reply_comes_whole_and_counts_once(setting: Setting) -> None:
    before = setting.scored()
    setting.script.says = "So many words that they come in many more than five chunks and that is Ign."
    with setting.client.stream(
        "POST", "/v1/chat/completions", json={"model": "gpt-4o-mini", "messages": ROWS, "stream": True}
    ) as response:
        lines = [line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    deltas = [choice["delta"] for line in lines[:-1] for choice in json.loads(line)["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == setting.script.says
    assert setting.script.asked[-1][-1] == {"role": "user", "content": ANEW}
    eventually(lambda: setting.scored() >= before + 1)
    alarm = setting.grice.get("/v1/alarms").json()["alarms"][0]
    assert alarm["text"] == setting.script.says
    assert setting.scored() == before + 1


@pytest.mark.parametrize(
    "answer", [saying({"detail": "full"}, "429 Too Many Requests"), saying(b"<html>", "500 No"), hanging(threading.Event())]
)
def test_a_call_goes_on_whatever_grice_does(tmp_path: Path, answer: Answer) -> None:
    script = Script()
    with loopback(answer) as broken, loopback(script) as upstream, litellm(broken.url, upstream.url, tmp_path, 1) as client:
        response = ask(client, ROWS)
        assert response.status_code == 200, response.text
        assert broken.requests
    assert script.asked == [ROWS]
