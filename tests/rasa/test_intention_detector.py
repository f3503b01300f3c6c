"""The detector of face acts in a real bot."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conftest import NLU_PIPELINE, LoadAgent, TrainBot, talk, with_grice
from loopback_server import items_of, loopback, saying
from rasa.shared.exceptions import InvalidConfigException

from grice.models.results import FACE_ACTS

DETECTOR = "grice.components.IntentionDetector"
REFUSAL = "No, I can't afford to donate right now."
ROW: dict[str, Any] = {
    "probabilities": {label: float(label == "sneg+") for label in FACE_ACTS},
    "labels": ["sneg+"],
    "roles": ["persuadee"],
    "agreement": [0.25],
    "history_read": 0,
    "history_cut": 0,
    "text_cut": False,
    "read_as": "charity",
    "far": False,
}


def with_detector(**more: object) -> tuple[dict[str, Any], ...]:
    return ({"name": DETECTOR, **more}, *NLU_PIPELINE)


def test_a_message_has_its_face_act(load_agent: LoadAgent) -> None:
    found = asyncio.run(load_agent(with_detector()).parse_message(REFUSAL))
    record = found["grice"]["intentions"]
    assert (found["text"], record["role"], record["label"], record["history_read"]) == (REFUSAL, "persuadee", "sneg+", 0)
    assert set(record["probabilities"]) == set(FACE_ACTS)
    assert record["counts"]["persuadee"]["sneg+"] == record["balance"]["persuadee"] == 1
    assert 0 < record["agreement"] < 1
    assert found["grice"]["failures"] == []


def test_the_bot_s_turns_are_read_too(load_agent: LoadAgent) -> None:
    _, tracker = asyncio.run(talk(load_agent(with_detector()), ["I am looking for a place to eat.", REFUSAL], "reads"))
    first, second = (event.parse_data["grice"]["intentions"] for event in tracker.events if event.type_name == "user")
    assert (first["history_read"], second["history_read"]) == (0, 2)
    assert sum(second["counts"]["persuader"].values()) == 1


def test_what_the_user_wrote_is_read_and_not_the_rewrite(load_agent: LoadAgent) -> None:
    rewriter, *others = with_grice(mode="replace")
    agent = load_agent((rewriter, {"name": DETECTOR}, *others))
    alone = asyncio.run(load_agent(with_detector()).parse_message("I am on a tight budget"))["grice"]["intentions"]
    found = asyncio.run(agent.parse_message("I am on a tight budget"))["grice"]
    assert found["decision"] == "rewrite"
    assert found["intentions"] == alone


def test_the_user_may_be_the_one_who_persuades(load_agent: LoadAgent) -> None:
    found = asyncio.run(load_agent(with_detector(user_role="persuader")).parse_message("Please give me one more day."))
    assert found["grice"]["intentions"]["role"] == "persuader"


def test_behind_a_service(load_agent: LoadAgent) -> None:
    with loopback(saying({"items": [ROW], "schema_version": 1})) as server:
        agent = load_agent(with_detector(backend="http", url=server.url, deadline_ms=20_000, goal="join a choir"))
        found = asyncio.run(agent.parse_message(REFUSAL))["grice"]
        asked = items_of(server.requests[-1])[0]
    assert (found["intentions"]["label"], found["intentions"]["agreement"]) == ("sneg+", 0.25)
    assert (asked["user_role"], asked["turns"]) == ("persuadee", [{"speaker": "user", "text": REFUSAL}])
    assert asked["goal"] == "join a choir"


def test_a_service_that_fails_costs_no_message(load_agent: LoadAgent) -> None:
    with loopback(saying({"items": [{**ROW, "labels": []}], "schema_version": 1})) as server:
        found = asyncio.run(load_agent(with_detector(backend="http", url=server.url, deadline_ms=20_001)).parse_message(REFUSAL))
    assert (found["text"], found["grice"]["intentions"]) == (REFUSAL, None)
    assert [(failure["stage"], failure["error"]) for failure in found["grice"]["failures"]] == [("intentions", "ServiceError")]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"user_role": "seller"}, "setting user_role: got 'seller'; allowed: persuader, persuadee"),
        ({"intentions_model": 5}, "setting intentions_model: got 5; allowed: a string"),
        ({"mode": "append"}, "setting mode: got 'append'; allowed: no such key"),
        ({"backend": "http", "url": "http://127.0.0.1:1", "intentions_model": "mine"}, "setting intentions_model"),
    ],
)
def test_bad_values_are_refused_in_training(train_bot: TrainBot, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfigException) as caught:
        train_bot(with_detector(**values), nlu_only=True)
    assert str(caught.value).startswith(f"IntentionDetector: {message}")
