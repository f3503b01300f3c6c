"""The API's documentation in a browser, from the service alone and under the policy of the page; and what the service prints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator

import httpx
import pytest
from browser import DESKTOP, NARROW, Browser, browsing
from fake_models import all_fakes, fakes
from live_service import eventually, serving

from grice.middleware.cli.serve import announce, curl
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes(), ServiceSettings(page=False))) as client:
        client.timeout = httpx.Timeout(120)  # Swagger UI is large, and other work may keep the machine busy
        yield client


@pytest.fixture(scope="module")
def browser(client: httpx.Client) -> Iterator[Browser]:
    with browsing() as browser:
        yield browser
        browser.open("about:blank")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (NARROW, "dark")])
def test_every_operation_is_shown_and_nothing_comes_from_elsewhere(
    browser: Browser, client: httpx.Client, size: tuple[int, int], scheme: str
) -> None:
    browser.open(f"{client.base_url}/docs", size, scheme)
    paths = client.get("/openapi.json").json()["paths"]
    count = sum(len(methods) for methods in paths.values())
    eventually(lambda: len(browser.all(".opblock")) == count, seconds=60)
    browser.find("#operations-conversation-analyse_turns button").click()
    eventually(lambda: bool(browser.all("#operations-conversation-analyse_turns textarea")), seconds=60)
    browser.run("document.querySelector('#operations-conversation-analyse_turns .execute').click()")
    eventually(lambda: '"decision"' in browser.text("#operations-conversation-analyse_turns .live-responses-table"), seconds=60)
    browser.picture(f"docs-{size[0]}-{scheme}")
    browser.find("#operations-conversation-delete_dialogue button").click()
    eventually(lambda: bool(browser.all("#operations-conversation-delete_dialogue .parameter__in")), seconds=60)
    assert browser.serious_faults() == []
    loaded = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert [name for name in loaded if not name.startswith(str(client.base_url))] == []
    assert browser.problems() == []  # nothing that the policy forbids was tried


def test_an_operation_has_an_address(browser: Browser, client: httpx.Client) -> None:
    browser.open("about:blank")
    browser.open(f"{client.base_url}/docs#/monitor/list_behaviors")
    eventually(lambda: "is-open" in str(browser.find("#operations-monitor-list_behaviors").get_attribute("class")), seconds=60)
    browser.find("#operations-conversation-analyse_turns button").click()
    eventually(lambda: str(browser.run("return location.hash")) == "#/conversation/analyse_turns", seconds=60)


def test_the_dialog_for_keys_can_be_used_by_everybody(browser: Browser) -> None:
    with serving(create_app(fakes(), ServiceSettings(page=False, api_keys=("open-sesame-open",)))) as client:
        browser.open(f"{client.base_url}/docs")
        eventually(lambda: bool(browser.all(".auth-wrapper .authorize")), seconds=60)
        browser.find(".auth-wrapper .authorize").click()
        eventually(lambda: bool(browser.all(".dialog-ux input")), seconds=60)
        assert browser.serious_faults() == []
        browser.picture("docs-key")
        browser.open("about:blank")


def test_it_is_served_under_the_policy_of_the_page_with_its_licence(client: httpx.Client) -> None:
    for path in ("/docs", "/docs/docs.js", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/icon.svg"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert client.get(path, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    assert "data:" not in client.get("/docs/swagger-ui.css").text
    assert "Apache License, Version 2.0" in client.get("/docs/LICENSE.txt").text
    assert client.get("/docs/none.js").status_code == 404
    assert client.get("/redoc").status_code == 404


@pytest.mark.parametrize("key", ["", "open-sesame-open"])
def test_the_request_that_the_service_prints_works(key: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with serving(create_app(fakes(), ServiceSettings(api_keys=(key,) if key else ()))) as client:
        printed = curl(str(client.base_url).rstrip("/"), needs_key=bool(key))
        found = subprocess.run(["bash", "-c", printed], env={**os.environ, "KEY": key}, capture_output=True, text=True, check=True)
        assert json.loads(found.stdout)["original"] == "I am on a tight budget"


def test_the_banner_names_page_and_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    announce("http://127.0.0.1:8300")
    assert capsys.readouterr().out.splitlines()[:3] == [
        "Grice listens on http://127.0.0.1:8300",
        "  page           http://127.0.0.1:8300/",
        "  documentation  http://127.0.0.1:8300/docs",
    ]
    announce("http://127.0.0.1:8300", has_page=False)
    assert "page" not in capsys.readouterr().out
