"""Chats at other paths than OpenAI's own: Azure's deployments, by OpenAI's own client, and servers whose base URL is longer."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from live_service import eventually
from loopback_server import loopback, saying
from openai import AzureOpenAI
from openai_server import completion
from proxied_server import FIRST, GOOD, PLAIN, WISH, messages, proxied

from grice.middleware.access import ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.settings import ServiceSettings

DEPLOYED = "/openai/deployments/town-4o/chat/completions"
VERSION = "2024-10-21"
STREAM = (
    b'data: {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}], "object": ""}\n\n',
    b'data: {"id": "r1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}\n\n',
    b'data: {"id": "r1", "choices": [{"index": 0, "delta": {"content": "That is Red."}, "finish_reason": "stop"}]}\n\n',
    b"data: [DONE]\n\n",
)
"""As Azure streams: what its filter says of the prompt comes first, without a choice."""


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def azure(client: httpx.Client, key: str = "azure-key", **more: Any) -> AzureOpenAI:
    return AzureOpenAI(azure_endpoint=str(client.base_url), api_key=key, api_version=VERSION, max_retries=0, **more)


def as_sent(row: Any) -> Any:
    """The rows of a request that has one."""
    return [row]


def streaming(connection: socket.socket, _: bytes) -> bool:
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for part in STREAM:
        connection.sendall(b"%x\r\n%s\r\n" % (len(part), part))
    connection.sendall(b"0\r\n\r\n")
    return True


def heads(requests: list[bytes]) -> list[bytes]:
    return [each.partition(b"\r\n\r\n")[0].lower() for each in requests]


def test_a_chat_of_azures_client_goes_by_way_of_grice() -> None:
    with proxied(saying({**completion("That is Red."), "id": "r1"}), path="") as (client, server):
        with azure(client) as openai:
            raw = openai.chat.completions.with_raw_response.create(model="town-4o", messages=as_sent(WISH))
        eventually(lambda: client.get("/grice/scores/r1").status_code == 200)
        assert messages(server) == [{"role": "user", "content": FIRST}]
        metrics = client.get("/grice/metrics").text
        (head,) = heads(server.requests)
    assert raw.headers["x-grice-decision"] == "rewrite"
    assert raw.parse().choices[0].message.content == "That is Red."
    assert head.startswith(f"post {DEPLOYED}?api-version={VERSION} http/1.1".encode())
    assert b"api-key: azure-key" in head
    assert 'bot_version="town-4o"' in metrics
    assert "town-4o/chat" not in metrics  # names of deployments are no routes


def test_a_stream_of_azure_is_read_too() -> None:
    with proxied(streaming, path="") as (client, server):
        with azure(client) as openai:
            chunks = list(openai.chat.completions.create(model="town-4o", messages=as_sent(WISH), stream=True))
        eventually(lambda: client.get("/grice/scores/r1").status_code == 200)
        assert client.get("/grice/scores/r1").json()["shown"] == ["Red"]
        assert messages(server) == [{"role": "user", "content": FIRST}]
    assert [chunk.choices[0].delta.content for chunk in chunks if chunk.choices] == ["", "That is Red."]


def test_where_the_body_names_no_model_the_deployment_is_the_bots_version() -> None:
    headers = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    with loopback(saying({"data": []})) as phoenix:
        service = ServiceSettings(score_sinks=(f"phoenix+{phoenix.url}",))
        with proxied(saying(completion("That is Red.")), service=service, path="") as (client, _):
            client.post(f"{DEPLOYED}?api-version={VERSION}", json={"messages": [PLAIN]}, headers=headers)
            eventually(lambda: len(phoenix.requests) == 1)
            assert 'bot_version="town-4o"' in client.get("/grice/metrics").text
        rows = json.loads(phoenix.requests[0].partition(b"\r\n\r\n")[2])["data"]
    assert {(row["span_id"], row["metadata"]["bot_version"]) for row in rows} == {("00f067aa0ba902b7", "town-4o")}


@pytest.mark.parametrize(
    "path", ["/openai/v1/chat/completions", "/v1beta/openai/chat/completions", "/v1/chat/completions/", "//v1/chat/completions"]
)
def test_whatever_ends_so_is_a_chat(path: str) -> None:
    with proxied(GOOD, path="") as (client, server):
        url = f"{str(client.base_url).rstrip('/')}{path}"
        response = client.post(url, json={"model": "m", "messages": [WISH]})
        assert messages(server) == [{"role": "user", "content": FIRST}]
        assert server.requests[0].startswith(b"POST " + path.encode() + b" ")
    assert response.headers["x-grice-decision"] == "rewrite"


def test_stored_chats_pass_untouched() -> None:
    with proxied(GOOD) as (client, server):
        listed = client.get("/v1/chat/completions")
        changed = client.post("/v1/chat/completions/r1", json={"messages": [WISH]})
        assert server.requests[1].endswith(b'I wish it were warmer."}]}')
    assert "x-grice-decision" not in listed.headers
    assert "x-grice-decision" not in changed.headers


def test_azures_keys(tmp_path: Path) -> None:
    """Azure takes its key in a header of its own, and its client sends the caller's key there."""
    path, secret = tmp_path / "keys.json", make_secret()
    KeyFile(path).add(ApiKey("a", digest_of(secret), "acme", ("turns",)))
    service = ServiceSettings(keys_file=str(path))
    with proxied(GOOD, service=service, upstream_key="ours", path="") as (client, server):
        body = {"messages": [PLAIN]}
        assert client.post(DEPLOYED, json=body, headers={"api-key": "wrong"}).status_code == 401
        with azure(client, secret) as openai:
            openai.chat.completions.create(model="town-4o", messages=as_sent(PLAIN))
        (request,) = server.requests
        assert secret.encode() not in request
        assert b"\r\napi-key: ours" in request.lower()
        assert b"authorization" not in request.lower()
