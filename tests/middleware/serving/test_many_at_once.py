"""Thousands of connections at once: others have their turn meanwhile. Real sockets, and no clock: turns of the event loop count."""

from __future__ import annotations

import asyncio
import inspect
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, cast

import h11
import pytest
import uvicorn
import uvloop
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from grice.middleware.serving import connection as one_connection
from grice.middleware.serving.connection import CallerConnection, WholeAnswers
from grice.middleware.serving.connections import FRESH_S, CallerConnections
from grice.middleware.serving.listener import TAKEN_AT_ONCE, Listener, bind
from grice.middleware.settings import ConnectionSettings

FIXTURES = Path(__file__).parents[2] / "fixtures"
PATIENT: dict[str, Any] = dict.fromkeys(("head_timeout_s", "body_timeout_s", "idle_timeout_s", "write_timeout_s"), 600.0)
REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
SLOW_BODY = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n"
MANY = 300

PROGRAM = """
import gc, sys
sys.path.insert(0, sys.argv[1])
from fake_models import fakes
from grice.middleware.service.http.server import serve
from grice.middleware.settings import ServiceSettings
serve(fakes(), ServiceSettings(port=0), lambda address: print(gc.get_freeze_count(), len(gc.get_objects()), flush=True))
"""


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that runs in an event loop: Python's own, and the one that the service takes where it is installed."""

    @wraps(test)
    def run(run_in: Callable[[Any], None], **fixtures: Any) -> None:
        run_in(test(**fixtures))

    runner = inspect.Parameter("run_in", inspect.Parameter.KEYWORD_ONLY)
    signature = inspect.signature(test)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), runner])  # type: ignore[attr-defined]
    return pytest.mark.parametrize("run_in", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])(run)


class Around:
    """A listener with its connections, and what became of requests.

    Attributes:
        asked: the ports of callers, as their requests came.
    """

    def __init__(self, limits: ConnectionSettings) -> None:
        self.ended: list[str] = []
        self.asked: list[int] = []
        self.connections = CallerConnections(limits, self.ended.append)
        config = uvicorn.Config(self._app, interface="asgi3", ws="none", lifespan="off", log_config=None, access_log=False)
        config.load()
        state, listening = ServerState(), bind("127.0.0.1", 0)
        self.port = int(listening.getsockname()[1])
        self.listener = Listener(
            listening, self.connections, lambda since: CallerConnection(config, state, {}, self.connections, since), limits
        )

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope["client"][1])
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})


@asynccontextmanager
async def around(limits: ConnectionSettings) -> AsyncIterator[Around]:
    found = Around(limits)
    try:
        yield found
    finally:
        await found.listener.close()
        found.connections.abort()


@contextmanager
def callers(port: int, count: int, sent: bytes = b"") -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(count)]
        for each in found:
            each.sendall(sent)
        yield found


async def until(is_so: Callable[[], bool]) -> None:
    """Let the event loop go round until it is."""
    while not is_so():  # noqa: ASYNC110 - turns of the loop are what this is about
        await asyncio.sleep(0)


def has_ended(caller: socket.socket) -> bool:
    """Whether the service has ended a connection."""
    caller.setblocking(False)
    try:
        return not caller.recv(1000)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


@contextmanager
def most_at_a_turn(count: Callable[[], int]) -> Iterator[list[int]]:
    """By how much a number changes from one turn of the event loop to the next; call it inside the loop."""
    changes, loop, going, before = [0], asyncio.get_running_loop(), True, count()

    def look() -> None:
        nonlocal before
        changes.append(abs(count() - before))
        before = count()
        if going:
            loop.call_soon(look)

    loop.call_soon(look)
    try:
        yield changes
    finally:
        going = False


