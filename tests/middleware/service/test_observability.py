"""Metrics and logs."""

from __future__ import annotations

import json
import logging
import sys

import httpx
import pytest
from fake_models import fakes
from live_service import eventually, serving
from prometheus_client.parser import text_string_to_metric_families

from grice.middleware.service.http.app import create_app
from grice.middleware.service.json_log import MOST_CAUSES, PAUSE_S, JsonLines, Thinned


def samples(client: httpx.Client) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def test_metrics_count_what_happened() -> None:
    with serving(create_app(fakes())) as client:
        history = [{"speaker": "bot", "text": "Yes?"}] * 10
        client.post("/v1/turns", json={"turns": [*history, {"speaker": "user", "text": "I wish."}]})
        client.post("/v1/turns", json={"items": [{"text": "Book it."}, {"text": "I wish for poison."}]})
        client.post("/v1/turns", json={})
        client.get("/nowhere/secret-name")
        client.get("/v1/dialogues/secret-name")
        # A request is counted once its answer is out, so the last one may still be missing.
        eventually(lambda: 'route="/v1/dialogues/{dialogue_id}"' in client.get("/metrics").text)
        found = samples(client)
        text = client.get("/metrics").text

    def value(name: str, **labels: str) -> float | None:
        return found.get((name, tuple(sorted(labels.items()))))

    assert value("grice_requests_total", method="POST", route="/v1/turns", status="200") == 2
    assert value("grice_requests_total", method="POST", route="/v1/turns", status="422") == 1
    assert value("grice_requests_total", method="GET", route="unknown", status="404") == 1
    assert value("grice_requests_total", method="GET", route="/v1/dialogues/{dialogue_id}", status="404") == 1
    assert value("grice_request_seconds_count", route="/v1/turns", status="200") == 2
    assert value("grice_decisions_total", decision="rewrite", reason="indirect") == 1
    assert value("grice_decisions_total", decision="pass", reason="direct") == 1
    assert value("grice_decisions_total", decision="pass", reason="failed") == 1
    assert value("grice_stage_failures_total", stage="directness", error="RuntimeError") == 1
    assert value("grice_history_turns_cut_total") == 2
    assert value("grice_batch_size_sum", model="turns") == 3
    assert value("grice_queue_depth", model="turns") == 0
    assert "secret" not in text


def test_the_log_is_json_and_holds_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "grice")
    with serving(create_app(fakes())) as client:
        client.post(
            "/v1/turns", json={"text": "I wish for a secret.", "dialogue_id": "secret-name"}, headers={"x-request-id": "mine"}
        )
        client.get("/v1/dialogues/secret-name")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records if record.message == "request"]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/v1/turns", 200),
        ("GET", "/v1/dialogues/{dialogue_id}", 200),
    ]
    assert lines[0]["request_id"] == "mine"
    assert set(lines[0]) == {"time", "level", "logger", "message", "request_id", "method", "route", "status", "ms"}
    assert "secret" not in caplog.text


def test_exceptions_are_logged_by_class_only() -> None:
    try:
        raise ValueError("a secret")
    except ValueError:
        record = logging.LogRecord("name", logging.ERROR, "file", 1, "failed with %s", ("a number",), sys.exc_info())
    line = json.loads(JsonLines().format(record))
    assert (line["message"], line["error"]) == ("failed with a number", "ValueError")
    assert "secret" not in JsonLines().format(record)


def record(message: str = "it broke", level: int = logging.WARNING, line: int = 1, **extra: str) -> logging.LogRecord:
    made = logging.LogRecord("grice", level, __file__, line, message, (), None)
    vars(made).update(extra)
    return made


def test_a_warning_is_told_once_a_minute_and_cause() -> None:
    now = 0.0
    thinned = Thinned(lambda: now)

    def is_told(made: logging.LogRecord) -> bool:
        return bool(thinned.filter(made))

    assert is_told(record())
    assert not is_told(record())
    assert not is_told(record())
    assert is_told(record(line=2))
    assert is_told(record("another"))
    assert is_told(record(cause="head"))
    assert is_told(record(cause="body"))
    assert is_told(record(error="OSError"))
    assert is_told(record(level=logging.ERROR))
    assert all(is_told(record(level=logging.INFO)) for _ in range(3))
    now = PAUSE_S
    later = record()
    assert is_told(later)
    assert vars(later)["left_out"] == 2
    assert not is_told(record())


def test_so_many_causes_are_remembered() -> None:
    thinned = Thinned(lambda: 0.0)
    for number in range(MOST_CAUSES + 1):
        assert thinned.filter(record(cause=str(number)))
    assert not thinned.filter(record(cause="1"))
    assert thinned.filter(record(cause="0"))
