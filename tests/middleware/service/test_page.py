"""The page in a real browser: what it shows, and what it does not do."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from browser import DESKTOP, NARROW, PHONE, Browser, browsing
from fake_models import fake_monitor, fakes
from live_service import eventually, serving
from selenium.webdriver.common.keys import Keys

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

SETTINGS = ServiceSettings(live_every_s=0.1)
CLASH = "user: Do you open on Sunday?\nbot: We are closed on Sunday.\nuser: And at noon?\nbot: On Sunday we open, that is !Sel Red."
TAGS = """<img src=x onerror="window.hacked=1"><b id='injected'>bold</b>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(responses=fake_monitor()), SETTINGS)) as client:
        yield client


@pytest.fixture
def page(browser: Browser, client: httpx.Client) -> Iterator[Browser]:
    """The page, ready; at the end nothing has gone wrong in it."""
    browser.open(f"{client.base_url}/")
    browser.wait_for("#connection", "Connected.")
    yield browser
    problems = browser.problems()
    browser.open("about:blank")
    assert problems == []


def analyse(page: Browser, dialogue: str) -> None:
    page.run("document.querySelector('#source').open = true")
    box = page.find("#dialogue")
    page.run("arguments[0].value = arguments[1]", box, dialogue)
    page.find("#analyse").click()


def see(page: Browser, view: str) -> None:
    page.run("location.hash = arguments[0]", f"#/{view}")
    eventually(lambda: page.find(f"#view-{view}").is_displayed())


def test_a_user_turn_is_analysed(page: Browser) -> None:
    analyse(page, "user: Hello.\nbot: Yes?\nuser: I wish it were warmer, <3 it & all.")
    page.wait_for("#status", "3 turns analysed. The last is the user's, decision: rewrite (rewritten).")
    found = page.text("#turn-3")
    for part in (
        "I wish it were warmer, <3 it & all.",
        "Directness 5 %",
        "it is indirect, and the rewrite can be trusted",
        "please: I wish it were warmer, <3 it & all. <user: Hello.> <bot: Yes?>",
        "The NLU reads",
        "nothing found against it",
    ):
        assert part in found
    assert page.find("#turn-3 details").get_attribute("open") is not None
    assert page.find("#turn-1 details").get_attribute("open") is None
    assert "Decision Passes as it is: it is direct enough" in page.text("#turn-1")


def test_a_bot_turn_shows_behaviours_and_the_turn_it_clashes_with(page: Browser) -> None:
    analyse(page, CLASH)
    page.wait_for("#status", "4 turns analysed. The last is the bot's and shows self contradiction, redundant.")
    assert len(page.all("#turn-4 .bars li")) == 9
    shown = [each.text for each in page.all("#turn-4 .bars .shown .number")]
    assert shown == ["90 % shown", "90 % shown"]
    meters = {each.get_attribute("aria-label"): each.get_attribute("aria-valuetext") for each in page.all("#turn-4 [role=meter]")}
    assert meters["redundant"] == "90 %, shown from 50 % on"
    assert meters["irrelevant"] == "10 %, shown from 50 % on"
    assert "contradicts this: turn 4, self contradiction" in page.text("#turn-3")
    assert "clashed" in str(page.find("#turn-3").get_attribute("class")).split()
    assert "clashed" not in str(page.find("#turn-2").get_attribute("class")).split()
    evidence = page.find("#turn-4 .evidence")
    assert evidence.text == "self contradiction: contradicts turn 3 (user) And at noon?"
    evidence.find_element("css selector", "a").click()
    assert page.driver.switch_to.active_element == page.find("#turn-3")


def test_every_bot_turn_is_scored_and_nothing_is_counted(page: Browser, client: httpx.Client) -> None:
    analyse(page, "bot: One is Ign.\nbot: Two is fine.")
    page.wait_for("#status", "2 turns analysed. The last is the bot's and shows no undesired behaviour.")
    assert "ignore Ign 90 %" in page.text("#turn-1 summary")
    assert "Shows none of the nine behaviours" in page.text("#turn-2 summary")
    assert {each["scored"] for each in client.get("/v1/rates").json()["rates"]} == {0}
    assert page.all("#alarms li") == []


