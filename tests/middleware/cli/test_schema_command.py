"""`grice schema`: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli import main
from grice.middleware.schemas import read_schema

ROOT = Path(__file__).parents[3]
GOOD: dict[str, Any] = {
    "intents": [
        {"name": "weather", "examples": ["Will it rain tomorrow?", "Is it warm outside?"], "slots": ["day"]},
        {"name": "order_pizza", "examples": ["I want a pizza.", "One margherita, please: “yes”"], "slots": ["size"]},
    ],
    "slots": {"day": {"description": "which day"}, "size": {"description": "", "values": ["no", "true", "2", "größer"]}},
}


def write(folder: Path, content: object) -> str:
    path = folder / "menu.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def test_what_is_shown_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for source in (write(tmp_path, GOOD), str(ROOT / "rasa_project")):
        for flags, name in (([], "shown.yml"), (["--json"], "shown.json")):
            assert main(["schema", "show", source, *flags]) == 0
            (tmp_path / name).write_text(capsys.readouterr().out, encoding="utf-8")
            assert read_schema(tmp_path / name, "grice") == read_schema(source)
    assert json.loads((tmp_path / "shown.json").read_text())["intents"][0]["name"] == "greet"


def test_a_menu_without_findings_ends_in_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, GOOD)
    assert main(["schema", "check", path]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "2 intents, 2 slots, 0 findings\n"
    assert main(["schema", "check", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"fingerprint": read_schema(path).fingerprint, "findings": []}


def test_findings_end_in_1_and_show_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rain = [f"Will it rain {day}?" for day in ("today", "tomorrow", "on Monday", "on Sunday")]
    pizza = {**GOOD["intents"][1], "examples": [f"I want a pizza {time}." for time in ("now", "later", "again", "at eight", "too")]}
    menu = {**GOOD, "intents": [GOOD["intents"][0], {**pizza, "examples": [*pizza["examples"], *rain]}, {"name": "intent_1"}]}
    path = write(tmp_path, menu)
    assert main(["schema", "check", path]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "empty-name: intent_1: is a name that says nothing; call the intent what it is about" in lines
    start = next(
        place
        for place, line in enumerate(lines)
        if line.startswith("like-intents: order_pizza, weather: 4 of 9 examples are read as weather")
    )
    assert {line.strip() for line in lines[start + 1 : start + 4]} < set(rain)
    assert lines[start + 4] == "    and 1 more"
    assert main(["schema", "check", path, "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    (alike,) = [each for each in findings if each["kind"] == "like-intents" and each["names"] == ["order_pizza", "weather"]]
    assert set(alike["examples"]) == set(rain)


def test_only_some_services(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    services = [
        {"service_name": name, "slots": [], "intents": [{"name": f"Find{name}", "description": f"find {name}"}]}
        for name in ("Kayaks", "Museums")
    ]
    assert main(["schema", "show", write(tmp_path, services), "--json", "--services", "Kayaks"]) == 0
    assert [intent["name"] for intent in json.loads(capsys.readouterr().out)["intents"]] == ["FindKayaks"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nobody.yml"], "nobody.yml: no such file or folder"),
        (["check", "menu.json", "--format", "sgd"], "SGD schema: got"),
        (["show", "menu.json", "--services", "A"], "services: got 'A'; allowed: only with an SGD schema"),
        (["check", "menu.json", "--provider", "abacus"], "execution provider 'abacus' is not available"),
    ],
)
def test_mistakes_end_in_2(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, GOOD)
    monkeypatch.chdir(tmp_path)
    assert main(["schema", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
