"""The worker on a real Redis: what it scores, after which history, and where it goes."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence

import pytest
from fake_models import FakeBehaviors
from redis_process import RedisServer
from worker_fixtures import DEAD, EVENTS, RESULTS, conversation, dead, drained, pending, publish, results, said, scored_ids

from grice.middleware.events.event import DialogueEvent
from grice.middleware.rates.redis import RedisRates
from grice.middleware.stream.planning import is_sampled
from grice.models.dialogue import Dialogue
from grice.models.results import Behaviors


def test_every_response_is_scored_once_after_the_turns_before_it(redis_server: RedisServer) -> None:
    model = FakeBehaviors()
    told = [conversation(name, 9) for name in ("a", "b", "c")]
    publish(redis_server, [event for turn in zip(*told, strict=True) for event in turn])
    worker = drained(redis_server, model, worker_batch_size=5)
    asked = [dialogue for batch in model.batches for dialogue in batch]
    expected = [Dialogue(tuple(event.turn for event in events[: place + 1])) for place in range(1, 9, 2) for events in told]
    assert asked == expected
    assert scored_ids(redis_server) == [f"{name}-{number}" for number in range(1, 9, 2) for name in "abc"]
    assert (worker.counts.scored, worker.counts.user_turns, pending(redis_server)) == (12, 15, 0)
    assert max(map(len, model.batches)) > 1


def test_a_result_tells_all_about_a_response(redis_server: RedisServer) -> None:
    about = {"channel": "rest", "bot_version": "7", "action": "utter_greet"}
    publish(redis_server, [said(0, text="Where?"), said(1, text="That is Red.", **about)])
    drained(redis_server)
    (result,) = results(redis_server)
    assert (result.event_id, result.dialogue_id, result.text, result.timestamp) == ("d-1", "d", "That is Red.", 1001.0)
    assert {name: getattr(result, name) for name in about} == about
    assert (result.shown, result.probabilities["Red"], result.probabilities["Ign"]) == (("Red",), 0.9, 0.1)
    assert dict(result.evidence) == {"Red": "Where?"}
    assert result.scored_at > result.timestamp
    assert (result.model, result.failures) == ("FakeBehaviors", ())


def test_history_goes_on_from_batch_to_batch_and_is_bounded(redis_server: RedisServer) -> None:
    model = FakeBehaviors()
    for start in (0, 6):
        publish(redis_server, [said(number) for number in range(start, start + 6)])
        drained(redis_server, model, history_turns=4, worker_batch_size=1)
    texts = [[turn.text for turn in dialogue.turns] for batch in model.batches for dialogue in batch]
    turns = [said(number).text for number in range(12)]
    assert texts == [turns[max(0, place - 4) : place + 1] for place in range(1, 12, 2)]


def test_an_event_that_comes_again_is_scored_once(redis_server: RedisServer) -> None:
    model = FakeBehaviors()
    events = conversation("d", 4)
    publish(redis_server, [*events, *events])
    drained(redis_server, model)
    publish(redis_server, [*events, said(4), said(5)])
    worker = drained(redis_server, model)
    assert scored_ids(redis_server) == ["d-1", "d-3", "d-5"]
    assert worker.counts.duplicates == 4
    assert model.batches[-1] == [Dialogue(tuple(event.turn for event in conversation("d", 6)))]


def test_the_same_event_id_in_another_dialogue_is_another_event(redis_server: RedisServer) -> None:
    publish(redis_server, [DialogueEvent("same", name, "bot", "Hello.", 1.0) for name in ("a", "b")])
    drained(redis_server)
    assert [(each.dialogue_id, each.event_id) for each in results(redis_server)] == [("a", "same"), ("b", "same")]


def test_what_is_no_event_goes_to_the_dead_letters(redis_server: RedisServer) -> None:
    with redis_server.client() as redis:
        redis.xadd(EVENTS, {"event": '{"half'})
        redis.xadd(EVENTS, {"other": b"\xff\x00"})
        redis.xadd(EVENTS, {"event": json.dumps({**json.loads(said(1).to_json()), "schema_version": 99})})
        entries = [name for name, _ in redis.xrange(EVENTS)]
    publish(redis_server, conversation("d", 2))
    worker = drained(redis_server)
    letters = dead(redis_server)
    assert [letter["error"] for letter in letters] == [b"InputError"] * 3
    assert [letter["entry"] for letter in letters] == entries
    assert {letter["stream"] for letter in letters} == {EVENTS.encode()}
    assert letters[0]["event"] == b'{"half'
    assert json.loads(letters[1]["fields"]) == {"other": "\\xff\x00"}
    assert b"schema_version: got 99" in letters[2]["message"]
    assert scored_ids(redis_server) == ["d-1"]
    assert (worker.counts.dead, worker.counts.scored, pending(redis_server)) == (3, 1, 0)


def test_a_response_that_cannot_be_scored_is_tried_and_then_given_up(
    redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    model = FakeBehaviors()
    events = [said(0), said(1, text="Some poison."), said(2), said(3)]
    publish(redis_server, events)
    with caplog.at_level(logging.INFO):
        worker = drained(redis_server, model, max_tries=3)
    (letter,) = dead(redis_server)
    assert letter["event"].decode() == events[1].to_json()
    assert (letter["error"], letter["message"], letter["tries"]) == (b"RuntimeError", b"cannot read Some poison.", b"3")
    assert scored_ids(redis_server) == ["d-3"]
    assert (worker.counts.dead, worker.counts.retried, pending(redis_server)) == (1, 2, 0)
    assert [turn.text for turn in model.batches[1][0].turns] == [events[0].text, "Some poison."]  # tried again, alone
    assert "poison" not in caplog.text
    assert "turn 3" not in caplog.text


def test_what_was_given_up_stays_in_the_history_and_is_not_tried_when_it_comes_again(redis_server: RedisServer) -> None:
    model = FakeBehaviors()
    events = [said(0), said(1, text="Some poison.")]
    publish(redis_server, events)
    drained(redis_server)
    publish(redis_server, [*events, said(2), said(3)])
    worker = drained(redis_server, model)
    assert [[turn.text for turn in each.turns] for each in model.batches[0]] == [
        [said(0).text, "Some poison.", said(2).text, said(3).text]
    ]
    assert (len(dead(redis_server)), worker.counts.duplicates) == (1, 2)


class Recovers(FakeBehaviors):
    """Fails the first so many times."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        if self.failures:
            self.failures -= 1
            raise OSError("not now")
        return super().predict(dialogues)


