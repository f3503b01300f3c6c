"""The benchmark of the proxy: on the real proxy with fake models, and behind one that breaks streams."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket

import pytest
from fake_models import all_fakes
from live_service import serving
from loopback_server import Answer, loopback, saying

from grice.benchmarks.gateways.proxy_latency import WARM, ProxyTimes, measure, read_turns
from grice.benchmarks.gateways.scripted_upstream import StreamScript, said, scripted_upstream
from grice.middleware.gateways.proxy.app import create_proxy
from grice.middleware.gateways.proxy.settings import ProxySettings

SCRIPT = StreamScript(chunks=5, first_ms=1.0, pause_ms=1.0)
STREAMS = 200


def test_streams_arrive_whole_by_way_of_the_proxy() -> None:
    async def run() -> ProxyTimes:
        async with scripted_upstream(SCRIPT) as upstream:
            settings = ProxySettings(upstream=f"{upstream}/v1", budget_ms=20_000)
            running = serving(create_proxy(all_fakes(), settings))
            client = await asyncio.to_thread(running.__enter__)
            try:
                return await measure(upstream, str(client.base_url).rstrip("/"), SCRIPT, 1, STREAMS)
            finally:
                await asyncio.to_thread(running.__exit__, None, None, None)

    found = asyncio.run(run())
    assert {name: len(times) for name, times in found.first_ms.items()} == {"upstream": 96, "pass/direct": 96}
    assert found.lines()[-2] == "hints: 48, 0 taken for indirect, 0 of them late (none)"
    assert found.lines()[-1] == f"{STREAMS} streams at once: 0 lost or out of order, 0 of them refused"
    assert all(line.startswith(("pass/direct: first token p50", "upstream: first token p50")) for line in found.lines()[:-2])


def streaming(numbers: list[int]) -> Answer:
    chunks = [{"choices": [{"index": 0, "delta": {"content": said(number)}}]} for number in numbers]
    return saying("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode())


@pytest.mark.parametrize(("numbers", "broken"), [([0, 1, 2, 3, 4], 0), ([0, 1, 3, 4], 3), ([0, 2, 1, 3, 4], 3), ([0, 1, 2, 3], 3)])
def test_what_is_lost_or_out_of_order_is_counted(numbers: list[int], broken: int) -> None:
    async def run() -> ProxyTimes:
        async with scripted_upstream(SCRIPT) as upstream:
            return await measure(upstream, proxy.url, SCRIPT, 1, 3)

    with loopback(streaming(numbers)) as proxy:
        found = asyncio.run(run())
    assert (found.broken, found.refusals.total()) == (broken, 0)


def test_connections_that_break_are_counted() -> None:
    asked = itertools.count()

    def answer(connection: socket.socket, request: bytes) -> bool:
        return next(asked) < WARM + len(read_turns()) and streaming([0, 1, 2, 3, 4])(connection, request)

    async def run() -> ProxyTimes:
        async with scripted_upstream(SCRIPT) as upstream:
            return await measure(upstream, proxy.url, SCRIPT, 1, 3)

    with loopback(answer) as proxy:
        found = asyncio.run(run())
    assert (found.broken, found.refusals) == (3, {"RemoteProtocolError": 3})


def test_refusals_are_told_apart() -> None:
    async def run() -> ProxyTimes:
        async with scripted_upstream(SCRIPT) as upstream:
            return await measure(upstream, proxy.url, SCRIPT, 1, 3)

    with loopback(saying({"error": {}}, "502 Bad Gateway")) as proxy:
        found = asyncio.run(run())
    assert (found.broken, found.refusals) == (3, {'502 {"error": {}}': 3})
    assert found.lines()[-2:] == [
        "3 streams at once: 3 lost or out of order, 3 of them refused",
        'refused 3 times: 502 {"error": {}}',
    ]


def test_what_comes_of_hints_is_told() -> None:
    times = ProxyTimes()
    times.first_ms.update({"upstream": [20.0, 22.0], "rewrite/indirect": [60.0, 70.0], "pass/late": [120.0]})
    times.hinted.update({"rewrite/indirect": 2, "pass/late": 1, "pass/refused": 1, "pass/direct": 3})
    assert times.lines() == [
        "pass/late: first token p50 120.0 ms, p95 120.0 ms, added p50 99.0 ms (n 1)",
        "rewrite/indirect: first token p50 65.0 ms, p95 69.5 ms, added p50 44.0 ms (n 2)",
        "upstream: first token p50 21.0 ms, p95 21.9 ms (n 2)",
        "hints: 7, 4 taken for indirect, 1 of them late (25.0 %)",
        "0 streams at once: 0 lost or out of order, 0 of them refused",
    ]


def test_turns_have_one_to_seven_before_them() -> None:
    turns = read_turns()
    assert [(len(each.before), each.is_direct) for each in turns] == [
        (size, direct) for size in (1, 3, 5, 7) for direct in (True, False)
    ] * 12
    assert len({each.text for each in turns}) == 96
