"""Who is let in: keys that change while the service runs, quotas, wrong keys, hosts, and what keeps it from starting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import fake_monitor, fakes
from fastapi import FastAPI
from live_service import eventually, serving

from grice.middleware.access import SCOPES, ApiKey, KeyFile, digest_of, key_ring, wrong_keys
from grice.middleware.cli import main
from grice.middleware.cli.serve import curl
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.app import create_app
from grice.middleware.service.http.hosts import name_of
from grice.middleware.service.http.scopes import scopes_of
from grice.middleware.settings import ServiceSettings, from_environment
from grice.models.errors import SettingsError

SECRET = "a-secret-of-the-test"


def application(**settings: Any) -> FastAPI:
    return create_app(fakes(responses=fake_monitor()), ServiceSettings(live_every_s=0.02, **settings))


def bearer(secret: str = SECRET) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def problem(response: httpx.Response, status: int, kind: str) -> str:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["type"] == f"urn:grice:problem:{kind}"
    return str(found["detail"])


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyFile:
    monkeypatch.setattr(key_ring, "LOOK_EVERY_S", 0.01)
    found = KeyFile(tmp_path / "keys.json")
    found.add(ApiKey("bot", digest_of(SECRET), "acme", ("turns", "monitor")))
    return found


def test_keys_come_and_go_while_the_service_runs(file: KeyFile) -> None:
    with serving(application(keys_file=str(file.path))) as client:
        assert client.get("/v1/models", headers=bearer()).status_code == 200
        problem(client.get("/v1/models", headers=bearer("a-later-secret-of-it")), 401, "unauthorized")
        file.add(ApiKey("later", digest_of("a-later-secret-of-it"), "beta"))
        eventually(lambda: client.get("/v1/models", headers=bearer("a-later-secret-of-it")).status_code == 200)
        file.revoke("bot")
        eventually(lambda: client.get("/v1/models", headers=bearer()).status_code == 401)


def test_an_empty_file_lets_nobody_in(file: KeyFile) -> None:
    file.revoke("bot")
    with serving(application(keys_file=str(file.path))) as client:
        problem(client.get("/v1/models", headers=bearer()), 401, "unauthorized")
        problem(client.post("/model/parse", json={"text": "Hi."}), 401, "unauthorized")


def test_a_live_stream_ends_with_its_key(file: KeyFile) -> None:
    with serving(application(keys_file=str(file.path))) as client, client.stream("GET", "/v1/live", headers=bearer()) as response:
        lines = response.iter_lines()
        assert next(lines) == "retry: 2000"
        file.revoke("bot")
        assert list(lines)[-1] == ""  # it ended, and was not cut


def test_what_a_key_may_not_do_is_named(file: KeyFile) -> None:
    with serving(application(keys_file=str(file.path))) as client:
        detail = problem(client.get("/v1/dialogues/d", headers=bearer()), 403, "forbidden")
        assert detail == "Key bot may not do this: it has turns, monitor; this needs read."
        problem(client.get("/v1/nothing", headers=bearer()), 403, "forbidden")


def test_a_route_that_was_forgotten_is_not_open(file: KeyFile) -> None:
    app = application(keys_file=str(file.path))

    @app.get("/elsewhere")
    async def elsewhere(engine: EngineOf) -> str:
        return engine.key.tenant

    with serving(app) as client:
        problem(client.get("/elsewhere", headers=bearer()), 401, "unauthorized")


def test_requests_and_work_have_quotas(file: KeyFile) -> None:
    file.add(ApiKey("few", digest_of("few-requests-of-the-test"), requests_per_minute=3))
    file.add(ApiKey("short", digest_of("little-work-of-the-test"), work_per_minute=20))
    with serving(application(keys_file=str(file.path))) as client:
        for _ in range(3):
            assert client.get("/v1/models", headers=bearer("few-requests-of-the-test")).status_code == 200
        refused = client.get("/v1/models", headers=bearer("few-requests-of-the-test"))
        assert "key few may use 3 requests a minute" in problem(refused, 429, "quota-exceeded")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        short = bearer("little-work-of-the-test")
        assert client.post("/v1/turns", json={"text": "x" * 1000, "dialogue_id": "d"}, headers=short).status_code == 200
        refused = client.post("/v1/turns", json={"text": "a", "dialogue_id": "d"}, headers=short)
        assert "key short may use 20 units of work a minute" in problem(refused, 429, "quota-exceeded")
        assert 100 <= int(refused.headers["retry-after"]) <= 600
        assert len(client.get("/v1/dialogues/d", headers=short).json()["turns"]) == 1
        assert client.post("/v1/turns", json={"text": "a"}, headers=bearer()).status_code == 200


def test_wrong_keys_are_slow_and_right_ones_are_not(file: KeyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a clock: those that would wait for too long are told so, and a right key from the same address is answered."""
    monkeypatch.setattr(wrong_keys, "FREE", 1)
    monkeypatch.setattr(wrong_keys, "SHORTEST_S", 60.0)
    monkeypatch.setattr(wrong_keys, "LONGEST_S", 60.0)
    with serving(application(keys_file=str(file.path))) as client:
        problem(client.get("/v1/models", headers=bearer("wrong")), 401, "unauthorized")
        refused = client.get("/v1/models", headers=bearer("wrong"))
        assert "too many wrong keys" in problem(refused, 429, "overloaded")
        assert refused.headers["retry-after"] == "60"
        problem(client.post("/model/parse", json={"text": "Hi.", "token": "wrong"}), 429, "overloaded")
        problem(client.get("/v1/models"), 401, "unauthorized")
        assert client.get("/v1/models", headers=bearer()).status_code == 200