def test_a_failure_that_passes_leaves_no_trace(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 2))
    worker = drained(redis_server, Recovers(2), max_tries=3)
    assert scored_ids(redis_server) == ["d-1"]
    assert (worker.counts.retried, worker.counts.dead) == (2, 0)
    assert not dead(redis_server)


def test_sampling_takes_a_share_and_always_the_same(redis_server: RedisServer) -> None:
    events = [said(1, f"dialogue-{number}") for number in range(2000)]
    chosen = [event.event_id for event in events if is_sampled(event, 0.2)]
    assert 320 < len(chosen) < 480
    assert set(chosen) <= {event.event_id for event in events if is_sampled(event, 0.5)}
    assert [is_sampled(events[0], share) for share in (0.0, 1.0)] == [False, True]
    publish(redis_server, events)
    model = FakeBehaviors()
    worker = drained(redis_server, model, sample=0.2, worker_batch_size=100)
    assert scored_ids(redis_server) == chosen
    assert (worker.counts.scored, worker.counts.sampled_out) == (len(chosen), 2000 - len(chosen))
    assert sum(map(len, model.batches)) == len(chosen)


def test_a_response_that_is_not_sampled_is_history(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 2))
    drained(redis_server, sample=0.0)
    publish(redis_server, [said(2), said(3)])
    model = FakeBehaviors()
    drained(redis_server, model)
    assert [turn.text for turn in model.batches[0][0].turns] == [said(number).text for number in range(4)]


