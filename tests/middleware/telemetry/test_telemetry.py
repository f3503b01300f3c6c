"""Spans and events: in memory, and over OTLP to a receiver on loopback."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackServer, loopback, sent
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from scored_fixtures import NOON, scored

from grice.middleware.monitor.scored_response import Frustration
from grice.middleware.telemetry import configure, genai_names, traced
from grice.middleware.telemetry.evaluations import record_evaluation
from grice.middleware.turns.analysis import StageFailure
from grice.models.errors import SettingsError
from grice.models.results import BEHAVIORS

FIXTURES = Path(__file__).parents[2] / "fixtures"

NAME = "gen_ai.evaluation.name"


class Events:
    """A provider of logs that keeps them."""

    def __init__(self) -> None:
        self._kept = InMemoryLogRecordExporter()
        self.provider = LoggerProvider(shutdown_on_exit=False)
        self.provider.add_log_record_processor(SimpleLogRecordProcessor(self._kept))

    @property
    def records(self) -> list[Any]:
        return [each.log_record for each in self._kept.get_finished_logs()]

    def of(self, behavior: str) -> dict[str, Any]:
        """The attributes of the one event of a behaviour."""
        (found,) = [dict(record.attributes) for record in self.records if record.attributes[NAME] == behavior]
        return found


@pytest.fixture
def events() -> Iterator[Events]:
    made = Events()
    yield made
    made.provider.shutdown()


class Spans:
    """A provider of spans that keeps them."""

    def __init__(self) -> None:
        self._kept = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._kept))

    @property
    def finished(self) -> tuple[ReadableSpan, ...]:
        return self._kept.get_finished_spans()


@pytest.fixture
def spans() -> Iterator[Spans]:
    made = Spans()
    yield made
    made.provider.shutdown()


def test_an_event_for_each_behaviour(events: Events) -> None:
    record_evaluation(scored("Red", bot_version="1.2", channel="rest", model="behaviors 1"), events.provider)
    assert [record.attributes[NAME] for record in events.records] == list(BEHAVIORS)
    assert {record.event_name for record in events.records} == {"gen_ai.evaluation.result"}
    assert {record.timestamp for record in events.records} == {int(NOON * 1e9)}
    assert events.of("Red") == {
        NAME: "Red",
        "gen_ai.evaluation.score.value": 0.9,
        "gen_ai.evaluation.score.label": "present",
        "gen_ai.evaluation.explanation": "its probability against its threshold, by behaviors 1",
        "gen_ai.response.id": f"e-{NOON}",
        "gen_ai.conversation.id": "d",
        "gen_ai.agent.version": "1.2",
        "grice.channel": "rest",
    }
    assert events.of("Emp")["gen_ai.evaluation.score.label"] == "absent"


def test_an_alarm_has_an_event_where_relations_were_read(events: Events) -> None:
    record_evaluation(scored("Red", alarm=True, setting="task"), events.provider)
    assert [record.attributes[NAME] for record in events.records] == [*BEHAVIORS, "alarm"]
    found = events.of("alarm")
    assert (found["gen_ai.evaluation.score.value"], found["gen_ai.evaluation.score.label"]) == (1.0, "present")
    assert found["gen_ai.evaluation.explanation"] == "how likely anything is wrong, against the budget of task"


def test_the_users_frustration_has_an_event_where_it_was_read(events: Events) -> None:
    record_evaluation(scored("Red", alarm=True, user_frustration=Frustration(0.8, True, "Again?!")), events.provider)
    assert [record.attributes[NAME] for record in events.records] == [*BEHAVIORS, "alarm", "user_frustration"]
    found = events.of("user_frustration")
    assert (found["gen_ai.evaluation.score.value"], found["gen_ai.evaluation.score.label"]) == (0.8, "present")
    assert not any("Again" in str(value) for value in found.values())


def test_an_alarm_that_a_judge_took_away_says_so(events: Events) -> None:
    record_evaluation(scored(alarm=False, judged={"alarm": False}, suppressed=("alarm",)), events.provider)
    found = events.of("alarm")
    assert (found["gen_ai.evaluation.score.value"], found["gen_ai.evaluation.explanation"]) == (0.0, "a judge decided")


def test_events_belong_to_the_span_of_the_response(events: Events) -> None:
    trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    record_evaluation(scored("Red", traceparent=f"00-{trace}-{span}-01", uncertain=("Ign",)), events.provider)
    assert {(record.trace_id, record.span_id) for record in events.records} == {(int(trace, 16), int(span, 16))}
    assert events.of("Ign")["gen_ai.evaluation.score.label"] == "uncertain"


def test_an_event_names_its_tenant_if_it_is_not_the_default_one(events: Events) -> None:
    record_evaluation(scored("Red", tenant="acme"), events.provider)
    assert {record.attributes["grice.tenant"] for record in events.records} == {"acme"}


def test_no_event_holds_a_text(events: Events) -> None:
    response = scored("Red", evidence={"Red": "Another secret."}, failures=(StageFailure("judge", "JudgeError", "a secret"),))
    record_evaluation(response, events.provider)
    assert "secret" not in "".join(
        record.to_json() if hasattr(record, "to_json") else repr(vars(record)) for record in events.records
    )
    assert {record.body for record in events.records} == {None}


def test_what_a_judge_decided_says_so(events: Events) -> None:
    without = {**scored().probabilities, "!Fac": None}
    record_evaluation(scored("!Fac", probabilities=without, judged={"!Fac": True, "Red": False, "Ign": None}), events.provider)
    fact, redundant = events.of("!Fac"), events.of("Red")
    assert "gen_ai.evaluation.score.value" not in fact
    assert (fact["gen_ai.evaluation.score.label"], fact["gen_ai.evaluation.explanation"]) == ("present", "a judge decided")
    assert redundant["gen_ai.evaluation.score.value"] == 0.1
    assert redundant["gen_ai.evaluation.explanation"] == "a judge decided"
    assert events.of("Ign")["gen_ai.evaluation.explanation"] == "its probability against its threshold, by the model"


@pytest.mark.parametrize(
    ("failures", "error"), [((), "unscored"), ((StageFailure("monitor", "RuntimeError", "a secret"),), "RuntimeError")]
)
def test_what_was_not_scored_is_an_error_and_no_score(events: Events, failures: tuple[StageFailure, ...], error: str) -> None:
    record_evaluation(scored(probabilities={}, failures=failures), events.provider)
    assert events.of("Red") == {NAME: "Red", "gen_ai.response.id": f"e-{NOON}", "gen_ai.conversation.id": "d", "error.type": error}
    assert len(events.records) == len(BEHAVIORS)


def test_events_belong_to_the_span_around_them(events: Events, spans: Spans) -> None:
    with traced("grice.monitor", spans.provider):
        record_evaluation(scored(), events.provider)
    (span,) = spans.finished
    assert {record.span_id for record in events.records} == {span.context.span_id}


def test_spans_with_attributes_and_nested(spans: Spans) -> None:
    with traced("grice.batch", spans.provider, size=3), traced("grice.monitor", spans.provider, model="behaviors 1"):
        pass
    inner, outer = spans.finished
    assert (outer.name, dict(outer.attributes or {})) == ("grice.batch", {"grice.size": 3})
    assert (inner.name, dict(inner.attributes or {})) == ("grice.monitor", {"grice.model": "behaviors 1"})
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    assert outer.status.status_code == StatusCode.UNSET


def test_an_error_is_told_by_its_class_only(spans: Spans) -> None:
    with pytest.raises(RuntimeError, match="a secret"), traced("grice.monitor", spans.provider):
        raise RuntimeError("a secret")
    (span,) = spans.finished
    assert dict(span.attributes or {}) == {"error.type": "RuntimeError"}
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
    assert "secret" not in span.to_json()


def test_without_a_provider_nothing_happens() -> None:
    with traced("grice.monitor", size=1):
        record_evaluation(scored("Red"))
    with pytest.raises(RuntimeError), traced("grice.monitor"):
        raise RuntimeError


def test_names_are_written_in_one_module_only() -> None:
    folder = Path(genai_names.__file__).parents[1]
    found = {path.name for path in folder.rglob("*.py") if '"gen_ai.' in path.read_text(encoding="utf-8")}
    assert found == {"genai_names.py"}


PROGRAM = """
import time
from grice.middleware.monitor import ScoredResponse
from grice.middleware.telemetry import configure, traced
from grice.middleware.telemetry.evaluations import record_evaluation
end = configure("grice-test")
with traced("grice.batch", size=1):
    record_evaluation(ScoredResponse("e", "d", "A secret text.", 1.0, 2.0, probabilities={"Red": 0.75}, shown=("Red",)))
