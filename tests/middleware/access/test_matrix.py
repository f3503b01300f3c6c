"""Every key against every route, in memory and in Redis: nobody sees, changes or learns of what is another tenant's.

The cases are generated: routes and bodies from the service's own OpenAPI document, callers from tenants and scopes. What each
caller may do is written down here once more, apart from the code.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import RedisServer, eventually, serving
from plain_nlu_server import nlu_server

from grice.middleware.access import SCOPES, ApiKey, KeyFile, Scope, digest_of, make_secret, wrong_keys
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

TENANTS = ("default", "acme", "beta")
DIALOGUE, SCHEMA = "shared", "menu"
"""What every tenant calls its own."""
ALL: tuple[Scope, ...] = SCOPES
ANY_KEY: tuple[Scope, ...] = ()
OPEN = None

ALLOWED: dict[str, tuple[Scope, ...] | None] = {
    **dict.fromkeys(
        (
            "score_directness",
            "rewrite",
            "read_meaning",
            "detect_intentions",
            "read_minds",
            "resolve_slots",
            "analyse_turns",
            "parse",
            "guard_litellm",  # before a call; after it `monitor` is needed, which only keys that may do all try here
            "classify",  # directness; behaviours need `monitor`
        ),
        ("turns",),
    ),
    "keep_events": ("turns", "monitor"),
    **dict.fromkeys(
        (
            "score_responses",
            "read_rates",
            "read_rate_history",
            "compare_versions",
            "read_alarms",
            "read_alerts",
            "judge_alarm",
            "export_feedback",
            "watch_live",
        ),
        ("monitor",),
    ),
    "read_menu": ("read", "turns"),
    **dict.fromkeys(("read_dialogue", "list_schemas", "read_schema"), ("read",)),
    **dict.fromkeys(("delete_dialogue", "put_schema", "delete_schema"), ("admin",)),
    **dict.fromkeys(("list_models", "list_behaviors"), ANY_KEY),
    **dict.fromkeys(("live", "ready", "metrics"), OPEN),
}
"""By operation: scopes of which one is needed."""
SHOWS_OWN = {
    "read_dialogue",
    "list_schemas",
    "read_schema",
    "read_alarms",
    "watch_live",
    "read_rates",
    "analyse_turns",
    "rewrite",
}
"""Operations whose answers have something of the tenant's own, so that a look at another's would show."""


@dataclass(frozen=True)
class Caller:
    """Who asks, and what for."""

    tenant: str | None
    scopes: tuple[Scope, ...]
    secret: str

    @property
    def name(self) -> str:
        return f"{self.tenant}:{'+'.join(self.scopes)}"


@dataclass(frozen=True)
class Case:
    """One request."""

    operation: str
    method: str
    path: str
    body: dict[str, Any] | None
    statuses: tuple[int, ...] = (200, 204)
    """What it is answered with a key that may do this."""


ABSENT = (404, 405, 422)
"""What is answered where there is nothing, whether another tenant has something of that name or nobody has."""


def marker(tenant: str) -> str:
    return f"Secretof{tenant}"


def only(tenant: str) -> str:
    """What a tenant calls a dialogue and a schema that no other tenant has."""
    return f"only-{tenant}"


def schema(tenant: str) -> dict[str, Any]:
    return {"intents": [{"name": f"rent_{marker(tenant)}", "examples": [marker(tenant)]}]}


@pytest.fixture(scope="module")
def callers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Caller]]:
    """A file of keys: each tenant has one of each scope and one of all. Beside them an old key, a wrong one and none."""
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    found: list[Caller] = []
    for tenant, scopes in itertools.product(TENANTS, [*((scope,) for scope in SCOPES), ALL]):
        caller = Caller(tenant, scopes, make_secret())
        KeyFile(path).add(ApiKey(f"{tenant}-{len(found)}", digest_of(caller.secret), tenant, scopes))
        found.append(caller)
    return path, [*found, Caller("default", ALL, "an-old-key-of-sixteen"), Caller(None, (), make_secret()), Caller(None, (), "")]


@pytest.fixture(params=["memory", "redis"])
def client(
    request: pytest.FixtureRequest, callers: tuple[Path, list[Caller]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[httpx.Client]:
    monkeypatch.setattr(wrong_keys, "FREE", 10**9)  # what wrong keys cost is another test's matter
    store: dict[str, Any] = {}
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        store = {"store": "redis", "redis_url": server.url, "events_stream": "grice:events", "store_timeout_ms": 20_000}
    with nlu_server() as nlu:
        keys: dict[str, Any] = {"keys_file": str(callers[0]), "api_keys": ("an-old-key-of-sixteen",), "nlu_url": nlu.url}
        with serving(create_app(all_fakes(), ServiceSettings(live_every_s=0.01, batch_wait_ms=0.0, **keys, **store))) as client:
            yield client


def ask(client: httpx.Client, caller: Caller, method: str, path: str, body: Any = None) -> httpx.Response:
    headers = {"authorization": f"Bearer {caller.secret}"} if caller.secret else {}
    return client.request(method, path, json=body, headers=headers)


def furnish(client: httpx.Client, owner: Caller) -> None:
    """Give a tenant a dialogue, a schema, rates and an alarm that name it; those that are there already stay."""
    assert owner.tenant is not None
    sign = marker(owner.tenant)
    event = {"event_id": "e1", "dialogue_id": DIALOGUE, "speaker": "user", "text": f"I am {sign}.", "timestamp": 1.0}
    response = {"event_id": "e2", "dialogue_id": DIALOGUE, "text": f"{sign} is Red.", "bot_version": sign, "channel": sign}
    for method, path, body in (
        ("POST", "/v1/events", event),
        ("POST", "/v1/responses", response),
        ("PUT", f"/v1/schemas/{SCHEMA}", schema(owner.tenant)),
        ("PUT", f"/v1/schemas/{sign}", schema(owner.tenant)),
        ("PUT", f"/v1/schemas/{only(owner.tenant)}", schema(owner.tenant)),
        ("POST", "/v1/events", {**event, "dialogue_id": only(owner.tenant)}),
    ):
        assert ask(client, owner, method, path, body).status_code == 200


def state(client: httpx.Client, owner: Caller) -> str:
    """All that a tenant has."""
    own = only(str(owner.tenant))
    kept = [f"/v1/dialogues/{DIALOGUE}", f"/v1/dialogues/{own}", f"/v1/schemas/{SCHEMA}", f"/v1/schemas/{own}"]
    reads = [*kept, "/v1/schemas", "/v1/rates?window_s=86400", "/v1/alarms?last=200"]
    return "\n".join(ask(client, owner, "GET", path).text for path in reads)


def in_shared(body: dict[str, Any]) -> dict[str, Any]:
    """An example's body, moved to the dialogue that every tenant has, with texts that the monitor finds nothing in."""
    moved = copy.deepcopy(body)
    for item in moved.get("items", [moved]):
        if "text" in item and not isinstance(item.get("turns"), list):
            item["dialogue_id" if "token" not in item and "message_id" not in item else "message_id"] = DIALOGUE
    if "items" in moved:
        moved["items"] = moved["items"][:1]  # one turn of a dialogue in a request
    return moved


