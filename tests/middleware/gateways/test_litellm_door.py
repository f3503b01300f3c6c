"""LiteLLM's generic guardrail, as its proxy calls it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import FakeDirectness, FakeMeaning, FakeRewriter, all_fakes, fakes
from live_service import serving
from redis_process import RedisServer

from grice.middleware import Pipeline
from grice.middleware.access import ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.service.http.app import create_app
from grice.middleware.service.http.litellm import PATH
from grice.middleware.settings import ServiceSettings

ROWS = [
    {"role": "system", "content": "You heat houses."},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "I wish it were warmer."},
]
TEXTS = [row["content"] for row in ROWS]
ANEW = "I wish it were warmer. please: I wish it were warmer. <user: Hello.> <bot: Hello!>"


class Broken:
    def predict(self, dialogues: object) -> object:
        raise RuntimeError("out of order")


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes())) as client:
        yield client


def ask(client: httpx.Client, kind: str, call_id: str | None = "c1", **more: Any) -> Any:
    body = {"input_type": kind, "litellm_call_id": call_id, "request_data": {}, "litellm_version": "1", "model": "m", **more}
    response = client.post(PATH, json=body)
    assert response.status_code == 200, response.text
    return response.json()


def scored(client: httpx.Client) -> int:
    rates = client.get("/v1/rates", params={"channel": "litellm", "bot_version": "m"}).json()["rates"]
    return max(each["scored"] for each in rates)


def test_an_indirect_turn_is_said_anew_and_all_rows_come_back(client: httpx.Client) -> None:
    answer = ask(client, "request", texts=TEXTS, structured_messages=ROWS)
    assert answer == {
        "action": "GUARDRAIL_INTERVENED",
        "texts": [*TEXTS[:-1], ANEW],
        "structured_messages": [*ROWS[:-1], {"role": "user", "content": ANEW}],
    }


def test_the_operator_chooses_what_it_becomes(client: httpx.Client) -> None:
    params = {"mode": "replace", "unknown": 1}
    answer = ask(client, "request", texts=TEXTS, structured_messages=ROWS, additional_provider_specific_params=params)
    assert answer["texts"][-1] == ANEW.removeprefix("I wish it were warmer. ")
    params = {"longest": 5}
    assert ask(client, "request", texts=TEXTS, structured_messages=ROWS, additional_provider_specific_params=params) == {
        "action": "NONE"
    }


def test_a_turn_can_be_no_longer_than_the_pipeline_reads(client: httpx.Client) -> None:
    body = {"input_type": "request", "texts": TEXTS, "additional_provider_specific_params": {"longest": 601}}
    refused = client.post("/beta/litellm_basic_guardrail_api", json=body)
    assert refused.status_code == 422
    assert "600" in refused.text


def test_texts_alone_are_a_user_turn(client: httpx.Client) -> None:
    answer = ask(client, "request", texts=["I wish."])
    assert answer == {"action": "GUARDRAIL_INTERVENED", "texts": ["I wish. please: I wish."]}


@pytest.mark.parametrize(
    "rows",
    [
        [{"role": "user", "content": "Heat it."}],
        [{"role": "user", "content": "/wish"}],
        [{"role": "user", "content": '{"wish": 1}'}],
        [*ROWS, {"role": "tool", "content": "21", "tool_call_id": "1"}],
        [{"role": "user", "content": "I wish with poison."}],
        [{"role": "user", "content": None}],
        [],
    ],
)
def test_what_is_left_alone(client: httpx.Client, rows: list[Any]) -> None:
    texts = [row["content"] for row in rows if row["content"]]
    assert ask(client, "request", texts=texts, structured_messages=rows) == {"action": "NONE"}


def test_a_reply_is_scored_in_the_light_of_its_call(client: httpx.Client) -> None:
    ask(client, "request", texts=TEXTS, structured_messages=ROWS)
    assert ask(client, "response", texts=["That is Red."]) == {"action": "NONE"}
    (alarm,) = client.get("/v1/alarms").json()["alarms"]
    assert alarm["shown"] == ["Red"]
    assert alarm["evidence"] == {"Red": "I wish it were warmer."}
    assert scored(client) == 1


def test_a_reply_is_scored_in_the_light_of_its_call_even_where_the_turn_could_not_be_checked() -> None:
    with serving(create_app({**all_fakes(), "turns": Broken()})) as client:
        assert ask(client, "request", texts=TEXTS, structured_messages=ROWS) == {"action": "NONE"}
        ask(client, "response", texts=["That is Red."])
        (alarm,) = client.get("/v1/alarms").json()["alarms"]
    assert alarm["evidence"] == {"Red": "I wish it were warmer."}


def test_a_store_that_is_gone_costs_no_rewrite(redis_server: RedisServer) -> None:
    with serving(create_app(all_fakes(), ServiceSettings(store="redis", redis_url=redis_server.url))) as client:
        redis_server.kill()
        answer = ask(client, "request", texts=TEXTS, structured_messages=ROWS)
    assert answer["texts"] == [*TEXTS[:-1], ANEW]


def test_a_reply_that_is_shown_while_it_streams_counts_once(client: httpx.Client) -> None:
    ask(client, "request", texts=TEXTS, structured_messages=ROWS)
    for text in ("That", "That is", "That is Red."):
        ask(client, "response", texts=[text])
    assert scored(client) == 1
    ask(client, "response", "c2", texts=["That is fine.", "So is this."])
    assert scored(client) == 3


def test_a_reply_without_a_call_is_scored_alone(client: httpx.Client) -> None:
    for call_id in (None, "", "unknown", "with / and ☃" * 30):
        assert ask(client, "response", call_id, texts=["That is Red."]) == {"action": "NONE"}
    assert scored(client) == 4


def test_only_what_the_operator_names_is_blocked(client: httpx.Client) -> None:
    ask(client, "request", texts=TEXTS, structured_messages=ROWS)
    answer = ask(client, "response", texts=["That is Red."], additional_provider_specific_params={"block": {"Red": 0.9}})
    assert answer == {"action": "BLOCKED", "blocked_reason": "the reply shows Red 0.90"}
    for block in ({"Red": 0.95}, {"Ign": 0.5}, {}):
        params = {"block": block}
        assert ask(client, "response", texts=["That is Red."], additional_provider_specific_params=params)["action"] == "NONE"


def test_a_service_without_a_monitor_lets_replies_through() -> None:
    with serving(create_app(fakes())) as client:
        assert ask(client, "response", texts=["That is Red."]) == {"action": "NONE"}


def test_keys_scopes_and_tenants(tmp_path: Path) -> None:
    path, secrets = tmp_path / "keys.json", {}
    for name, tenant, scopes in (
        ("a", "acme", ("turns", "monitor")),
        ("b", "beta", ("turns", "monitor")),
        ("t", "acme", ("turns",)),
    ):
        secrets[name] = make_secret()
        KeyFile(path).add(ApiKey(name, digest_of(secrets[name]), tenant, scopes))  # type: ignore[arg-type]
    with serving(create_app(all_fakes(), ServiceSettings(keys_file=str(path)))) as client:
        request = {"input_type": "request", "litellm_call_id": "c1", "structured_messages": ROWS, "texts": TEXTS}
        reply = {"input_type": "response", "litellm_call_id": "c1", "texts": ["That is Red."]}

        def status(name: str, body: Any, header: str = "x-api-key") -> int:
            secret = secrets.get(name, "")
            value = f"Bearer {secret}" if header == "authorization" else secret
            return client.post(PATH, json=body, headers={header: value}).status_code

        assert status("nobody", request) == 401
        assert status("t", request) == status("t", request, "authorization") == 200
        assert status("t", reply) == 403
        assert status("a", reply) == status("b", reply) == 200

        def evidence(name: str) -> Any:
            headers = {"authorization": f"Bearer {secrets[name]}"}
            (alarm,) = client.get("/v1/alarms", headers=headers).json()["alarms"]
            return alarm["evidence"]

        assert evidence("a") == {"Red": "I wish it were warmer."}
        assert evidence("b") == {}
        dialogue = client.get("/v1/dialogues/litellm.c1", headers={"authorization": f"Bearer {secrets['b']}"})
        assert dialogue.status_code == 403


def test_a_turn_is_said_in_the_words_of_the_menu_that_the_operator_names(caplog: pytest.LogCaptureFixture) -> None:
    rows = [{"role": "user", "content": "My kayak! To rent"}]
    with serving(create_app(fakes(Pipeline(FakeDirectness(), FakeRewriter(), reader=FakeMeaning())))) as client:
        client.put("/v1/schemas/kayaks", json={"intents": [{"name": "rent", "description": "rent a kayak for some hours"}]})

        def answer(**params: str) -> Any:
            return ask(
                client, "request", structured_messages=rows, additional_provider_specific_params={"mode": "replace", **params}
            )

        anew = answer(schema_id="kayaks")
        assert anew["structured_messages"] == [{"role": "user", "content": "I want to rent a kayak for some hours."}]
        assert answer() == {"action": "NONE"}
        assert answer(schema_id="canoes") == {"action": "NONE"}
    assert "There is no schema canoes" in " ".join(str(record.__dict__) for record in caplog.records)


def test_a_reply_is_told_under_the_id_of_its_call_and_the_name_of_its_trace(client: httpx.Client) -> None:
    ask(client, "response", "c1", texts=["That is Red.", "That is Ign."], litellm_trace_id="talk 1")
    ask(client, "response", "c2", texts=["That is Red."])
    alarms = client.get("/v1/alarms").json()["alarms"]
    assert {(each["event_id"], each["dialogue_id"]) for each in alarms} == {("c1", "talk%201"), ("c1.1", "talk%201"), ("c2", None)}
    assert client.get("/v1/dialogues/talk%25201").status_code == 404  # its turns are not kept


def test_what_is_no_guardrail_request_is_refused(client: httpx.Client) -> None:
    assert client.post(PATH, json={"input_type": "both"}).status_code == 422