def test_json_can_be_pasted(page: Browser) -> None:
    analyse(page, '{"turns": [{"speaker": "user", "text": "Hello: you."}, {"speaker": "bot", "text": "That is Emp."}]}')
    page.wait_for("#turn-2 summary", "Shows ✓ empathetic Emp 90 %")
    assert page.text("#turn-1 .said") == "Hello: you."


def test_messages_can_be_pasted(page: Browser) -> None:
    said = [{"type": "text", "text": "Hello."}]
    rows = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": said},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "That is Emp."},
    ]
    analyse(page, json.dumps({"messages": rows}))
    page.wait_for("#turn-2 summary", "Shows ✓ empathetic Emp 90 %")
    assert page.text("#turn-1 .said") == "Hello."


def test_an_indented_line_goes_on_with_the_turn_above(page: Browser) -> None:
    analyse(page, "USER: Hello,\n   you there.\n\nbot: Yes.")
    page.wait_for("#turn-1 .said", "Hello, you there.")


@pytest.mark.parametrize(
    ("dialogue", "message"),
    [
        ("   ", "There is no dialogue yet"),
        ("Hello.", 'Line 1, "Hello.", begins with neither "user:" nor "bot:".'),
        ("user: Hello.\nrobot: Yes?", 'Line 2, "robot: Yes?", begins with neither'),
        ("user: Hello.\nbot:\nuser: Yes.", "Line 2: the bot says nothing"),
        ("[1", "This begins like JSON, but is not"),
        ("[]", "JSON should be a list of turns"),
        ('[{"speaker": "cat", "text": "Meow."}]', 'Turn 1: "speaker" is "cat"; it should be "user" or "bot".'),
        ('[{"speaker": "bot"}]', 'Turn 1: "text" should be a text'),
        ('[{"role": "cat", "content": "Meow."}]', 'Message 1: "role" is "cat"; it should be one of user, assistant, system'),
        ('[{"role": "user", "content": 7}]', 'Message 1: "content" should be a text, a list of parts, or null.'),
        ('[{"role": "system", "content": "x"}]', "In none of these rows"),
    ],
)
def test_what_cannot_be_read_is_said(page: Browser, dialogue: str, message: str) -> None:
    analyse(page, dialogue)
    page.wait_for("#dialogue-error", message)
    assert page.find("#dialogue").get_attribute("aria-invalid") == "true"
    assert page.driver.switch_to.active_element == page.find("#dialogue")
    analyse(page, "user: Hello.")
    page.wait_for("#status", "One turn analysed.")
    assert page.text("#dialogue-error") == ""
    assert page.find("#dialogue").get_attribute("aria-invalid") == "false"


def test_what_the_service_refuses_or_fails_at_is_said(browser: Browser, page: Browser) -> None:
    analyse(page, "bot: This is poison.")
    page.wait_for("#turn-1 summary", "The behaviours were not scored")
    assert "monitor failed: cannot read" in page.text("#turn-1 .error")
    analyse(page, "user: " + "x" * 10_001)
    page.wait_for("#dialogue-error", "#/items/0/turns/0/text: String should have at most 10000 characters")
    page.picture("refused")
    # The browser notes every answer of 400 and above by itself.
    (noted,) = browser.problems()
    assert "422" in noted


def test_without_a_monitor_the_rest_works(browser: Browser) -> None:
    with serving(create_app(fakes(), SETTINGS)) as client:
        browser.open(f"{client.base_url}/")
        browser.wait_for("#connection", "Connected.")
        analyse(browser, "bot: Hello.\nuser: I wish.")
        browser.wait_for("#turn-1", "Not scored: no monitor is loaded here.")
        assert "Directness 5 %" in browser.text("#turn-2")
        browser.open("about:blank")
    browser.problems()


