"""`grice proxy`: where it listens, what it reads at its start, and what leaves it for OpenTelemetry."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx
import pytest
from doc_blocks import ROOT, pages, read_page
from live_service import eventually
from loopback_server import LoopbackServer, loopback, saying, sent
from openai_server import completion
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from proxied_server import CHAT, GOOD, messages

from grice.middleware.cli import main

FIXTURES = Path(__file__).parents[2] / "fixtures"
DEFAULT = "8301"
ADDRESS = re.compile(r"OPENAI_BASE_URL=http://127\.0\.0\.1:(\d+)|127\.0\.0\.1:(\d+)/(?:v1/chat/completions|grice/)")
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

KAYAKS = {"intents": [{"name": "rent", "description": "rent a kayak for some hours"}]}
RENT = {"role": "user", "content": "My kayak! To rent"}

FAKES = """
import sys
sys.path.insert(0, sys.argv[1])
from fake_models import FakeDirectness, FakeMeaning, FakeRewriter, fake_monitor, fakes
from grice.middleware import Pipeline
from grice.middleware.cli import main, proxy
models = fakes(Pipeline(FakeDirectness(), FakeRewriter(), reader=FakeMeaning()), responses=fake_monitor())
proxy.load_capabilities = lambda *_: models
raise SystemExit(main(["proxy", "--port", "0", "--json", "--budget-ms", "60000", *sys.argv[2:]]))
"""


@contextmanager
def started(log: IO[bytes], *options: str, environment: Mapping[str, str] = {}) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process of `grice proxy` on models that load at once, and its address."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    command = [sys.executable, "-c", FAKES, str(FIXTURES), *options]
    given = {**plain, "NO_PROXY": "127.0.0.1", **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=given) as process:
        try:
            assert process.stdout is not None
            yield process, str(json.loads(process.stdout.readline())["address"])
        finally:
            process.kill()


def test_it_listens_beside_the_service_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["proxy", "--help"])
    (told,) = re.findall(r"--port PORT\s[^(]*\(default:\s(\d+)\)", capsys.readouterr().out)
    assert told == DEFAULT


def test_the_port_of_the_environment_comes_before_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRICE_PORT", "70000")
    assert main(["proxy", "--upstream", "http://127.0.0.1:9/v1"]) == 2
    assert "setting port: got 70000" in capsys.readouterr().err


def test_each_address_of_the_proxy_that_is_documented_is_its_default() -> None:
    texts = {page: read_page(page) for page in pages()}
    texts.update({f"examples/{each.name}": each.read_text(encoding="utf-8") for each in (ROOT / "examples").glob("*.py")})
    found = {page: {first or second for first, second in ADDRESS.findall(text)} for page, text in texts.items()}
    named = {page: ports for page, ports in found.items() if ports}
    assert {"docs/gateways.md", "docs/quickstart/llm.md", "examples/chat_loop.py"} <= set(named)
    assert all(ports == {DEFAULT} for ports in named.values()), named


def posted(server: LoopbackServer, path: bytes) -> list[bytes]:
    """The bodies that came for a path."""
    parts = [request.partition(b"\r\n\r\n") for request in server.requests]
    return [
        gzip.decompress(body) if b"content-encoding: gzip" in head.lower() else body
        for head, _, body in parts
        if head.startswith(b"POST " + path + b" ")
    ]


def test_scores_and_stages_hang_under_the_callers_span_and_are_sent_before_it_ends(tmp_path: Path) -> None:
    answer = saying({**completion("That is Red."), "id": "chat-7"})
    with (
        loopback(lambda connection, _: sent(connection, b"")) as receiver,
        loopback(answer) as server,
        (tmp_path / "log").open("wb") as log,
        started(log, "--upstream", f"{server.url}/v1", environment={"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}) as (
            process,
            address,
        ),
        httpx.Client(base_url=address, trust_env=False, timeout=60) as client,
    ):
        headers = {"traceparent": f"00-{TRACE}-{SPAN}-01", "x-grice-session": "talk-1"}
        assert client.post(CHAT, json={"model": "m", "messages": [RENT]}, headers=headers).status_code == 200
        client.get("/v1/models?key=a-secret")
        eventually(lambda: client.get("/grice/scores/chat-7").status_code == 200)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, (tmp_path / "log").read_text()
        logs = [ExportLogsServiceRequest.FromString(body) for body in posted(receiver, b"/v1/logs")]
        traces = [ExportTraceServiceRequest.FromString(body) for body in posted(receiver, b"/v1/traces")]
        assert not any(b"a-secret" in request or b"kayak" in request for request in receiver.requests)
    records = [
        (sender.resource, record) for each in logs for sender in each.resource_logs for record in sender.scope_logs[0].log_records
    ]
    assert len(records) == 9
    assert {(record.trace_id.hex(), record.span_id.hex()) for _, record in records} == {(TRACE, SPAN)}
    attributes = [{pair.key: pair.value.string_value for pair in record.attributes} for _, record in records]
    assert {each["gen_ai.response.id"] for each in attributes} == {"chat-7"}
    assert {each["gen_ai.conversation.id"] for each in attributes} == {"talk-1"}
    services = {pair.value.string_value for resource, _ in records for pair in resource.attributes if pair.key == "service.name"}
    assert services == {"grice-proxy"}
    spans = [span for each in traces for sender in each.resource_spans for scope in sender.scope_spans for span in scope.spans]
    assert {span.trace_id.hex() for span in spans if span.name.startswith("POST")} == {TRACE}


def test_turns_are_said_in_the_words_of_the_menu_that_it_was_started_with(tmp_path: Path) -> None:
    menu = tmp_path / "menu.json"
    menu.write_text(json.dumps(KAYAKS))
    with (
        loopback(GOOD) as server,
        (tmp_path / "log").open("wb") as log,
        started(log, "--upstream", f"{server.url}/v1", "--menu", str(menu), "--delivery", "replace") as (_, address),
    ):
        body = {"model": "m", "messages": [RENT]}
        assert httpx.post(f"{address}{CHAT}", json=body, trust_env=False, timeout=60).status_code == 200
        assert messages(server)[-1]["content"] == "I want to rent a kayak for some hours."


def test_a_menu_that_cannot_be_read_is_told_before_models_are_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--upstream", "http://127.0.0.1:9/v1", "--port", "0"]
    assert main(["proxy", *options, "--menu", str(tmp_path / "none.json")]) == 2
    assert "none.json: no such file or folder" in capsys.readouterr().err
