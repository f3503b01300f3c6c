"""Holds one conversation with the bot twice, with Grice's components and without, and prints both as Markdown.

python transcript.py conversations/dev.yml lost-job
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from live import conversations, servers, training


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("id")
    given = parser.parse_args()
    known = {conversation.id: conversation for conversation in conversations.read(given.file)}
    if given.id not in known:
        print(f"no conversation {given.id!r} in {given.file}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    held = [_held(name, known[given.id]) for name in ("bot", "plain")]
    print("| user | bot with Grice | bot without |\n|---|---|---|")
    for text, with_grice, without in zip(known[given.id].user, held[0].answers, held[1].answers, strict=True):
        print(f"| {text} | {'<br>'.join(with_grice)} | {'<br>'.join(without)} |")
    for title, one in zip(("with Grice", "without"), held, strict=True):
        print(f"\n{title}: " + ("all slots and bookings right" if not one.wrong else "; ".join(one.wrong)))
    return 0


def _held(name: str, conversation: conversations.Conversation) -> conversations.Held:
    with servers.running(training.trained(name), servers.PROJECT / ".run" / "transcript") as bot:
        return conversations.hold(bot, conversation)


if __name__ == "__main__":
    sys.exit(main())
