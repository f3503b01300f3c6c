"""What finishing an entry writes: all of it or nothing, and once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from redis_process import RedisServer
from worker_fixtures import EVENTS, QUICK, conversation, pending, publish, results, said

from grice.middleware.monitor import ScoredResponse
from grice.middleware.rates import Increment
from grice.middleware.runtime.redis_connection import RedisError, connect
from grice.middleware.stream import WorkerSettings
from grice.middleware.stream.finishing import Commit, CommitOutcome, Commits
from grice.middleware.stream.ownership import Keys, Lease
from grice.middleware.stream.source import Entry, Source

KEYS = Keys(EVENTS, "monitor")
RESULT = {"response": ScoredResponse("d-1", "d", "Hello.", 1.0, 2.0).to_json()}
COUNTED = (Increment("rates:1", "shown", 1, 60), Increment("rates:2", "shown", 1, 60))


class Hands:
    """One owner of the stream, who has taken two entries."""

    def __init__(self, server: RedisServer) -> None:
        self.redis = connect(server.url, 2.0)
        settings = WorkerSettings(redis_url=server.url, **QUICK)
        self.lease = Lease(self.redis, KEYS.lease(EVENTS), 60_000)
        self.commits = Commits(self.redis, KEYS, EVENTS, self.lease, settings)
        assert self.lease.acquire()
        self.source = Source(self.redis, KEYS, EVENTS, "me", self.lease)
        self.source.open()
        self.entries: list[Entry] = list(self.source.take_new(10).entries)

    def commit(self, place: int = 0, event_id: str = "d-1") -> Commit:
        return Commit(self.entries[place].id, "d", event_id, '["bot","Hello."]', "grice:results", 100, RESULT, COUNTED)

    def finish(self, *commits: Commit) -> list[CommitOutcome]:
        return self.commits.finish(commits)


@pytest.fixture
def hands(redis_server: RedisServer) -> Iterator[Hands]:
    publish(redis_server, conversation("d", 2))
    hands = Hands(redis_server)
    yield hands
    hands.redis.close()


def written(hands: Hands) -> tuple[int, int, int, int]:
    """Results, turns of the history, and two counters."""
    redis = hands.redis
    counters = [int(redis.hget(key, "shown") or 0) for key in ("rates:1", "rates:2")]
    return redis.xlen("grice:results"), redis.llen(KEYS.history("d")), counters[0], counters[1]


def test_an_entry_is_finished_once(hands: Hands, redis_server: RedisServer) -> None:
    assert hands.finish(hands.commit(), hands.commit()) == [CommitOutcome("done"), CommitOutcome("finished")]
    assert hands.finish(hands.commit()) == [CommitOutcome("finished")]  # as after a lost answer
    assert written(hands) == (1, 1, 1, 1)
    assert len(results(redis_server)) == pending(redis_server) == 1
    assert 0 < hands.redis.ttl("rates:2") <= 60


def test_the_same_event_in_another_entry_is_acknowledged_only(hands: Hands, redis_server: RedisServer) -> None:
    assert hands.finish(hands.commit(0), hands.commit(1)) == [CommitOutcome("done"), CommitOutcome("duplicate")]
    assert written(hands) == (1, 1, 1, 1)
    assert pending(redis_server) == 0


def test_an_entry_is_finished_once_even_when_its_event_is_forgotten(hands: Hands) -> None:
    hands.finish(hands.commit())
    hands.redis.delete(KEYS.done("d"))
    assert hands.finish(hands.commit()) == [CommitOutcome("finished")]
    assert written(hands)[0] == 1


@pytest.mark.parametrize("key", ["grice:results", KEYS.history("d"), KEYS.done("d"), "rates:1", "rates:2"])
def test_a_key_that_holds_something_else_stops_all_of_it(hands: Hands, redis_server: RedisServer, key: str) -> None:
    hands.redis.set(key, "a text")
    with pytest.raises(RedisError, match="WRONGTYPE"):
        hands.finish(hands.commit())
    hands.redis.delete(key)
    assert written(hands) == (0, 0, 0, 0)
    assert pending(redis_server) == 2
    assert hands.finish(hands.commit()) == [CommitOutcome("done")]
    assert written(hands) == (1, 1, 1, 1)


def test_without_the_lease_nothing_is_written(hands: Hands) -> None:
    hands.redis.set(KEYS.lease(EVENTS), "of another")
    with pytest.raises(RedisError, match="LEASELOST"):
        hands.finish(hands.commit())
    assert written(hands) == (0, 0, 0, 0)


def test_without_the_lease_nothing_is_taken(hands: Hands, redis_server: RedisServer) -> None:
    publish(redis_server, [said(2)])
    hands.lease.release()
    for take in (hands.source.take_unfinished, lambda: hands.source.take_new(1), hands.source.open):
        with pytest.raises(RedisError, match="LEASELOST"):
            take()
    assert hands.lease.acquire()
    assert [entry.tries for entry in hands.source.take_new(10).entries] == [1]
    assert (hands.source.take_unfinished().entries[0].id, pending(redis_server)) == (hands.entries[0].id, 3)


def test_ids_of_events_and_turns_are_bounded(hands: Hands, redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 1100))
    hands.entries += hands.source.take_new(2000).entries
    hands.finish(*(hands.commit(place, f"event-{place}") for place in range(len(hands.entries))))
    assert hands.redis.zcard(KEYS.done("d")) == 1000
    assert hands.redis.zscore(KEYS.done("d"), "event-0") is None
    assert hands.redis.llen(KEYS.history("d")) == 50
    assert 0 < hands.redis.ttl(KEYS.history("d")) <= 86_400
    assert 0 < hands.redis.ttl(KEYS.done("d")) <= 86_400
