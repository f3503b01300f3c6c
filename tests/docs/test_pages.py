"""Every code block of README, CONTRIBUTING and docs/ is run, or tells why not."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from doc_blocks import ROOT, Block, blocks, named_test, pages, read_page
from doc_runner import free_port, page_run
from openai_server import chat, openai_server
from redis_process import RedisServer

from grice.middleware.cli import GROUP, main
from grice.middleware.runtime.deadline import TimedWorkers
from grice.models.training.meaning.samples import as_written
from grice.models.training.meaning.written import HELD_HANDS, read_hands

OURS = [page for page in pages() if not named_test(page)]
NO_CODE = ("text", "json")
"""Languages of blocks that show what is said or answered and are not to be run; JSON has to be JSON."""

NO_DEADLINE_MS = 600_000


def runnable(page: str) -> list[Block]:
    return [each for each in blocks(page) if not each.not_run and (each.file or each.language not in NO_CODE)]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No deadline, in this process and in those that it starts: what a page shows must not depend on a busy machine."""
    within = TimedWorkers.within
    monkeypatch.setattr(TimedWorkers, "within", lambda workers, _, what, work: within(workers, NO_DEADLINE_MS, what, work))
    monkeypatch.setenv("GRICE_DEADLINE_MS", str(NO_DEADLINE_MS))
    monkeypatch.setenv("GRICE_BUDGET_MS", "60000")


@pytest.fixture
def addresses(redis_server: RedisServer) -> Iterator[Mapping[str, str]]:
    with openai_server(lambda request: chat("Then I would try the Curry Garden, it is cheap. Shall I book a table?")) as model:
        yield {
            "https://api.openai.com/v1": model.url,
            "redis://127.0.0.1:6379/0": redis_server.url,
            **{f"127.0.0.1:{port}": f"127.0.0.1:{free_port()}" for port in (8300, 8301)},
        }


@pytest.mark.parametrize("page", [page for page in OURS if runnable(page)])
def test_blocks_do_what_the_page_shows(page: str, tmp_path: Path, addresses: Mapping[str, str]) -> None:
    with page_run(tmp_path, addresses) as run:
        for block in runnable(page):
            run.run(block)


@pytest.mark.parametrize("page", OURS)
def test_blocks_of_json_are_json(page: str) -> None:
    for block in blocks(page):
        if block.language == "json" and "…" not in block.code:
            json.loads(block.code)


@pytest.mark.parametrize("page", [page for page in pages() if named_test(page)])
def test_pages_that_other_tests_run_are_run_by_them(page: str) -> None:
    test = ROOT / named_test(page)
    assert test.is_file()
    assert page in test.read_text(encoding="utf-8")


def test_the_example_menu_is_of_a_bot_that_was_held_out() -> None:
    """README and pages show turns of it as turns that no model learned from."""
    menu = json.loads((ROOT / "docs/examples/watch.json").read_text(encoding="utf-8"))
    bots = [bot for bots in read_hands(names=HELD_HANDS).values() for bot in bots]
    (bot,) = [bot for bot in bots if {each.name for each in bot.schema.intents} == {each["name"] for each in menu["intents"]}]
    assert {each.name: each.description for each in bot.schema.intents} == {
        each["name"]: each["description"] for each in menu["intents"]
    }
    assert {each.name: (each.description, list(each.values)) for each in bot.schema.slots} == {
        name: (each["description"], each["values"]) for name, each in menu["slots"].items()
    }
    said = {dialogue.last.text for dialogue, _ in as_written(bot).turns}
    for page in ("README.md", "docs/capabilities/turns.md", "docs/capabilities/meaning.md"):
        shown = re.findall(r'"([^"]{20,})"[\]),]', "".join(each.code for each in blocks(page) if "watch.json" in each.code))
        assert {text for text in said if text in shown}, page
    lines = (ROOT / "docs/examples/turns.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["text"] for line in lines} == said


def test_readme_is_short_and_leads_to_each_reader() -> None:
    text = read_page("README.md")
    assert len(text.split()) <= 700
    first_screen = "\n".join(text.splitlines()[:25])
    for name in ("rasa", "llm", "research", "operations"):
        assert f"(docs/quickstart/{name}.md)" in first_screen
    assert text.count("![") == 1
    commands, example = (block.code for block in blocks("README.md"))
    assert [line.partition(" #")[0].strip() for line in commands.splitlines()] == ["make serve", "make bot"]
    assert re.findall(r"^# (rewrite|pass) (\w+) \|", example, re.MULTILINE) == [("rewrite", "indirect"), ("pass", "unknown")]


def test_the_changelog_begins_with_this_version_and_says_nothing_twice() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(importlib.metadata.version('grice'))} \(\d{{4}}-\d\d-\d\d\)", versions[0])
    newest = text.split("\n## ")[1]
    entries = re.findall(r"^(?:- |### ).*$", newest, re.MULTILINE)
    assert len(entries) > 50
    assert sorted(set(entries)) == sorted(entries)


def test_commands_that_are_not_run_are_ours_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their names and options are those of the command line."""
    for entry in importlib.metadata.entry_points(group=GROUP):
        monkeypatch.setattr(entry.load(), "run", lambda args: 0)
    commands = [
        line.partition(" #")[0]
        for page in pages()
        for block in blocks(page)
        if block.not_run
        for line in block.code.replace("\\\n", " ").splitlines()
        if line.startswith("grice ")
    ]
    assert commands
    refused = []
    for command in commands:
        try:
            main(shlex.split(command)[1:])
        except SystemExit:
            refused.append((command, capsys.readouterr().err))
    assert refused == []
