"""The inspector in a real browser: menus, thresholds, spans and arcs, what is shared and exported, and what survives a reload."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browser import Browser, browsing
from fake_models import FakeBehaviors, FakeDirectness, FakeMeaning, FakeRewriter, fakes
from live_service import eventually, serving
from relation_fixtures import WordReader

from grice.middleware.monitor import Monitor
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings, ServiceSettings
from grice.middleware.turns.analysis import Finding
from grice.middleware.turns.guard import Guard
from grice.middleware.turns.pipeline import Pipeline
from grice.models.data.response_items import read_response_items
from grice.models.data.user_turns import read_user_turns
from grice.models.dialogue import Dialogue
from grice.models.results import BEHAVIORS

CLASH = "user: Do you open on Sunday?\nbot: We are closed on Sunday.\nuser: And at noon?\nbot: On Sunday we open, that is !Sel Red."
SHEDS = "user: Which colour?\nbot: It is green 😀.\nuser: Sure?\nbot: It is purple."
DOMAIN = """version: "3.1"
intents:
  - rent_kayak
  - give_back
entities:
  - size
slots:
  size:
    type: categorical
    values: [single, double]
    mappings:
      - type: from_entity
        entity: size
"""


class DoubtingGuard(Guard):
    """Objects to "please" where a turn says "doubt"."""

    def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
        return (Finding("added", "name", "please"),) if "doubt" in dialogue.last.text else ()


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    pipeline = Pipeline(
        FakeDirectness(), FakeRewriter(), PipelineSettings(verified_from=0.0), DoubtingGuard(), reader=FakeMeaning()
    )
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=WordReader())
    with serving(create_app(fakes(pipeline, responses=monitor), ServiceSettings(live_every_s=0.1))) as client:
        yield client


@pytest.fixture(scope="module")
def browser(client: httpx.Client) -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


def problems(browser: Browser) -> list[str]:
    """What went wrong in the browser; the blank page before asks for a favicon."""
    return [problem for problem in browser.problems() if "/favicon.ico" not in problem]


@pytest.fixture
def page(browser: Browser, client: httpx.Client) -> Iterator[Browser]:
    """The inspector with nothing in it; at the end nothing has gone wrong."""
    browser.open(f"{client.base_url}/page/icon.svg")
    browser.problems()
    browser.run("sessionStorage.clear()")
    browser.open(f"{client.base_url}/")
    browser.wait_for("#connection", "Connected.")
    yield browser
    assert problems(browser) == []
    assert not browser.find("#failure").is_displayed()


def analyse(page: Browser, dialogue: str, told: str) -> None:
    page.run("document.querySelector('#source').open = true")
    page.run("arguments[0].value = arguments[1]", page.find("#dialogue"), dialogue)
    page.find("#analyse").click()
    page.wait_for("#status", told)


def unfold(page: Browser, *selectors: str) -> None:
    for selector in selectors:
        page.run("document.querySelector(arguments[0]).open = true", selector)


def move(page: Browser, slider: str, value: int) -> None:
    script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))"
    page.run(script, page.run("return document.getElementById(arguments[0])", f"slider-{slider}"), value)


def write(page: Browser, selector: str, text: str) -> None:
    page.run("arguments[0].value = arguments[1]", page.find(selector), text)


def test_turns_are_typed_one_by_one(page: Browser) -> None:
    box = page.find("#composer-text")
    box.send_keys("I wish it were warmer.\n")
    page.wait_for("#status", "One turn analysed. The last is the user's, decision: rewrite")
    assert page.find("#composer-speaker").get_attribute("value") == "bot"
    assert page.driver.switch_to.active_element == box
    box.send_keys("That is Red.\n")
    page.wait_for("#status", "2 turns analysed. The last is the bot's and shows redundant.")
    assert page.find("#dialogue").get_attribute("value") == "user: I wish it were warmer.\nbot: That is Red."
    page.picture("typed")


def test_json_lines_and_logged_responses_can_be_pasted(page: Browser) -> None:
    lines = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "That is Red."}]
    analyse(page, "\n".join(map(json.dumps, lines)), "2 turns analysed.")
    assert page.text("#turn-2 .said") == "That is Red."
    analyse(page, json.dumps({"turns": [{"speaker": "user", "text": "Hi."}], "response": "That is Emp."}), "2 turns analysed.")
    assert page.text("#turn-2 .said") == "That is Emp."
    page.run("document.querySelector('#source').open = true")
    write(page, "#dialogue", '{"role": "user", "content": "Hello."}\n{"role": "assistant", oh}')
    page.find("#analyse").click()
    page.wait_for("#dialogue-error", "JSON lines: line 2")
    page.picture("pasted-with-error")
    page.find("#dialogue").send_keys("x")
    assert page.text("#dialogue-error") == ""  # an error goes once the person does something about it


def test_a_kept_dialogue_and_an_alarm_are_opened(page: Browser, client: httpx.Client) -> None:
    for speaker, said in (("user", "Do you sell bread?"), ("bot", "Alas, that is Red.")):
        event = {"event_id": said, "dialogue_id": "ann-1", "speaker": speaker, "text": said, "timestamp": 1.0}
        client.post("/v1/events", json=event)
    page.find("#open-id").send_keys("ann-1\n")
    page.wait_for("#turn-2 .said", "Alas, that is Red.")
    page.run("location.hash = '#/inspector/dialogue/nobody'")
    page.wait_for("#dialogue-error", "There is no such dialogue")
    client.post("/v1/responses", json={"dialogue_id": "ann-1", "event_id": "e9", "text": "And that is purple Ign."})
    place = client.get("/v1/alarms").json()["alarms"][0]["place"]
    page.run("location.hash = arguments[0]", f"#/inspector/alarm/{place}")
    page.wait_for("#turn-3 .said", "And that is purple Ign.")
    assert page.text("#turn-1 .said") == "Do you sell bread?"
    page.picture("opened-from-alarm")
    assert page.text("#dialogue-error") == ""
    turns = [{"speaker": "user", "text": "Earlier."}, {"speaker": "bot", "text": "That is purple Red of nobody."}]
    client.post("/v1/responses", json={"turns": turns})
    place = client.get("/v1/alarms").json()["alarms"][0]["place"]
    page.run("location.hash = arguments[0]", f"#/inspector/alarm/{place}")
    page.wait_for("#turn-2 .said", "That is purple Red of nobody.")
    assert "no longer kept" in page.text("#caption")
    page.run("location.hash = '#/inspector/alarm/1-1'")
    page.wait_for("#dialogue-error", "This alarm is no longer kept.")
    assert ["404" in each for each in problems(page)] == [True]  # the browser notes every answer of 400 and above by itself


def test_the_words_that_differ_and_what_the_guard_objects_to(page: Browser) -> None:
    analyse(page, "user: I wish, no doubt.", "decision: clarify (asks back)")
    assert [each.text for each in page.all("#turn-1 .diff mark.finding")] == ["please:"]
    assert page.all("#turn-1 .diff ins")
    assert "brings in the name please" in page.text("#turn-1 .findings")
    page.picture("guard-finding")


def test_each_user_turn_tells_its_time_by_stage(page: Browser) -> None:
    analyse(page, "user: Book it.\nbot: Yes.\nuser: I wish.", "3 turns analysed.")
    assert re.fullmatch(r"directness [\d.]+ ms", page.text("#turn-1 .times"))
    assert re.fullmatch(r"directness [\d.]+ ms, rewriter [\d.]+ ms, guard [\d.]+ ms", page.text("#turn-3 .times"))
    assert "together" not in page.text("#turns")
    first = page.text("#turn-1 .times")
    page.find("#composer-text").send_keys("I wish more.\n")
    page.wait_for("#status", "4 turns analysed.")
    assert page.text("#turn-1 .times") == first  # what is known already is not asked again
    page.picture("times")
    analyse(page, "\n".join(f"user: I wish {number}." for number in range(9)), "9 turns analysed.")
    assert page.text("#turn-9 dl").endswith("for 9 turns together")
    assert len({page.text(f"#turn-{number} .times") for number in range(1, 10)}) == 1


def test_a_menu_is_written_pasted_and_stored(page: Browser, client: httpx.Client) -> None:
    analyse(page, "user: I want to rent_kayak, a double.", "One turn analysed.")
    unfold(page, "#menu-editor")
    write(page, "#menu-paste", DOMAIN)
    page.find("[data-action=read]").click()
    page.wait_for("#menu-state", "Turns are read against 2 intents and 1 slot.")
    page.wait_for("#turn-1 dl", "Meaning rent_kayak")
    said = page.text("#turn-1 dl")
    for part in ("intent, confidence 88 %", "give_back", "size is double", "Words that speak for it"):
        assert part in said
    assert [each.text for each in page.all("#turn-1 .speaks")] == ["I"]
    assert "Directness 95 %" in page.text("#turn-1 summary")
    page.picture("menu")
    write(page, "#menu-paste", "hello: [")
    page.find("[data-action=read]").click()
    page.wait_for("#menu-error", "YAML or JSON")
    page.find("[data-action=intent]").click()
    page.driver.switch_to.active_element.send_keys("hire_boat")
    assert page.text("#menu-error") == ""
    page.find("#menu-form [type=submit]").click()
    page.wait_for("#menu-state", "3 intents")
    client.put("/v1/schemas/boats", json={"intents": [{"name": "sink"}]})
    page.find("#menu-stored").send_keys("boats")
    page.find("[data-action=load]").click()
    page.wait_for("#menu-state", "Turns are read against 1 intent and 0 slots.")
    page.find("[data-action=none]").click()
    page.wait_for("#menu-state", "No menu")
    assert "Meaning" not in page.text("#turn-1 dl")
    assert ["422" in each for each in problems(page)] == [True]


def test_thresholds_and_budget_recolour_at_once(page: Browser) -> None:
    analyse(page, "bot: That is Red.\nbot: That is Ign.\nbot: That is Emp.", "3 turns analysed.")
    unfold(page, "#tuning")
    shown = "[...document.querySelectorAll('.heat td.shown')].map((each) => each.title.split(':')[0])"
    assert page.run(f"return {shown}") == ["redundant", "ignore", "empathetic"]
    assert "good" in str(page.find(".heat tr:nth-child(3) td.shown").get_attribute("class")).split()  # not in red
    asked = len(page.run("return performance.getEntriesByType('resource')"))
    move(page, "Red", 95)
    assert page.run(f"return {shown}") == ["ignore", "empathetic"]
    assert "Shows none" in page.text("#turn-1 summary")
    move(page, "!Com", 5)
    assert page.run(f"return {shown}").count("commonsense contradiction") == 3
    page.find("#sliders [type=reset]").click()
    assert page.run(f"return {shown}") == ["redundant", "ignore", "empathetic"]
    move(page, "budget", 1)
    assert [each.text for each in page.all("#turns .badge.shy")] == ["No alarm: over the budget"]
    assert page.text("#sliders output").startswith("1 of 3")
    assert len(page.run("return performance.getEntriesByType('resource')")) == asked
    page.picture("thresholds")


def test_arcs_lead_to_the_clash_and_both_spans_are_marked(page: Browser) -> None:
    analyse(page, SHEDS, "4 turns analysed.")
    assert page.text("#turn-2 mark.about") == "It is green 😀."
    assert page.text("#turn-4 mark.own") == "It is purple."
    assert len(page.all("svg.arcs .arc")) == 1
    assert "Shows ▲ self contradiction !Sel 60 %" in page.text("#turn-4 summary")
    assert "self contradiction: contradicts turn 2 (bot)" in page.text("#turn-4 .found")
    assert "Anything wrong with it: 60 %, worth an alarm" in page.text("#turn-4 .found")
    page.picture("spans")
    analyse(page, CLASH, "4 turns analysed.")
    assert len(page.all("svg.arcs .arc")) == 2
    page.find("#heat tbody tr:nth-child(2) a").click()
    assert page.driver.switch_to.active_element == page.find("#turn-4")


def test_it_survives_a_reload_and_a_link_brings_it_all(page: Browser, client: httpx.Client) -> None:
    unfold(page, "#menu-editor")
    write(page, "#menu-paste", DOMAIN)
    page.find("[data-action=read]").click()
    page.wait_for("#menu-state", "2 intents")
    analyse(page, "user: I want to rent_kayak ñ 😀.\nbot: That is Red.", "2 turns analysed.")
    move(page, "Red", 95)
    page.find("#share").click()
    eventually(lambda: "#/inspector/share/" in str(page.find("#share-link").get_attribute("value")))
    link = str(page.find("#share-link").get_attribute("value"))
    page.driver.refresh()
    page.wait_for("#status", "2 turns analysed.")
    assert "Shows none" in page.text("#turn-2 summary")
    page.run("sessionStorage.clear()")
    page.open("about:blank")
    page.open(link)
    page.wait_for("#status", "2 turns analysed.")
    assert page.text("#turn-1 .said") == "I want to rent_kayak ñ 😀."
    assert "Meaning rent_kayak" in page.text("#turn-1 dl")
    page.picture("shared")
    assert "Shows none" in page.text("#turn-2 summary")
    asked = page.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert not [each for each in asked if "share" in each]
    page.run("location.hash = '#/inspector/share/' + 'x'.repeat(20)")
    page.wait_for("#dialogue-error", "This link is damaged")


def test_it_is_exported(page: Browser, tmp_path: Path) -> None:
    page.saving_to(tmp_path)
    analyse(page, 'user: =I wish, "so".\nbot: That is Red.', "2 turns analysed.")
    page.find("#export-json").click()
    found = json.loads(page.saved("dialogue.json"))
    assert found["turns"][0]["analysis"]["decision"] == "rewrite"
    assert "times" not in found["turns"][0]["analysis"]
    assert {each["stage"] for each in found["turns"][0]["times"]["stages"]} == {"directness", "rewriter", "guard"}
    assert found["turns"][1]["report"]["shown"] == found["turns"][1]["shown_here"] == ["Red"]
    page.picture("exported")
    page.find("#export-csv").click()
    rows = list(csv.DictReader(io.StringIO(page.saved("dialogue.csv"))))
    assert [row["text"] for row in rows] == ['\'=I wish, "so".', "That is Red."]  # no formula for a spreadsheet
    assert (rows[1]["shown"], float(rows[1]["Red"])) == ("Red", 0.9)


def test_test_cases_are_items_that_the_benchmarks_read(page: Browser, tmp_path: Path) -> None:
    page.saving_to(tmp_path)
    analyse(page, CLASH, "4 turns analysed.")
    unfold(page, "#test-case", "#menu-editor")
    page.run("document.querySelector('[name=\"gold Red\"]').checked = false")
    page.picture("test-case")
    page.find("#case-form [type=submit]").click()
    page.saved("responses.jsonl")
    (item,) = read_response_items(tmp_path / "responses.jsonl")
    assert [label for label, gold in item.gold.items() if gold] == ["!Sel"]
    assert (item.evidence_turn, item.dialogue.last.text) == (2, "On Sunday we open, that is !Sel Red.")
    page.find("#case-turn option[value='2']").click()
    page.find("#case-form [type=submit]").click()
    page.wait_for("#case-error", "needs the bot's menu")
    write(page, "#menu-paste", DOMAIN)
    page.find("[data-action=read]").click()
    page.wait_for("#menu-state", "2 intents")
    analyse(page, "user: Hello.\nuser: I want to rent_kayak, single.", "2 turns analysed.")
    page.find("#case-form [type=submit]").click()
    page.saved("user_turns.jsonl")
    (turn,) = read_user_turns(tmp_path / "user_turns.jsonl")
    assert (turn.intent, turn.slots, turn.kind) == ("rent_kayak", {"size": "single"}, "direct")


def test_other_directions_stay_apart(page: Browser) -> None:
    analyse(page, "user: שלום, I wish.\nbot: مرحبا that is Red.", "2 turns analysed.")
    assert page.run("return [...document.querySelectorAll('.turn .said')].map((each) => getComputedStyle(each).direction)") == [
        "rtl",
        "rtl",
    ]
    assert page.run("return getComputedStyle(document.querySelector('q')).unicodeBidi").startswith("isolate")
    page.picture("directions")
