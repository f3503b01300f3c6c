"""The measurements of hostile callers and of the long run, with a handful of connections: what they count, and that all adds up."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grice.benchmarks.hostile import __main__ as hostile
from grice.benchmarks.hostile.flood import OPENINGS, Flood, flood
from grice.benchmarks.hostile.stand_in import Service, ServiceProcess
from grice.benchmarks.soak import __main__ as soak
from grice.benchmarks.soak import faults
from grice.middleware.settings import ConnectionSettings, ServiceSettings

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def test_a_small_flood_is_ended_whole_and_health_never_fails(tmp_path: Path) -> None:
    quick = ConnectionSettings(head_timeout_s=1, body_timeout_s=1, idle_timeout_s=1, write_timeout_s=1)
    with ServiceProcess(Service(ServiceSettings(port=0, live_clients=2), quick, 5.0, tmp_path / "log")) as service:
        found = flood(service.port, Flood(connections=8, streams=2, longest_s=60.0))
    assert {kind: len(seconds) for kind, seconds in found.ended.items()} == dict.fromkeys(OPENINGS, 2)
    assert not any(found.left.values())
    assert (found.before.failed, found.during.failed) == (0, 0)
    assert found.before.seconds
    assert found.during.seconds


@pytest.mark.slow
def test_the_command_floods_twice_stops_the_service_and_says_what_it_found(capfd: pytest.CaptureFixture[str]) -> None:
    hostile.main(["--connections", "8", "--streams", "2", "--sigterms", "1"])
    said = capfd.readouterr().out
    for line in ("default limits (2000 connections)", "room for all", "1 times SIGTERM under load", "lost: none"):
        assert line in said
    for kind in OPENINGS:
        assert [line.split()[-1] for line in said.splitlines() if line.startswith(f"  {kind} ")] == ["0", "0"], said


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="needs redis-server")
def test_a_soak_of_seconds_ends_with_all_invariants_checked(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for module, name, value in (
        (soak, "CALLERS", 2),
        (soak, "SETTLE_S", 6.0),
        (faults, "QUIET_S", (0.1, 0.5)),
        (faults, "HUNG_S", 1.0),
        (faults, "FLOOD", 10),
        (faults, "FLOOD_S", 1.0),
    ):
        monkeypatch.setattr(module, name, value)
    status = soak.main(["--minutes", "0.2", "--seed", "1"])
    said = capfd.readouterr().out
    assert status == 0, said
    assert said.count("\nholds  ") == 6
    assert "0 missing, 0 twice, 0 out of order, 0 without history" in said
    assert "answers that should not be: none" in said
