"""The site of the documentation, built as `make docs` builds it: whole, reachable, and loaded from nowhere else."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser import PHONE, Browser, browsing
from doc_blocks import DOCS, ROOT

from grice.benchmarks.core.figures import Figures
from grice.middleware.settings import known_variables

HOOKS = DOCS / "hooks"
LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
NOT_LOADED = ("canonical", "prev", "next")
"""Links of the head that a browser does not follow."""


class Loads(HTMLParser):
    """What a page loads, and the pages of its navigation."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get(LOADING.get(tag, ""))
        if address and given.get("rel") not in NOT_LOADED:
            self.loaded.append(address)
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site; building is strict, so a link or an anchor that leads nowhere fails."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(["make", "--silent", "typed"], cwd=ROOT, check=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    """HTML by path in the site."""
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_every_page_is_reachable_from_the_navigation(pages: dict[str, str]) -> None:
    """A page that nobody put into the navigation comes under "More"; this fails if it does not."""
    home = pages["index.html"]
    navigation = home[home.index('<div class="md-sidebar md-sidebar--primary"') : home.index('<div class="md-content"')]
    reached = {urlsplit(link).path for link in Loads(navigation).links}
    written = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")}
    assert written <= set(pages)
    assert set(pages) - reached - {"index.html", "404.html"} == set()


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[str, str]) -> None:
    for name, html in pages.items():
        outside = [address for address in Loads(html).loaded if urlsplit(address).scheme not in ("", "data") or address[:2] == "//"]
        assert outside == [], name
    for path in site.rglob("*.css"):
        loaded = re.findall(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""", path.read_text(encoding="utf-8"))
        assert loaded == [], path.name
    assert 'class="mermaid"' not in "".join(pages.values())  # the theme would fetch what draws it


def test_figures_stand_in_the_site(pages: dict[str, str]) -> None:
    figure = Figures.read().find("meaning/grice/written/precision")
    assert figure.low is not None
    assert figure.high is not None
    assert f"{figure.value:.1f} [{figure.low:.1f}, {figure.high:.1f}]" in pages["capabilities/meaning.html"]


def test_the_reference_has_every_setting_command_metric_route_and_name(pages: dict[str, str]) -> None:
    settings = pages["reference/settings.html"]
    others = ("GRICE_DATA_DIR", "GRICE_SERVER_PYTHON")
    assert [name for name in known_variables() if name not in others and f"<code>{name}</code>" not in settings] == []
    for page, shown in {
        "commands": ("grice iur generate", "--items"),
        "rest": ("POST /v1/turns", "DELETE /v1/schemas/{schema_id}", "MeaningItem"),
        "metrics": ("grice_decisions_total", "grice_alerts_firing", "bot_version"),
        "python/grice": ("PipelineSettings", "analyse_turns"),
        "python/models": ("load_meaning_reader", "SlotQuestion"),
        "python/components": ("IndirectTurnRewriter",),
    }.items():
        text = re.sub(r"<[^>]+>", "", pages[f"reference/{page}.html"])
        assert [each for each in shown if each not in text] == [], page


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as started:
        yield started


@pytest.mark.parametrize("page", ["index.html", "figures.html", "quickstart/llm.html", "reference/rest.html"])
def test_a_browser_loads_pages_without_network_and_without_complaint(browser: Browser, address: str, page: str) -> None:
    for size in ((1280, 900), PHONE):
        browser.open(f"{address}/{page}", size=size)
        names = browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)")
        assert names
        assert [name for name in names if not name.startswith((address, "data:"))] == []
        assert browser.problems() == []
        assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_is_for_light_and_dark(browser: Browser, scheme: str) -> None:
    browser.open((DOCS / "assets/turn.svg").as_uri(), scheme=scheme)
    sheet = browser.run("return getComputedStyle(document.querySelector('.sheet')).fill")
    ink = browser.run("return getComputedStyle(document.querySelector('text.ink')).fill")
    bright = [sum(map(int, re.findall(r"\d+", colour))) > 380 for colour in (sheet, ink)]
    assert bright == ([True, False] if scheme == "light" else [False, True])
    wide = browser.run(
        "const box = document.querySelector('.sheet').getBBox();"
        "return [...document.querySelectorAll('text')].every(text => text.getBBox().x + text.getBBox().width < box.x + box.width)"
    )
    assert wide


def test_a_page_that_nobody_listed_comes_under_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HOOKS))
    import nav

    given = [{"Home": "index.md"}, {"Running": [{"Load": "load.md"}, {"Gone": "gone.md"}]}, {"Empty": [{"Gone": "gone.md"}]}]
    assert nav.fit_nav(given, ["index.md", "load.md", "new.md"]) == [
        {"Home": "index.md"},
        {"Running": [{"Load": "load.md"}]},
        {"More": ["new.md"]},
    ]


def test_every_model_card_stands_among_the_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HOOKS))
    import repository

    listed = re.findall(r": (cards/\w+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(f"cards/{path.parent.name}.md" for path in repository.CARDS)


def test_the_flags_of_settings_are_those_that_commands_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HOOKS))
    import reference

    shown = dict(re.findall(r"^\| `(GRICE_\w+)` \| (.*?) \|", reference.settings_page(), re.MULTILINE))
    assert {
        "GRICE_PAGE": "`--no-page`",
        "GRICE_JUDGE_URL": "`--url` of `grice judge`",
        "GRICE_WORKER_BATCH_SIZE": "`--batch-size` of `grice monitor`",
        "GRICE_REDIS_URL": "`--redis-url`",
        "GRICE_INTENTIONS": "`--no-intentions`",  # `grice persuasion critical --intentions` names a model
        "GRICE_JUDGE_WORKERS": "",
        "GRICE_GUESS_FACTS": "",
        "GRICE_ALERT_RULES": "",
        "GRICE_API_KEYS": "",
    }.items() <= shown.items()
