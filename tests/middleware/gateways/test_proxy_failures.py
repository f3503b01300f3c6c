"""The proxy where something fails, which costs the caller nothing; and what it remembers, and of whom."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from loopback_server import saying, sent
from openai_server import completion
from proxied_server import CHAT, FIRST, GOOD, PLAIN, WISH, ask, messages, proxied

from grice.middleware.access import ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.settings import ServiceSettings

REFUSED = b'{ "error": {"message": "slow down",  "type": "t"} }'


@pytest.mark.parametrize("hold", ["score", "regenerate"])
def test_errors_pass_byte_for_byte_where_replies_are_held(hold: str) -> None:
    answer = saying(REFUSED, "429 Too Many Requests", "retry-after: 7\r\n")
    with proxied(answer, hold=hold) as (client, server):
        response = ask(client, [PLAIN])
        assert len(server.requests) == 1
    assert (response.status_code, response.content, response.headers["retry-after"]) == (429, REFUSED, "7")


@pytest.mark.parametrize("second", ["refused", "cut"])
def test_a_reply_that_cannot_be_made_anew_is_given_as_it_was(second: str) -> None:
    answers = iter((True, False))

    def answer(connection: socket.socket, request: bytes) -> bool:
        if next(answers):
            return sent(connection, json.dumps(completion("That is Red.")).encode())
        return second == "refused" and sent(connection, REFUSED, "429 Too Many Requests")

    with proxied(answer, hold="regenerate") as (client, server):
        response = ask(client, [PLAIN])
        assert len(server.requests) == 2
    assert (response.status_code, response.json()) == (200, completion("That is Red."))
    assert response.headers["x-grice-shown"] == "Red"
    assert "x-grice-regenerated" not in response.headers


def test_a_request_that_cannot_be_written_anew_goes_on_as_it_came() -> None:
    """Half a character, as a client that cuts texts sends it, is JSON but no UTF-8."""
    body = b'{"model": "m", "messages": [{"role": "system", "content": "\\ud83d"}, ' + json.dumps(WISH).encode() + b"]}"
    with proxied(GOOD) as (client, server):
        response = client.post(CHAT, content=body)
        assert response.status_code == 200
        assert server.requests[0].partition(b"\r\n\r\n")[2] == body
        assert response.headers["x-grice-decision"] == "pass"
        assert response.headers["x-grice-reason"] == "failed"


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"NaN", b"Infinity"])
def test_a_number_that_json_cannot_write_again_goes_on_as_it_came(number: bytes) -> None:
    body = b'{"model": "m", "seed": ' + number + b', "messages": [' + json.dumps(WISH).encode() + b"]}"
    with proxied(GOOD) as (client, server):
        response = client.post(CHAT, content=body)
        assert server.requests[0].partition(b"\r\n\r\n")[2] == body
    assert (response.headers["x-grice-decision"], response.headers["x-grice-reason"]) == ("pass", "failed")


def test_what_one_tenant_said_is_not_remembered_for_another(tmp_path: Path) -> None:
    path, secrets = tmp_path / "keys.json", {"acme": make_secret(), "beta": make_secret()}
    for tenant, secret in secrets.items():
        KeyFile(path).add(ApiKey(tenant, digest_of(secret), tenant, ("turns",)))
    with proxied(GOOD, service=ServiceSettings(keys_file=str(path))) as (client, _):

        def reason(tenant: str) -> str:
            return client.post(CHAT, json={"messages": [WISH]}, headers={"x-grice-key": secrets[tenant]}).headers["x-grice-reason"]

        assert [reason("acme"), reason("acme"), reason("beta")] == ["indirect", "remembered", "indirect"]


def test_earlier_turns_go_out_as_they_went_before_while_tools_are_called() -> None:
    """After a call of a tool the last row is no user's: its turn goes out rewritten again, and is not looked at once more."""
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "heat"}}]}
    tool = {"role": "tool", "tool_call_id": "1", "content": "21"}
    with proxied(GOOD) as (client, server):
        ask(client, [WISH])
        response = ask(client, [WISH, call, tool])
        assert messages(server) == [{"role": "user", "content": FIRST}, call, tool]
    assert response.headers["x-grice-reason"] == "no_user_turn"
    assert response.headers["x-grice-repeated"] == "1"


def test_a_note_leaves_all_messages_alone_in_later_requests_too() -> None:
    rows = [WISH, {"role": "assistant", "content": "That is fine."}, PLAIN]
    with proxied(GOOD, delivery="note") as (client, server):
        ask(client, [WISH])
        assert messages(server)[0] == WISH
        response = ask(client, rows)
        assert messages(server) == rows
    assert response.headers["x-grice-repeated"] == "0"