HOSTS = [
    ("localhost", True),
    ("LOCALHOST:8300", True),
    ("localhost.", True),
    ("127.0.0.1:1", True),
    ("127.3.2.1", True),
    ("[::1]:8300", True),
    ("evil.example", False),
    ("127.0.0.1.evil.example", False),
    ("localhost.evil.example", False),
    ("evil.example:8300", False),
    ("192.0.2.7", False),
    ("127.0.0.1@evil.example", False),
    ("localhost:evil", False),
    ("[::1", False),
    ("", False),
]


def test_a_rebound_name_reads_nothing() -> None:
    with serving(application()) as client:
        client.post("/v1/turns", json={"text": "A secret.", "dialogue_id": "d"})
        for host, is_allowed in HOSTS:
            for path in ("/v1/dialogues/d", "/", "/metrics", "/health/ready", "/openapi.json"):
                response = client.get(path, headers={"host": host})
                assert response.status_code == (200 if is_allowed else 421), (host, path)
                if not is_allowed:
                    assert "--allowed-hosts" in problem(response, 421, "host-not-allowed")


@pytest.mark.parametrize(
    ("settings", "host", "is_allowed"),
    [
        ({"allowed_hosts": ("grice.example",)}, "Grice.Example:443", True),
        ({"allowed_hosts": ("grice.example",)}, "www.grice.example", False),
        ({"allowed_hosts": ("*",)}, "evil.example", True),
        ({"host": "0.0.0.0", "insecure": True}, "192.0.2.7:8300", True),
        ({"host": "::", "insecure": True}, "[2001:db8::7]:8300", True),
        ({"host": "0.0.0.0", "insecure": True}, "evil.example", False),
        ({"host": "192.0.2.7", "insecure": True}, "192.0.2.7", True),
        ({"host": "192.0.2.7", "insecure": True}, "192.0.2.8", False),
        ({"host": "grice.internal", "insecure": True}, "grice.internal", True),
    ],
)
def test_names_of_the_service(settings: dict[str, Any], host: str, is_allowed: bool) -> None:
    with serving(application(**settings)) as client:
        assert client.get("/health/live", headers={"host": host}).status_code == (200 if is_allowed else 421)


def test_the_name_of_a_host_header() -> None:
    assert [name_of(each) for each in ("A.b:80", "[::1]", "[::1]x", "a:b", "::1", " a ")] == ["a.b", "::1", "", "", "", "a"]


