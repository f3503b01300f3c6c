"""Keys in a file, and what a service makes of them while they change."""

from __future__ import annotations

import json
import logging
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.access import SCOPES, ApiKey, KeyFile, KeyRing, check_tenant, digest_of, make_secret, owned
from grice.middleware.access.key_ring import LOOK_EVERY_S
from grice.middleware.access.wrong_keys import FORGET_S, FREE, LONGEST_S, MOST_ADDRESSES, PATIENCE_S, WrongKeys
from grice.middleware.cli import main
from grice.models.errors import InputError, Overloaded, SettingsError


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys.json")


def key(name: str = "bot", secret: str = "a-secret-of-the-test", **more: Any) -> ApiKey:
    return ApiKey(name, digest_of(secret), **more)


def test_a_key_comes_back_as_it_was_and_its_secret_is_not_kept(file: KeyFile) -> None:
    limited = key("bot", tenant="acme", scopes=("turns", "read"), requests_per_minute=60, work_per_minute=9000, created=1e9)
    file.add(limited)
    file.add(key("other", "another-secret-of-it"))
    assert file.read() == (limited, key("other", "another-secret-of-it"))
    assert "secret" not in file.path.read_text(encoding="utf-8")
    assert "secret" not in repr(limited)
    assert limited.digest not in repr(limited)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    file.path.chmod(0o640)
    assert file.revoke("bot") == limited
    assert [each.name for each in file.read()] == ["other"]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o640


def test_names_are_unique_and_known(file: KeyFile) -> None:
    file.add(key("bot"))
    with pytest.raises(InputError, match="name: got 'bot'; allowed: a name that no other key has"):
        file.add(key("bot", "another-secret-of-it"))
    with pytest.raises(InputError, match="name: got 'nobody'; allowed: the name of a key: bot"):
        file.revoke("nobody")


def test_writers_wait_for_each_other(file: KeyFile) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: file.add(key(f"bot-{number}", make_secret())), range(40)))
    assert {each.name for each in file.read()} == {f"bot-{number}" for number in range(40)}
    assert {each.name for each in file.path.parent.iterdir()} == {"keys.json", "keys.json.lock"}


