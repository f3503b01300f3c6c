"""The operations of the page in a real browser: rates over time, alerts, grouped alarms, verdicts, versions side by side, links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browser import DESKTOP, NARROW, Browser, browsing
from fake_models import FakeBehaviors, fake_monitor, fakes
from live_service import eventually, serving
from relation_fixtures import PLEASE, WRONG, ColdReader
from selenium.webdriver.common.keys import Keys

from grice.middleware.alerts import AlertSettings
from grice.middleware.monitor import Monitor
from grice.middleware.monitor.alarm_log import read_log
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.results import BEHAVIORS

RULES = {"rules": [{"kind": "threshold", "name": "often", "behaviors": ["Red"], "window_s": 3600, "above": 0.2, "min_scored": 3}]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    rules = tmp_path_factory.mktemp("rules") / "rules.json"
    rules.write_text(json.dumps(RULES), encoding="utf-8")
    app = create_app(
        fakes(responses=fake_monitor()),
        ServiceSettings(live_every_s=0.1),
        alerts=AlertSettings(alert_rules=str(rules), alert_every_s=0.05),
    )
    with serving(app) as client:
        for version, text, times in (("1.4", "That is Red.", 8), ("1.5", "That is fine.", 8), ("1.5", "Alas, that is Ign Emp.", 1)):
            for _ in range(times):
                client.post("/v1/responses", json={"text": text, "bot_version": version, "channel": "rest"})
        eventually(lambda: bool(client.get("/v1/alerts").json()["firing"]))
        yield client


@pytest.fixture(scope="module")
def browser(client: httpx.Client) -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, client: httpx.Client) -> Iterator[Browser]:
    browser.open("about:blank")
    browser.open(f"{client.base_url}/#/operations")
    browser.wait_for("#rate-rows", "of 17")
    yield browser
    assert browser.problems() == []


def choose(page: Browser, selector: str, value: str) -> None:
    script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))"
    page.run(script, page.find(selector), value)


def test_rates_have_a_way_through_the_window(page: Browser) -> None:
    eventually(lambda: len(page.all("#rate-rows .sparkline .band")) == 9)
    named = [str(each.get_attribute("aria-label")) for each in page.all("#rate-rows .sparkline")]
    assert "redundant over time: from" in " ".join(named)
    assert page.all("#rate-rows tr.good .meter.good")  # empathy is nothing to be alarmed at
    choose(page, "#rows", "bot_version")
    choose(page, "#rows-behavior", "Red")
    page.wait_for("#rate-rows", "1.4100 % (68 to 100)8 of 8")
    page.wait_for("#rate-rows", "1.50 % (0 to 30)0 of 9")
    choose(page, "#rows", "channel")
    page.wait_for("#rate-rows", "rest47 % (26 to 69)8 of 17")
    page.picture("rates-by-channel")
    choose(page, "#bot-version", "1.5")
    page.wait_for("#rate-rows", "0 of 9")


def test_rules_what_fires_and_what_was_told_are_shown(page: Browser, client: httpx.Client) -> None:
    page.wait_for("#alerts-state", "1 alert fires now.")
    assert "Firing redundant Red: often" in page.text("#firing")
    assert "1 firing often" in page.text("#rules")
    assert "above 20.0% for certain" in page.text("#rules")
    told = client.get("/v1/alerts").json()["history"][0]
    assert "began" in page.text("#alert-history")
    page.run("location.hash = arguments[0]", f"#/operations?window=900&alert={told['id']}")
    eventually(lambda: page.driver.switch_to.active_element.get_attribute("data-alert") == told["id"])
    assert page.find("#window").get_attribute("value") == "900"
    page.picture("alert-of-a-link")
    page.run("location.hash = '#/operations?alert=gone'")
    page.wait_for("#alerts-error", "no longer kept")


def test_two_versions_are_compared(page: Browser) -> None:
    page.find("#compare-form [type=submit]").click()
    page.wait_for("#compare-status", "They differ in: redundant.")
    text = page.text("#comparison")
    assert "100 % (8 of 8)" in text
    assert "−100.0" in text
    assert "✓ better" in text
    page.picture("versions")


def test_less_of_what_is_desired_is_worse(browser: Browser) -> None:
    with serving(create_app(fakes(responses=fake_monitor()), ServiceSettings(live_every_s=0.1))) as client:
        for version, text in (("1", "That is Emp Red."), ("2", "That is fine.")):
            items = [{"text": text, "bot_version": version}] * 12
            assert client.post("/v1/responses", json={"items": items}).status_code == 200
        browser.open(f"{client.base_url}/#/operations")
        browser.wait_for("#rate-rows", "of 24")
        browser.find("#compare-form [type=submit]").click()
        browser.wait_for("#compare-status", "They differ in: empathetic, redundant.")
        rows = [each.text.split()[0] for each in browser.all("#comparison tbody tr") if "worse" in each.text]
        assert rows == ["empathetic"]
        assert [each.text.split()[0] for each in browser.all("#comparison tbody tr") if "better" in each.text] == ["redundant"]
        browser.open("about:blank")
    assert browser.problems() == []


def test_identical_alarms_are_one_and_can_be_judged_and_exported(page: Browser, tmp_path: Path) -> None:
    page.saving_to(tmp_path)
    page.wait_for("#alarms", "8 times")
    assert len(page.all("#alarms > li")) == 2
    assert "badge good" in str(page.find("#alarms .badge:nth-child(1)").get_attribute("class"))  # Emp, which is desired
    page.find("#export-feedback").click()
    page.wait_for("#alarm-error", "nothing to export")
    page.find("#alarms > li:last-child [data-verdict=wrong]").click()
    page.wait_for("#alarm-news", "Wrong alarm: noted.")
    assert page.text("#alarm-error") == ""
    eventually(lambda: len([each for each in page.all("#alarms > li") if each.is_displayed()]) == 1)
    page.find("#alarms > li:first-child [data-verdict=seen]").click()
    page.wait_for("#no-alarms", "All were seen or judged.")
    page.find("#show-judged").click()
    assert len([each for each in page.all("#alarms > li") if each.is_displayed()]) == 2
    page.picture("alarms-judged")
    page.find("#export-feedback").click()
    page.saved("labelled.jsonl")
    assert [each.bad for each in read_log(tmp_path / "labelled.jsonl")] == [False] * 8
    page.driver.refresh()
    page.wait_for("#no-alarms", "All were seen or judged.")  # the service keeps what was said
    page.find("#show-judged").click()
    page.find("#alarms > li:last-child a").click()
    page.wait_for("#turn-1 .said", "That is Red.")


def test_faults_are_named_and_quoted_where_no_behaviour_is_shown(browser: Browser) -> None:
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=ColdReader())
    with serving(create_app(fakes(responses=monitor), ServiceSettings(live_every_s=0.1))) as client:

        def say(asked: str, text: str) -> None:
            said = (("bot", "It is green."), ("user", asked), ("bot", text))
            turns = [{"speaker": speaker, "text": each} for speaker, each in said]
            client.post("/v1/responses", json={"turns": turns}).raise_for_status()

        say("Is it?", f"It is {WRONG}.")
        say("Is it?", f"It is {WRONG}.")
        browser.open(f"{client.base_url}/#/operations")
        browser.wait_for("#connection", "Connected.")
        browser.wait_for("#alarms", "2 times")
        browser.wait_for("#rate-rows", "of 2")
        say(PLEASE, f"It is {WRONG}.")  # the same words, and more is wrong with them
        browser.wait_for("#alarm-news", "New alarming response: self contradiction, unfounded promise, lack of empathy.")
        say(PLEASE, f"{WRONG} Red !Sel Emp")
        browser.wait_for("#alarm-news", "New alarming response: self contradiction, redundant, unfounded promise, lack of empathy.")
        badges, quotes = (
            browser.run(
                "return [...document.querySelectorAll('#alarms > li')].map("
                "(view) => [...view.querySelectorAll(arguments[0])].map((each) => each.textContent))",
                selector,
            )
            for selector in (".badges .badge", ".evidence")
        )
        browser.picture("alarms-of-relations")
        browser.open("about:blank")
    cold = ["▲ unfounded promise promise 60 %", "▲ lack of empathy !Emp 55 %"]
    assert badges == [
        ["✓ empathetic Emp 90 %", "▲ self contradiction !Sel 90 %", "▲ redundant Red 90 %", *cold],
        ["▲ self contradiction !Sel 60 %", *cold],
        ["▲ self contradiction !Sel 60 %"],
    ]
    quote = f"self contradiction: It is {WRONG}. against It is green."
    assert quotes == [
        [
            f"redundant, earlier turn: {PLEASE}",
            f"self contradiction: {WRONG} Red !Sel Emp against It is green.",
            f"unfounded promise: {WRONG} Red !Sel Emp",
        ],
        [quote, f"unfounded promise: It is {WRONG}."],
        [quote],
    ]
    assert browser.problems() == []


def test_an_alarm_is_judged_and_inspected_without_a_mouse(browser: Browser) -> None:
    with serving(create_app(fakes(responses=fake_monitor()), ServiceSettings(live_every_s=0.1))) as client:
        client.post("/v1/responses", json={"text": "By hand that is Ign.", "bot_version": "1.5", "channel": "rest"})
        browser.open(f"{client.base_url}/#/operations")
        browser.wait_for("#alarms", "By hand that is Ign.")
        focused = browser.driver.switch_to
        seen: list[str] = []
        while "Wrong alarm" not in seen:
            focused.active_element.send_keys(Keys.TAB)
            assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
            seen.append(str(browser.run("return document.activeElement.id || document.activeElement.textContent")))
            assert len(seen) < 60, seen
        assert [
            each for each in ("pause", "window", "rows", "export-feedback", "show-judged", "Inspect", "Seen") if each not in seen
        ] == []
        focused.active_element.send_keys(Keys.ENTER)
        browser.wait_for("#alarm-news", "Wrong alarm: noted.")
        assert focused.active_element == browser.find("#alarms-title")  # what had the focus is put aside
        focused.active_element.send_keys(Keys.TAB)
        focused.active_element.send_keys(Keys.TAB)
        focused.active_element.send_keys(Keys.SPACE)
        assert browser.find("#show-judged").is_selected()
        focused.active_element.send_keys(Keys.TAB)
        focused.active_element.send_keys(Keys.ENTER)
        browser.wait_for("#turn-1 .said", "By hand that is Ign.")
        browser.open("about:blank")
    assert browser.problems() == []


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (NARROW, "light"), (NARROW, "dark")])
def test_it_fits_any_screen(page: Browser, client: httpx.Client, size: tuple[int, int], scheme: str) -> None:
    page.open("about:blank", size, scheme)
    page.open(f"{client.base_url}/#/operations", size, scheme)
    page.wait_for("#rate-rows", "of 17")
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.picture(f"operations-{size[0]}-{scheme}")
    wide = page.run("return document.scrollingElement.scrollWidth")
    assert wide <= size[0]


def test_a_page_that_was_left_keeps_no_stream(page: Browser, client: httpx.Client) -> None:
    """A browser opens six connections to a service, for all its pages, those that it keeps for "back" too."""

    def streams() -> float:
        (line,) = [each for each in client.get("/metrics").text.splitlines() if each.startswith("grice_live_clients ")]
        return float(line.split()[1])

    page.wait_for("#connection", "Connected.")
    page.run("location.href = 'about:blank'")
    eventually(lambda: streams() == 0)
    page.run("history.back()")
    eventually(lambda: streams() == 1)
    client.post("/v1/responses", json={"text": "Once more that is Red.", "bot_version": "1.4", "channel": "rest"})
    page.wait_for("#alarms", "Once more")
