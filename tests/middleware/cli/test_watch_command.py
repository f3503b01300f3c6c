"""`grice watch`, against a real service on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx
import pytest
from fake_models import FakeBehaviors, fake_monitor, fakes
from fastapi import FastAPI
from live_service import serving
from relation_fixtures import PLEASE, WRONG, ColdReader

from grice.middleware.access import ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.cli import main
from grice.middleware.monitor import Monitor
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.results import BEHAVIORS

WATCH = [sys.executable, "-c", "import sys; from grice.middleware.cli import main; sys.exit(main())", "watch"]


def application(**settings: object) -> FastAPI:
    return create_app(fakes(responses=fake_monitor()), ServiceSettings(live_every_s=0.05, **settings))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with serving(application()) as client:
        yield client


def say(client: httpx.Client, text: str, **more: object) -> None:
    assert client.post("/v1/responses", json={"text": text, **more}).status_code == 200


@contextmanager
def watching(client: httpx.Client, *words: str) -> Iterator[IO[str]]:
    """What `grice watch` prints."""
    command = [*WATCH, "--url", str(client.base_url), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.kill()


def alarming(name: str) -> str:
    """A response that the fake monitor finds irrelevant."""
    return f"{name} is !Rel"


def test_alarms_that_are_kept_and_alarms_that_come(client: httpx.Client) -> None:
    say(client, alarming("first"), dialogue_id="d1", channel="web", bot_version="7")
    with watching(client) as lines:
        head, bot = lines.readline(), lines.readline()
        assert "dialogue d1  channel web  bot 7" in head
        assert bot == "  bot: first is !Rel\n"
        say(client, alarming("second"))
        while "second" not in (line := lines.readline()):
            assert line


def test_what_the_reader_of_relations_finds_wrong_is_named_and_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=ColdReader())
    green = {"speaker": "bot", "text": "It is green."}
    with serving(create_app(fakes(responses=monitor), ServiceSettings(live_every_s=0.05))) as client:
        for text in (f"It is {WRONG}.", f"It is {WRONG} and !Sel.", "It is !Rel."):  # the last is no alarm: the reader decides
            turns = [green, {"speaker": "user", "text": PLEASE}, {"speaker": "bot", "text": text}]
            client.post("/v1/responses", json={"turns": turns}).raise_for_status()
        assert main(["watch", "--url", str(client.base_url), "--once"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].endswith("  !Sel self contradiction 0.60, promise 0.60, !Emp lack of empathy 0.55")
    assert printed[1:4] == [
        "  bot: It is purple.",
        '  !Sel says "It is purple." against "It is green."',
        '  promise says "It is purple."',
    ]
    assert printed[4].endswith("  !Sel self contradiction 0.90, promise 0.60, !Emp lack of empathy 0.55")  # named once
    assert printed[5:] == [
        "  bot: It is purple and !Sel.",
        f"  !Sel is about: {PLEASE}",
        '  !Sel says "It is purple and !Sel." against "It is green."',
        '  promise says "It is purple and !Sel."',
    ]


def test_json_is_an_object_an_event_and_once_ends(client: httpx.Client, capsys: pytest.CaptureFixture[str]) -> None:
    say(client, alarming("first"))
    assert main(["watch", "--url", str(client.base_url), "--json", "--rates", "--once"]) == 0
    alarm, rates = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (alarm["event"], alarm["text"]) == ("alarm", alarming("first"))
    assert rates["event"] == "rates"


def test_new_leaves_out_what_is_kept(client: httpx.Client, capsys: pytest.CaptureFixture[str]) -> None:
    say(client, alarming("first"))
    assert main(["watch", "--url", str(client.base_url), "--new", "--once"]) == 0
    assert capsys.readouterr().out == ""


def test_a_service_that_goes_away_is_waited_for() -> None:
    with serving(application()) as client:
        say(client, alarming("first"))
        command = [*WATCH, "--url", str(client.base_url)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        assert process.stdout is not None
        assert "first" in process.stdout.readline() + process.stdout.readline()
    try:
        assert process.stderr is not None
        while "trying again" not in (line := process.stderr.readline()):
            assert line
    finally:
        process.kill()
        process.communicate()


def test_a_service_that_is_not_there_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(application()) as client:
        url = str(client.base_url)
    assert main(["watch", "--url", url, "--once"]) == 2
    error = capsys.readouterr().err
    assert "ConnectError" in error
    assert error.count("\n") == 1


def test_the_key_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret, path = make_secret(), tmp_path / "keys.json"
    KeyFile(path).add(ApiKey("watcher", digest_of(secret), "default", ("monitor",)))
    with serving(application(keys_file=str(path))) as client:
        assert main(["watch", "--url", str(client.base_url)]) == 2  # a wrong key stays wrong: it is not tried again
        assert "401" in capsys.readouterr().err
        monkeypatch.setenv("GRICE_SERVICE_KEY", secret)
        assert main(["watch", "--url", str(client.base_url), "--once"]) == 0


def test_an_address_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--url", "nowhere"]) == 2
    assert "the address of the service" in capsys.readouterr().err