def cases(document: dict[str, Any], caller: Caller) -> Iterator[Case]:
    """Each operation, and names of, or ways to, what other tenants have; for who may do all, with each example."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            bodies = [each["value"] for each in content.get("examples", {}).values()] or [None]
            name, verb = operation["operationId"], method.upper()
            if name == "judge_alarm":  # a place that is nobody's; those of a tenant are told to it alone
                yield Case(name, verb, path.replace("{place}", "1-1"), bodies[0], ABSENT)
                continue
            if name == "compare_versions":
                path = f"{path}?first=1&second=2"
            for body in bodies if caller.scopes == ALL else bodies[:1]:
                moved = None if body is None else body if name in ("put_schema", "read_menu") else in_shared(body)
                yield Case(name, verb, _filled(path, DIALOGUE, SCHEMA), moved)
            if "{" in path:
                yield from (Case(name, verb, _filled(path, *ids), bodies[0], ABSENT) for ids in crooked(caller.tenant))
            for other in (each for each in TENANTS if each != caller.tenant):
                if "{" in path and name != "put_schema":
                    yield Case(name, verb, _filled(path, only(other), only(other)), None, (404,))
                yield from (Case(name, verb, path, *each) for each in asking_for(other, name))
            if name in ("analyse_turns", "rewrite"):
                yield Case(name, verb, path, {"text": "I wish.", "dialogue_id": DIALOGUE})


def crooked(tenant: str | None) -> Iterator[tuple[str, str]]:
    """Ids of a dialogue and of a schema that could lead out of a tenant."""
    for other, joint in itertools.product(TENANTS, ("%2F", "/", ":", "%00")):
        if other != tenant:
            yield f"{other}{joint}{DIALOGUE}", f"{other}{joint}{SCHEMA}"
    yield f"..%2F{DIALOGUE}", f"..%2F{SCHEMA}"


def asking_for(other: str, operation: str) -> Iterator[tuple[dict[str, Any], tuple[int, ...]]]:
    """Bodies that ask for what another tenant has, and what they are answered."""
    item = {"text": "I wish.", "dialogue_id": DIALOGUE}
    if operation in ("read_meaning", "analyse_turns"):
        yield {**item, "schema_id": only(other)}, (422,)
        yield {**item, "schema_id": SCHEMA, "tenant": other}, (422,)
    if operation in ("rewrite", "score_directness"):
        yield {**item, "dialogue_id": only(other)}, (200,)
    if operation in ("rewrite", "analyse_turns", "score_directness", "score_responses"):
        yield {**item, "dialogue_id": f"{other}/{DIALOGUE}"}, (422,)
    if operation == "parse":
        yield {"text": "I wish.", "message_id": f"{other}/{DIALOGUE}"}, (200,)


def _filled(path: str, dialogue_id: str, schema_id: str) -> str:
    return path.replace("{dialogue_id}", dialogue_id).replace("{schema_id}", schema_id)


def answer(client: httpx.Client, caller: Caller, case: Case) -> tuple[int, str]:
    """Status, and all that is told: headers too, and of a stream what comes until the first rates."""
    if case.operation != "watch_live":
        found = ask(client, caller, case.method, case.path, case.body)
        return found.status_code, f"{found.headers} {found.text}"
    headers = {"authorization": f"Bearer {caller.secret}"} if caller.secret else {}
    told: list[str] = []
    with client.stream(case.method, case.path, headers=headers) as found:
        for line in found.iter_lines():
            told.append(line)
            if line.startswith("data:") and "window_s" in line:
                break
        return found.status_code, "\n".join(told)


def test_no_key_gets_at_what_is_another_tenants(client: httpx.Client, callers: tuple[Path, list[Caller]]) -> None:
    _, everyone = callers
    owners = {caller.tenant: caller for caller in everyone if caller.scopes == ALL and caller.secret.startswith("grice_")}
    document = client.get("/openapi.json").json()
    assert {operation["operationId"] for each in document["paths"].values() for operation in each.values()} == set(ALLOWED)
    for owner in owners.values():
        furnish(client, owner)
        eventually(lambda owner=owner: marker(str(owner.tenant)) in ask(client, owner, "GET", "/v1/alarms").text)  # type: ignore[misc]
    tried, shown = 0, set()
    for caller in everyone:
        others = {tenant: owner for tenant, owner in owners.items() if tenant != caller.tenant}
        before = {tenant: state(client, owner) for tenant, owner in others.items()}
        for case in cases(document, caller):
            if caller.tenant is not None and case.method == "DELETE" and 204 in case.statuses:
                furnish(client, owners[caller.tenant])
            status, told = answer(client, caller, case)
            where = (caller.name, case, status, told[:300])
            needed = ALLOWED[case.operation]
            if needed is not OPEN and caller.tenant is None:
                assert status == 401, where
            elif needed and not set(needed) & set(caller.scopes):
                assert status == 403, where
            else:
                assert status in case.statuses, where
            for tenant in others:
                theirs = told if (needed, tenant) != (OPEN, "default") else without_versions(told)
                assert marker(str(tenant)) not in theirs, where
            if caller.tenant is not None and marker(caller.tenant) in told:
                shown.add((caller.tenant, case.operation))
            tried += 1
        if caller.tenant is not None:
            furnish(client, owners[caller.tenant])
        assert {tenant: state(client, owner) for tenant, owner in others.items()} == before, caller.name
    assert shown >= set(itertools.product(TENANTS, SHOWS_OWN)), set(itertools.product(TENANTS, SHOWS_OWN)) - shown
    assert tried > 1000


def without_versions(metrics: str) -> str:
    """What is shown to all who ask, less the bot versions and channels of the default tenant, as it always was."""
    return re.sub(r'(bot_version|channel)="[^"]*"', "", metrics)


def test_the_stream_of_events_says_whose_they_are(redis_server: RedisServer, callers: tuple[Path, list[Caller]]) -> None:
    path, everyone = callers
    settings = ServiceSettings(redis_url=redis_server.url, events_stream="grice:events", keys_file=str(path))
    with serving(create_app(all_fakes(), settings)) as client:
        for caller in everyone:
            if caller.scopes == ALL and caller.secret.startswith("grice_"):
                event = {"event_id": "e1", "dialogue_id": DIALOGUE, "speaker": "bot", "text": "Hi.", "timestamp": 1.0}
                assert ask(client, caller, "POST", "/v1/events", event).status_code == 200
                refused = ask(client, caller, "POST", "/v1/events", {**event, "tenant": "acme"})
                assert refused.status_code == 422
    with redis_server.client() as redis, contextlib.closing(redis):
        found = [json.loads(fields[b"event"]) for _, fields in redis.xrange("grice:events")]
    assert [each.get("tenant") for each in found] == [None, "acme", "beta"]
