"""The support bot, trained and live: action server and Rasa server on free ports, driven over REST."""

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


VAGUE = (
    "It's been weeks and still nothing.",
    "Two weeks of waiting, and all I hear is music.",
    "Next month we will be living somewhere else.",
    "He said he would be here by noon.",
)
"""Turns that may mean two or three of the things that the desk is for; the models need not be torn about each."""


def test_where_nobody_knows_what_was_meant_the_bot_asks_and_goes_on_with_what_is_pressed(live: Any, support_bot: Any) -> None:
    held = [_held(live, support_bot, text) for text in VAGUE]
    asked = [(sender, user, bot) for sender, user, bot in held if user["parse_data"]["grice"]["clarification"]]
    assert asked, [user["parse_data"]["grice"]["meaning"] for _, user, _ in held]
    for sender, user, bot in asked:
        clarification = user["parse_data"]["grice"]["clarification"]
        assert bot["text"] == clarification["question"]
        buttons = bot["data"]["buttons"]
        assert len(buttons) == len(clarification["options"]) >= 2
        pressed = next(button["payload"] for button in buttons if button["payload"].startswith("/"))
        assert live.conversations.say(support_bot, sender, pressed)
        latest = [each for each in live.conversations.tracker(support_bot, sender)["events"] if each["event"] == "user"][-1]
        assert latest["parse_data"]["intent"]["name"] == pressed[1:]


def _held(live: Any, bot: Any, text: str) -> tuple[str, Any, Any]:
    """Who said the text, its event, and the bot's answer."""
    sender = uuid.uuid4().hex
    live.conversations.say(bot, sender, text)
    events = live.conversations.tracker(bot, sender)["events"]
    return (sender, *[next(each for each in events if each["event"] == who) for who in ("user", "bot")])
