"""`grice serve`: settings, start, stop, and what it needs."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx
import pytest

from grice.middleware.capabilities import CAPABILITIES, capability_settings, is_offered, load_capabilities
from grice.middleware.cli import serve
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import PipelineSettings, ServiceSettings, from_options
from grice.models.errors import ModelNotFound, SettingsError

FIXTURES = Path(__file__).parents[2] / "fixtures"

FAKES = """
import sys
sys.path.insert(0, sys.argv[1])
from fake_models import fakes
from grice.middleware.cli.serve import announce
from grice.middleware.service.json_log import log_json_lines
from grice.middleware.service.http.server import serve
from grice.middleware.settings import ServiceSettings
log_json_lines()
serve(fakes(), ServiceSettings(port=0), announce)
"""

SHIPPED = """
import argparse
from grice.middleware.cli import serve
parser = argparse.ArgumentParser()
serve.add_arguments(parser)
raise SystemExit(serve.run(parser.parse_args(["--port", "0", "--no-monitor", "--no-intentions", "--no-mind"])))
"""

WITH_MONITOR = SHIPPED.replace(', "--no-monitor"', "")


@contextmanager
def started(program: str, log: IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs `program`."""
    command = [sys.executable, "-c", program, str(FIXTURES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(FAKES, id="fakes"),
        pytest.param(SHIPPED, id="shipped"),
        pytest.param(WITH_MONITOR, id="shipped with the monitor"),
    ],
)
def test_the_process_says_where_it_is_and_stops_when_told(program: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as stderr, started(program, stderr) as process:
        assert process.stdout is not None
        first, page, documentation, _, command = (process.stdout.readline() for _ in range(5))
        assert (page.split()[0], documentation.split()[0]) == ("page", "documentation")
        assert command.strip() == serve.curl(first.split()[3]), log.read_text()
        words = shlex.split(command)
        url, body = words[2], words[words.index("-d") + 1]
        response = httpx.post(url, content=body, headers={"content-type": "application/json"}, trust_env=False, timeout=60)
        assert response.status_code == 200, response.text
        directness = response.json()["directness"]
        assert directness["history_read"] + directness["history_cut"] == len(serve.EXAMPLE["turns"]) - 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert any(line["message"] == "request" and line["status"] == 200 for line in lines)


def test_a_stream_that_is_read_does_not_keep_the_process(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as stderr, started(FAKES, stderr) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[3]
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client, client.stream("GET", "/v1/live") as response:
            lines = response.iter_lines()
            assert next(lines) == "retry: 2000"
            process.send_signal(signal.SIGTERM)
            assert list(lines)[-1] == ""  # the end of an event: the stream was not cut
        assert process.wait(30) == 0


def test_flags_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRICE_PORT", "9001")
    monkeypatch.setenv("GRICE_BATCH_SIZE", "3")
    monkeypatch.setenv("GRICE_API_KEYS", "the-first-of-two-keys, the-second-of-two-keys,")
    args = parsed("--port", "9002", "--mode", "replace", "--threads", "2")
    service, pipeline = from_options(ServiceSettings, args), from_options(PipelineSettings, args)
    assert (service.port, service.batch_size, service.api_keys) == (9002, 3, ("the-first-of-two-keys", "the-second-of-two-keys"))
    assert (pipeline.mode, pipeline.threads) == ("replace", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "setting port: got 70000; allowed: 0 to 65535"),
        (["--queue-size", "10"], "setting queue_size: got 10; allowed: 64 to"),
        (["--direct-from", "1.5"], "setting direct_from: got 1.5; allowed: 0.0 to 1.0"),
        (["--nlu-url", "localhost:5005"], "setting nlu_url: got 'localhost:5005'; allowed: a URL that starts with http://"),
        (["--nlu-timeout-ms", "0"], "setting nlu_timeout_ms: got 0; allowed: 1 to"),
    ],
)
def test_settings_out_of_range_are_named(arguments: list[str], message: str) -> None:
    args = parsed(*arguments)
    with pytest.raises(SettingsError, match=message):
        _ = from_options(ServiceSettings, args), from_options(PipelineSettings, args)


def test_capabilities_and_the_page_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    switches = [each.switch for each in CAPABILITIES if each.switch]
    assert switches == ["meaning", "monitor", "slots", "intentions", "mind"]
    flags = [f"--no-{switch}" for switch in switches]

    def offered(*arguments: str) -> list[str]:
        chosen = from_options(capability_settings(), parsed(*arguments))
        return [each.name for each in CAPABILITIES if is_offered(each, chosen)]

    assert offered() == [each.name for each in CAPABILITIES]
    assert offered(*flags) == ["directness", "turns", "rewrite"]
    assert not from_options(ServiceSettings, parsed("--no-page")).page
    monkeypatch.setenv("GRICE_MONITOR", "false")
    monkeypatch.setenv("GRICE_SLOTS", "false")
    assert offered() == ["directness", "meaning", "turns", "rewrite", "intentions", "mind"]


def test_the_model_of_a_capability_is_the_one_that_is_named() -> None:
    chosen = from_options(capability_settings(), parsed("--slots-model", "/models/mine", "--no-monitor"))
    with pytest.raises(ModelNotFound, match="model '/models/mine' not found"):
        load_capabilities(chosen, PipelineSettings(), MonitorSettings())


def test_the_monitor_runs_as_the_other_models_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRICE_THRESHOLD_OVERRIDES", "Red=0.7")
    monitor = from_options(MonitorSettings, parsed("--threads", "2", "--behaviors-model", "/models/mine"))
    assert (monitor.threads, monitor.behaviors_model, monitor.thresholds) == (2, "/models/mine", {"Red": 0.7})


def test_keys_and_passwords_are_not_printed() -> None:
    urls = ("--redis-url", "redis://user:hidden@localhost", "--nlu-url", "http://user:hidden@localhost:5005")
    service = from_options(ServiceSettings, parsed(*urls))
    assert service.nlu_url.endswith(":5005")
    assert "hidden" not in repr(dataclasses.replace(service, nlu_token="hidden", api_keys=("hidden-hidden-hidden",)))


def python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_a_missing_package_is_named_with_its_install_line() -> None:
    for package in ("fastapi", "prometheus_client"):
        result = python(f"import sys; sys.modules[{package!r}] = None; import grice.middleware.service.http.app")
        assert f"MissingExtra: {package} is not installed; run: pip install 'grice[server]'" in result.stderr.replace(
            "grice.models.errors.", ""
        )
    result = python("import sys; sys.modules['redis'] = None; import grice.middleware.stores.redis")
    assert "redis is not installed; run: pip install 'grice[redis]'" in result.stderr


def test_the_rest_imports_without_the_server() -> None:
    blocked = "; ".join(
        f"sys.modules[{name!r}] = None" for name in ("fastapi", "pydantic", "uvicorn", "prometheus_client", "redis")
    )
    result = python(f"import sys; {blocked}; import grice.middleware, grice.middleware.stores, grice.middleware.cli.serve")
    assert result.returncode == 0, result.stderr
