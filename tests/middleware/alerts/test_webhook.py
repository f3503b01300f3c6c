"""Alerts to a real HTTP server: signed, again after failures, never in the way."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from loopback_server import Answer, loopback, saying, sent
from redis_process import eventually
from scored_fixtures import NOON, several

from grice.middleware.alerts import Alert, AlertSettings, open_alerts, sign, verify
from grice.middleware.alerts.signature import HEADER
from grice.middleware.alerts.webhook import Webhook
from grice.middleware.rates import MemoryRates
from grice.models.errors import InputError, SettingsError

SECRET = "a secret of the tests"
ALERT = Alert("id", "firing", "often", "threshold", "Red", "1.0", None, 900, 40, 100, 0.4, 0.2, None, NOON, NOON)

Make = Callable[..., Webhook]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def outcomes() -> Counter[str]:
    return Counter()


@pytest.fixture
def make(outcomes: Counter[str]) -> Iterator[Make]:
    """Makes webhooks, started; closes them in the end."""
    made: list[Webhook] = []

    def webhook(url: str, close_s: float = 5.0, **changes: Any) -> Webhook:
        values = {"alert_webhook_retry_s": 0.001, "alert_webhook_timeout_s": 5.0, **changes}
        settings = AlertSettings(alert_webhook_url=url, alert_webhook_secret=SECRET, **values)
        made.append(Webhook(settings, lambda outcome: outcomes.update([outcome]), close_s))
        made[-1].start()
        return made[-1]

    yield webhook
    for each in made:
        each.close()


def parts(request: bytes) -> tuple[str, dict[str, str], bytes]:
    """The request line, the headers in lower case, and the body."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return first, {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}, body


def in_turn(*answers: Answer) -> Answer:
    """Each answer once, the last for ever."""
    left = list(answers)
    return lambda connection, request: (left.pop(0) if len(left) > 1 else left[0])(connection, request)


def refusing(connection: socket.socket, _: bytes) -> bool:
    """Closes without an answer."""
    return False


