"""Events into a real service, which refuses some and comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from event_fixtures import LONG_TEXT, event, spool
from fake_models import fakes
from live_service import eventually, serving

from grice.middleware.events import Delivery, DeliverySettings, open_publisher
from grice.middleware.events.event import MAX_EVENT_BYTES, DialogueEvent
from grice.middleware.events.rest import RestPublisher
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import MemoryStore
from grice.models.errors import DeliveryError, EventsRefused, StoreError

__all__ = ["spool"]


def rest(url: str, spool: Path, **changes: Any) -> Delivery:
    settings = DeliverySettings.of(
        {"transport": "http", "url": url, "spool_path": str(spool), "retry_ms": 20, "max_retry_ms": 50, **changes}
    )
    delivery = Delivery(open_publisher(settings), settings)
    delivery.start()
    return delivery


def test_the_service_keeps_what_is_posted(spool: Path) -> None:
    store = MemoryStore()
    settings = ServiceSettings(api_keys=("key-of-this-test",))
    with serving(create_app(fakes(), settings, store)) as client:
        delivery = rest(f"{client.base_url}", spool, api_key="key-of-this-test")
        for number in range(150):
            delivery.put(event(number, dialogue_id=f"d{number % 3}"))
        delivery.close()
    for dialogue in range(3):
        texts = [turn.text for turn in store.read(f"d{dialogue}")]
        assert texts == [f"Secret turn {number}." for number in range(dialogue, 150, 3)]
    assert not spool.exists()


class FailingStore(MemoryStore):
    """Down for the first so many calls."""

    def __init__(self, fails: int) -> None:
        super().__init__()
        self.fails = fails

    def append(self, *args: Any, **kwargs: Any) -> bool:
        self.fails -= 1
        if self.fails >= 0 and self.fails % 2:
            raise StoreError("down")
        return super().append(*args, **kwargs)


def test_retries_keep_each_turn_once(spool: Path) -> None:
    store = FailingStore(20)
    with serving(create_app(fakes(), store=store)) as client:
        delivery = rest(f"{client.base_url}", spool, batch_size=5)
        for number in range(40):
            delivery.put(event(number))
        eventually(lambda: len(store.read("d")) == 40)
        delivery.close()
    assert [turn.text for turn in store.read("d")] == [f"Secret turn {number}." for number in range(40)]


def test_a_wrong_key_is_no_reason_to_throw_events_away(spool: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    with serving(create_app(fakes(), ServiceSettings(api_keys=("key-of-this-test",)), store)) as client:
        delivery = rest(f"{client.base_url}", spool, api_key="other", close_ms=300)
        delivery.put(event(0))
        eventually(lambda: "is api_key one of its keys" in caplog.text)
        delivery.close()
        assert store.read("d") == ()
        delivery = rest(f"{client.base_url}", spool, api_key="key-of-this-test")
        eventually(lambda: len(store.read("d")) == 1)
        delivery.close()


def test_events_that_the_service_refuses_are_put_aside_and_the_others_arrive(spool: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    # A body of this service holds a short event, not a long one.
    with serving(create_app(fakes(), ServiceSettings(max_body_bytes=5000), store)) as client:
        delivery = rest(f"{client.base_url}", spool)
        for number in range(9):
            delivery.put(event(number, metadata={"long": LONG_TEXT} if number == 4 else {}))
        eventually(lambda: len(store.read("d")) == 8)
        delivery.close()
    assert [turn.text for turn in store.read("d")] == [f"Secret turn {number}." for number in range(9) if number != 4]
    assert (delivery.counts.refused, delivery.counts.lost) == (1, 0)
    refused = spool.with_name(spool.name + ".refused").read_bytes()
    assert DialogueEvent.from_json(refused.strip()).event_id == "d-4"
    assert "answered 413 on 1 events" in caplog.text
    assert "Secret" not in caplog.text


def test_large_events_go_in_several_bodies(spool: Path) -> None:
    store = MemoryStore()
    with serving(create_app(fakes(), store=store)) as client:
        publisher = RestPublisher(f"{client.base_url}/", timeout_s=30)
        publisher.publish([event(number, metadata={"a": "é" * (MAX_EVENT_BYTES // 2 - 200)}) for number in range(6)])
        publisher.close()
    assert len(store.read("d")) == 6


def test_errors_of_the_rest_publisher() -> None:
    with serving(create_app(fakes(), ServiceSettings(max_body_bytes=1000))) as client:
        url = str(client.base_url)
        publisher = RestPublisher(url)
        with pytest.raises(EventsRefused, match="answered 413 on 1 events"):
            publisher.publish([event(0, metadata={"a": LONG_TEXT})])
        with pytest.raises(DeliveryError, match="answered 404; is url that of Grice's REST service"):
            RestPublisher(f"{url}/elsewhere").publish([event(0)])
    with pytest.raises(DeliveryError, match="is the service running and reachable"):
        publisher.publish([event(0)])