ROW = {"name": "bot", "tenant": "acme", "scopes": ["turns"], "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "JSONDecodeError"),
        ("[]", "TypeError"),
        ("{}", "KeyError"),
        ('{"version": 2, "keys": []}', "version: got 2; allowed: 1"),
        ('{"version": 1, "keys": [3]}', "AttributeError"),
        ({**ROW, "scopes": []}, "scopes of key bot"),
        ({**ROW, "scopes": ["everything"]}, "scopes of key bot"),
        ({**ROW, "scopes": "turns"}, "scopes of key bot"),
        ({**ROW, "sha256": "secret"}, "64 hexadecimal digits"),
        ({**ROW, "tenant": "a/b"}, "tenant: got 'a/b'"),
        ({**ROW, "tenant": None}, "tenant: got None"),
        ({**ROW, "requests_per_minute": 0}, "requests_per_minute of key bot"),
        ({**ROW, "work_per_minute": True}, "work_per_minute of key bot"),
        ({**ROW, "created": "today"}, "created of key bot"),
        ({**ROW, "more": 1}, "TypeError"),
        ({**ROW, "name": ""}, "name: got ''"),
        ({name: value for name, value in ROW.items() if name != "scopes"}, "KeyError"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(file: KeyFile, content: str | dict[str, Any], reason: str) -> None:
    text = content if isinstance(content, str) else json.dumps({"version": 1, "keys": [content]})
    file.path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match="what `grice keys add` writes") as caught:
        file.read()
    assert reason in str(caught.value)


def test_a_file_that_is_not_there_is_named_with_what_makes_it(file: KeyFile) -> None:
    with pytest.raises(SettingsError, match=r"keys\.json.*`grice keys add` makes one"):
        KeyRing(file=file)


def test_changes_are_noticed_within_a_second(file: KeyFile, clock: Clock) -> None:
    file.add(key("bot", "the-first-secret"))
    ring = KeyRing(("an-old-key-of-16",), file, clock)
    assert ring.find("the-second-secret") is None
    file.add(key("second", "the-second-secret"))
    assert ring.find("the-second-secret") is None
    clock.now += LOOK_EVERY_S
    found = ring.find("the-second-secret")
    assert found is not None
    assert found.name == "second"
    assert ring.holds(found)
    file.revoke("second")
    clock.now += LOOK_EVERY_S
    assert not ring.holds(found)
    assert ring.find("the-second-secret") is None
    assert ring.find("the-first-secret") == key("bot", "the-first-secret")
    old = ring.find("an-old-key-of-16")
    assert old is not None
    assert (old.tenant, old.scopes) == ("default", SCOPES)


def test_a_key_that_may_do_less_is_no_longer_the_same(file: KeyFile, clock: Clock) -> None:
    file.add(key())
    ring = KeyRing(file=file, clock=clock)
    before = ring.find("a-secret-of-the-test")
    assert before is not None
    file.revoke("bot")
    file.add(key(scopes=("read",)))
    clock.now += LOOK_EVERY_S
    assert not ring.holds(before)


@pytest.mark.parametrize("content", ["{", None])
def test_a_file_that_breaks_changes_nothing_and_is_told_once(
    file: KeyFile, clock: Clock, caplog: pytest.LogCaptureFixture, content: str | None
) -> None:
    file.add(key())
    ring = KeyRing(file=file, clock=clock)
    if content is None:
        file.path.unlink()
    else:
        file.path.write_text(content, encoding="utf-8")
    for _ in range(3):
        clock.now += LOOK_EVERY_S
        assert ring.find("a-secret-of-the-test") == key()
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(errors) == 1
    assert "those from before are still good" in errors[0]
    file.path.unlink(missing_ok=True)
    file.add(key("new", "a-new-secret-of-it"))
    clock.now += LOOK_EVERY_S
    assert ring.find("a-secret-of-the-test") is None
    assert ring.find("a-new-secret-of-it") is not None


def test_wrong_keys_wait_longer_each_time(clock: Clock) -> None:
    wrong = WrongKeys(clock)
    waits = []
    for _ in range(FREE + 8):
        waits.append(wrong.wait_s("192.0.2.1"))
        clock.now += waits[-1]
    assert waits[:FREE] == [0.0] * FREE
    assert waits[FREE : FREE + 3] == pytest.approx([0.1, 0.2, 0.4])
    assert waits[-1] == pytest.approx(LONGEST_S)
    assert wrong.wait_s("192.0.2.2") == 0.0
    clock.now += FORGET_S + 1
    assert wrong.wait_s("192.0.2.1") == 0.0


def test_wrong_keys_side_by_side_wait_for_each_other(clock: Clock) -> None:
    wrong, waits = WrongKeys(clock), [0.0]
    while waits[-1] + LONGEST_S <= PATIENCE_S:
        waits.append(wrong.wait_s("192.0.2.1"))
    with pytest.raises(Overloaded, match="too many wrong keys") as caught:
        _ = [wrong.wait_s("192.0.2.1") for _ in range(2)]
    assert waits == sorted(waits)
    assert waits[-1] <= PATIENCE_S < caught.value.retry_after_s
    assert len(waits) < 20


def test_addresses_are_bounded_and_a_network_of_ipv6_is_one(clock: Clock) -> None:
    wrong = WrongKeys(clock)
    for number in range(FREE + 1):
        last = wrong.wait_s(f"2001:db8::{number + 1:x}")
    assert last > 0
    for number in range(MOST_ADDRESSES):
        assert wrong.wait_s(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}") == 0.0
    assert wrong.wait_s("2001:db8::1") == 0.0


@pytest.mark.parametrize("name", ["", "A", "a b", "a/b", "-a", "x" * 41, None, "ä"])
def test_names_of_tenants(name: object) -> None:
    with pytest.raises(InputError, match="tenant"):
        check_tenant(name)
    assert owned("default", "d") == "d"
    assert owned("acme", "d") == "acme/d"


def test_the_command(file: KeyFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(file.path)
    limits = ["--requests-per-minute", "600", "--work-per-minute", "90000"]
    assert main(["keys", "add", "bot", "--file", path, "--tenant", "acme", "--scopes", "read", "turns", *limits]) == 0
    secret = capsys.readouterr().out.strip()
    assert len(secret) > 40
    (made,) = file.read()
    assert (made.digest, made.tenant, made.scopes) == (digest_of(secret), "acme", ("turns", "read"))
    assert abs(made.created - time.time()) < 3600
    monkeypatch.setenv("GRICE_KEYS_FILE", path)
    assert main(["keys", "add", "usual"]) == 0
    assert file.read()[1].scopes == ("turns", "monitor")
    capsys.readouterr()
    assert main(["keys", "list"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[:5] for line in shown.splitlines()] == [
        ["NAME", "TENANT", "SCOPES", "REQUESTS/MIN", "WORK/MIN"],
        ["bot", "acme", "turns,read", "600", "90000"],
        ["usual", "default", "turns,monitor", "any", "any"],
    ]
    assert secret not in shown
    assert main(["keys", "revoke", "bot"]) == 0
    assert [each.name for each in file.read()] == ["usual"]


def test_mistakes_at_the_command(file: KeyFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRICE_KEYS_FILE", raising=False)
    for arguments, message in (
        (["list"], "--file FILE or in GRICE_KEYS_FILE"),
        (["list", "--file", str(file.path)], "`grice keys add` makes one"),
        (["add", "bot", "--file", "/nowhere/keys.json"], "a folder that can be written"),
        (["add", "bot", "--file", str(file.path), "--tenant", "A"], "tenant: got 'A'"),
        (["add", "bot", "--file", str(file.path), "--requests-per-minute", "0"], "requests_per_minute of key bot: got 0"),
    ):
        assert main(["keys", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert not file.path.exists()
