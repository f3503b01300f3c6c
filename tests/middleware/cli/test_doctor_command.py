"""`grice doctor`: what works here, what is missing, and how to get it."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from fake_models import fakes
from live_service import RedisServer, serving

from grice.middleware.cli import main
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models import manifest
from grice.models.data.pins import data_sets
from grice.models.manifest import shipped


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def doctor(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, dict[str, Any]]:
    """What was found, by name."""
    assert main(["doctor", "--json", *words]) == status
    return {each["name"]: each for each in json.loads(capsys.readouterr().out)}


def test_versions_and_extras(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = doctor(capsys, "--only", "versions")
    assert found["grice"]["detail"] == importlib.metadata.version("grice")
    assert f"numpy {importlib.metadata.version('numpy')}" in found["what every part needs"]["detail"]
    known = importlib.metadata.version

    def without_openai(name: str) -> str:
        if name == "openai":
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr("importlib.metadata.version", without_openai)
    llm = doctor(capsys, "--only", "versions")["grice[llm]"]
    assert (llm["status"], llm["fix"]) == ("missing", "pip install 'grice[llm]'")


def test_models_are_read_byte_for_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert {name: each["status"] for name, each in doctor(capsys, "--only", "models").items()} == dict.fromkeys(shipped(), "ok")
    copy = tmp_path / "pretrained"
    shutil.copytree(manifest.PRETRAINED / "behaviors", copy / "behaviors")
    weights = next(path for path in (copy / "behaviors").iterdir() if path.suffix not in (".json", ".md"))
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    monkeypatch.setattr(manifest, "PRETRAINED", copy)
    broken = doctor(capsys, "--only", "models", status=1)["behaviors"]
    assert broken["status"] == "broken"
    assert "sha256" in broken["detail"]
    assert broken["fix"].startswith("pip install --force-reinstall")


def test_a_variable_that_is_none_of_ours_is_named_and_does_not_keep_it_from_looking(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRICE_PROT", "8300")
    found = doctor(capsys, "--only", "settings", "providers", status=1)
    assert "GRICE_PORT" in found["GRICE_ variables"]["detail"]
    assert found["GRICE_ variables"]["fix"] == "unset GRICE_PROT"
    assert found["ONNX"]["status"] == "ok"


def test_a_provider_that_is_not_there_is_broken(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "`auto` is CPUExecutionProvider" in doctor(capsys, "--only", "providers")["ONNX"]["detail"]
    monkeypatch.setenv("GRICE_PROVIDER", "abacus")
    assert doctor(capsys, "--only", "providers", status=1)["ONNX"]["status"] == "broken"


@pytest.fixture
def stranger() -> Iterator[int]:
    """The port of a web server that is not Grice."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:  # it knows no method, and answers 501
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_a_port_is_free_ours_or_somebody_else_s(stranger: int, capsys: pytest.CaptureFixture[str]) -> None:
    (theirs,) = doctor(capsys, "--only", "service", "--port", str(stranger), status=1).values()
    assert "something else than Grice listens" in theirs["detail"]
    with serving(create_app(fakes(), ServiceSettings())) as client:
        port = str(client.base_url.port)
        (ours,) = doctor(capsys, "--only", "service", "--port", port).values()
        assert (ours["status"], ours["detail"].rpartition(": ")[2]) == ("ok", "ready")
    (free,) = doctor(capsys, "--only", "service", "--port", port).values()
    assert "nothing listens" in free["detail"]


def test_redis(redis_server: RedisServer, capsys: pytest.CaptureFixture[str]) -> None:
    found = doctor(capsys, "--only", "redis", "--redis-url", redis_server.url)["Redis"]
    assert found["status"] == "ok"
    redis_server.kill()
    found = doctor(capsys, "--only", "redis", "--redis-url", redis_server.url)["Redis"]
    assert (found["status"], found["fix"]) == ("missing", "redis-server")


def test_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("GRICE_DATA_DIR", raising=False)
    assert doctor(capsys, "--only", "data")["data sets"]["fix"] == "export GRICE_DATA_DIR=DIR"
    (pin, *_) = data_sets()["canard"].files
    (tmp_path / "canard").mkdir()
    (tmp_path / "canard" / pin.path).write_text("something else", encoding="utf-8")
    found = doctor(capsys, "--only", "data", "--data-dir", str(tmp_path), status=1)
    assert found["canard"] == {
        "part": "data",
        "name": "canard",
        "status": "broken",
        "detail": "1 refused",
        "fix": "grice data verify canard",
    }
    assert (found["direct"]["status"], found["direct"]["fix"]) == ("missing", "grice data fetch direct")


def test_people_read_it_with_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GRICE_PROT", "8300")
    assert main(["doctor", "--only", "settings"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "settings"
    assert lines[1].startswith("  broken   GRICE_ variables: setting GRICE_PROT")
    assert lines[2] == "           unset GRICE_PROT"
