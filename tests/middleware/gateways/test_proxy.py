"""The proxy, on a real server in front of a scripted one."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import FakeDirectness, fake_pipeline, fakes
from live_service import eventually
from loopback_server import Answer, hanging, saying, sent
from openai_server import completion
from proxied_server import CHAT, FIRST, GOOD, PLAIN, WISH, ask, bodies, messages, proxied

from grice.middleware.access import ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.cli import main
from grice.middleware.gateways.proxy.app import create_proxy
from grice.middleware.gateways.proxy.settings import ProxySettings
from grice.middleware.settings import ServiceSettings
from grice.models.errors import SettingsError


def closing(connection: socket.socket, _: bytes) -> bool:
    return False


def test_a_direct_turn_goes_out_byte_for_byte() -> None:
    body = b'{ "messages" : [{"role":"user","content":"Heat it. \\u2603"}],  "model":"m", "seed": 12345678901234567890 }'
    with proxied(GOOD) as (client, server):
        response = client.post(CHAT, content=body, headers={"content-type": "application/json", "authorization": "Bearer sk-1"})
        head, _, sent_body = server.requests[0].partition(b"\r\n\r\n")
    assert sent_body == body
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1")
    assert b"authorization: bearer sk-1" in head.lower()
    assert response.json() == completion("That is fine.")
    assert response.headers["x-grice-decision"] == "pass"
    assert response.headers["x-grice-reason"] == "direct"
    assert response.headers["x-grice-directness"] == "0.950"


def test_an_indirect_turn_is_said_anew_and_all_else_stays() -> None:
    tools = [{"type": "function", "function": {"name": "heat", "parameters": {}}}]
    with proxied(GOOD) as (client, server):
        response = ask(client, [{"role": "system", "content": "x"}, WISH], tools=tools, extra={"a": [1.5]})
        assert bodies(server) == [
            {
                "model": "m",
                "messages": [{"role": "system", "content": "x"}, {"role": "user", "content": FIRST}],
                "tools": tools,
                "extra": {"a": [1.5]},
            }
        ]
    assert response.headers["x-grice-decision"] == "rewrite"


@pytest.mark.parametrize(
    ("delivery", "expected"),
    [
        ("replace", [{"role": "user", "content": "please: I wish it were warmer."}]),
        (
            "note",
            [WISH, {"role": "system", "content": "Note on the user's last message. It means: please: I wish it were warmer."}],
        ),
    ],
)
def test_other_ways_to_tell(delivery: str, expected: list[Any]) -> None:
    with proxied(GOOD, delivery=delivery) as (client, server):
        ask(client, [WISH])
        assert messages(server) == expected


@pytest.mark.parametrize(
    "content", ["/wish", '{"wish": 1}', "I wish\n```\nx\n```", "I wish " + "x" * 2000, "I wish. poison", None, 7]
)
def test_what_is_left_alone(content: Any) -> None:
    with proxied(GOOD) as (client, server):
        response = ask(client, [{"role": "user", "content": content}])
        assert messages(server) == [{"role": "user", "content": content}]
    assert response.status_code == 200
    assert response.headers["x-grice-decision"] == "pass"


@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b"7", b'{"messages": 7}', b'{"messages": {"a": 1}}', b'{"messages": []}', b"[" * 9999]
)
def test_what_cannot_be_read_is_the_servers_matter(body: bytes) -> None:
    with proxied(saying({"error": {"message": "bad"}}, "400 Bad Request")) as (client, server):
        response = client.post(CHAT, content=body)
        assert server.requests[0].partition(b"\r\n\r\n")[2] == body
    assert (response.status_code, response.json()) == (400, {"error": {"message": "bad"}})


def test_earlier_turns_go_out_as_they_went_before() -> None:
    """So that the provider knows the beginning of the conversation again."""
    reply = {"role": "assistant", "content": "That is fine."}
    with proxied(GOOD) as (client, server):
        ask(client, [{"role": "system", "content": "It is 9."}, WISH])
        response = ask(client, [{"role": "system", "content": "It is 10."}, WISH, reply, PLAIN])
        assert messages(server)[1:] == [{"role": "user", "content": FIRST}, reply, PLAIN]
        assert response.headers["x-grice-repeated"] == "1"
        assert response.headers["x-grice-decision"] == "pass"
        again = ask(client, [WISH])
        assert messages(server) == [{"role": "user", "content": FIRST}]
        assert again.headers["x-grice-reason"] == "remembered"
        other = [{"role": "user", "content": "Hi."}, WISH, reply, PLAIN]  # the same turn in another conversation
        ask(client, other)
        assert messages(server) == other


def test_the_oldest_rewrites_are_forgotten() -> None:
    with proxied(GOOD, rewrites_kept=1) as (client, server):
        ask(client, [WISH])
        ask(client, [{"role": "user", "content": "I wish it were colder."}])
        ask(client, [WISH, {"role": "assistant", "content": "Yes."}, PLAIN])
        assert messages(server)[0] == WISH


@pytest.mark.parametrize(
    ("status", "more"),
    [
        ("429 Too Many Requests", "retry-after: 7\r\nx-ratelimit-reset: 7s\r\n"),
        ("500 Internal Server Error", ""),
        ("401 Unauthorized", ""),
    ],
)
def test_errors_pass_byte_for_byte(status: str, more: str) -> None:
    body = b'{ "error": {"message": "no",  "type": "t"} }'
    with proxied(saying(body, status, more + "x-request-id: theirs\r\n")) as (client, _):
        response = ask(client, [WISH])
    assert response.status_code == int(status[:3])
    assert response.content == body
    assert response.headers.get("retry-after") == ("7" if more else None)
    assert response.headers["x-request-id"] == "theirs"


CHUNKS = [
    b'data: {"id": "r1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "That "}}]}\n\n',
    b": still here\n\n",
    b'data: {"id": "r1", "choices": [{"index": 0, "delta": {"content": "is R"}}]}\n\ndata: {"id": "r1", "cho',
    b'ices": [{"index": 0, "delta": {"content": "ed."}, "finish_reason": "stop"}]}\n\n',
    b'data: {"id": "r1", "choices": [], "usage": {"total_tokens": 3}}\n\ndata: [DONE]\n\n',
]


def streaming(go_on: threading.Event | None = None) -> Answer:
    """Sends the first chunk, and the others when it may go on."""

    def answer(connection: socket.socket, request: bytes) -> bool:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        for place, chunk in enumerate(CHUNKS):
            if place == 1 and go_on is not None:
                assert go_on.wait(20)
            connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        connection.sendall(b"0\r\n\r\n")
        return True

    return answer


def scores_of(client: httpx.Client, name: str) -> Any:
    eventually(lambda: client.get(f"/grice/scores/{name}").status_code == 200)
    return client.get(f"/grice/scores/{name}").json()


def test_a_stream_comes_as_it_is_sent_and_is_scored_afterwards() -> None:
    go_on = threading.Event()
    with proxied(streaming(go_on)) as (client, _):
        with client.stream("POST", CHAT, json={"model": "m", "stream": True, "messages": [WISH]}) as response:
            parts = response.iter_raw()
            assert next(parts) == CHUNKS[0]  # before the server has sent more
            go_on.set()
            assert b"".join(parts) == b"".join(CHUNKS[1:])
            assert response.headers["x-grice-decision"] == "rewrite"
            assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        found = scores_of(client, "r1")
    assert found["shown"] == ["Red"]
    assert found["scores"]["Red"] == 0.9


def test_a_whole_reply_is_scored_after_it_was_sent_and_counts() -> None:
    with proxied(saying({**completion("That is Ign."), "id": "chat/1"})) as (client, _):
        ask(client, [PLAIN])
        assert scores_of(client, "chat/1")["shown"] == ["Ign"]
        assert 'grice_responses_total{bot_version="m",channel="proxy"' in client.get("/grice/metrics").text
        assert client.get("/grice/scores/unknown").json()["error"]["code"] == "unknown_reply"


@pytest.mark.parametrize("text", [None, "", "poison"])
def test_a_reply_that_cannot_be_scored_is_given_all_the_same(text: str | None) -> None:
    with proxied(saying(completion(text))) as (client, _):
        assert ask(client, [PLAIN]).json() == completion(text)
    with proxied(saying(completion(text)), hold="regenerate") as (client, _):
        response = ask(client, [PLAIN])
        assert response.json() == completion(text)
        assert "x-grice-scores" not in response.headers


def test_a_held_reply_tells_its_scores() -> None:
    for answer in (saying(completion("That is Red.")), streaming()):
        with proxied(answer, hold="score") as (client, server):
            response = ask(client, [PLAIN])
            assert response.headers["x-grice-shown"] == "Red"
            assert json.loads(response.headers["x-grice-scores"])["Red"] == 0.9
            assert len(server.requests) == 1


def test_a_bad_reply_is_made_anew_once() -> None:
    texts = iter(("That is Red.", "That is Emp.", "That is Red.", "That is Ign."))

    def answer(connection: socket.socket, request: bytes) -> bool:
        return sent(connection, json.dumps(completion(next(texts))).encode())

    with proxied(answer, hold="regenerate") as (client, server):
        first, second = ask(client, [PLAIN]), ask(client, [PLAIN])
        assert len(server.requests) == 4
        assert bodies(server)[0] == bodies(server)[1]
    assert first.json() == completion("That is Emp.")
    assert (first.headers["x-grice-regenerated"], first.headers["x-grice-shown"]) == ("1", "Emp")
    assert second.json() == completion("That is Ign.")


def test_other_paths_pass_untouched() -> None:
    with proxied(saying(b"\x00anything", more="x-theirs: 1\r\n"), path="/base/v1") as (client, server):
        response = client.post("/v1/responses?a=%20b", content=b"I wish", headers={"x-mine": "2", "content-type": "text/odd"})
        client.get("/v1/models")
        client.delete("/v1/files/a%2Fb")
    first, second, third = server.requests
    assert first.startswith(b"POST /base/v1/responses?a=%20b HTTP/1.1")
    assert first.endswith(b"\r\n\r\nI wish")
    assert b"x-mine: 2" in first.lower()
    assert b"content-type: text/odd" in first.lower()
    assert second.startswith(b"GET /base/v1/models ")
    assert third.startswith(b"DELETE /base/v1/files/a%2Fb ")
    assert response.content == b"\x00anything"
    assert response.headers["x-theirs"] == "1"
    assert "x-grice-decision" not in response.headers


def test_what_takes_longer_than_the_budget_passes() -> None:
    directness = FakeDirectness()
    directness.gate.clear()
    pipeline = fake_pipeline()
    pipeline.directness = directness
    with proxied(GOOD, fakes(pipeline), budget_ms=50) as (client, server):
        began = time.monotonic()
        response = ask(client, [WISH])
        took = time.monotonic() - began
        directness.gate.set()
        assert messages(server) == [WISH]
    assert response.headers["x-grice-reason"] == "late"
    assert took < 15


def test_without_models_all_passes() -> None:
    with proxied(GOOD, {"directness": FakeDirectness()}) as (client, server):
        response = ask(client, [WISH])
        assert messages(server) == [WISH]
    assert response.headers["x-grice-reason"] == "failed"


def test_a_server_that_is_not_there() -> None:
    with proxied(closing) as (client, _):
        response = ask(client, [PLAIN])
    assert response.status_code == 502
    assert response.json()["error"]["code"] == "upstream_unreachable"
    with proxied(hanging(threading.Event()), upstream_timeout_s=0.2) as (client, _):
        response = ask(client, [PLAIN])
    assert response.status_code == 504
    assert response.json()["error"]["code"] == "upstream_timeout"


def test_a_stream_that_breaks_breaks_for_the_caller_too() -> None:
    def answer(connection: socket.socket, request: bytes) -> bool:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(b"%x\r\n%s\r\n" % (len(CHUNKS[0]), CHUNKS[0]))
        return False

    with proxied(answer) as (client, _), pytest.raises(httpx.RemoteProtocolError):
        ask(client, [PLAIN], stream=True)


def test_keys(tmp_path: Path) -> None:
    path, secret, other = tmp_path / "keys.json", make_secret(), make_secret()
    KeyFile(path).add(ApiKey("a", digest_of(secret), "acme", ("turns",)))
    KeyFile(path).add(ApiKey("b", digest_of(other), "beta", ("turns",)))
    service = ServiceSettings(keys_file=str(path))
    with proxied(saying({**completion("That is Red."), "id": "r1"}), service=service) as (client, server):
        refused = client.get("/v1/models", headers={"authorization": f"Bearer {secret}"})  # it would go on to the server
        assert refused.status_code == 401
        assert refused.json()["error"]["code"] == "unauthorized"
        client.headers["x-grice-key"] = secret
        client.post(CHAT, json={"messages": [PLAIN]}, headers={"authorization": "Bearer sk-1"})
        scores_of(client, "r1")
        client.headers["x-grice-key"] = other
        assert client.get("/grice/scores/r1").status_code == 404
        (request,) = server.requests
        assert secret.encode() not in request
        assert b"bearer sk-1" in request.lower()
    with proxied(GOOD, service=service, upstream_key="sk-ours") as (client, server):
        assert client.post(CHAT, json={"messages": [PLAIN]}, headers={"authorization": "Bearer sk-1"}).status_code == 401
        assert client.post(CHAT, json={"messages": [PLAIN]}, headers={"authorization": f"Bearer {secret}"}).status_code == 200
        (request,) = server.requests
        assert secret.encode() not in request
        assert b"authorization: bearer sk-ours" in request.lower()


def test_hosts_and_sizes() -> None:
    with proxied(GOOD, max_request_bytes=100) as (client, server):
        wrong = client.get("/v1/models", headers={"host": "evil.example"})
        large = client.post(CHAT, content=b"x" * 101)
        assert not server.requests
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (421, "host_not_allowed")
    assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")


def test_many_streams_side_by_side_are_whole_and_in_order() -> None:
    def answer(connection: socket.socket, request: bytes) -> bool:
        number = json.loads(request.partition(b"\r\n\r\n")[2])["number"]
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for place in range(20):
            chunk = b'data: {"choices": [{"index": 0, "delta": {"content": "%d.%d "}}]}\n\n' % (number, place)
            connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        connection.sendall(b"0\r\n\r\n")
        return True

    with proxied(answer) as (client, _):

        def run(number: int) -> list[str]:
            body = {"model": "m", "messages": [WISH], "stream": True, "number": number}
            with client.stream("POST", CHAT, json=body) as response:
                lines = [line.removeprefix("data: ") for line in response.iter_lines() if line]
            return [json.loads(line)["choices"][0]["delta"]["content"].strip() for line in lines]

        with ThreadPoolExecutor(50) as pool:
            found = list(pool.map(run, range(200)))
    assert found == [[f"{number}.{place}" for place in range(20)] for number in range(200)]


def test_where_it_sends_must_be_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="upstream: got ''; allowed: the base URL of an OpenAI-compatible server"):
        create_proxy({}, ProxySettings())
    assert main(["proxy"]) == 2
    assert "the base URL of an OpenAI-compatible server" in capsys.readouterr().err
    monkeypatch.setenv("GRICE_UPSTREAM", "ftp://x:secret@host")
    assert main(["proxy"]) == 2
    assert "secret" not in capsys.readouterr().err
