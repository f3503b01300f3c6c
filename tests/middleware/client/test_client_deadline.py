"""The clients tell the service how much time it has."""

from __future__ import annotations

import asyncio
import math
import re

import pytest
from loopback_server import LoopbackServer, loopback, saying

from grice.middleware.client.rest import AsyncClient, Client
from grice.middleware.client.rest.call import MOST_MS, Patience, ServiceCall, Tries
from grice.middleware.service.http.arrivals import HEADER, deadline_ms
from grice.models.errors import RequestRefused


def told_ms(server: LoopbackServer) -> list[int]:
    """What each request told."""
    found = [re.search(rf"{HEADER}: (\d+)", request.decode().lower()) for request in server.requests]
    return [deadline_ms(each[1], 0) for each in found if each]


def test_both_clients_tell_what_is_left_of_their_deadline() -> None:
    async def ask(url: str) -> None:
        async with AsyncClient(url, patience=Patience(60.0)) as client:
            await client.list_models()

    with loopback(saying({"models": []})) as server:
        with Client(server.url, patience=Patience(60.0)) as client:
            client.list_models()
            client.within(600.0).list_models()
        asyncio.run(ask(server.url))
        whole, within, other = told_ms(server)
    assert 0 < whole <= 60_000 < within <= 600_000
    assert 0 < other <= 60_000


def test_a_call_that_is_sent_again_tells_less() -> None:
    busy = saying({}, "429 Too Many Requests", "retry-after: 1\r\n")
    with loopback(busy) as server, Client(server.url, patience=Patience(60.0, retries=1)) as client:
        with pytest.raises(RequestRefused):
            client.list_models()
        first, second = told_ms(server)
    assert second <= first - 1000


def test_no_deadline_is_longer_than_the_service_takes() -> None:
    told = Tries(ServiceCall("GET", "/v1/models"), Patience(math.inf)).request()["headers"][HEADER]
    assert deadline_ms(told, 0) == MOST_MS
