"""Requests made up from the OpenAPI document, good ones and bad ones: the service does to them what the document says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import jsonschema_rs
import pytest
import requests
import schemathesis
from fake_models import all_fakes, fake_pipeline, fakes
from hypothesis import HealthCheck, Phase, given, settings
from live_service import serving
from plain_nlu_server import nlu_server
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings, ServiceSettings

DOCUMENT = json.loads((Path(__file__).parent / "openapi.json").read_text(encoding="utf-8"))
STREAMS = ("/v1/live",)
"""They never end; tests of their own read them."""
LABELS = [f"{method} {path}" for path, methods in DOCUMENT["paths"].items() for method in methods if path not in STREAMS]
CHECKS = [status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance]
DEADLINE = "x-grice-deadline-ms"
OPEN = ("/health/live", "/health/ready", "/metrics")
"""No key is needed."""
KEY = "0123456789abcdef"
GOOD, BAD, KEYED = 70, 35, 5
"""How many requests each operation gets, at most. One that takes nothing gets one and no bad one."""
SHARE = 0.9
"""Of these, how many there are at least: some that are drawn do not fit and are thrown away."""
REPEATABLE = settings(
    derandomize=True, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
OF_CHARACTERS = re.compile("printable|not blank|valid Unicode")
"""What the service says of texts and names that it cannot use; the document has to say it before. Rules across fields, such as that
the last of `turns` must be the user's, no JSON schema says."""


@contextmanager
def served(*keys: str) -> Iterator[httpx.Client]:
    """The service, with deadlines that a busy machine keeps."""
    models = {**all_fakes(), **fakes(fake_pipeline(PipelineSettings(deadline_ms=600_000)))}
    with nlu_server() as nlu:
        chosen = ServiceSettings(nlu_url=nlu.url, nlu_timeout_ms=60_000, api_keys=keys)
        with serving(create_app(models, chosen)) as client:
            yield client


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with served() as client:
        yield client


@pytest.fixture(scope="module")
def keyed() -> Iterator[httpx.Client]:
    with served(KEY) as client:
        yield client


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def drawn(label: str, mode: GenerationMode, most: int) -> list[Case]:
    """As many cases of an operation as there are, up to `most`; the same each time."""
    found: list[Case] = []
    method, path = label.split()
    operation = schemathesis.openapi.from_dict(DOCUMENT)[path][method]

    @settings(REPEATABLE, max_examples=most)
    @given(case=operation.as_strategy(mode))
    def draw(case: Case) -> None:
        found.append(case)

    draw()
    for case in found:
        case.headers.pop(DEADLINE, None)  # answers would depend on how busy the machine is
    return found


def is_as_promised(case: Case) -> bool:
    """Whether a body is what the document allows; the generator takes a few characters for visible that are none."""
    method, path = case.operation.method.lower(), case.operation.path
    body = DOCUMENT["paths"][path][method].get("requestBody")
    if body is None or "application/json" not in body["content"]:
        return True
    schema = {**body["content"]["application/json"]["schema"], "components": DOCUMENT["components"]}
    return bool(jsonschema_rs.validator_for(schema).is_valid(case.body))


def takes(label: str) -> bool:
    """Whether there is something to make up."""
    method, path = label.split()
    operation = DOCUMENT["paths"][path][method]
    return "requestBody" in operation or any(each["in"] in ("path", "query") for each in operation.get("parameters", ()))


def test_there_are_enough() -> None:
    taking = sum(takes(label) for label in LABELS)
    assert taking * (GOOD + BAD) * SHARE >= 2000


@pytest.mark.parametrize("label", LABELS)
def test_good_requests(label: str, service: httpx.Client, session: requests.Session) -> None:
    cases = drawn(label, GenerationMode("positive"), GOOD)
    assert len(cases) >= GOOD * SHARE or not takes(label)
    for case in cases:
        response = case.call(str(service.base_url), session)
        assert response.status_code < 500, (case.body, response.text)
        refused = response.status_code == 422 and OF_CHARACTERS.search(response.text)
        assert not (refused and is_as_promised(case)), (case.path_parameters, case.body, response.text)
        case.validate_response(response, checks=CHECKS)


@pytest.mark.parametrize("label", [label for label in LABELS if takes(label)])
def test_bad_requests(label: str, service: httpx.Client, session: requests.Session) -> None:
    cases = drawn(label, GenerationMode("negative"), BAD)
    assert len(cases) >= BAD * SHARE
    for case in cases:
        response = case.call(str(service.base_url), session)
        assert response.status_code < 500, (case.body, response.text)
        case.validate_response(response, checks=CHECKS)


@pytest.mark.parametrize("label", LABELS)
def test_keys_are_asked_for_where_the_document_says_so(label: str, keyed: httpx.Client, session: requests.Session) -> None:
    protected = label.split()[1] not in OPEN
    for case in drawn(label, GenerationMode("positive"), KEYED):
        for headers in ({}, {"Authorization": f"Bearer {KEY}"}):
            response = case.call(str(keyed.base_url), session, headers=headers)
            assert response.status_code < 500, (case.body, response.text)
            assert (response.status_code == 401) == (protected and not headers), response.text
            case.validate_response(response, checks=CHECKS)