end()
"""


def run(environment: dict[str, str], program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(
        command, env={**plain, "NO_PROXY": "127.0.0.1", **environment}, capture_output=True, text=True, timeout=120
    )


def posted(server: LoopbackServer, path: str) -> list[bytes]:
    """The bodies that came for a path."""
    found = []
    for request in server.requests:
        head, _, body = request.partition(b"\r\n\r\n")
        if head.startswith(b"POST " + path.encode() + b" "):
            found.append(gzip.decompress(body) if b"content-encoding: gzip" in head.lower() else body)
    return found


def test_over_otlp_to_a_real_receiver() -> None:
    with loopback(lambda connection, _: sent(connection, b"")) as server:
        done = run({"OTEL_EXPORTER_OTLP_ENDPOINT": server.url, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=mine"})
        assert (done.returncode, done.stderr) == (0, "")
        logs = [ExportLogsServiceRequest.FromString(body) for body in posted(server, "/v1/logs")]
        traces = [ExportTraceServiceRequest.FromString(body) for body in posted(server, "/v1/traces")]
        assert all(b"x-key: mine" in request.lower() for request in server.requests)
        assert not any(b"secret" in request for request in server.requests)
    (resource,) = [found for each in logs for found in each.resource_logs]
    (scope,) = resource.scope_logs
    assert service_of(resource.resource) == "grice-test"
    assert scope.scope.name == "grice"
    assert [each.event_name for each in scope.log_records] == ["gen_ai.evaluation.result"] * len(BEHAVIORS)
    values = [{pair.key: pair.value for pair in each.attributes} for each in scope.log_records]
    redundant = next(each for each in values if each[NAME].string_value == "Red")
    assert redundant["gen_ai.evaluation.score.value"].double_value == 0.75
    assert redundant["gen_ai.evaluation.score.label"].string_value == "present"
    (sender,) = [found for each in traces for found in each.resource_spans]
    (span,) = sender.scope_spans[0].spans
    assert (span.name, service_of(sender.resource)) == ("grice.batch", "grice-test")
    assert {each.trace_id for each in scope.log_records} == {span.trace_id}


def service_of(resource: Any) -> str:
    return next(str(pair.value.string_value) for pair in resource.attributes if pair.key == "service.name")


@pytest.mark.parametrize(
    ("environment", "paths"),
    [
        ({}, set()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "{url}", "OTEL_SDK_DISABLED": "true"}, set()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "{url}", "OTEL_TRACES_EXPORTER": "none"}, {"/v1/logs"}),
        ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "{url}/mine"}, {"/mine"}),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "{url}/mine"}, {"/mine"}),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "{url}", "OTEL_SERVICE_NAME": "theirs"}, {"/v1/logs", "/v1/traces"}),
    ],
)
def test_the_environment_says_what_is_sent_where(environment: dict[str, str], paths: set[str]) -> None:
    with loopback(lambda connection, _: sent(connection, b"")) as server:
        done = run({name: value.format(url=server.url) for name, value in environment.items()})
        assert (done.returncode, done.stderr) == (0, "")
        assert {request.split(b" ")[1].decode() for request in server.requests} == paths
        name = environment.get("OTEL_SERVICE_NAME", "grice-test").encode()
        assert all(name in request for request in server.requests)


def test_a_receiver_that_is_away_does_not_break_the_program() -> None:
    done = run({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"})
    assert done.returncode == 0
    assert "secret" not in done.stderr


def test_providers_that_somebody_else_set_stay() -> None:
    theirs = (
        "from opentelemetry import trace, _logs\n"
        "from opentelemetry.sdk.trace import TracerProvider\n"
        "from opentelemetry.sdk._logs import LoggerProvider\n"
        "trace.set_tracer_provider(TracerProvider()); _logs.set_logger_provider(LoggerProvider())\n"
    )
    with loopback(lambda connection, _: sent(connection, b"")) as server:
        done = run({"OTEL_EXPORTER_OTLP_ENDPOINT": server.url}, theirs + PROGRAM)
        assert (done.returncode, done.stderr, server.requests) == (0, "", [])


def test_another_protocol_is_refused() -> None:
    with pytest.raises(SettingsError, match="OTEL_EXPORTER_OTLP_PROTOCOL: got 'grpc'; allowed: http/protobuf"):
        configure("grice", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})


WITHOUT = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry": raise ImportError(name)
sys.meta_path.insert(0, Nothing())
"""


