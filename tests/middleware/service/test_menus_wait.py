"""Reading menus is slow Python: it is done one menu at a time, and keeps nobody else waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving
from redis_process import eventually

from grice.middleware.access import ApiKey, KeyFile, digest_of
from grice.middleware.runtime.yaml_files import load_yaml
from grice.middleware.schemas.content import MOST_YAML
from grice.middleware.schemas.formats import schema_of_text
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.errors import InputError
from grice.models.runtime.pause import Stopped, pausing
from grice.models.schema import BotSchema

SECRET = "a-secret-of-the-test"
CALLS = 45
"""More than the service's threads."""
PLACES = 64
"""The fewest that a queue may have."""
MENU: dict[str, Any] = {"intents": [{"name": f"i{each}", "examples": [f"{each} {n}" for n in range(60)]} for each in range(64)]}
TURN = {"text": "Cheap!", "dialogue_id": "a"}
"""A small turn, which needs one of the threads: for the store."""


class Held:
    """Holds whoever makes a menu until `gate` is set, and counts how many are at it."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.entered = self.inside = self.most = 0
        self._lock = threading.Lock()
        self._make = BotSchema.of

    def __call__(self, content: object) -> BotSchema:
        with self._lock:
            self.entered += 1
            self.inside += 1
            self.most = max(self.most, self.inside)
        assert self.gate.wait(60)
        with self._lock:
            self.inside -= 1
        return self._make(content)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    made = Held()
    monkeypatch.setattr(BotSchema, "of", made)
    yield made
    made.gate.set()


def post_yaml(client: httpx.Client, number: int = 0) -> httpx.Response:
    return client.post("/v1/schemas", json={"text": f"slots:\n  s{number}: null\n"})


def put(client: httpx.Client, number: int = 0) -> httpx.Response:
    return client.put(f"/v1/schemas/s{number}", json={"slots": {"a": None}})


def inline(client: httpx.Client, number: int = 0) -> httpx.Response:
    return client.post("/v1/meaning", json={"text": f"number {number}", "schema": MENU})


def waiting(client: httpx.Client) -> int:
    """How many menus wait."""
    (line,) = (each for each in client.get("/metrics").text.splitlines() if each.startswith('grice_queue_depth{model="menus"}'))
    return round(float(line.split()[-1]))


@pytest.mark.parametrize("call", [post_yaml, put, inline])
def test_many_menus_are_read_one_at_a_time_and_a_small_turn_is_answered_meanwhile(
    held: Held, call: Callable[[httpx.Client, int], httpx.Response]
) -> None:
    with serving(create_app(all_fakes())) as client, ThreadPoolExecutor(CALLS) as pool:
        menus = [pool.submit(call, client, number) for number in range(CALLS)]
        try:
            eventually(lambda: held.entered >= 1 and waiting(client) == CALLS - 1)
            assert client.post("/v1/turns", json=TURN, timeout=20).status_code == 200
            assert (held.entered, [each.done() for each in menus]) == (1, [False] * CALLS)
        finally:
            held.gate.set()
        assert {each.result().status_code for each in menus} == {200}
    assert held.most == 1


def test_menus_that_find_no_room_are_refused_and_told_when_to_come_back(held: Held) -> None:
    with serving(create_app(all_fakes(), ServiceSettings(queue_size=PLACES))) as client, ThreadPoolExecutor(PLACES + 1) as pool:
        menus = [pool.submit(post_yaml, client)]
        eventually(lambda: held.entered == 1)
        menus += [pool.submit(post_yaml, client, number) for number in range(PLACES)]
        eventually(lambda: waiting(client) == PLACES)
        for call in (post_yaml, put):
            refused = call(client)
            assert (refused.status_code, refused.json()["type"]) == (429, "urn:grice:problem:overloaded")
            assert int(refused.headers["retry-after"]) >= 1
        held.gate.set()
        assert [each.result().status_code for each in menus] == [200] * (PLACES + 1)


def test_a_menu_that_is_late_is_not_waited_for(held: Held) -> None:
    with serving(create_app(all_fakes())) as client:
        late = client.post("/v1/schemas", json={"text": "slots: {a: null}"}, headers={"x-grice-deadline-ms": "300"})
        held.gate.set()
        assert (late.status_code, late.json()["type"]) == (503, "urn:grice:problem:deadline-exceeded")


@pytest.mark.parametrize("call", [post_yaml, put])
def test_menus_are_work_that_a_key_pays_for(tmp_path: Path, call: Callable[[httpx.Client], httpx.Response]) -> None:
    file = KeyFile(tmp_path / "keys.json")
    file.add(ApiKey("bot", digest_of(SECRET), work_per_minute=1))
    with serving(create_app(all_fakes(), ServiceSettings(keys_file=str(file.path)))) as client:
        client.headers["authorization"] = f"Bearer {SECRET}"
        assert call(client).status_code == 200
        refused = call(client)
        assert (refused.status_code, refused.json()["type"]) == (429, "urn:grice:problem:quota-exceeded")


def test_yaml_is_no_longer_than_is_read_soon_and_json_may_be() -> None:
    with serving(create_app(all_fakes())) as client:
        long = client.post("/v1/schemas", json={"text": "slots: {a: null}\n" + "#" * MOST_YAML})
        assert (long.status_code, long.json()["type"]) == (422, "urn:grice:problem:invalid-value")
        assert f"at most {MOST_YAML} characters of YAML" in long.json()["detail"]
        as_json = client.post("/v1/schemas", json={"text": '{"slots": {"a": null}}' + " " * MOST_YAML})
        assert as_json.status_code == 200


def test_yaml_whose_aliases_multiply_is_refused() -> None:
    laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol]\n"
    laughs += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 12))
    for text in (f"{laughs}slots: {{a: {{description: *a11}}}}\n", "slots: &a {s: *a}\n"):
        with pytest.raises(InputError, match="aliases"):
            schema_of_text(text, "text")
    few = schema_of_text("slots: {a: &size {values: [small, large]}, b: *size}\n", "text")
    assert [each.values for each in few.slots] == [("small", "large")] * 2


def test_yaml_that_takes_hours_or_cannot_be_used_is_refused() -> None:
    merging = "a0: &a0 {x: 1, y: 2, z: 3}\n"
    merging += "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 12))
    deep = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 5000))
    for text, reason in ((merging, "merge keys"), (deep, "aliases"), ("? [[a]]\n: 1\n", "not valid YAML")):
        with pytest.raises(InputError, match=reason):
            schema_of_text(text, "text")


def test_reading_yaml_pauses_and_can_be_ended() -> None:
    text, pauses = "slots:\n" + "".join(f"  s{number}: null\n" for number in range(100)) + "#" * 40_000, 0

    def count() -> None:
        nonlocal pauses
        pauses += 1

    with pausing(count):
        assert len(load_yaml(text, Path("a.yml"), "schema")["slots"]) == 100
    assert pauses >= len(text) / 4096

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped), pausing(stop):
        load_yaml(text, Path("a.yml"), "schema")