def test_answers_are_neither_kept_nor_guessed_at() -> None:
    with serving(application()) as client:
        answers = [client.get(path) for path in ("/v1/models", "/v1/nothing", "/health/ready", "/metrics", "/openapi.json")]
        answers.append(client.post("/v1/turns", json={"text": "a"}))
        answers.append(client.get("/v1/models", headers={"host": "evil.example"}))
        for response in answers:
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"GRICE_API_KEYS": " , ,"}, "setting GRICE_API_KEYS: got 'commas and spaces only'"),
        ({"GRICE_API_KEYS": " "}, "setting GRICE_API_KEYS: got 'commas and spaces only'"),
        ({"GRICE_API_KEYS": "fifteen-letters"}, "setting api_keys: got '1 keys that are not shown'; allowed: each of at least 16"),
        ({"GRICE_API_KEYS": "long-enough-for-all,short"}, "each of at least 16 characters"),
        ({"GRICE_HOST": "0.0.0.0"}, "setting host: got '0.0.0.0'; allowed: 127.0.0.1"),
        ({"GRICE_HOST": "::"}, "setting host: got '::'"),
        ({"GRICE_HOST": ""}, "setting host: got ''"),
        ({"GRICE_HOST": "192.0.2.7"}, "set keys_file or api_keys, or insecure"),
        ({"GRICE_TLS_KEY": "/nowhere.pem"}, "setting tls_cert: got ''"),
        ({"GRICE_TLS_CERT": "/nowhere.pem"}, "setting tls_cert: got '/nowhere.pem'; allowed: a PEM file that can be read"),
    ],
)
def test_what_keeps_it_from_starting(environment: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        from_environment(ServiceSettings, environment)
    assert message in str(caught.value)
    assert "fifteen-letters" not in str(caught.value)


def test_the_request_to_try_has_room_for_the_key() -> None:
    assert ' -H "authorization: Bearer ${KEY:?' in curl("http://127.0.0.1:8300", needs_key=True)
    assert "KEY" not in curl("http://127.0.0.1:8300")


def test_serve_ends_with_a_message(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRICE_API_KEYS", " , ,")
    assert main(["serve"]) == 2
    assert "GRICE_API_KEYS" in capsys.readouterr().err


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"GRICE_API_KEYS": ""},
        {"GRICE_HOST": "localhost"},
        {"GRICE_HOST": "127.9.9.9"},
        {"GRICE_HOST": "::1"},
        {"GRICE_HOST": "0.0.0.0", "GRICE_INSECURE": "true"},
        {"GRICE_HOST": "0.0.0.0", "GRICE_API_KEYS": "sixteen-letters-"},
        {"GRICE_HOST": "0.0.0.0", "GRICE_KEYS_FILE": "/etc/grice/keys.json"},
    ],
)
def test_what_does_not(environment: dict[str, str]) -> None:
    settings = from_environment(ServiceSettings, environment)
    assert settings.asks_for_keys == bool(environment.get("GRICE_API_KEYS") or "GRICE_KEYS_FILE" in environment)


def test_the_log_says_whose_key_it_was(file: KeyFile, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "grice.middleware.service.http.context")
    with serving(application(keys_file=str(file.path))) as client:
        client.get("/v1/models", headers=bearer())
        client.post("/model/parse", json={"text": "Hi.", "token": SECRET})
        client.get("/health/live")
    told = [record for record in caplog.records if record.name.endswith("http.context")]
    lines = [(getattr(record, "key", None), getattr(record, "tenant", None)) for record in told]
    assert lines == [("bot", "acme"), ("bot", "acme"), (None, None)]
    assert SECRET not in caplog.text


def test_the_page_on_access_says_what_each_scope_allows() -> None:
    text = (Path(__file__).parents[3] / "docs/access.md").read_text(encoding="utf-8")
    rows = {scope: next(line for line in text.splitlines() if line.startswith(f"| `{scope}` |")) for scope in SCOPES}
    for path, methods in application().openapi()["paths"].items():
        if path.startswith("/v1/"):
            for method in methods:
                needed = scopes_of(method.upper(), path)
                named = {
                    scope for scope in needed if path.replace("{dialogue_id}", "{id}").replace("{schema_id}", "{id}") in rows[scope]
                }
                assert named == set(needed), (method, path)
