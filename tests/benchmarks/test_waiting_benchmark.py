"""The measurement of waiting, on a service with models that take no time."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from fake_models import all_fakes
from live_service import serving

from grice.benchmarks.waiting import load
from grice.benchmarks.waiting.beside import add_beside
from grice.benchmarks.waiting.bodies import HEAVY, SMALL, Heavy, encode_body
from grice.benchmarks.waiting.load import add_load
from grice.benchmarks.waiting.report import WaitingReport
from grice.middleware.service.http.app import create_app

LIMIT = 1_000_000


@pytest.mark.parametrize("heavy", HEAVY, ids=lambda each: f"{each.name}: {each.what}, beside {each.small}")
def test_heavy_requests_are_legal(heavy: Heavy) -> None:
    body = encode_body(heavy.body(100_000))
    assert len(body) <= LIMIT
    assert body != encode_body(heavy.body(200_000))
    with serving(create_app(all_fakes())) as client:
        for name, sent in ((heavy.small, encode_body(SMALL[heavy.small](7))), (heavy.name, body)):
            answer = client.post(f"/v1/{name}", content=sent, headers={"content-type": "application/json"})
            assert answer.status_code == 200, json.dumps(answer.json())[:500]


def test_both_parts_run_and_say_what_they_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(load, "WAIT_S", 1)
    report = WaitingReport()
    heavy = Heavy("directness", "two items", lambda seed: {"items": [{"text": "a"}, {"text": "b"}]})
    several = replace(heavy, beside="turns", calls=3)

    async def measure(address: str) -> None:
        await add_beside(report, address, [heavy, several], 0.2)
        await add_load(report, address, 0.5)

    with serving(create_app(all_fakes())) as client:
        asyncio.run(measure(str(client.base_url)))
    said = capsys.readouterr().out
    rows = [line.split("|")[1].strip() for line in said.splitlines() if line.startswith("| ")]
    assert rows[:3] == ["route", "/v1/directness", "/v1/turns"]
    assert "two items, to /v1/directness" in said
    if "NOT MEASURED" not in said:  # a machine on which a turn takes a second
        assert {"load", "1 callers", "1 × peak", "3 × peak", "10 × peak"} <= set(rows)
        assert said.count("holds: ") + said.count("MISSED: ") >= 3
    assert ("MISSED" in said or "NOT MEASURED" in said) is not report.holds
