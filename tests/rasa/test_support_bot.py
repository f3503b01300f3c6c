"""The support bot, trained and live: a Rasa server without action server, driven over REST."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from bot_fixtures import bot_project, live

__all__ = ["bot_project", "live"]


@pytest.fixture(scope="module")
def support_bot(live: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    project = live.servers.BOTS["support"]
    model = live.training.trained("bot", project)
    with live.servers.running(model, tmp_path_factory.mktemp("support"), project=project) as running:
        yield running


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        (
            ("my internet is down", "yes please", "Friday", "in the morning"),
            ("Would you like a technician", "On which day", "morning, afternoon or evening", "on Friday in the morning"),
        ),
        (("I want to change my plan", "the family one"), ("Which plan", "You are on the family plan")),
        (("cancel my contract", "no, leave it"), ("Shall I end your contract?", "stays as it is")),
        (("good morning", "what is my wifi password", "thanks"), ("help desk of Larkwire", "on the label", "You are welcome")),
    ],
)
def test_a_direct_conversation(live: Any, support_bot: Any, said: tuple[str, ...], answers: tuple[str, ...]) -> None:
    sender = uuid.uuid4().hex
    for text, expected in zip(said, answers, strict=True):
        assert expected in " ".join(live.conversations.say(support_bot, sender, text))


def test_each_message_has_the_record_of_rewriter_and_resolver(live: Any, support_bot: Any) -> None:
    sender = uuid.uuid4().hex
    live.conversations.say(support_bot, sender, "the router has no connection")
    (message,) = [each for each in live.conversations.tracker(support_bot, sender)["events"] if each["event"] == "user"]
    record = message["parse_data"]["grice"]
    assert record["original"] == "the router has no connection"
    assert record["failures"] == []
    assert record["meaning"]["possible"][0]["name"] == "report_no_connection"
    assert live.conversations.tracker(support_bot, sender)["slots"]["device"] == "router"
