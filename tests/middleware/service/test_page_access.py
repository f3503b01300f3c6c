"""The page for those who read it otherwise: assistive technology, dark screens, less motion; and its files over HTTP."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import httpx
import pytest
from browser import DESKTOP, Browser, browsing
from fake_models import fake_monitor, fakes
from live_service import eventually, serving

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

CONTROLS = {
    *("button", "link", "textbox", "combobox", "slider", "checkbox", "meter"),
    *("DisclosureTriangle", "table", "form", "region", "navigation"),
}
CONTRAST = """
const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const parts = (color) => {
  const found = color.match(/[\\d.]+/g).map(Number);
  return color.startsWith("color(srgb") ? found.map((each, place) => (place < 3 ? 255 * each : each)) : found;
};
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const found = parts(getComputedStyle(each).backgroundColor);
    if (found.length === 3 || found[3] === 1) return found;
  }
  return [255, 255, 255];
};
const seen = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
  const [one, other] = [parts(getComputedStyle(element).color), behind(element)].map(luminance);
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  seen.push([ratio, `${element.tagName}.${element.className}: ${walker.currentNode.textContent.trim().slice(0, 30)}`]);
}
return seen;
"""
"""The contrast ratio (WCAG 2.2, 1.4.3) of every text that is shown, with where it is."""


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    settings = ServiceSettings(live_every_s=0.1)
    with serving(create_app(fakes(responses=fake_monitor()), settings)) as client:
        client.post("/v1/responses", json={"text": "That is Red Emp.", "bot_version": "1"})
        yield client


@pytest.fixture(scope="module")
def browser(client: httpx.Client) -> Iterator[Browser]:
    with browsing() as browser:
        yield browser
        browser.open("about:blank")


def filled(browser: Browser, client: httpx.Client, scheme: str = "light", view: str = "inspector", special: str = "") -> Browser:
    """The page with all that a view can show."""
    browser.open("about:blank")
    browser.open(f"{client.base_url}/", DESKTOP, scheme, special == "reduced motion", special == "forced colours")
    browser.wait_for("#alarms", "That is Red")
    browser.run("document.querySelector('#source').open = true")
    box = browser.find("#dialogue")
    browser.run("arguments[0].value = arguments[1]", box, "user: I wish.\nuser: Yes.\nbot: poison\nbot: That is Red Emp.")
    browser.find("#analyse").click()
    browser.wait_for("#status", "4 turns analysed.")
    browser.run(
        """document.querySelectorAll("details").forEach((each) => { each.open = true; });
        document.querySelector("#key").hidden = false;
        document.querySelector("#dialogue-error").textContent = "Wrong.";
        location.hash = "#/" + arguments[0];""",
        view,
    )
    eventually(lambda: browser.find(f"#view-{view}").is_displayed())
    return browser


def test_every_control_and_region_has_a_name(browser: Browser, client: httpx.Client) -> None:
    tree = [node for view in ("inspector", "operations") for node in filled(browser, client, view=view).tree()]
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree]
    assert {role for role, _ in found} >= {
        "main",
        "banner",
        "contentinfo",
        "navigation",
        "table",
        "meter",
        "status",
        "alert",
        "textbox",
    }
    assert [role for role, name in found if role in CONTROLS and not name.strip()] == []
    assert ("textbox", "Dialogue, oldest turn first") in found
    assert ("table", "How often responses show a behaviour") in found
    assert ("combobox", "Bot version") in found
    assert ("meter", "share of redundant") in found


@pytest.mark.parametrize("view", ["inspector", "operations"])
def test_headings_lead_through_the_page(browser: Browser, client: httpx.Client, view: str) -> None:
    tree = filled(browser, client, view=view).tree()
    levels = [
        next(each["value"]["value"] for each in node["properties"] if each["name"] == "level")
        for node in tree
        if node["role"]["value"] == "heading"
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


def test_the_table_has_headers(browser: Browser, client: httpx.Client) -> None:
    roles = [node["role"]["value"] for node in filled(browser, client, view="operations").tree()]
    assert (roles.count("columnheader"), roles.count("rowheader")) == (4, 11)
    roles = [node["role"]["value"] for node in filled(browser, client).tree()]
    assert (roles.count("columnheader"), roles.count("rowheader")) == (10, 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["inspector", "operations", "behaviors"])
def test_axe_finds_nothing_serious(browser: Browser, client: httpx.Client, view: str, scheme: str) -> None:
    filled(browser, client, scheme, view=view)
    assert browser.serious_faults() == []
    browser.picture(f"{view}-{scheme}")


def test_colours_of_ones_own_leave_the_marks(browser: Browser, client: httpx.Client) -> None:
    filled(browser, client, special="forced colours")
    assert browser.run("return matchMedia('(forced-colors: active)').matches")
    style = "[each.classList.contains('shown'), getComputedStyle(each).outlineStyle]"
    styles = browser.run(f"return [...document.querySelectorAll('.heat td')].map((each) => {style})")
    assert {tuple(each) for each in styles} == {(True, "solid"), (False, "none")}
    browser.picture("forced-colours")


def test_the_page_says_its_language_and_title(browser: Browser, client: httpx.Client) -> None:
    filled(browser, client)
    assert browser.run("return [document.documentElement.lang, document.title]") == ["en", "Grice"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(browser: Browser, client: httpx.Client, scheme: str) -> None:
    ratios = filled(browser, client, scheme).run(CONTRAST)
    assert len(ratios) > 100
    assert [where for ratio, where in ratios if ratio < 4.5] == []


def test_dark_is_dark(browser: Browser, client: httpx.Client) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        filled(browser, client, scheme)
        color = browser.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        grounds.append(sum(color))
    assert grounds[0] > 600 > 200 > grounds[1]


def test_less_motion_where_that_is_wanted(browser: Browser, client: httpx.Client) -> None:
    script = "return getComputedStyle(document.querySelector('#turns .fill')).transition"
    assert filled(browser, client).run(script) == "width 0.3s"
    assert filled(browser, client, special="reduced motion").run(script) == "none"


def test_what_is_shown_is_told_in_words(browser: Browser, client: httpx.Client) -> None:
    filled(browser, client)
    for row in browser.all("#turn-4 .bars .shown"):
        assert row.text.endswith("shown")
    assert [each.text.split()[0] for each in browser.all("#turn-4 summary .badge")] == ["✓", "▲"]


def test_the_files_can_be_kept_and_asked_for_again(client: httpx.Client) -> None:
    for path in ("/", "/page/main.js", "/page/style.css", "/page/icon.svg"):
        first = client.get(path)
        assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache")
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["content-security-policy"] == first.headers["content-security-policy"]
        assert client.get(path, headers={"if-none-match": '"another"'}).status_code == 200


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere(client: httpx.Client) -> None:
    headers = client.get("/").headers
    policy = {part.split()[0]: part.split()[1:] for part in headers["content-security-policy"].split(";")}
    assert policy.pop("default-src") == ["'none'"]
    assert {source for sources in policy.values() for source in sources} == {"'self'", "'none'"}
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")


def test_no_file_names_another_host() -> None:
    files = [file for file in Path(str(resources.files("grice.middleware.service") / "page")).rglob("*") if file.is_file()]
    assert len(files) > 30
    for file in files:
        text = file.read_text(encoding="utf-8").replace('"http://www.w3.org/2000/svg"', "")
        assert "://" not in text, file.name
        assert "innerHTML" not in text, file.name


def test_the_page_can_be_left_out() -> None:
    with serving(create_app(fakes(), ServiceSettings(page=False))) as client:
        assert [client.get(path).status_code for path in ("/", "/page/main.js")] == [404, 404]


def test_the_page_itself_needs_no_key() -> None:
    with serving(create_app(fakes(), ServiceSettings(api_keys=("open-sesame-open",)))) as client:
        assert [client.get(path).status_code for path in ("/", "/page/main.js", "/v1/alarms")] == [200, 200, 401]
