"""Both clients, over every route of a real service, and against servers that answer badly."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving
from loopback_server import LoopbackServer, dripping, hanging, loopback, saying, sent
from plain_nlu_server import nlu_server

from grice import AsyncClient, Client, Dialogue
from grice.middleware.client.rest.call import Patience
from grice.middleware.client.rest.operations import Operations
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.errors import DeadlineExceeded, InputError, RequestRefused, ServiceError

KEY = "a-key-of-sixteen-characters"
STREAMS = {"watch_live"}
TEXTS = {"metrics", "export_feedback"}
SCHEMA = {"intents": [{"name": "rent_kayak", "examples": ["I want a kayak."]}]}
EVENT = {"event_id": "1", "dialogue_id": "ann", "speaker": "user", "text": "Hi.", "timestamp": 1.0, "schema_version": 1}
ROWS = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "I wish it were warmer."}]


class Awaited:
    """An `AsyncClient` for tests that wait."""

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = AsyncClient(url, KEY, patience)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if name == "within":
            return self._within
        if name == "watch_live":
            return lambda **asked: self._events(method(**asked))
        return lambda *given, **asked: self._loop.run_until_complete(method(*given, **asked))

    def _within(self, deadline_s: float, retries: int = 3) -> Awaited:
        other = object.__new__(Awaited)
        other._loop, other._client = self._loop, self._client.within(deadline_s, retries)
        return other

    def _events(self, stream: Any) -> Iterator[Any]:
        try:
            while True:
                yield self._loop.run_until_complete(anext(stream))
        except StopAsyncIteration:
            return
        finally:
            self._loop.run_until_complete(stream.aclose())

    def close(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


MAKERS: dict[str, Callable[..., Any]] = {
    "Client": lambda url, patience=None: Client(url, KEY, patience),
    "AsyncClient": Awaited,
}


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with nlu_server() as nlu, serving(create_app(all_fakes(), ServiceSettings(nlu_url=nlu.url, api_keys=(KEY,)))) as client:
        client.headers["authorization"] = f"Bearer {KEY}"
        yield client


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    made: list[Any] = []

    def make_one(url: str, patience: Patience | None = None) -> Any:
        made.append(MAKERS[request.param](url, patience))
        return made[-1]

    yield make_one
    for each in made:
        each.close()


def operations(service: httpx.Client) -> dict[str, tuple[str, str, dict[str, Any]]]:
    paths = service.get("/openapi.json").json()["paths"]
    return {each["operationId"]: (method, path, each) for path, methods in paths.items() for method, each in methods.items()}


def test_every_operation_of_the_document_is_a_method_of_both(service: httpx.Client) -> None:
    found = operations(service)
    own = {name for name in vars(Operations) if not name.startswith("_")} - {"send"}
    assert own | STREAMS | TEXTS == set(found)
    for name, (_, _, operation) in found.items():
        asked = {each["name"] for each in operation.get("parameters", []) if each["in"] != "header"}
        for kind in (Client, AsyncClient):
            method = getattr(kind, name)
            assert method.__doc__, name
            assert asked <= set(inspect.signature(method).parameters), name


def test_every_operation_asks_the_path_of_the_document(service: httpx.Client, make: Callable[..., Any]) -> None:
    """Each is called with the documentation's own examples, and answers what the service answers to them."""
    client = make(str(service.base_url))
    service.put("/v1/schemas/kayaks", json=SCHEMA)
    service.post("/v1/events", json=EVENT)
    service.post("/v1/responses", json={"text": "That is Red."})
    alarms = service.get("/v1/alarms").json()["alarms"]
    known = {"dialogue_id": "ann", "schema_id": "kayaks", "place": alarms[0]["place"]}
    called = set()
    order = sorted(operations(service).items(), key=lambda each: each[1][0] == "delete")
    for name, (method, path, operation) in order:
        called.add(name)
        if name in STREAMS | TEXTS:
            continue
        if name == "compare_versions":
            assert client.compare_versions("1", "2").keys() == service.get(path, params={"first": "1", "second": "2"}).json().keys()
            continue
        names = [known[each["name"]] for each in operation.get("parameters", []) if each["in"] == "path"]
        if "requestBody" not in operation:
            answer = getattr(client, name)(*names)
            if method == "get":
                assert answer.keys() == service.get(path.format(**known)).json().keys()
            continue
        for example in operation["requestBody"]["content"]["application/json"]["examples"].values():
            body = example["value"]
            answer = getattr(client, name)(**body) if "items" in body else getattr(client, name)(*names, body)
            expected = service.request(method, path.format(**known), json=body).json()
            assert answer.keys() == expected.keys(), name
    assert called == set(operations(service))
    assert service.get("/v1/schemas/kayaks").status_code == 404
    assert service.get("/v1/dialogues/ann").status_code == 404


