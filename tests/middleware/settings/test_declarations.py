"""A setting is declared once: its help, range, flag and variable follow; a variable that is none is refused."""

from __future__ import annotations

import argparse
import importlib.metadata
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli import GROUP, main
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import (
    RUNTIME,
    PipelineSettings,
    ServiceSettings,
    add_options,
    check_settings,
    declarations,
    from_environment,
    from_options,
    known_variables,
    secret,
    setting,
)
from grice.middleware.settings.declaration import settings_classes
from grice.models.errors import SettingsError


@dataclass(frozen=True)
class Oven:
    """How an oven heats.

    Attributes:
        degrees: how hot it is, in degrees,
            at the most 250.
        mode: which way it heats.
        lamp, fan: whether it is on.
        probe_s: seconds between two looks; None: none.
        names: of what is inside.
        pin: what opens it.
    """

    degrees: int = setting(180, 30, 250)
    mode: str = "grill 100 %"
    lamp: bool = True
    fan: bool = False
    probe_s: float | None = setting(None, 0.5, 60)
    names: tuple[str, ...] = ()
    pin: str = secret("", flag=False)

    def __post_init__(self) -> None:
        check_settings(self)


def parser_of(*kinds: type[Any], **more: Any) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    add_options(parser, *kinds, **more)
    return parser


def test_flags_and_their_help_follow_from_the_declaration() -> None:
    text = " ".join(parser_of(Oven).format_help().split())
    for part in (
        "--degrees DEGREES how hot it is, in degrees, at the most 250 (default: 180)",
        "--mode MODE which way it heats (default: grill 100 %)",
        "--no-lamp whether it is on (default: on)",
        "--fan whether it is on (default: off)",
        "--probe-s S seconds between two looks; None: none (default: none)",
        "--names NAMES of what is inside (default: none)",
    ):
        assert part in text
    assert "pin" not in text


@pytest.fixture
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grice.middleware.settings.declaration.check_variables", lambda environment: None)


@pytest.mark.usefixtures("_known")
def test_flags_come_before_the_environment_before_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRICE_DEGREES", "200")
    monkeypatch.setenv("GRICE_LAMP", "false")
    monkeypatch.setenv("GRICE_NAMES", "bread, , cake")
    monkeypatch.setenv("GRICE_PROBE_S", "")
    parser = parser_of(Oven)
    assert from_options(Oven, parser.parse_args([])) == Oven(200, lamp=False, names=("bread", "cake"))
    flags = ["--degrees", "90", "--fan", "--probe-s", "2", "--names", "pie,tart"]
    assert from_options(Oven, parser.parse_args(flags)) == Oven(90, lamp=False, fan=True, probe_s=2.0, names=("pie", "tart"))
    assert from_options(Oven, parser.parse_args(flags), names=("fan",)).degrees == 200


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"degrees": 300}, "setting degrees: got 300; allowed: 30 to 250"),
        ({"degrees": True}, "setting degrees: got True"),
        ({"mode": 3}, "setting mode: got 3; allowed: a string"),
        ({"pin": 1234}, "setting pin: got 'a value that is not shown'; allowed: a string"),
        ({"lamp": "yes"}, "setting lamp: got 'yes'; allowed: true, false"),
        ({"probe_s": 0}, "setting probe_s: got 0; allowed: 0.5 to 60"),
    ],
)
def test_what_is_out_of_range_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Oven(**values)


def test_a_setting_of_two_classes_has_one_flag() -> None:
    assert parser_of(PipelineSettings, PipelineSettings, names=("threads",)).parse_args(["--threads", "2"]).threads == 2


def test_every_setting_has_help_and_a_default_that_is_allowed() -> None:
    for kind in settings_classes():
        assert kind() == kind()
        assert [each.name for each in declarations(kind) if not each.help] == [], kind


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("GRICE_PROT", "GRICE_PORT"), ("GRICE_NO_SLOTS", "GRICE_SLOTS"), ("GRICE_JUDGE_URI", "GRICE_JUDGE_URL"), ("GRICE_", "GRICE_")],
)
def test_a_variable_that_is_none_is_refused_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(SettingsError, match=f"setting {name}: got 'a value that is not shown'; .* the nearest is {nearest}"):
        from_environment(PipelineSettings, {name: "secret"})


