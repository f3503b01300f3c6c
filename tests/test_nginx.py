"""deploy/nginx.conf in a real nginx on loopback: it shares requests, and answers for the hosts that the service answers for."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from redis_process import eventually
from starlette.types import Receive, Scope, Send

from grice.middleware.service.http.hosts import Hosts
from grice.middleware.service.http.problems import Refused
from grice.middleware.settings import ServiceSettings

CONF = Path(__file__).parent.parent / "deploy" / "nginx.conf"
LOOPBACK = ["localhost", "LOCALHOST", "localhost.", "localhost:8080", "127.0.0.1", "127.0.0.1:80", "127.1.2.3", "[::1]"]
OTHERS = [
    "attacker.example",
    "attacker.example:8080",
    "localhost.attacker.example",
    "127.0.0.1.attacker.example",
    "notlocalhost",
    "grice",
    "10.0.0.5",
    "169.254.169.254",
    "[fd00::1]",
    "1270.0.0.1",
]
needs_nginx = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Named(BaseHTTPRequestHandler):
    """Answers with its port; one that is full says so."""

    protocol_version = "HTTP/1.1"
    full: int = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        port = self.connection.getsockname()[1]
        body = str(port).encode()
        self.send_response(429 if port == type(self).full else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


@contextmanager
def replica(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


def configured(first: int, second: int, port: int) -> str:
    """The configuration with other ports than its own."""
    text = CONF.read_text(encoding="utf-8")
    for before, after in (("8300", first), ("8310", second), ("8080", port)):
        assert f"127.0.0.1:{before}" in text
        text = text.replace(f"127.0.0.1:{before}", f"127.0.0.1:{after}")
    return text


@contextmanager
def nginx(folder: Path, text: str, port: int) -> Iterator[None]:
    folder.mkdir()
    (folder / "nginx.conf").write_text(text)
    options = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
    more = f"daemon off; pid {folder}/pid; error_log {folder}/log;"
    with subprocess.Popen(["nginx", *options, "-g", more]) as process:

        def answers() -> bool:
            assert process.poll() is None, (folder / "log").read_text()
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        try:
            eventually(answers)
            yield
        finally:
            process.terminate()


@needs_nginx
def test_nginx_shares_requests_and_asks_another_where_one_is_full_or_away(tmp_path: Path) -> None:
    class Replica(Named):
        """With a state of this test's own."""

    with replica(Replica) as first, replica(Replica) as second:
        gone, port = free_port(), free_port()
        for name, given in (("two", (first, second)), ("one-away", (first, gone))):
            url = f"http://127.0.0.1:{port}/v1/turns"
            with nginx(tmp_path / name, configured(*given, port), port), httpx.Client(trust_env=False) as client:
                said = {client.post(url, json={}).text for _ in range(40)}
                assert said == {str(each) for each in ((first, second) if name == "two" else (first,))}
                if name == "two":
                    Replica.full = first
                    answers = [client.post(url, json={}) for _ in range(20)]
                    assert {each.status_code for each in answers} == {200}
                    assert {each.text for each in answers} == {str(second)}
                    Replica.full = 0


def refused_by_the_service(host: str, settings: ServiceSettings) -> bool:
    """Whether the service answers 421 to a request for a host."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None: ...

    async def receive() -> dict[str, str]:
        raise AssertionError

    async def send(message: object) -> None: ...

    scope: Scope = {"type": "http", "headers": [(b"host", host.encode())]}
    try:
        asyncio.run(Hosts(app, settings)(scope, receive, send))
    except Refused as error:
        return error.problem.status == 421
    return False


def status(port: int, head: str) -> int:
    """The status of the answer to a request with these lines."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as caller:
        caller.sendall(f"{head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        return int(caller.makefile("rb").readline().split()[1])


@needs_nginx
def test_nginx_answers_for_the_hosts_that_the_service_answers_for(tmp_path: Path) -> None:
    """The replicas are called by `localhost`, so what nginx lets through they cannot refuse."""
    port = free_port()
    with replica(Named) as first, replica(Named) as second, nginx(tmp_path / "hosts", configured(first, second, port), port):
        for path in ("/v1/turns", "/v1/live"):
            found = {host: status(port, f"POST {path} HTTP/1.1\r\nHost: {host}") for host in (*LOOPBACK, *OTHERS)}
            assert found == {host: 421 if refused_by_the_service(host, ServiceSettings()) else 200 for host in found}
            assert {host for host, each in found.items() if each == 200} == set(LOOPBACK)
        assert status(port, "POST /v1/turns HTTP/1.0") == 421
        assert status(port, "POST http://attacker.example/v1/turns HTTP/1.1\r\nHost: localhost") == 421


@needs_nginx
def test_nginx_answers_for_a_name_that_is_listed(tmp_path: Path) -> None:
    """As docs/access.md says: the name in `server_name`, which is what `--allowed-hosts` is to a service without a proxy."""
    port, name = free_port(), "grice.example.org"
    with replica(Named) as first, replica(Named) as second:
        text = configured(first, second, port).replace("server_name localhost", f"server_name {name} localhost")
        assert name in text
        with nginx(tmp_path / "named", text, port):
            hosts = (name, "localhost", "grice.example")
            found = {host: status(port, f"POST /v1/turns HTTP/1.1\r\nHost: {host}") for host in hosts}
    assert found == {name: 200, "localhost": 200, "grice.example": 421}
    assert refused_by_the_service(name, ServiceSettings())
    assert not refused_by_the_service(name, ServiceSettings(allowed_hosts=(name,)))


def test_nginx_waits_longer_for_bodies_than_a_client_needs_and_takes_what_the_service_takes() -> None:
    text = CONF.read_text(encoding="utf-8")
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", text)
    assert int(megabytes) * 1024 * 1024 >= ServiceSettings().max_body_bytes
    assert "least_conn;" in text
