"""What a capability gets that is declared in sixty lines and added to the registry: `loudness`, in the fixtures."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import fakes
from live_service import serving
from loopback_server import loopback, saying
from loudness import LOUDNESS, Ear, Listening, Loudness

from grice.middleware.capabilities import CAPABILITIES, capability_settings, is_offered, load_capabilities
from grice.middleware.cli import serve
from grice.middleware.client.backends import load_backend
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.monitor import MonitorSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings, from_options, known_variables
from grice.models import Dialogue
from grice.models.errors import InputError, ServiceError

ROOT = Path(__file__).parents[3]
WHAT = Dialogue.of("WHat")


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    with CAPABILITIES.adding(LOUDNESS):
        yield


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(loudness=Ear()))) as client:
        yield client


def test_it_is_short_and_contributing_shows_it() -> None:
    toy = (ROOT / "tests/fixtures/loudness.py").read_text()
    assert len(toy.splitlines()) <= 60
    assert f"```python\n{toy}```" in (ROOT / "CONTRIBUTING.md").read_text()


def test_a_route_for_one_and_for_several(client: httpx.Client) -> None:
    one = client.post("/v1/loudness", json={"text": "WHat", "shout_from": 0.6})
    assert one.json() == {"share": 0.5, "shout": False, "failures": [], "schema_version": 1}
    several = client.post("/v1/loudness", json={"items": [{"text": "WHat"}, {"text": "what"}]}).json()
    assert several["items"] == [{"share": 0.5, "shout": True, "failures": []}, {"share": 0.0, "shout": False, "failures": []}]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"text": "a", "shout_from": 2}, "#/shout_from"), ({"text": "a", "loud": True}, "#/loud"), ({"shout_from": 0.1}, "#")],
)
def test_what_it_refuses(client: httpx.Client, body: dict[str, object], pointer: str) -> None:
    response = client.post("/v1/loudness", json=body)
    assert (response.status_code, [error["pointer"] for error in response.json()["errors"]]) == (422, [pointer])


def test_a_queue_a_documentation_and_an_entry_among_the_models(client: httpx.Client) -> None:
    client.post("/v1/loudness", json={"text": "a"})
    assert 'grice_queue_depth{model="loudness"} 0.0' in client.get("/metrics").text
    document: dict[str, Any] = client.get("/openapi.json").json()
    schemas, post = document["components"]["schemas"], document["paths"]["/v1/loudness"]["post"]
    assert (post["summary"], post["operationId"], "501" in post["responses"]) == ("How loud turns are", "loudness", True)
    assert "mind model or no ear is loaded" in post["responses"]["501"]["description"]
    assert schemas["Loudness"]["properties"]["share"]["description"] == "Of its letters, how many are capitals, 0 to 1."
    assert schemas["Listening"]["properties"]["shout_from"]["maximum"] == 1.0
    assert {"text", "turns", "dialogue_id", "shout_from"} == set(schemas["Listening"]["properties"])
    examples = post["requestBody"]["content"]["application/json"]["examples"]
    answer = post["responses"]["200"]["content"]["application/json"]["example"]
    assert client.post("/v1/loudness", json=examples["shout"]["value"]).json() == answer
    assert {"role": "loudness", "name": "Ear"}.items() <= client.get("/v1/models").json()["models"][-1].items()
    assert client.get("/health/ready").json()["providers"]["loudness"] == "unknown"


def test_a_flag_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = ArgumentParser()
    serve.add_arguments(parser)

    def chosen(*flags: str) -> Any:
        return from_options(capability_settings(), parser.parse_args(flags))

    assert "do not hear how loud turns are (default: on)" in " ".join(parser.format_help().split())
    assert (is_offered(LOUDNESS, chosen()), is_offered(LOUDNESS, chosen("--no-loudness"))) == (True, False)
    monkeypatch.setenv("GRICE_LOUDNESS", "false")
    monkeypatch.setenv("GRICE_LOUDNESS_MODEL", "mine")
    assert (is_offered(LOUDNESS, chosen()), chosen().loudness_model) == (False, "mine")
    assert {"GRICE_LOUDNESS", "GRICE_LOUDNESS_MODEL"} <= set(known_variables())


def test_it_is_loaded_with_the_others_or_left_out() -> None:
    off = {each.switch: False for each in CAPABILITIES if each.switch}
    kind = capability_settings()
    loaded = load_capabilities(kind(**{**off, "loudness": True}), PipelineSettings(), MonitorSettings())
    assert isinstance(loaded["loudness"], Ear)
    assert "loudness" not in load_capabilities(kind(**off), PipelineSettings(), MonitorSettings())


def test_where_it_is_not_loaded_the_service_says_so() -> None:
    with serving(create_app(fakes())) as client:
        response = client.post("/v1/loudness", json={"text": "a"})
        assert (response.status_code, response.json()["type"]) == (501, "urn:grice:problem:no-loudness")
        detail = "No ear is loaded here: start the service without --no-loudness (and without GRICE_LOUDNESS=false)."
        assert response.json()["detail"] == detail
        assert "loudness" not in {model["role"] for model in client.get("/v1/models").json()["models"]}


def test_one_backend_in_process_and_one_behind_the_service(client: httpx.Client) -> None:
    asked = [Listening(WHAT), Listening(WHAT, 0.6)]
    found = [Loudness(0.5, True), Loudness(0.5, False)]
    assert load_backend(LOUDNESS, PipelineSettings()).predict(asked) == found
    remote = load_backend(LOUDNESS, RemoteSettings(str(client.base_url), deadline_ms=20_000))
    assert remote.predict(asked) == found
    with pytest.raises(InputError, match="what loudness is asked: got 'WHat'; allowed: Listening"):
        remote.predict(["WHat"])  # type: ignore[list-item]


@pytest.mark.parametrize(("row", "what"), [({"share": 1.5, "shout": True}, "share: 1.5"), ({"share": 1}, "shout: None")])
def test_an_answer_of_another_shape_is_an_error(row: object, what: str) -> None:
    with loopback(saying({"items": [row], "schema_version": 1})) as server:
        remote = load_backend(LOUDNESS, RemoteSettings(server.url, deadline_ms=20_000))
        with pytest.raises(ServiceError, match=f"the service answered {what}"):
            remote.predict([Listening(WHAT)])


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="capability: got 'loudness'; allowed: a name and a switch of its own"):
        CAPABILITIES.add(LOUDNESS)
    with pytest.raises(InputError, match="capability: got 'volume'; allowed: directness, meaning, turns, rewrite"):
        CAPABILITIES["volume"]