def test_variables_of_all_commands_are_known_to_each() -> None:
    others = {"GRICE_DATA_DIR": "/data", "GRICE_ALERT_EVERY_S": "5", "GRICE_SAMPLE": "0.5", "GRICE_MIND": "false", "HOME": "/"}
    assert set(others) - {"HOME"} <= set(known_variables())
    assert from_environment(PipelineSettings, others) == PipelineSettings()


@pytest.mark.parametrize("command", ["score hello", "data list", "schema show no/such.yml", "bench rectom"])
def test_every_command_refuses_it(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that read no settings, too: what it was to say, such as where the data are, would have no effect."""
    monkeypatch.setenv("GRICE_DATADIR", "/data")
    assert main(command.split()) == 2
    told = capsys.readouterr()
    assert "setting GRICE_DATADIR: got 'a value that is not shown'; allowed: there is no such setting; the nearest is" in told.err
    assert "GRICE_DATA_DIR" in told.err
    assert told.out == ""


SHIPPED_ENVIRONMENTS = ("compose.yaml", "Dockerfile", "README.md", "docs", "deploy", "rasa_project")


def test_every_variable_that_is_documented_or_set_is_known() -> None:
    root = Path(__file__).parents[3]
    files = [each for name in SHIPPED_ENVIRONMENTS for each in (root / name, *(root / name).rglob("*")) if each.is_file()]
    texts = [each.read_text(encoding="utf-8", errors="ignore") for each in files]
    named = {name for text in texts for name in re.findall(r"\bGRICE_[A-Z_]*[A-Z]\b", text)}
    assert named
    assert named <= set(known_variables())


def test_help_speaks_to_a_shell_and_not_of_classes() -> None:
    told = {each.name: each.help for kind in settings_classes() for each in declarations(kind)}
    assert {name: text for name, text in told.items() if "Settings`" in text} == {}


def test_help_says_that_alarms_go_by_the_reader_of_relations_first() -> None:
    told = {each.name: each.help for kind in settings_classes() for each in declarations(kind)}
    for name in ("alarms_kept", "hold"):
        assert re.search("alarm.* under the budget.*where relations are not read.* undesired behaviour", told[name]), name


def test_how_models_run_is_declared_once() -> None:
    pipeline, monitor = ({each.name: each for each in declarations(kind)} for kind in (PipelineSettings, MonitorSettings))
    for name in RUNTIME:
        assert pipeline[name] == monitor[name]


def test_a_variable_of_several_classes_is_of_one_kind_and_range() -> None:
    found: dict[str, set[object]] = {}
    for kind in settings_classes():
        for each in declarations(kind):
            found.setdefault(each.variable, set()).add((each.kind, each.low, each.high, each.secret, each.flag))
    assert {name: kinds for name, kinds in found.items() if len(kinds) > 1} == {}


def helps(capsys: pytest.CaptureFixture[str], *words: str) -> Iterator[tuple[str, str]]:
    """The help of a command, and of those below it."""
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    text = capsys.readouterr().out
    yield " ".join(words), text
    for child in re.findall(r"^ {4}(\S+)", text, re.MULTILINE):
        yield from helps(capsys, *words, child)


def required_options(text: str) -> set[str]:
    """The options that stand in the usage without brackets."""
    usage, there = "", text.partition("\n\n")[0]
    while usage != there:
        usage, there = there, re.sub(r"\[[^][]*\]|\([^()]*\)", "", there)
    return set(re.findall(r"--[\w-]+", usage))


@pytest.mark.parametrize("name", sorted(entry.name for entry in importlib.metadata.entry_points(group=GROUP)))
def test_help_of_every_command_tells_defaults(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words, text in helps(capsys, name):
        for entry in re.findall(r"^  -.*(?:\n {8,}.*)*", text, re.MULTILINE):
            option, value = re.findall(r"(--?[\w-]+)( \S+)?", re.split(r" {2,}|\n", entry.strip())[0])[-1]
            assert not value or option in required_options(text) or "default" in entry, (words, option)


def test_ports_are_integers_for_the_shell_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser_of(ServiceSettings).parse_args(["--port", "many"])
    assert "invalid int value" in capsys.readouterr().err
