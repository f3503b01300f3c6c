"""`grice batch --ray` on a cluster of two nodes on loopback: nothing is lost or doubled, whoever dies. `make test-ray`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli import main

pytestmark = pytest.mark.ray

LONG_S = 900.0
ROWS = 48
TEXTS = ("I am on a tight budget.", "It is rather cold in here.", "No thanks.", "Can you find me a hotel in the north?")
TASKS = ("--task", "directness", "intentions", "--part-rows", "5")
"""What is scored while parts of the cluster are killed."""
ALL_TASKS = ("--task", "responses", "turns", "intentions", "--part-rows", "2")
REPLIES = (
    "We have rooms from 40 euros a night.",
    "I can turn the heating up for you.",
    "No thanks.",
    "I have never been to the north.",
)


def eventually(check: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + LONG_S
    while not check():
        assert time.monotonic() < end, f"not within {LONG_S} s: {what}"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of JSON lines, one of Parquet, with bad rows among the good; many texts are in several of them."""
    import pyarrow
    from pyarrow import parquet

    folder = Path(tmp_path_factory.mktemp("logs"))
    rows = [
        {"id": f"d{number}", "turns": [{"speaker": "user", "text": f"{TEXTS[(number + place) % 4]}"} for place in range(3)]}
        for number in range(ROWS)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "not json\n")
    (folder / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[::-1]) + '{"turns": []}\n')
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "c.parquet")
    return folder