def test_without_the_package_nothing_happens() -> None:
    done = run({}, WITHOUT + PROGRAM)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_endpoint_without_the_package_names_the_extra() -> None:
    done = run({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, WITHOUT + PROGRAM)
    assert done.returncode == 1
    assert "MissingExtra: opentelemetry-sdk is not installed; run: pip install 'grice[otel]'" in done.stderr


def test_stages_of_the_pipeline_are_spans() -> None:
    program = (
        "from opentelemetry import trace\n"
        "from opentelemetry.sdk.trace import TracerProvider\n"
        "from opentelemetry.sdk.trace.export import SimpleSpanProcessor\n"
        "from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter\n"
        "kept = InMemorySpanExporter(); provider = TracerProvider(shutdown_on_exit=False)\n"
        "provider.add_span_processor(SimpleSpanProcessor(kept)); trace.set_tracer_provider(provider)\n"
        "from fake_models import FakeMeaning, fake_pipeline\n"
        "from grice.middleware.capabilities.meaning import MeaningReporter\n"
        "from grice.models import Dialogue\n"
        "from grice.models.meaning.results import MeaningQuestion\n"
        "from grice.models.schema import BotSchema\n"
        "menu = BotSchema.of({'intents': [{'name': 'wish'}]})\n"
        "MeaningReporter(FakeMeaning()).predict([MeaningQuestion(Dialogue.of('I wish for a secret.', []), menu)] * 2)\n"
        "fake_pipeline().predict([Dialogue.of('I wish for a secret.', [])])\n"
        "fake_pipeline().predict([Dialogue.of('I wish for a secret poison.', [])])\n"
        "for span in kept.get_finished_spans(): print(span.name, dict(span.attributes))\n"
        "assert not any('secret' in span.to_json() for span in kept.get_finished_spans())\n"
    )
    done = run({"PYTHONPATH": os.pathsep.join([str(FIXTURES), os.environ.get("PYTHONPATH", "")])}, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "grice.meaning {'grice.size': 2}",
        "grice.directness {}",
        "grice.rewriter {}",
        "grice.guard {}",
        "grice.directness {'error.type': 'RuntimeError'}",
    ]


REQUESTS = """
from typing import Annotated
from fastapi import Body, FastAPI
from fastapi.testclient import TestClient
from opentelemetry import _logs, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from grice.middleware.telemetry import traced
from grice.middleware.telemetry.requests import SPANS_ONLY
spans, logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
tracers, loggers = TracerProvider(shutdown_on_exit=False), LoggerProvider(shutdown_on_exit=False)
tracers.add_span_processor(SimpleSpanProcessor(spans)); loggers.add_log_record_processor(SimpleLogRecordProcessor(logs))
trace.set_tracer_provider(tracers); _logs.set_logger_provider(loggers)
app = FastAPI(telemetry=SPANS_ONLY)
@app.post("/v1/turns")
def turns(text: Annotated[str, Body(embed=True)]) -> str:
    with traced("grice.directness"):
        raise RuntimeError(f"cannot read {text}")
@app.get("/v1/dialogues/{name}")
def dialogue(name: str) -> str:
    return name
client = TestClient(app, raise_server_exceptions=False)
assert client.post("/v1/turns", json=["a secret"]).status_code == 422
caller = {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01"}
assert client.post("/v1/turns", json={"text": "a secret"}, headers=caller).status_code == 500
assert client.get("/v1/dialogues/secret").json() == "secret"
found = spans.get_finished_spans()
print(logs.get_finished_logs(), [span.name for span in found if span.name.startswith(("grice", "POST", "GET"))])
print({format(span.context.trace_id, "x") for span in found if span.name == "grice.directness"})
assert not any("secret" in span.to_json() for span in found)
"""


def test_requests_are_spans_without_texts_and_names() -> None:
    done = run({}, REQUESTS)
    assert done.returncode == 0, done.stderr
    names, traces = done.stdout.splitlines()
    assert names == "() ['POST /v1/turns', 'grice.directness', 'POST /v1/turns']"
    assert traces == f"{{'{'a' * 32}'}}"