def test_a_conversation_in_each_of_its_forms(service: httpx.Client, make: Callable[..., Any]) -> None:
    client = make(str(service.base_url))
    dialogue = Dialogue.of_messages(ROWS)
    expected = client.analyse_turns("I wish it were warmer.", mode="replace")
    assert expected["text"] == "please: I wish it were warmer."
    assert client.analyse_turns(ROWS, mode="replace") == expected
    assert client.analyse_turns(dialogue, mode="replace") == expected
    assert client.analyse_turns({"text": "I wish it were warmer."}, mode="replace") == expected
    rows = client.analyse_turns(items=[ROWS, dialogue, "I wish it were warmer."], mode="replace")["items"]
    assert [row["text"] for row in rows] == [expected["text"]] * 3
    with pytest.raises(InputError, match="conversation and items: got 'both'"):
        client.analyse_turns(ROWS, items=[ROWS])
    with pytest.raises(InputError, match="got 'neither'"):
        client.analyse_turns()


def test_metrics_are_a_text(service: httpx.Client, make: Callable[..., Any]) -> None:
    assert "grice_requests_total" in make(str(service.base_url)).metrics()


def test_judged_alarms_are_exported_as_lines(service: httpx.Client, make: Callable[..., Any]) -> None:
    client = make(str(service.base_url))
    client.score_responses("That is Red.", event_id="judged", dialogue_id="ann")
    place = client.read_alarms()["alarms"][0]["place"]
    client.judge_alarm(place, {"verdict": "wrong"})
    exported = client.export_feedback()
    assert exported == service.get("/v1/alarms/feedback").text
    assert json.loads(exported.splitlines()[-1])["event_id"] == "judged"


def test_live_events_stream(service: httpx.Client, make: Callable[..., Any]) -> None:
    client = make(str(service.base_url))
    client.score_responses("That is Ign.", channel="sea")
    events = client.watch_live(window_s=600, channel="sea")
    came = {"": next(events)}
    while "rates" not in came:
        event = next(events)
        came[event.kind] = event
    events.close()
    alarm = came.get("alarm", came[""])
    assert alarm.data["shown"] == ["Ign"]
    assert came["rates"].data["rates"]
    later = client.watch_live(after=alarm.place)
    assert next(later).kind == "rates"
    later.close()


def test_what_is_refused(service: httpx.Client, make: Callable[..., Any]) -> None:
    client = make(str(service.base_url))
    with pytest.raises(RequestRefused, match="/v1/dialogues/nobody answered 404: There is no such dialogue") as caught:
        client.read_dialogue("nobody")
    assert caught.value.status == 404
    assert caught.value.problem["type"] == "urn:grice:problem:unknown-dialogue"
    with pytest.raises(RequestRefused) as caught:
        next(client.watch_live(window_s=1))
    assert caught.value.status == 422


GOOD = saying({"schema_version": 1, "models": []})


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_it_asks_again_after_the_time_that_the_service_names(make: Callable[..., Any], status: str) -> None:
    asked: list[float] = []

    def answer(connection: socket.socket, request: bytes) -> bool:
        asked.append(time.monotonic())
        refused = saying({"detail": "full"}, status, "retry-after: 1\r\n")
        return (GOOD if len(asked) > 1 else refused)(connection, request)

    with loopback(answer) as server:
        assert make(server.url).list_models() == {"schema_version": 1, "models": []}
    assert asked[1] - asked[0] >= 1


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_a_stream_that_is_refused_is_asked_for_again(make: Callable[..., Any], status: str) -> None:
    rates = saying(b'event: rates\ndata: {"rates": []}\n\n')

    def answer(connection: socket.socket, request: bytes) -> bool:
        refused = saying({"detail": "full"}, status, "retry-after: 0\r\n")
        return (rates if len(server.requests) > 1 else refused)(connection, request)

    with loopback(answer) as server:
        assert [event.kind for event in make(server.url).watch_live()] == ["rates"]
        assert len(server.requests) == 2


def test_a_stream_that_is_refused_for_long_is_given_up(make: Callable[..., Any]) -> None:
    with loopback(saying({"detail": "full"}, "503 Service Unavailable", "retry-after: 0\r\n")) as server:
        with pytest.raises(RequestRefused, match="answered 503: full"):
            next(make(server.url, Patience(20, retries=2)).watch_live())
        assert len(server.requests) == 3


