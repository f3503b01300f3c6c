"""The spool file, alone: several processes, kills, its bound, and files of earlier versions."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from event_fixtures import spool, spooled

from grice.middleware.events.spool import Spool

__all__ = ["spool"]


def numbered(count: int, first: int = 0) -> list[str]:
    return [f"line {number}" for number in range(first, first + count)]


def drained(spool: Spool, count: int = 3) -> list[str]:
    """All that waits, dealt with in batches."""
    found: list[str] = []
    while lines := spool.oldest(count):
        found += [line.decode() for line in lines]
        spool.done()
    return found


def test_lines_come_out_in_order_and_once(spool: Path) -> None:
    kept = Spool(spool)
    assert kept.is_empty()
    assert not spool.exists()
    assert kept.add(numbered(5)) == 5
    assert kept.oldest(2) == [b"line 0", b"line 1"]
    assert kept.oldest(2) == [b"line 0", b"line 1"]  # they stay until they are dealt with
    kept.done()
    assert kept.add(numbered(2, first=5)) == 2
    assert drained(kept) == numbered(5, first=2)
    assert kept.is_empty()
    assert b"line 3" not in b"".join(path.read_bytes() for path in spool.parent.iterdir())


def test_a_spool_outlives_its_process(spool: Path) -> None:
    Spool(spool).add(["über"])
    assert drained(Spool(spool)) == ["über"]


def test_it_holds_no_more_than_its_bound(spool: Path) -> None:
    kept = Spool(spool, max_bytes=30)
    assert kept.add(numbered(9)) == 5
    assert kept.add(["x"]) == 0
    kept.oldest(1)
    kept.done()
    assert kept.add(["line 5", "x"]) == 1
    assert drained(kept) == numbered(5, first=1)


def test_what_is_refused_is_kept_for_people(spool: Path) -> None:
    kept = Spool(spool, max_bytes=10)
    assert [kept.refuse(line) for line in (b"bad", b"too long a line", b"worse")] == [True, False, True]
    assert spool.with_name("spool.sqlite3.refused").read_bytes() == b"bad\nworse\n"


def test_one_hands_out_at_a_time(spool: Path) -> None:
    one, other = Spool(spool), Spool(spool)
    one.add(numbered(2))
    assert one.oldest(1) == [b"line 0"]
    assert other.oldest(1) == []
    assert not other.is_empty()
    assert other.add(numbered(1, first=2)) == 1
    one.close()
    assert drained(other) == numbered(3)


HOLDS = """
import os, signal, sys
from grice.middleware.events.spool import Spool
spool = Spool(sys.argv[1])
spool.add([f"line {number}" for number in range(4)])
spool.oldest(1)
spool.done()
assert spool.oldest(2) == [b"line 1", b"line 2"]
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_while_it_hands_out_loses_nothing(spool: Path) -> None:
    assert subprocess.run([sys.executable, "-c", HOLDS, str(spool)], timeout=60, check=False).returncode == -9
    assert drained(Spool(spool)) == numbered(3, first=1)


ADDS = """
import sys
from grice.middleware.events.spool import Spool
spool = Spool(sys.argv[1])
for number in range(200):
    assert spool.add([f"{sys.argv[2]} {number}"]) == 1
"""


def test_several_processes_add_at_the_same_time(spool: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", ADDS, str(spool), name]) for name in "abc"]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    found = drained(Spool(spool), 50)
    for name in "abc":
        assert [line for line in found if line.startswith(name)] == [f"{name} {number}" for number in range(200)]


@pytest.mark.parametrize(("path", "old"), [("spool.sqlite3", "spool.jsonl"), ("spool.jsonl", "spool.jsonl"), ("spool", "spool")])
def test_files_of_an_earlier_version_are_taken_over_first(tmp_path: Path, path: str, old: str) -> None:
    (tmp_path / f"{old}.sending").write_text("sent first\n\nsent second\n")
    (tmp_path / old).write_text("then this\nhalf a li")
    kept = Spool(tmp_path / path)
    assert not kept.is_empty()
    kept.add(["new"])
    assert drained(kept, 2) == ["sent first", "sent second", "then this", "half a li", "new"]
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(old) and "sqlite3" not in each.name) == []


def test_a_damaged_file_is_set_aside(spool: Path, caplog: pytest.LogCaptureFixture) -> None:
    spool.write_bytes(b"no database " * 1000)
    with caplog.at_level(logging.ERROR):
        assert Spool(spool).add(["line"]) == 1
    assert spooled(spool) == ["line"]
    assert spool.with_name("spool.sqlite3.damaged").read_bytes().startswith(b"no database")
    assert "set aside" in caplog.text


def test_a_deleted_file_is_made_again(spool: Path) -> None:
    kept = Spool(spool)
    kept.add(["line"])
    for path in list(spool.parent.iterdir()):
        path.unlink()
    assert kept.is_empty()
    assert kept.add(["next"]) == 1
    assert drained(kept) == ["next"]
