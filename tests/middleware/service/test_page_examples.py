"""The examples on the page, against the shipped models: what each caption says is so, and an abstention is shown as one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

import httpx
import pytest
from browser import Browser, browsing
from live_service import eventually, serving

from grice.middleware.capabilities import capability_settings, load_capabilities
from grice.middleware.monitor import MonitorSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings, ServiceSettings
from grice.models.behaviors.definitions import DEFINITIONS

FILE = resources.files("grice.middleware.service") / "page" / "inspector" / "examples.json"
EXAMPLES: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["examples"]
WORDS = {"rewrite": "Rewritten", "clarify": "Asks back"}
ABSTENTIONS = ("refused", "uncertain", "unknown", "not_on_menu", "out_of_scope")


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    patient = PipelineSettings(deadline_ms=60_000)  # the first look at a menu, on a machine that does much else
    models = load_capabilities(capability_settings()(), patient, MonitorSettings())
    with serving(create_app(models, ServiceSettings())) as client:
        client.timeout = httpx.Timeout(120)
        yield client


@pytest.fixture(scope="module")
def browser(service: httpx.Client) -> Iterator[Browser]:
    with browsing() as browser:
        yield browser
        browser.open("about:blank")


def claims() -> list[Any]:
    return [
        pytest.param(example, claim, id=f"{example['id']}-{claim['turn']}") for example in EXAMPLES for claim in example["expect"]
    ]


@pytest.mark.parametrize(("example", "claim"), claims())
def test_what_a_caption_says_is_so(service: httpx.Client, example: dict[str, Any], claim: dict[str, Any]) -> None:
    turns = example["turns"][: claim["turn"]]
    user = turns[-1]["speaker"] == "user"
    menu = {"schema": example["schema"]} if user and "schema" in example else {}
    answer = service.post("/v1/turns" if user else "/v1/responses", json={"turns": turns, **menu}).json()
    for name in ("decision", "reason"):
        assert answer.get(name) == claim.get(name, answer.get(name)), name
    if "finding" in claim:
        assert claim["finding"] in [[each["kind"], each["what"]] for each in answer["findings"]]
    if "meaning" in claim:
        assert answer["meaning"]["meaning"] == claim["meaning"]
    if "likeliest" in claim:
        assert answer["clarification"]["options"][0]["name"] == claim["likeliest"]
    assert set(claim.get("shown", ())) <= set(answer.get("shown", ()))
    for label, place in claim.get("about", {}).items():
        assert answer["evidence"][label]["turn"] == place - 1
    if claim.get("undesired") is False:
        assert [label for label in answer["shown"] if not DEFINITIONS[label].desired] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each["id"])
def test_the_page_shows_it(browser: Browser, service: httpx.Client, example: dict[str, Any]) -> None:
    browser.open("about:blank")
    browser.open(f"{service.base_url}/#/inspector/example/{example['id']}")
    count = len(example["turns"])
    told = "One turn analysed." if count == 1 else f"{count} turns analysed."
    eventually(lambda: told in browser.text("#status"), seconds=120)
    assert browser.text("#caption") == example["caption"]
    for claim in example["expect"]:
        said = browser.text(f"#turn-{claim['turn']}")
        if "decision" in claim:
            word = "Abstains" if claim.get("reason") in ABSTENTIONS and claim["decision"] == "pass" else WORDS[claim["decision"]]
            assert browser.text(f"#turn-{claim['turn']} summary .badge") == word
        if "finding" in claim:
            assert browser.all(f"#turn-{claim['turn']} mark.finding")
        if claim.get("meaning"):
            assert claim["meaning"] in said
        for label in claim.get("shown", ()):
            assert f"{DEFINITIONS[label].name} {label}" in browser.text(f"#turn-{claim['turn']} summary")
        for place in claim.get("about", {}).values():
            assert "clashed" in str(browser.find(f"#turn-{place}").get_attribute("class"))
            assert browser.all("svg.arcs .arc")
    browser.picture(f"example-{example['id']}")
    assert browser.problems() == []


def test_every_example_claims_something_and_some_abstain() -> None:
    assert all(example["expect"] and example["caption"] for example in EXAMPLES)
    reasons = [claim.get("reason") for example in EXAMPLES for claim in example["expect"]]
    assert len([each for each in reasons if each in ABSTENTIONS]) >= 3
