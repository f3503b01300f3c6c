"""Scores to real HTTP servers that check what they get against the receivers' published schemas."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from loopback_server import Answer, LoopbackServer, loopback, saying, sent
from redis_process import eventually
from scored_fixtures import NOON, scored

from grice.middleware.monitor import ScoredResponse
from grice.middleware.monitor.scored_response import Frustration
from grice.middleware.settings import ServiceSettings, SinkSettings
from grice.middleware.sinks import Sinks, open_sinks, scores_of
from grice.models.errors import SettingsError
from grice.models.results import BEHAVIORS

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"
SECRET_TEXT = "A secret text."
TRACED = scored("Red", traceparent=TRACEPARENT, model="behaviors 1", uncertain=("Ign",), judged={"!Fac": True})

Open = Callable[..., Sinks]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def outcomes() -> Counter[str]:
    return Counter()


@pytest.fixture
def sinks_at(outcomes: Counter[str]) -> Iterator[Open]:
    """Opens sinks, started; closes them in the end."""
    made: list[Sinks] = []

    def opened(*urls: str, **changes: Any) -> Sinks:
        settings = SinkSettings(score_sinks=urls, **{"sink_retry_s": 0.001, **changes})
        made.append(open_sinks(settings, lambda kind, outcome, count: outcomes.update({f"{kind} {outcome}": count})))
        made[-1].start()
        return made[-1]

    yield opened
    for each in made:
        each.close()


def posted(server: LoopbackServer) -> list[tuple[str, dict[str, str], Any]]:
    """Path, headers in lower case, and body of each request."""
    found = []
    for request in server.requests:
        head, _, body = request.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        assert first.startswith("POST ")
        found.append((first.split(" ")[1], headers, json.loads(body)))
    return found


def url(kind: str, server: LoopbackServer, login: str = "", rest: str = "") -> str:
    return f"{kind}+{server.url.replace('://', f'://{login}')}{rest}"


def scripted(answers: dict[str, tuple[object, str]]) -> Answer:
    """Answers by the end of the path."""

    def answer(connection: socket.socket, request: bytes) -> bool:
        path = request.split(b" ")[1].decode()
        body, status = next((each for end, each in answers.items() if path.endswith(end)), ({}, "404 Not Found"))
        return sent(connection, json.dumps(body).encode(), status)

    return answer


LANGFUSE: dict[str, tuple[object, str]] = {
    "/api/public/scores": ({"message": "Accepted"}, "202 Accepted"),
    "/items": ({"id": "i"}, "200 OK"),
}
LANGFUSE_FIELDS = {
    *("id", "traceId", "sessionId", "observationId", "datasetRunId", "name", "value", "comment", "metadata", "environment"),
    *("queueId", "dataType", "configId", "source", "timestamp"),
}


def test_langfuse_scores(sinks_at: Open, outcomes: Counter[str]) -> None:
    with loopback(scripted(LANGFUSE)) as server:
        sinks_at(url("langfuse", server, "pk-1:sk%2F2@", "/?environment=live&queue=review")).put(TRACED)
        eventually(lambda: outcomes["langfuse delivered"] == len(BEHAVIORS))
        (path, headers, rows), (queue_path, _, queued) = posted(server)
    assert (path, queue_path) == ("/api/public/scores", "/api/public/annotation-queues/review/items")
    assert base64.b64decode(headers["authorization"].removeprefix("Basic ")).decode() == "pk-1:sk/2"
    assert [row["name"] for row in rows] == list(BEHAVIORS)
    for row in rows:
        assert row.keys() <= LANGFUSE_FIELDS
        assert (row["traceId"], row["observationId"], row["dataType"], row["environment"]) == (TRACE, SPAN, "NUMERIC", "live")
        assert datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).timestamp() == NOON
    values = {row["name"]: (row["value"], row["metadata"]["label"]) for row in rows}
    assert values["Red"] == (0.9, "present")
    assert values["Ign"] == (0.1, "uncertain")
    assert values["!Par"] == (0.1, "absent")
    assert queued == {"objectId": SPAN, "objectType": "OBSERVATION", "status": "PENDING"}
    assert SECRET_TEXT not in json.dumps(rows)


def test_a_retry_overwrites(sinks_at: Open, outcomes: Counter[str]) -> None:
    left: list[Answer] = [saying({}, "503 Service Unavailable"), saying({"message": "Accepted"}, "202 Accepted")]
    with loopback(lambda *asked: (left.pop(0) if len(left) > 1 else left[0])(*asked)) as server:
        sinks_at(url("langfuse", server, "pk:sk@")).put(TRACED)
        eventually(lambda: outcomes["langfuse delivered"] == 9)
        (_, _, first), (_, _, second) = posted(server)
    assert first == second
    assert len({row["id"] for row in first}) == 9
    assert outcomes == {"langfuse retried": 9, "langfuse delivered": 9}


def test_what_is_scored_again_overwrites_in_langfuse(sinks_at: Open, outcomes: Counter[str]) -> None:
    """Langfuse updates a score that comes with the same id and the same timestamp; a worker may score a response twice."""
    again = replace(TRACED, scored_at=NOON + 100, probabilities={**TRACED.probabilities, "Red": 0.8})
    with loopback(scripted(LANGFUSE)) as server:
        sinks = sinks_at(url("langfuse", server, "pk:sk@"))
        for number, response in enumerate((TRACED, again), start=1):
            sinks.put(response)
            eventually(lambda: outcomes["langfuse delivered"] == 9 * number)  # noqa: B023
        (_, _, first), (_, _, second) = posted(server)
    assert [(row["id"], row["timestamp"]) for row in first] == [(row["id"], row["timestamp"]) for row in second]
    assert [row["value"] for row in first] != [row["value"] for row in second]


def test_a_connection_that_breaks_is_tried_again(sinks_at: Open, outcomes: Counter[str]) -> None:
    left: list[Answer] = [lambda connection, request: False, saying({"data": []})]
    with loopback(lambda *asked: (left.pop(0) if len(left) > 1 else left[0])(*asked)) as server:
        sinks_at(url("phoenix", server)).put(TRACED)
        eventually(lambda: outcomes["phoenix delivered"] == 9)
        (_, _, first), (_, _, second) = posted(server)
    assert first == second
    assert len({row["identifier"] for row in first["data"]}) == 9
    assert outcomes == {"phoenix retried": 9, "phoenix delivered": 9}


def test_ids_follow_from_response_behaviour_and_model() -> None:
    ids = [score.id for score in scores_of(TRACED)]
    assert ids == [score.id for score in scores_of(replace(TRACED, scored_at=NOON + 5, text="other"))]
    others: list[dict[str, Any]] = [{"model": "behaviors 2"}, {"event_id": "e2"}, {"dialogue_id": "d2"}, {"tenant": "acme"}]
    for other in others:
        assert not set(ids) & {score.id for score in scores_of(replace(TRACED, **other))}


def test_an_alarm_is_a_score_where_relations_were_read() -> None:
    assert len(scores_of(TRACED)) == 9
    alarm = scores_of(replace(TRACED, alarm=True, setting="chat"))[-1]
    assert (alarm.name, alarm.value, alarm.label, alarm.scorer) == ("alarm", 1.0, "present", "CODE")
    assert alarm.explanation == "alarm under the budget of chat: its probability"
    quiet = scores_of(replace(TRACED, alarm=False, judged={"alarm": False}))[-1]
    assert (quiet.value, quiet.label, quiet.scorer, quiet.id) == (0.0, "absent", "LLM", alarm.id)


def test_the_users_frustration_is_a_score_where_it_was_read() -> None:
    assert not any(each.name == "user_frustration" for each in scores_of(TRACED))
    scores = scores_of(replace(TRACED, alarm=True, user_frustration=Frustration(0.8, True, "Again?!")))
    told = scores[-1]
    assert (told.name, told.value, told.label, told.scorer) == ("user_frustration", 0.8, "present", "CODE")
    assert told.explanation == "frustration of the user before the response: its probability"
    assert "Again" not in repr(told)
    quiet = scores_of(replace(TRACED, user_frustration=Frustration(0.1, False)))[-1]
    assert (quiet.value, quiet.label, quiet.id) == (0.1, "absent", told.id)


def test_an_annotation_queue_gets_each_object_once(sinks_at: Open, outcomes: Counter[str]) -> None:
    sure = scored("Red", event_id="sure", dialogue_id="other")
    asked = scored("Red", dialogue_id="talk", uncertain=("Ign", "Red"))
    with loopback(scripted(LANGFUSE)) as server:
        sinks = sinks_at(url("langfuse", server, "pk:sk@", "?queue=a/b"), sink_batch=2)
        for response in (sure, asked):
            sinks.put(response)
        eventually(lambda: outcomes["langfuse delivered"] == 18)
        queued = [(path, body) for path, _, body in posted(server) if path.endswith("/items")]
    item = {"objectId": "talk", "objectType": "SESSION", "status": "PENDING"}
    assert queued == [("/api/public/annotation-queues/a%2Fb/items", item)]


def test_what_langfuse_rejects_is_not_sent_again(sinks_at: Open, outcomes: Counter[str], caplog: pytest.LogCaptureFixture) -> None:
    answer = {"accepted": 7, "rejected": 2, "errors": [{"message": "no"}]}
    with loopback(saying(answer, "207 Multi-Status")) as server:
        sinks_at(url("langfuse", server, "pk:sk@")).put(TRACED)
        eventually(lambda: outcomes["langfuse given_up"] == 9)
        assert len(server.requests) == 1
    assert "9 scores did not reach langfuse: it rejected 2 of 9 scores, after 1 tries" in caplog.text


def test_a_langfuse_that_takes_one_at_a_time(sinks_at: Open, outcomes: Counter[str]) -> None:
    def old(connection: socket.socket, request: bytes) -> bool:
        is_list = request.partition(b"\r\n\r\n")[2].startswith(b"[")
        return sent(connection, b"{}", "400 Bad Request" if is_list else "200 OK")

    with loopback(old) as server:
        sinks_at(url("langfuse", server, "pk:sk@")).put(TRACED)
        eventually(lambda: outcomes["langfuse delivered"] == 9)
        bodies = [body for _, _, body in posted(server)]
    assert [body["name"] for body in bodies[1:]] == list(BEHAVIORS)


def test_phoenix_annotations(sinks_at: Open, outcomes: Counter[str]) -> None:
    with loopback(saying({"data": []})) as server:
        sinks = sinks_at(url("phoenix", server, ":key@"))
        sinks.put(TRACED)
        eventually(lambda: outcomes["phoenix delivered"] == 9)
        sinks.put(replace(TRACED, traceparent="", dialogue_id="talk"))
        eventually(lambda: outcomes["phoenix delivered"] == 18)
        (path, headers, spans), (session_path, _, sessions) = posted(server)
    assert (path, session_path) == ("/v1/span_annotations", "/v1/session_annotations")
    assert headers["authorization"] == "Bearer key"
    for about, name, body in (("span_id", SPAN, spans), ("session_id", "talk", sessions)):
        assert body.keys() == {"data"}
        for row in body["data"]:
            assert row.keys() == {about, "name", "annotator_kind", "result", "metadata", "identifier"}
            assert row[about] == name
            assert row["result"].keys() == {"label", "score", "explanation"}
            assert row["name"] != "note"
    kinds = {row["name"]: row["annotator_kind"] for row in spans["data"]}
    assert {name for name, kind in kinds.items() if kind == "LLM"} == {"!Fac"}
    assert set(kinds.values()) == {"LLM", "CODE"}


def test_mlflow_feedback(sinks_at: Open, outcomes: Counter[str]) -> None:
    with loopback(saying({"assessment": {}})) as server:
        sinks = sinks_at(url("mlflow", server, "", "/base/"))
        sinks.put(TRACED)
        eventually(lambda: outcomes["mlflow delivered"] == 9)
        requests = posted(server)
        sinks.put(scored("Red"))
        assert outcomes["mlflow unplaced"] == 9  # MLflow's feedback is of a trace
    for (path, headers, body), behavior in zip(requests, BEHAVIORS, strict=True):
        assert path == f"/base/api/3.0/mlflow/traces/tr-{TRACE}/assessments"
        assert "authorization" not in headers
        assessment = body.pop("assessment")
        assert not body
        assert (assessment["assessment_name"], assessment["trace_id"], assessment["span_id"]) == (behavior, f"tr-{TRACE}", SPAN)
        kind = "LLM_JUDGE" if behavior == "!Fac" else "CODE"
        assert assessment["source"] == {"source_type": kind, "source_id": "behaviors 1"}
        assert assessment["feedback"].keys() == {"value"}
        assert all(isinstance(value, str) for value in assessment["metadata"].values())


@pytest.mark.parametrize("kind", ["langfuse", "phoenix", "mlflow"])
def test_what_will_not_pass_is_given_up_and_counted(
    kind: str, sinks_at: Open, outcomes: Counter[str], caplog: pytest.LogCaptureFixture
) -> None:
    with loopback(saying({}, "401 Unauthorized")) as server:
        sinks_at(url(kind, server, "pk-hidden:sk-hidden@")).put(TRACED)
        eventually(lambda: outcomes[f"{kind} given_up"] == 9)
        address = server.url
    assert "it answered 401" in caplog.text
    told = "".join(record.getMessage() for record in caplog.records if record.name.startswith("grice"))
    assert "hidden" not in told
    assert address not in told


def test_scores_are_sent_together_and_the_caller_never_waits(sinks_at: Open, outcomes: Counter[str]) -> None:
    gate = threading.Event()

    def held(connection: socket.socket, _: bytes) -> bool:
        return gate.wait(30) and sent(connection, b"{}")

    with loopback(held) as server:
        sinks = sinks_at(url("phoenix", server), sink_queue=90, sink_batch=20, sink_timeout_s=60.0)
        for number in range(20):  # the first batch is held, what comes meanwhile waits
            sinks.put(replace(TRACED, event_id=str(number)))
        assert outcomes["phoenix dropped"] == 90
        gate.set()
        eventually(lambda: outcomes["phoenix delivered"] == 90)
        sizes = [len(body["data"]) for _, _, body in posted(server)]
    assert sum(sizes) == 90
    assert max(sizes) == 20


def test_one_sink_that_fails_does_not_hold_the_other(sinks_at: Open, outcomes: Counter[str]) -> None:
    with loopback(saying({}, "500 Internal Server Error", "retry-after: 200\r\n")) as bad, loopback(saying({"data": []})) as good:
        sinks_at(url("mlflow", bad), url("phoenix", good)).put(TRACED)
        eventually(lambda: outcomes["phoenix delivered"] == 9)
    assert outcomes["mlflow delivered"] == 0


def test_what_was_not_scored_is_not_sent(sinks_at: Open, outcomes: Counter[str]) -> None:
    without: ScoredResponse = scored(probabilities={"Red": 0.5}, traceparent=TRACEPARENT)
    with loopback(saying({"data": []})) as server:
        sinks_at(url("phoenix", server)).put(without)
        eventually(lambda: outcomes["phoenix delivered"] == 1)
        ((_, _, body),) = posted(server)
    assert [row["name"] for row in body["data"]] == ["Red"]


@pytest.mark.parametrize(
    ("sink", "message"),
    [
        ("https://hidden@example.org", "score_sinks: got 'https://'; allowed: langfuse+https://"),
        ("langsmith+https://hidden@example.org", "got 'langsmith+https://'"),
        ("nonsense", "got 'no scheme://'"),
        ("phoenix+https://hidden:99999999@a:1x", "got 'a value that is not shown'"),
        ("langfuse+https://example.org", "got 'langfuse without keys'; allowed: langfuse"),
        ("langfuse+https://a:b@example.org?hidden=1&quue=x", "got 'option hidden of langfuse'; allowed: queue, environment"),
        ("phoenix+https://a?key=hidden", "got 'option key of phoenix'; allowed: none"),
    ],
)
def test_urls_that_cannot_be_used_are_named(sink: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_sinks(SinkSettings(score_sinks=(sink,)))
    assert message in str(caught.value)
    assert "hidden" not in str(caught.value).replace("option hidden", "")


def test_urls_are_not_printed() -> None:
    assert "hidden" not in repr(ServiceSettings(score_sinks=("phoenix+https://:hidden@a",)))
