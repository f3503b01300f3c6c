"""Trains a bot if it has to be, starts its servers, and opens a chat in the terminal.

python run.py                       # chat; the REST channel is open as well, its address is printed
python run.py --plain               # the same bot without Grice's components
python run.py --bot support         # the help desk of an internet provider, in place of the town's information
echo "I need a hotel" | python run.py
"""

from __future__ import annotations

import argparse
import signal
import sys
import uuid
from typing import NoReturn

from live import conversations, servers, training


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bot", choices=sorted(servers.BOTS), default="town", help="which bot (default: town)")
    parser.add_argument("--port", type=int, default=5005, help="of the Rasa server; 0 chooses a free one (default: 5005)")
    parser.add_argument("--actions-port", type=int, default=5055, help="of the action server; 0 chooses a free one (default: 5055)")
    parser.add_argument("--plain", action="store_true", help="the bot without Grice's components")
    given = parser.parse_args()
    for sign in (signal.SIGTERM, signal.SIGHUP):  # SIGHUP: the terminal closes
        signal.signal(sign, _stop)
    try:
        project = servers.BOTS[given.bot]
        model = training.trained("plain" if given.plain else "bot", project)
        print("Starting the bot ...", file=sys.stderr, flush=True)
        with servers.running(model, project / ".run", given.port, given.actions_port, project) as bot:
            print(f"REST channel: POST {bot.url}/webhooks/rest/webhook with a JSON body of sender and message.")
            print("Say something; an empty line or Ctrl-D ends the conversation.", flush=True)
            chat(bot)
    except servers.BotFailed as failed:
        print(failed, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
    return 0


def chat(bot: servers.Bot) -> None:
    """One conversation over standard input and output; what is piped in is printed too, so that the transcript is whole."""
    sender = f"terminal-{uuid.uuid4().hex[:8]}"
    typed = sys.stdin.isatty()
    while text := (_typed() if typed else sys.stdin.readline()).strip():
        if not typed:
            print(f"user: {text}")
        for answer in conversations.say(bot, sender, text):
            print(f" bot: {answer}", flush=True)


def _typed() -> str:
    try:
        return input("user: ")
    except EOFError:
        print()
        return ""


def _stop(signum: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
