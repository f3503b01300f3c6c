"""What a trained Rasa model makes of turns with their history, over JSON lines; run it in Rasa's environment.

    python -m grice.components.parse models/nlu.tar.gz < turns.jsonl > parses.jsonl

A line in: `{"text": …, "history": [{"speaker": "user" | "bot", "text": …}]}` (`history` may be left out). A line out, in the same
order: Rasa's parse data, with `milliseconds`, how long the parse took.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from rasa.core.agent import Agent
from rasa.core.channels.channel import UserMessage
from rasa.shared.core.events import BotUttered, Event, UserUttered
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.utils.log_utils import configure_structlog

SENDER = "grice-parse"


def tracker_of(history: Iterable[dict[str, str]]) -> DialogueStateTracker:
    """A tracker in which these turns have happened.

    Raises:
        ValueError: a turn has no text, or a speaker other than user and bot.
    """
    events: list[Event] = []
    for turn in history:
        kind = {"user": UserUttered, "bot": BotUttered}.get(turn.get("speaker", ""))
        if kind is None or "text" not in turn:
            raise ValueError(f'a turn of history is {turn!r}; allowed: {{"speaker": "user" or "bot", "text": "…"}}')
        events.append(kind(turn["text"]))
    return DialogueStateTracker.from_events(SENDER, events)


async def parse(agent: Agent, items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parse data of each item, in order."""
    if agent.processor is None:
        raise ValueError("the model could not be loaded")
    found = []
    for item in items:
        tracker = tracker_of(item.get("history", ()))
        begin = time.perf_counter()
        parsed = await agent.processor.parse_message(UserMessage(item["text"], sender_id=SENDER), tracker=tracker)
        found.append({**parsed, "milliseconds": 1000 * (time.perf_counter() - begin)})
    return found


def read(lines: TextIO) -> Iterator[dict[str, Any]]:
    """The items of JSON lines.

    Raises:
        ValueError: a line is not an object with a text.
    """
    for number, line in enumerate(lines, 1):
        item = json.loads(line)
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            raise ValueError(f'line {number} is {line[:80]!r}; allowed: {{"text": "…", "history": […]}}')
        yield item


def main() -> None:
    """Parse standard input to standard output."""
    parser = argparse.ArgumentParser(description="Parse JSON lines of turns with a trained Rasa model.")
    parser.add_argument("model", help="a model as `rasa train` writes it")
    configure_structlog(logging.WARNING)  # by default each parse is printed, between our lines
    agent = Agent.load(parser.parse_args().model)
    for found in asyncio.run(parse(agent, read(sys.stdin))):
        print(json.dumps(found, default=float))


if __name__ == "__main__":
    main()
