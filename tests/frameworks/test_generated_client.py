"""A client that openapi-python-client makes of the service's OpenAPI document, against the service."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving
from scripted_checks import WISH

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

KEY = "a-key-of-sixteen-characters"
NAME = "generated_grice"


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes(), ServiceSettings(api_keys=(KEY,)))) as client:
        client.headers["authorization"] = f"Bearer {KEY}"
        yield client


@pytest.fixture(scope="module")
def generated(service: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(service.get("/openapi.json").text)
    command = [str(Path(sys.executable).parent / "openapi-python-client"), "generate", "--path", "openapi.json"]
    (folder / "config.yml").write_text("content_type_overrides:\n  application/x-ndjson: text/plain\n")
    more = ["--meta", "none", "--output-path", NAME, "--fail-on-warning", "--config", "config.yml"]
    environment = {"PATH": str(Path(sys.executable).parent)}
    ran = subprocess.run([*command, *more], capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    sys.path.insert(0, str(folder))
    yield importlib.import_module(NAME)
    sys.path.remove(str(folder))


@pytest.fixture
def client(service: httpx.Client, generated: ModuleType) -> Any:
    return generated.AuthenticatedClient(base_url=str(service.base_url), token=KEY)


def modules(generated: ModuleType) -> dict[str, ModuleType]:
    """The generated operations, by their ids."""
    api = importlib.import_module(f"{NAME}.api")
    found = [each.name for each in pkgutil.walk_packages(api.__path__, f"{NAME}.api.") if not each.ispkg]
    return {name.rpartition(".")[2]: importlib.import_module(name) for name in found}


def test_every_operation_is_generated(service: httpx.Client, generated: ModuleType) -> None:
    paths = service.get("/openapi.json").json()["paths"]
    assert set(modules(generated)) == {each["operationId"] for methods in paths.values() for each in methods.values()}


@pytest.mark.parametrize(
    ("operation", "body", "holds"),
    [
        ("analyse_turns", {"text": WISH, "mode": "replace"}, lambda found: found["text"] == f"please: {WISH}"),
        ("analyse_turns", {"items": [{"text": WISH}, {"text": "Hi."}]}, lambda found: len(found["items"]) == 2),
        ("score_responses", {"text": "That is Red."}, lambda found: found["shown"] == ["Red"]),
        ("classify", {"model": "grice/directness", "input": WISH}, lambda found: found["data"][0]["label"] == "indirect"),
    ],
)
def test_what_it_sends_and_reads(client: Any, generated: ModuleType, operation: str, body: Any, holds: Any) -> None:
    module = modules(generated)[operation]
    answer = module.sync_detailed(client=client, body=as_model(module, body))
    assert answer.status_code == 200, answer.content
    assert answer.parsed.to_dict() == json.loads(answer.content)
    assert holds(answer.parsed.to_dict())


def test_a_refusal_is_read_as_a_problem(client: Any, generated: ModuleType) -> None:
    module = modules(generated)["read_dialogue"]
    answer = module.sync_detailed("nobody", client=client)
    assert answer.status_code == 404
    assert answer.parsed.to_dict()["type"] == "urn:grice:problem:unknown-dialogue"


def as_model(module: ModuleType, body: Any) -> Any:
    """The body as the generated model that the operation takes; of several, the one that loses nothing of it."""
    annotation = module.sync_detailed.__annotations__["body"]
    for kind in get_args(annotation) or (annotation,):
        with suppress(AttributeError, KeyError):  # not a model, or one with other fields
            made = kind.from_dict(body)
            if made.to_dict() == body:
                return made
    raise AssertionError(f"{module.__name__} takes {annotation}")
