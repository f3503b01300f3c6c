"""`grice monitor`: settings, start, stop, and what it tells."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis_process import RedisServer, eventually
from worker_fixtures import conversation, dead, pending, publish, said, scored_ids, worker_of

from grice.benchmarks.worker.chaos import Plan, run
from grice.middleware.cli import main, monitor
from grice.middleware.stream import WorkerSettings
from grice.models.errors import SettingsError

FIXTURES = Path(__file__).parents[2] / "fixtures"

FAKES = """
import sys
import threading
sys.path.insert(0, sys.argv[1])
from fake_models import FakeBehaviors
from worker_fixtures import THRESHOLDS
from grice.middleware.alerts import AlertSettings
from grice.middleware.monitor import Monitor
from grice.middleware.stream import WorkerSettings
from grice.middleware.stream.process import run_worker
from grice.middleware.service.json_log import log_json_lines
from grice.middleware.settings import from_environment
log_json_lines()
run_worker(Monitor(FakeBehaviors(), THRESHOLDS), from_environment(WorkerSettings), AlertSettings())
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(server: RedisServer, log: Path, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process of fakes."""
    for name, value in {"redis_url": server.url, "block_ms": 50, "report_s": 0.05, **settings}.items():
        monkeypatch.setenv(f"GRICE_{name.upper()}", str(value))
    command = [sys.executable, "-c", FAKES, str(FIXTURES)]
    with log.open("wb") as stderr, subprocess.Popen(command, stderr=stderr) as process:
        try:
            yield process
        finally:
            process.kill()


def is_told(port: int, line: str) -> bool:
    return line in metrics(port)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_process_works_tells_and_stops_when_told(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    log, port = tmp_path / "log", free_port()
    publish(redis_server, [*conversation("d", 4), said(5, text="Some poison.")])
    with started(redis_server, log, monkeypatch, metrics_port=port, max_tries=1) as process:
        eventually(lambda: len(scored_ids(redis_server)) == 2 and len(dead(redis_server)) == 1)
        lines = metrics(port)
        for line in (
            'grice_worker_events_total{outcome="scored"} 2.0',
            'grice_dead_letters_total{error="RuntimeError"} 1.0',
            'grice_responses_total{bot_version="unknown",channel="unknown"} 3.0',
            "grice_stream_lag 0.0",
        ):
            eventually(partial(is_told, port, line))  # counted after it is written
        assert not any("turn 1" in line or "poison" in line for line in lines)
        assert httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False, timeout=60).json()["status"] == "well"
        process.send_signal(how)
        assert process.wait(30) == 0
    with redis_server.client() as redis:
        assert not redis.keys("grice:monitor:*:lease:*")
        assert not redis.exists("grice:monitor:grice:events:monitor:members")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    counts = [record for record in records if record["message"] == "counts"][-1]
    assert (counts["scored"], counts["user_turns"], counts["dead"], counts["unread"]) == (2, 2, 1, 0)
    assert "turn 1" not in log.read_text()
    assert "poison" not in log.read_text()


def metrics(port: int) -> list[str]:
    return httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text.splitlines()


def test_a_port_that_is_taken_is_named(redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with started(redis_server, log, monkeypatch, metrics_port=taken.getsockname()[1]) as process:
            assert process.wait(30) == 1
    assert "allowed: a free port of 127.0.0.1" in log.read_text()


def test_the_shipped_model_scores_what_is_in_the_stream(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 6))
    assert main(["monitor", "--once", "--redis-url", redis_server.url, "--workers", "1"]) == 0
    assert (scored_ids(redis_server), pending(redis_server)) == (["d-1", "d-3", "d-5"], 0)


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    monitor.add_arguments(parser)
    return parser.parse_args(arguments)


def test_flags_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRICE_SAMPLE", "0.5")
    monkeypatch.setenv("GRICE_EVENTS_STREAM", "bot:events")
    monkeypatch.setenv("GRICE_JUDGE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("GRICE_JUDGE_MODEL", "large")
    worker, scoring, _ = monitor.settings_of(parsed("--sample", "0.1", "--batch-size", "4", "--threads", "2", "--escalate", "both"))
    assert (worker.sample, worker.events_stream, worker.worker_batch_size) == (0.1, "bot:events", 4)
    assert (scoring.threads, scoring.escalate, scoring.judge_model) == (2, "both", "large")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sample": 1.5}, "setting sample: got 1.5; allowed: 0.0 to 1.0"),
        ({"events_partitions": 0}, "setting events_partitions: got 0; allowed: 1 to 256"),
        ({"max_tries": 0}, "setting max_tries: got 0; allowed: 1 to 100"),
        ({"lease_ms": 50}, "setting lease_ms: got 50; allowed: 100 to"),
        ({"results_maxlen": "many"}, "setting results_maxlen: got 'many'"),
        ({"dead_maxlen": 0}, "setting dead_maxlen: got 0"),
        ({"block_ms": 0}, "setting block_ms: got 0"),
        ({"history_turns": 0}, "setting history_turns: got 0"),
        ({"history_expire_s": 0}, "setting history_expire_s: got 0"),
        ({"stuck_s": 0}, "setting stuck_s: got 0"),
        ({"worker_batch_size": 2000}, "setting worker_batch_size: got 2000"),
        ({"metrics_port": 70_000}, "setting metrics_port: got 70000"),
        ({"report_s": 0}, "setting report_s: got 0"),
        ({"events_group": ""}, "setting events_group: got ''; allowed: a name"),
        (
            {"dead_stream": "grice:results"},
            "setting results_stream: got 'grice:results'; allowed: three streams of different names",
        ),
        ({"worker_name": 5}, "setting worker_name: got 5; allowed: a string"),
    ],
)
def test_settings_that_cannot_be_used_are_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        WorkerSettings(**values)
    assert message in str(caught.value)


def test_passwords_are_not_printed() -> None:
    assert "hidden" not in repr(WorkerSettings(redis_url="redis://user:hidden@localhost"))


def test_a_missing_package_is_named_with_its_install_line() -> None:
    program = "import sys; sys.modules['redis'] = None; import grice.middleware.stream.worker"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "redis is not installed; run: pip install 'grice[redis]'" in result.stderr
    program = "import sys; sys.modules['redis'] = sys.modules['prometheus_client'] = None; import grice.middleware.cli.monitor"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
@pytest.mark.parametrize(
    "plan", [Plan(300, 3, 1, cost_ms=4), Plan(200, 2, 2, workers=2, partitions=3, cost_ms=8)], ids=["one", "several"]
)
def test_every_event_is_scored_once_while_workers_are_killed_and_redis_restarts(tmp_path: Path, plan: Plan) -> None:
    found = run(plan, tmp_path)
    assert found.good, (found, (tmp_path / "workers.log").read_text())
    assert (found.results, found.published_again > 0) == (plan.events, True)


def test_once_ends_where_redis_cannot_be_reached(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("grice.middleware.stream.worker.PATIENCE_S", 0.3)
    url = f"redis://127.0.0.1:{free_port()}/0"
    patience = threading.Timer(60, signal.raise_signal, [signal.SIGTERM])  # a worker that tries for ever is stopped, and ends in 0
    patience.start()
    try:
        assert main(["monitor", "--once", "--redis-url", url, "--workers", "1"]) == 2
    finally:
        patience.cancel()
    (told,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("grice monitor:")]
    assert told == "grice monitor: Redis could not be used for 0.3 s: ConnectionError; is it running and reachable?"


def test_once_waits_for_a_redis_that_is_away_for_a_moment(redis_server: RedisServer) -> None:
    redis_server.kill()
    worker = worker_of(redis_server)
    ended: list[str] = []

    def work() -> None:
        worker.run(once=True)
        ended.append("without an error")

    thread = threading.Thread(target=work)
    thread.start()
    eventually(lambda: worker.counts.failures > 2)
    redis_server.start()
    thread.join(30)
    assert ended == ["without an error"]