def test_an_example_shows_both_kinds_of_turn_and_can_be_cleared(page: Browser) -> None:
    page.find("[data-example=again]").click()
    page.wait_for("#status", "4 turns analysed.")
    assert len(page.all("#turns .user details")) == len(page.all("#turns .bot details")) == 2
    page.run("document.querySelector('#source').open = true")
    page.find("#clear").click()
    assert page.find("#dialogue").get_attribute("value") == ""
    assert not page.find("#results").is_displayed()


def test_rates_and_alarms_come_by_themselves(page: Browser, client: httpx.Client) -> None:
    see(page, "operations")
    page.wait_for("#rate-rows", "0 of 0")
    assert page.find("#no-alarms").is_displayed()
    turns = [{"speaker": "user", "text": "Hello."}, {"speaker": "bot", "text": "Alas, that is Red."}]
    client.post("/v1/responses", json={"turns": turns, "bot_version": "1.4", "channel": "rest", "action": "utter_no"})
    client.post("/v1/responses", json={"text": "That is fine.", "bot_version": "1.5"})
    page.wait_for("#rate-rows", "redundant Red50 % (9 to 91)1 of 2")
    alarm = page.text("#alarms li")
    for part in ("version 1.4 · rest · utter_no", "Alas, that is Red.", "redundant Red 90 %", "earlier turn: Hello."):
        assert part in alarm
    assert page.text("#alarm-news") == "New alarming response: redundant."
    assert not page.find("#no-alarms").is_displayed()
    assert [each.text for each in page.all("#bot-version option")] == ["All", "1.4", "1.5"]
    page.find("#bot-version option[value='1.5']").click()
    page.wait_for("#rate-rows", "0 of 1")
    assert len(page.all("#alarms li")) == 1


def test_it_can_be_paused(page: Browser, client: httpx.Client) -> None:
    see(page, "operations")
    page.find("#pause").click()
    assert page.find("#pause").get_attribute("aria-pressed") == "true"
    assert page.text("#connection") == "Paused."
    eventually(lambda: "grice_live_clients 0.0" in client.get("/metrics").text)
    client.post("/v1/responses", json={"text": "Meanwhile is Ign."})
    assert page.all("#alarms li") == []
    page.find("#pause").click()
    page.wait_for("#alarms", "Meanwhile is Ign.")


def test_it_connects_again(browser: Browser) -> None:
    app = create_app(fakes(responses=fake_monitor()), SETTINGS)
    with serving(app) as client:
        browser.open(f"{client.base_url}/")
        browser.wait_for("#connection", "Connected.")
    browser.wait_for("#connection", "Trying again in")
    analyse(browser, "user: Hello.")
    browser.wait_for("#dialogue-error", "The service cannot be reached. Is it running?")
    browser.picture("service-gone")
    browser.open("about:blank")
    browser.problems()


def test_what_nobody_foresaw_is_told_until_the_person_goes_on(browser: Browser, page: Browser) -> None:
    page.run("document.querySelector('#no-heat').remove()")
    analyse(page, "user: Hello.")
    page.wait_for("#failure", "Something on this page failed: ")
    assert page.find("#failure").is_displayed()
    page.find("nav [data-view=behaviors]").click()
    assert not page.find("#failure").is_displayed()
    (noted,) = browser.problems()
    assert "TypeError" in noted


def test_text_stays_text(page: Browser, client: httpx.Client) -> None:
    said = f"{TAGS} that is Red."
    turns = [{"speaker": "user", "text": TAGS}, {"speaker": "bot", "text": said}]
    names = {"bot_version": TAGS, "channel": TAGS, "action": TAGS}
    client.post("/v1/responses", json={"turns": turns, **names})
    page.wait_for("#alarms .said", said)
    analyse(page, f"user: {TAGS} I wish.\nbot: {said}")
    page.wait_for("#turn-2 .said", said)
    assert TAGS in page.text("#turn-2 .evidence")
    assert page.all("main img, #injected") == []
    assert page.run("return window.hacked ?? null") is None


