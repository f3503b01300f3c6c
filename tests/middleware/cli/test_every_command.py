"""What holds for all commands: `--json`, completion, and one line where a port is taken."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grice.middleware import cli
from grice.middleware.cli import main, proxy, serve

PLAIN = {
    ("batch",): "tells how far it is on stderr; its results are JSON lines in files",
    ("completion",): "prints what a shell reads",
    ("mcp",): "prints JSON-RPC, or nothing",
    ("monitor",): "prints nothing; its logs are JSON lines",
    ("persuasion", "questions"): "prints JSON lines",
    ("persuasion", "sheet"): "prints JSON lines",
    ("persuasion", "critical"): "prints JSON lines",
}
"""Commands that need no `--json`, and why."""


def parser_of_all(monkeypatch: pytest.MonkeyPatch) -> argparse.ArgumentParser:
    """The whole parser, as `main` makes it."""
    found: list[argparse.ArgumentParser] = []

    def keep(parser: argparse.ArgumentParser) -> None:
        found.append(parser)
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(cli, "_complete", keep)
        with pytest.raises(SystemExit):
            main([])
    return found[0]


def leaves(parser: argparse.ArgumentParser, *words: str) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every command that has none below it."""
    below = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]  # noqa: SLF001
    if not below:
        yield words, parser
    for each in below:
        for name, child in each.choices.items():
            yield from leaves(child, *words, name)


def test_every_command_prints_json_where_it_is_asked_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without = set()
    for words, parser in leaves(parser_of_all(monkeypatch)):
        text = parser.format_help()
        if words[0] == "bench":  # has its options only once it is used
            with pytest.raises(SystemExit):
                main([*words, "--help"])
            text = capsys.readouterr().out
        if "--json" not in text:
            without.add(words)
    assert without == set(PLAIN)


def completions(line: str) -> list[str]:
    """What bash is told when Tab is hit behind `line`."""
    environment = {**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    environment |= {"_ARGCOMPLETE_SUPPRESS_SPACE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": ""}
    grice = str(Path(sys.executable).with_name("grice"))
    script = f'out=$(mktemp); _ARGCOMPLETE_STDOUT_FILENAME=$out "{grice}" >/dev/null 2>&1 8>&1 9>/dev/null; cat $out; rm $out'
    return subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("grice do", {"doctor"}),
        ("grice data ", {"fetch", "verify", "list"}),
        ("grice doctor --only mod", {"models"}),
        ("grice chat --bo", {"--bot"}),
        ("grice bench abceval --mark", {"--markdown"}),
    ],
)
def test_tab_completes(line: str, expected: set[str]) -> None:
    assert expected <= set(completions(line))


def test_a_shell_is_told_how_to_complete(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert "complete" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.parametrize("command", [["serve"], ["proxy", "--upstream", "http://127.0.0.1:9/v1"]])
def test_a_port_that_is_taken_is_one_line_before_models_are_loaded(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(*_: object) -> None:
        raise AssertionError("models are loaded")

    for module in (serve, proxy):
        monkeypatch.setattr(module, "load_capabilities", load)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main([*command, "--port", port]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"setting port: got {port}; allowed: a free port, or 0 for any (another program listens there" in error


def test_a_host_of_another_machine_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--host", "192.0.2.1", "--insecure"]) == 2
    assert "setting host: got '192.0.2.1'; allowed: an address of this machine" in capsys.readouterr().err


def test_a_variable_that_is_none_of_ours_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GRICE_PROT", "8300")
    assert main(["data", "list"]) == 2
    assert "GRICE_PROT" in capsys.readouterr().err


def test_data_and_keys_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list", "--json"]) == 0
    assert {"name", "licence", "citation", "files"} <= set(json.loads(capsys.readouterr().out)[0])
    file = str(tmp_path / "keys.json")
    assert main(["keys", "add", "bot", "--file", file, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["name"], made["scopes"]) == ("bot", ["turns", "monitor"])
    assert main(["keys", "list", "--file", file, "--json"]) == 0
    text = capsys.readouterr().out
    assert [each["name"] for each in json.loads(text)] == ["bot"]
    assert made["key"] not in text
    assert main(["keys", "revoke", "bot", "--file", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"revoked": "bot"}


def test_one_turn_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "Hello there.", "--json"]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["score"] < 1


ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["docs/cli.md", "docs/report.md"])
def test_the_lines_of_the_pages_are_commands_that_there_are(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [
        line
        for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
        for line in re.findall(r"^grice .*", block, re.MULTILINE)
    ]
    assert len(found) > 1
    parser = parser_of_all(monkeypatch)
    for line in found:
        parser.parse_args(shlex.split(line, comments=True)[1:])
