"""Holds the conversations of a file with the bot, and counts those whose slots and bookings are all as they should be.

python evaluate.py conversations/held_out.yml --model models/bot.tar.gz --model models/plain.tar.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from live import conversations, servers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--model", type=Path, action="append", required=True, help="a trained model; may be given several times")
    parser.add_argument("--show", action="store_true", help="print every turn and what was found wrong")
    given = parser.parse_args()
    for model in given.model:
        with servers.running(model.resolve(), servers.PROJECT / ".run" / "evaluate") as bot:
            for file in given.file:
                print(report(file, model, [conversations.hold(bot, one) for one in conversations.read(file)], given.show))


def report(file: Path, model: Path, held: list[conversations.Held], show: bool) -> str:
    lines = [line for one in held for line in (_shown(one) if show else [_line(one)])]
    right = sum(not one.wrong for one in held)
    slots, of_slots = sum(one.slots_right for one in held), sum(len(one.conversation.slots) for one in held)
    lines.append(f"{file.name}, {model.name}: {right} of {len(held)} conversations right, {slots} of {of_slots} slots")
    return "\n".join(lines)


def _line(held: conversations.Held) -> str:
    return f"{'wrong' if held.wrong else 'right'}  {held.conversation.id}" + "".join(f"\n         {text}" for text in held.wrong)


def _shown(held: conversations.Held) -> list[str]:
    lines = [_line(held)]
    for text, answers in zip(held.conversation.user, held.answers, strict=True):
        lines += [f"    user: {text}", *(f"     bot: {answer}" for answer in answers)]
    return lines


if __name__ == "__main__":
    main()