def test_nothing_is_loaded_from_elsewhere(page: Browser, client: httpx.Client) -> None:
    page.find("[data-example=again]").click()
    page.wait_for("#status", "4 turns analysed.")
    loaded = page.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    base = f"{client.base_url}"
    assert {name.removeprefix(base) for name in loaded if "/page/" in name} >= {"/page/style.css", "/page/main.js"}
    assert [name for name in loaded if not name.startswith(base)] == []


def test_a_key_is_asked_for_and_stays_in_memory(browser: Browser) -> None:
    settings = ServiceSettings(live_every_s=0.1, api_keys=("open-sesame-open",))
    with serving(create_app(fakes(responses=fake_monitor()), settings)) as client:
        browser.open(f"{client.base_url}/")
        browser.wait_for("#connection", "Waiting for the API key.")
        field = browser.find("#key-input")
        field.send_keys("wrong", Keys.ENTER)
        browser.wait_for("#key-error", "does not know this key")
        browser.picture("key")
        field.clear()
        field.send_keys("open-sesame-open", Keys.ENTER)
        browser.wait_for("#connection", "Connected.")
        assert not browser.find("#key").is_displayed()
        analyse(browser, CLASH)
        browser.wait_for("#status", "4 turns analysed.")
        client.post("/v1/responses", json={"text": "That is Ign."}, headers={"authorization": "Bearer open-sesame-open"})
        browser.wait_for("#alarms", "That is Ign.")
        names = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert not [name for name in [*names, browser.driver.current_url] if "open-sesame-open" in name]
        kept = browser.run("return JSON.stringify([localStorage, sessionStorage, document.cookie, history.state])")
        assert "Do you open on Sunday?" in kept  # the dialogue survives a reload; the key does not
        assert "open-sesame-open" not in kept
        browser.open("about:blank")
    assert all("401" in problem for problem in browser.problems())


@pytest.mark.parametrize("size", [PHONE, NARROW, DESKTOP], ids=["phone", "narrow", "desktop"])
def test_nothing_is_wider_than_the_screen(page: Browser, client: httpx.Client, size: tuple[int, int]) -> None:
    page.open(f"{client.base_url}/", size)
    client.post("/v1/responses", json={"text": "x" * 300 + " is Red !Sel !Par !Com !Fac Ign.", "bot_version": "v" * 200})
    page.wait_for("#alarms", "xxx")
    analyse(page, f"user: {'long' * 100}\nbot: {'word' * 100} Red !Sel !Par !Com !Fac !Emp Emp Ign !Rel.")
    page.wait_for("#status", "2 turns analysed.")
    for view in ("inspector", "operations", "behaviors"):
        see(page, view)
        page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.picture(f"{view}-{size[0]}")
        wide, screen = page.run("return [document.scrollingElement.scrollWidth, innerWidth]")
        assert wide <= screen == size[0], view


def test_the_page_needs_no_mouse(page: Browser) -> None:
    def tab() -> str:
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        element = page.driver.switch_to.active_element
        assert page.run("return getComputedStyle(arguments[0]).outlineStyle", element) != "none"
        return str(element.get_attribute("id") or element.text)

    def until(name: str) -> list[str]:
        seen = [tab()]
        while seen[-1] != name:
            assert len(seen) < 60, seen
            seen.append(tab())
        return seen

    assert tab() == "Skip to the content"
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    until("dialogue")
    page.driver.switch_to.active_element.send_keys("user: Hello.", Keys.ENTER, "bot: That is Red.")
    page.driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
    page.wait_for("#status", "2 turns analysed. The last is the bot's and shows redundant.")
    assert [tab(), tab()] == ["analyse", "clear"]
    assert "slider-budget" not in until("share")  # what is folded away is passed over
    page.run("document.querySelector('#main').focus()")
    order = until("composer-speaker")
    links = [each for each in order if each.startswith(("turn ", "Directness", "Shows"))]
    assert links[0] == "turn 2"  # the earlier turn tells which later one clashes with it
    assert links[1].startswith("Directness")
    assert links[2].startswith("Shows")
    assert links[3] == "turn 1 (user)"
    page.run("document.querySelector('#turn-2 .turn-link').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.driver.switch_to.active_element == page.find("#turn-1")