@pytest.fixture(scope="module")
def expected(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process writes."""
    out = Path(tmp_path_factory.mktemp("one"))
    assert main(["batch", "--in", str(logs / "*"), "--out", str(out), *TASKS]) == 0
    return written(out)


def written(out: Path) -> dict[str, bytes]:
    assert not (out / ".parts").exists()
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of JSON lines and one of Parquet: dialogues of user and bot, some alike, some ending in the bot's turn."""
    import pyarrow
    from pyarrow import parquet

    folder = Path(tmp_path_factory.mktemp("talks"))
    rows = [
        {"id": f"t{number}", "turns": [_said(number + place // 2, place % 2) for place in range(2 + number % 3)]}
        for number in range(10)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:7]) + '{"turns": []}\n')
    parquet.write_table(pyarrow.Table.from_pylist(rows[5:]), folder / "b.parquet")
    return folder


def _said(number: int, by_bot: int) -> dict[str, str]:
    return {"speaker": ("user", "bot")[by_bot], "text": (TEXTS, REPLIES)[by_bot][number % 4]}


@pytest.fixture(scope="module")
def expected_of_all(talks: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process writes of all tasks."""
    out = Path(tmp_path_factory.mktemp("one-of-all"))
    assert main(["batch", "--in", str(talks / "*"), "--out", str(out), *ALL_TASKS]) == 0
    found = written(out)
    rows = [json.loads(line) for line in found["a.jsonl"].splitlines()]
    assert len(rows) == 7
    for row in rows:
        assert set(row) == {"row", "id", "responses", "turns", "intentions"}
        assert row["responses"]
        assert row["turns"]
        assert row["intentions"]
    return found


@pytest.fixture
def ray_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """For this process and those that it starts."""
    for name, value in {
        "RAY_worker_niceness": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
        "RAY_raylet_start_wait_time_s": "120",
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_timeout_ms": "2000",
        "RAY_health_check_failure_threshold": "3",
        "OMP_NUM_THREADS": "1",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def cluster(ray_settings: None) -> Iterator[Any]:
    """A head that reads and starts nothing, and two nodes of two CPUs."""
    from ray.cluster_utils import Cluster

    store = {"object_store_memory": 100 * 1024 * 1024, "node_ip_address": "127.0.0.2", "include_dashboard": False}
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **store})
    try:
        found.first = found.add_node(num_cpus=2, wait=False, **store)
        found.second = found.add_node(num_cpus=2, wait=False, **store)
        found.wait_for_nodes(timeout=LONG_S)
        yield found
    finally:
        found.shutdown()


@contextmanager
def driver(ray: str, logs: Path, out: Path, tasks: Sequence[str] = TASKS) -> Iterator[subprocess.Popen[bytes]]:
    command = "import sys; from grice.middleware.cli import main; sys.exit(main())"
    options = ["batch", "--in", str(logs / "*"), "--out", str(out), *tasks, "--ray", ray]
    log = out.with_suffix(".log")
    with log.open("ab") as stderr, subprocess.Popen([sys.executable, "-c", command, *options], stderr=stderr) as process:
        try:
            yield process
        finally:
            process.kill()


def finished(process: subprocess.Popen[bytes], out: Path) -> None:
    assert process.wait(LONG_S) == 0, out.with_suffix(".log").read_text()


def parts(out: Path) -> int:
    return len(list(out.rglob("*.parts/**/[0-9]*.jsonl"))) + 1000 * len(list(out.glob("*.done.json")))


def actors_of(node: Any) -> list[int]:
    """The processes of the pool's actors on a node; Ray names them so."""
    (raylet,) = node.all_processes["raylet"]
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            named = b"ScoringActor" in path.joinpath("cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        if named and int(parent) == raylet.process.pid:
            found.append(int(path.name))
    return found


def test_two_nodes_write_what_one_process_does(cluster: Any, logs: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with driver(cluster.address, logs, out) as process:
        eventually(lambda: actors_of(cluster.first) != [] and actors_of(cluster.second) != [], "an actor on each node")
        assert len(actors_of(cluster.first)) == len(actors_of(cluster.second)) == 1, "one CPU of each is left"
        finished(process, out)
    assert written(out) == expected
    assert "3 of 3 files, 144 rows, 2 set apart" in out.with_suffix(".log").read_text()


def test_all_tasks_come_to_the_same_digits(cluster: Any, talks: Path, expected_of_all: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with driver(cluster.address, talks, out, ALL_TASKS) as process:
        eventually(lambda: actors_of(cluster.first) != [] and actors_of(cluster.second) != [], "an actor on each node")
        finished(process, out)
    assert written(out) == expected_of_all


@pytest.mark.usefixtures("ray_settings")
def test_a_cluster_of_its_own(talks: Path, expected_of_all: dict[str, bytes], tmp_path: Path) -> None:
    """`--ray local`, which starts Ray on this machine and ends it."""
    out = tmp_path / "out"
    with driver("local", talks, out, ALL_TASKS) as process:
        finished(process, out)
    assert written(out) == expected_of_all


def test_an_actor_that_is_killed(cluster: Any, logs: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with driver(cluster.address, logs, out) as process:
        eventually(lambda: parts(out) >= 2, "two parts")
        killed = [*actors_of(cluster.first), *actors_of(cluster.second)]
        for actor in killed:
            os.kill(actor, signal.SIGKILL)
        assert killed
        assert parts(out) < 3000
        finished(process, out)
    assert written(out) == expected


def test_a_node_that_is_lost(cluster: Any, logs: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with driver(cluster.address, logs, out) as process:
        eventually(lambda: actors_of(cluster.first) != [] and parts(out) >= 2, "two parts and an actor on the first node")
        cluster.remove_node(cluster.first, allow_graceful=False)
        assert parts(out) < 3000
        finished(process, out)
    assert written(out) == expected


def test_a_driver_that_is_killed(cluster: Any, logs: Path, expected: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with driver(cluster.address, logs, out) as process:
        eventually(lambda: parts(out) >= 2, "two parts")
        process.send_signal(signal.SIGKILL)
        process.wait(LONG_S)
    assert parts(out) < 3000
    before = parts(out)
    with driver(cluster.address, logs, out) as process:
        finished(process, out)
    assert written(out) == expected
    assert before >= 2
