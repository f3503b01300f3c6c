"""The messages of a request to a language model: what is said in them, and how the last one is said anew.

Here nothing is refused: a row that cannot be read is passed on, and not looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grice.middleware.gateways.machine_text import is_machine_text
from grice.middleware.settings import Mode
from grice.middleware.turns.pipeline import appended
from grice.middleware.turns.scope import MOST_CHARACTERS
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Turn
from grice.models.errors import InputError
from grice.models.messages import SPEAKER_OF, TEXT_PARTS, content_text

Row = Mapping[str, Any]

LONGEST = MOST_CHARACTERS
"""Characters of a turn that may be rewritten, as many as the pipeline reads: a longer one is a document, or instructions."""
MOST_TURNS = 200
"""Turns of a conversation that are looked at, the newest."""


def turns_of(rows: Sequence[Row]) -> list[Turn]:
    """What the user and the bot said, the newest turns; texts that are too long for a turn are cut."""
    found = [turn for turn in map(turn_of, rows) if turn is not None]
    return found[-MOST_TURNS:]


def turn_of(row: object) -> Turn | None:
    """What is said in a row; None: nothing that can be read."""
    if not isinstance(row, Mapping) or not isinstance(row.get("role"), str):
        return None
    speaker = SPEAKER_OF.get(row["role"])
    try:
        text = content_text(row.get("content"))[:MAX_TEXT_CHARACTERS]
        return None if speaker is None else Turn(speaker, text)
    except InputError:
        return None


def digests_of(rows: Sequence[object], owner: str = "") -> Iterator[tuple[int, str]]:
    """Place and hash of each user turn: of it and all that was said before. What a system says may change in between.

    Args:
        owner: whose conversation it is; the same words of another have another hash.
    """
    chain = hashlib.sha256(owner.encode())
    for place, row in enumerate(rows):
        turn = turn_of(row)
        if turn is not None:
            chain.update(json.dumps([turn.speaker, turn.text]).encode())
            if turn.speaker == "user":
                yield place, chain.hexdigest()


def asks_last(rows: Sequence[Row]) -> bool:
    """Whether the last row is a turn of the user."""
    turn = turn_of(rows[-1]) if rows else None
    return turn is not None and turn.speaker == "user"


def is_plain(text: str, longest: int = LONGEST) -> bool:
    """Whether it is something that a person says: no command, nothing for a machine (`machine_text.py`), and not long."""
    said = text.strip()
    return bool(said) and len(said) <= longest and not said.startswith("/") and not is_machine_text(said)


def said_anew(row: Row, rewrite: str, mode: Mode) -> dict[str, Any]:
    """The row with its rewrite: alone, or after what was said. Only text changes; of several text parts none is taken away."""
    content = row["content"]
    if isinstance(content, str):
        return {**row, "content": rewrite if mode == "replace" else appended(content, rewrite)}
    places = [place for place, part in enumerate(content) if isinstance(part, Mapping) and part.get("type") in TEXT_PARTS]
    last = places[-1]
    said = content[last]["text"]
    alone = mode == "replace" and len(places) == 1
    part = {**content[last], "text": rewrite if alone else appended(said, rewrite)}
    return {**row, "content": [*content[:last], part, *content[last + 1 :]]}


def may_change(row: Row) -> bool:
    """Whether `said_anew` can change it: its last text part is a text that the user wrote."""
    content = row.get("content")
    if isinstance(content, str):
        return True
    parts = [part for part in content or () if isinstance(part, Mapping) and part.get("type") in TEXT_PARTS]
    return bool(parts) and isinstance(parts[-1].get("text"), str)