def test_an_alert_arrives_signed(make: Make, outcomes: Counter[str]) -> None:
    with loopback(saying({})) as server:
        make(f"{server.url}/hooks/grice?team=a").put(ALERT)
        eventually(lambda: outcomes["delivered"] == 1)
        (request,) = server.requests
    first, headers, body = parts(request)
    assert first == "POST /hooks/grice?team=a HTTP/1.1"
    assert headers["content-type"] == "application/json"
    assert json.loads(body) == json.loads(ALERT.to_json())
    verify(SECRET, headers[HEADER.lower()], body)
    moment, digest = headers[HEADER.lower()].removeprefix("t=").split(",v1=")
    assert digest == hmac.new(SECRET.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert abs(time.time() - int(moment)) < 60


@pytest.mark.parametrize(
    "status", ["500 Internal Server Error", "503 Service Unavailable", "429 Too Many Requests", "408 Request Timeout"]
)
def test_what_may_pass_is_tried_again(make: Make, outcomes: Counter[str], status: str) -> None:
    with loopback(in_turn(saying({}, status), refusing, saying({}, status), saying({}, "204 No Content"))) as server:
        make(server.url).put(ALERT)
        eventually(lambda: outcomes["delivered"] == 1)
        requests = list(server.requests)
    assert outcomes == {"retried": 3, "delivered": 1}
    for request in requests:
        _, headers, body = parts(request)
        verify(SECRET, headers[HEADER.lower()], body)


@pytest.mark.parametrize("status", ["400 Bad Request", "401 Unauthorized", "404 Not Found", "302 Found"])
def test_what_will_not_pass_is_given_up_at_once(
    make: Make, outcomes: Counter[str], caplog: pytest.LogCaptureFixture, status: str
) -> None:
    with loopback(in_turn(saying({}, status, "location: /elsewhere\r\n"), saying({}))) as server:
        webhook = make(f"{server.url}/hidden-token")
        webhook.put(ALERT)
        webhook.put(replace(ALERT, state="resolved"))
        eventually(lambda: outcomes["delivered"] == 1)
        assert len(server.requests) == 2
    assert outcomes == {"given_up": 1, "delivered": 1}
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert errors == [f"an alert did not reach the webhook: it answered {status[:3]}, after 1 tries; rule often, Red, firing"]


def test_a_receiver_that_stays_away_is_given_up(make: Make, outcomes: Counter[str], caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and nobody listens
        make(f"http://127.0.0.1:{nobody.getsockname()[1]}/hidden-token", alert_webhook_tries=4).put(ALERT)
        eventually(lambda: outcomes["given_up"] == 1)
    assert outcomes == {"retried": 3, "given_up": 1}
    assert "ConnectError, after 4 tries" in caplog.text
    for private in ("hidden-token", SECRET):
        assert private not in "".join(record.getMessage() for record in caplog.records if record.name.startswith("grice"))


def test_a_receiver_that_hangs_costs_a_timeout_a_try(make: Make, outcomes: Counter[str]) -> None:
    gate = threading.Event()

    def hang(connection: socket.socket, _: bytes) -> bool:
        gate.wait(30)
        return False

    with loopback(hang) as server:
        webhook = make(server.url, alert_webhook_timeout_s=0.05, alert_webhook_tries=2)
        webhook.put(ALERT)
        eventually(lambda: outcomes["given_up"] == 1)
        gate.set()
    assert outcomes["retried"] == 1


def test_alerts_arrive_in_order_and_the_caller_never_waits(make: Make, outcomes: Counter[str]) -> None:
    gate = threading.Event()

    def held(connection: socket.socket, _: bytes) -> bool:
        return gate.wait(30) and sent(connection, b"{}")

    with loopback(held) as server:
        webhook = make(server.url, alert_webhook_queue=10, alert_webhook_timeout_s=60.0)
        for number in range(25):
            webhook.put(replace(ALERT, id=str(number)))  # returns although nothing is answered
        assert outcomes == {"dropped": 15}
        gate.set()
        eventually(lambda: outcomes["delivered"] == 10)
        assert [json.loads(parts(request)[2])["id"] for request in server.requests] == [str(number) for number in range(10)]


def test_what_waits_at_the_end_is_delivered(make: Make, outcomes: Counter[str]) -> None:
    with loopback(saying({})) as server:
        webhook = make(server.url)
        for number in range(50):
            webhook.put(replace(ALERT, id=str(number)))
        webhook.close()
        assert len(server.requests) == 50
    webhook.put(ALERT)
    assert outcomes == {"delivered": 50, "dropped": 1}


def test_what_cannot_be_delivered_at_the_end_is_counted(
    make: Make, outcomes: Counter[str], caplog: pytest.LogCaptureFixture
) -> None:
    with loopback(saying({}, "503 Service Unavailable", "retry-after: 200\r\n")) as server:
        webhook = make(server.url, close_s=0.05)
        for _ in range(3):
            webhook.put(ALERT)
        eventually(lambda: outcomes["retried"] == 1)
        webhook.close()  # which tries once more
    assert (outcomes["dropped"], outcomes["delivered"]) == (3, 0)
    assert caplog.text.count("the process ends") == 3


@pytest.mark.parametrize(
    ("secret", "body", "later_s", "message"),
    [
        (SECRET, b"other", 0, "a signature that does not fit"),
        ("other secret", b"body", 0, "a signature that does not fit"),
        (SECRET, b"body", 301, "a signature of 301 s ago"),
        (SECRET, b"body", -301, "a signature of -301 s ago"),
    ],
)
def test_what_is_not_ours_is_refused(secret: str, body: bytes, later_s: float, message: str) -> None:
    header = sign(SECRET, b"body", NOON)
    verify(SECRET, header, b"body", now=NOON + 299)
    with pytest.raises(InputError, match=f"Grice-Signature: got '{message}'"):
        verify(secret, header, body, now=NOON + later_s)


@pytest.mark.parametrize("header", ["", "t=,v1=", "v1=abc", "t=1800000000", "t=soon,v1=é", "=", "t=1,t=2,v1=3,,,"])
def test_no_signature_at_all_is_refused(header: str) -> None:
    with pytest.raises(InputError, match="a signature that does not fit"):
        verify(SECRET, header, b"body", now=NOON)


def test_the_time_is_signed_too() -> None:
    header = sign(SECRET, b"body", NOON).replace("t=1800000000", "t=1800000500")
    with pytest.raises(InputError, match="does not fit"):
        verify(SECRET, header, b"body", now=NOON + 500)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"alert_webhook_url": "example.org"}, "alert_webhook_url: got 'example.org'; allowed: a URL that starts with http://"),
        ({"alert_webhook_url": "http://a"}, "alert_webhook_secret: got '0 characters'; allowed: at least 16 characters"),
        ({"alert_webhook_url": "http://a", "alert_webhook_secret": "hidden"}, "alert_webhook_secret: got '6 characters'"),
        ({"alert_every_s": 0}, "alert_every_s: got 0"),
        ({"alert_webhook_tries": 0}, "alert_webhook_tries: got 0; allowed: 1 to 20"),
        ({"alert_webhook_queue": 0}, "alert_webhook_queue: got 0"),
        ({"alert_rules": 5}, "alert_rules: got 5; allowed: a string"),
    ],
)
def test_settings_that_cannot_be_used_are_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        AlertSettings(**values)
    assert message in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_the_secret_and_the_url_are_not_printed() -> None:
    settings = AlertSettings(alert_webhook_url="http://a/hidden", alert_webhook_secret="hidden hidden hidden")
    assert "hidden" not in repr(settings)


def test_from_rates_to_the_webhook(outcomes: Counter[str]) -> None:
    rates = MemoryRates()
    with loopback(saying({})) as server:
        settings = AlertSettings(alert_every_s=0.02, alert_webhook_url=server.url, alert_webhook_secret=SECRET)
        watch = open_alerts(settings, rates)
        watch.start()
        rates.add(several("!Sel", 80, 100, at=time.time(), bot_version="1.0"))
        eventually(lambda: len(server.requests) == 1)
        watch.close()
        told = json.loads(parts(server.requests[0])[2])
    assert (told["behavior"], told["state"], told["shown"], told["scored"]) == ("!Sel", "firing", 80, 100)
    assert len(server.requests) == 1