@in_loop
async def test_a_sweep_that_ends_many_gives_way_to_others() -> None:
    async with around(ConnectionSettings(**{**PATIENT, "head_timeout_s": 0.1, "body_timeout_s": 0.1})) as service:
        service.listener.start()
        with (
            callers(service.port, MANY // 3),
            callers(service.port, MANY // 3, b"GET"),
            callers(service.port, MANY // 3, SLOW_BODY),
        ):
            await until(lambda: len(service.connections) == MANY and len(service.asked) == MANY // 3)
            for _ in range(3):  # until all was read
                await asyncio.sleep(0)
            with most_at_a_turn(lambda: len(service.ended)) as ended:
                await service.connections.sweep()  # which finds out what each waits for
                await asyncio.sleep(0.2)
                await service.connections.sweep()
            assert sum(ended) == MANY
            assert max(ended) <= 8
            await until(lambda: len(service.connections) == 0)


@in_loop
async def test_a_sweep_that_ends_none_gives_way_too() -> None:
    async with around(ConnectionSettings(**PATIENT)) as service:
        service.listener.start()
        with callers(service.port, MANY):
            await until(lambda: len(service.connections) == MANY)
            turns = 0
            with most_at_a_turn(lambda: 0) as each_turn:
                await service.connections.sweep()
                turns = len(each_turn)
            assert turns >= MANY // 64
            assert len(service.connections) == MANY


@in_loop
async def test_of_many_who_wait_the_newest_is_served_at_once_and_the_oldest_not_last() -> None:
    async with around(ConnectionSettings(**PATIENT)) as service:
        with callers(service.port, TAKEN_AT_ONCE, REQUEST) as early:  # the system holds them; nobody has taken them yet
            ports = [each.getsockname()[1] for each in early]
            with most_at_a_turn(lambda: len(service.asked)) as asked:
                service.listener.start()
                await until(lambda: len(service.asked) == len(ports))
            assert max(asked) <= 2
            assert service.asked.index(ports[-1]) <= 1
            assert service.asked.index(ports[0]) <= 1
            assert sorted(service.asked) == sorted(ports)


@in_loop
async def test_more_than_there_is_room_for_are_refused_oldest_first_while_they_wait() -> None:
    async with around(ConnectionSettings(**PATIENT, max_connections=8)) as service:
        with callers(service.port, TAKEN_AT_ONCE, REQUEST) as early:
            ports = [each.getsockname()[1] for each in early]
            service.listener.start()
            await until(lambda: len(service.asked) == 8)
            assert sorted(service.asked) == sorted(ports[-8:])
            assert service.ended == ["refused"] * (TAKEN_AT_ONCE - 8)


@in_loop
async def test_a_fresh_connection_does_not_make_room_while_bodies_are_older(monkeypatch: pytest.MonkeyPatch) -> None:
    async with around(ConnectionSettings(**PATIENT, max_connections=8)) as service:
        service.listener.start()
        with callers(service.port, 7, SLOW_BODY) as slow:
            await until(lambda: len(service.connections) == len(service.asked) == 7)
            loop, time = asyncio.get_running_loop(), asyncio.get_running_loop().time
            monkeypatch.setattr(loop, "time", lambda: time() + 10 * FRESH_S)  # they came long ago
            with callers(service.port, 1, b"") as fresh:
                await until(lambda: len(service.connections) == 8)
                with callers(service.port, 3, b"") as others:
                    await until(lambda: len(service.ended) == 3 and len(service.connections) == 8)
                    assert [sum(map(has_ended, each)) for each in (slow, fresh, others)] == [3, 0, 0]


@in_loop
async def test_what_slow_callers_send_is_read_when_a_sweep_comes_by(monkeypatch: Any) -> None:
    monkeypatch.setattr(one_connection, "SLOW_S", 0.0)
    async with around(ConnectionSettings(**PATIENT)) as service:
        service.listener.start()
        reads = 0
        received = CallerConnection.data_received

        def count(connection: CallerConnection, data: bytes) -> None:
            nonlocal reads
            reads += 1
            received(connection, data)

        monkeypatch.setattr(CallerConnection, "data_received", count)
        with callers(service.port, MANY, b"GET / HTTP/1.1\r\n") as slow:
            await until(lambda: reads == MANY)
            await service.connections.sweep()
            for each in slow:
                each.sendall(b"x: ")
            for _ in range(10):
                await asyncio.sleep(0)
            assert reads == MANY
            with most_at_a_turn(lambda: reads) as at_a_turn:
                await service.connections.sweep()
            assert reads == 2 * MANY
            assert max(at_a_turn) <= 64
            slow[7].sendall(b"y\r\nhost: localhost\r\n\r\n")  # a slow request is answered when it is whole
            await service.connections.sweep()
            await until(lambda: service.asked == [slow[7].getsockname()[1]])
            slow[7].setblocking(False)
            answer = await asyncio.get_running_loop().sock_recv(slow[7], 1000)
            assert answer.startswith(b"HTTP/1.1 200")
            slow[7].sendall(REQUEST)  # and from then on its caller is like others
            await until(lambda: len(service.asked) == 2)


class Recorder:
    """Stands for a transport."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def is_closing(self) -> bool:
        return False


@in_loop
async def test_an_answer_is_sent_in_one_piece_and_a_part_of_a_stream_with_the_next_turn() -> None:
    conn, system = h11.Connection(h11.SERVER), Recorder()
    transport: Any = WholeAnswers(cast(asyncio.Transport, system), conn, asyncio.get_running_loop())

    def write(event: Any) -> None:
        transport.write(conn.send(event))

    conn.receive_data(REQUEST)
    assert [type(conn.next_event()) for _ in range(2)] == [h11.Request, h11.EndOfMessage]
    write(h11.Response(status_code=200, headers=[("content-length", "4")]))
    write(h11.Data(data=b"body"))
    assert not system.sent
    write(h11.EndOfMessage())
    assert [each.endswith(b"\r\n\r\nbody") for each in system.sent] == [True]
    await asyncio.sleep(0)
    conn.start_next_cycle()
    conn.receive_data(REQUEST)
    assert [type(conn.next_event()) for _ in range(2)] == [h11.Request, h11.EndOfMessage]
    write(h11.Response(status_code=200, headers=[]))
    write(h11.Data(data=b"first"))
    await asyncio.sleep(0)
    assert len(system.sent) == 2
    assert b"first" in system.sent[1]
    write(h11.Data(data=b"x" * 20_000))  # much is not held: whoever writes it has to notice that nobody reads
    assert len(system.sent) == 3


def test_what_is_there_from_the_start_is_not_looked_through_for_garbage() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(FIXTURES)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        frozen, rest = map(int, process.stdout.readline().split())
        process.terminate()
        assert process.wait(300) == 0
    assert frozen > 10 * rest