def test_entries_that_redis_removed_unread_are_counted(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    publish(redis_server, [said(number) for number in range(10)])
    drained(redis_server)
    publish(redis_server, [said(number) for number in range(10, 1000)])
    with redis_server.client() as redis:
        redis.xtrim(EVENTS, maxlen=100, approximate=False)
    worker = drained(redis_server)
    assert worker.counts.dropped == 890
    assert scored_ids(redis_server) == [f"d-{number}" for number in (*range(1, 10, 2), *range(901, 1000, 2))]
    assert "entries are LOST" in caplog.text
    with redis_server.client() as redis:
        redis.xtrim(EVENTS, maxlen=0, approximate=False)
        publish(redis_server, [said(1000), said(1001)])
        redis.xtrim(EVENTS, maxlen=0, approximate=False)  # nothing at all is left
    assert drained(redis_server).counts.dropped == 2
    publish(redis_server, [said(1002), said(1003)])
    worker = drained(redis_server)
    assert (worker.counts.dropped, worker.counts.scored) == (0, 1)
    with redis_server.client() as redis:
        assert redis.hget("grice:monitor:grice:events:monitor:position:grice:events", "dropped") == b"892"


def test_entries_that_were_read_before_they_were_removed_are_not_counted(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 40))
    drained(redis_server)
    with redis_server.client() as redis:
        redis.xtrim(EVENTS, maxlen=10, approximate=False)
    publish(redis_server, [said(40), said(41)])
    with redis_server.client() as redis:
        redis.xtrim(EVENTS, maxlen=2, approximate=False)
    worker = drained(redis_server)
    assert (worker.counts.dropped, worker.counts.scored) == (0, 1)


def test_what_was_removed_before_the_first_worker_came_is_not_counted(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 40))
    with redis_server.client() as redis:
        redis.xtrim(EVENTS, maxlen=4, approximate=False)
    worker = drained(redis_server)
    assert (worker.counts.dropped, worker.counts.scored) == (0, 2)


def test_results_and_dead_letters_are_bounded_and_what_leaves_is_counted(redis_server: RedisServer) -> None:
    publish(redis_server, [said(1, f"good-{number}") for number in range(600)])
    publish(redis_server, [said(1, f"bad-{number}", text="poison") for number in range(600)])
    worker = drained(redis_server, results_maxlen=100, dead_maxlen=50, max_tries=1)
    with redis_server.client() as redis:
        kept, letters = redis.xlen(RESULTS), redis.xlen(DEAD)
    assert 100 <= kept < 300  # Redis removes whole nodes of 100 entries
    assert 50 <= letters < 300
    assert (worker.counts.results_trimmed, worker.counts.dead_trimmed) == (600 - kept, 600 - letters)


def test_rates_count_each_response_once(redis_server: RedisServer) -> None:
    now = time.time()
    events = [said(1, f"d{number}", text="That is Red." if number < 3 else "Fine.", timestamp=now) for number in range(10)]
    publish(redis_server, [*events, *events, said(1, "e", text="poison", timestamp=now)])
    drained(redis_server, max_tries=1)
    rates = RedisRates(redis_server.url)
    found = {rate.behavior: (rate.shown, rate.scored, rate.unscored) for rate in rates.rates(600)}
    rates.close()
    assert found["Red"] == (3, 10, 1)
    assert found["Ign"] == (0, 10, 1)


def test_groups_know_nothing_of_each_other(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 4))
    drained(redis_server)
    model = FakeBehaviors()
    worker = drained(redis_server, model, events_group="other", results_stream="other:results")
    assert worker.counts.scored == 2
    assert [len(dialogue.turns) for dialogue in model.batches[0]] == [2, 4]
    assert scored_ids(redis_server) == ["d-1", "d-3"]