def test_it_does_not_wait_beyond_its_deadline(make: Callable[..., Any]) -> None:
    with loopback(saying({"detail": "full"}, "429 Too Many Requests", "retry-after: 60\r\n")) as server:
        with pytest.raises(RequestRefused, match="answered 429: full"):
            make(server.url, Patience(5)).list_models()
        assert len(server.requests) == 1


@pytest.mark.parametrize("answer", [hanging, lambda cut: dripping(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", cut)])
def test_an_answer_that_does_not_end_is_given_up(make: Callable[..., Any], answer: Callable[..., Any]) -> None:
    cut = threading.Event()
    with loopback(answer(cut)) as server:
        with pytest.raises(DeadlineExceeded, match=r"GET /v1/models was not answered within 0\.3 s"):
            make(server.url, Patience(0.3)).list_models()
        assert cut.wait(10)


def closing(connection: socket.socket, _: bytes) -> bool:
    return False


@pytest.mark.parametrize(
    ("ask", "times"),
    [
        (lambda client: client.list_models(), 3),
        (lambda client: client.analyse_turns("Hi."), 3),
        (lambda client: client.analyse_turns("Hi.", dialogue_id="ann"), 1),
        (lambda client: client.score_responses("Hi.", dialogue_id="ann", event_id="1"), 3),
    ],
)
def test_what_may_have_arrived_is_sent_again_only_if_it_is_kept_once(
    make: Callable[..., Any], ask: Callable[[Any], object], times: int
) -> None:
    with loopback(closing) as server:
        with pytest.raises(ServiceError, match="failed: RemoteProtocolError"):
            ask(make(server.url, Patience(20, retries=2)))
        assert len(server.requests) == times


def test_a_service_that_is_not_there(make: Callable[..., Any]) -> None:
    with loopback(GOOD) as server:
        url = server.url
    with pytest.raises(ServiceError, match="/v1/models failed: ConnectError"):
        make(url, Patience(5, retries=1)).list_models()


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"[" * 100_000])
def test_what_is_no_answer_of_ours(make: Callable[..., Any], body: bytes) -> None:
    with loopback(saying(body)) as server, pytest.raises(ServiceError, match="not a JSON object; is the url that of Grice"):
        make(server.url).list_models()


def test_a_deadline_for_one_call(make: Callable[..., Any]) -> None:
    def slow(connection: socket.socket, request: bytes) -> bool:
        time.sleep(0.5)
        return sent(connection, b"{}")

    with loopback(slow) as server:
        client = make(server.url)
        with pytest.raises(DeadlineExceeded):
            client.within(0.1, retries=0).list_models()
        assert client.list_models() == {}


@pytest.mark.parametrize(("deadline_s", "retries"), [(0, 1), (True, 1), ("1", 1), (1, -1), (1, 1.5)])
def test_patience_is_checked(deadline_s: Any, retries: Any) -> None:
    with pytest.raises(InputError, match=r"got .*; allowed"):
        Patience(deadline_s, retries)


ALONE = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(name)

BLOCKED = {"numpy", "onnxruntime", "tokenizers", "pydantic", "fastapi", "urllib3", "redis", "torch", "openai"}
sys.meta_path.insert(0, Nothing())
from grice import AsyncClient, Client, Dialogue
with Client(sys.argv[1]) as client:
    print(client.analyse_turns(Dialogue.of("Hi."))["original"])
"""


def test_it_needs_httpx_alone(service: httpx.Client) -> None:
    with loopback(saying({"original": "Hi."})) as server:
        ran = subprocess.run([sys.executable, "-c", ALONE, server.url], capture_output=True, text=True, check=False)
    assert ran.stdout == "Hi.\n", ran.stderr


def test_without_httpx_the_extra_is_named() -> None:
    code = "import sys; sys.modules['httpx'] = None\nfrom grice import Client\nClient('http://127.0.0.1:1')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'grice[client]'" in ran.stderr


def test_what_is_sent(make: Callable[..., Any]) -> None:
    with loopback(saying({"items": []})) as server:
        make(server.url).score_responses(items=[ROWS], counted=False)
        (request,) = recorded(server)
    assert request == {"items": [{"turns": ROWS, "counted": False}]}


def recorded(server: LoopbackServer) -> list[Any]:
    assert all(f"authorization: bearer {KEY}".encode() in each.lower() for each in server.requests)
    return [json.loads(each.partition(b"\r\n\r\n")[2]) for each in server.requests]
