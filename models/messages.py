"""Messages as language models' APIs write them, as turns: the one mapping, for Python, REST, page and gateways.

| a row | becomes |
|---|---|
| `{"speaker": "user" or "bot", "text": …}` | that turn |
| `{"role": "user", "content": …}` | a turn of the user |
| `{"role": "assistant", "content": …}` | a turn of the bot |
| `role` is `system`, `developer`, `tool` or `function` | nothing: nobody said it |

`content` is a string, or a list of parts. Of parts, those of type `text`, `input_text`, `output_text` and `refusal` are what was
said, joined by a space; images, audio and files are left out. A row in which nothing was said (`content` is null, has no such part,
as beside tool calls, or nothing printable) becomes nothing. Other fields of a row with a `role` are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grice.models.dialogue import Dialogue, Speaker, Turn, plain_text
from grice.models.errors import InputError

SPEAKER_OF: Mapping[str, Speaker | None] = {
    "user": "user",
    "assistant": "bot",
    **dict.fromkeys(("system", "developer", "tool", "function")),
}
"""Who speaks in a row of that role; None: nobody."""
TEXT_PARTS: Mapping[str, str] = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
"""The types of parts that say something, and the field in which they say it."""


def read_message(row: object) -> Turn | None:
    """The turn of one row; None where nothing was said.

    Raises:
        InputError: it is no row, its role is unknown, or its text cannot be used.
    """
    if isinstance(row, Turn):
        return row
    if not isinstance(row, Mapping):
        raise InputError("message", row, 'an object with "role" and "content", or with "speaker" and "text"')
    if "role" not in row:
        return Turn(row.get("speaker"), row.get("text"))  # type: ignore[arg-type]
    role = row["role"]
    if not isinstance(role, str) or role not in SPEAKER_OF:
        raise InputError("role", role, ", ".join(SPEAKER_OF))
    speaker = SPEAKER_OF[role]
    text = content_text(row.get("content"))
    return None if speaker is None or not plain_text(text) else Turn(speaker, text)


def read_messages(rows: object) -> tuple[Turn, ...]:
    """The turns of some rows, in order.

    Raises:
        InputError: as `read_message`; or there is no list.
    """
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Sequence):
        raise InputError("messages", rows, "a list of messages")
    found = (read_message(row) for row in rows)
    return tuple(turn for turn in found if turn is not None)


def read_dialogue(rows: object) -> Dialogue:
    """The dialogue of some rows; it ends in the last turn that somebody said.

    Raises:
        InputError: as `read_messages`; or nothing was said.
    """
    turns = read_messages(rows)
    if not turns:
        raise InputError("messages", rows, "at least one row of user or assistant with a text")
    return Dialogue(turns)


def content_text(content: object) -> str:
    """What is said in a message's content; empty where nothing is.

    Raises:
        InputError: it is neither a string nor a list of parts nor null.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        raise InputError("content", content, "a string, a list of parts, or null")
    return " ".join(text for text in map(_part_text, content) if text)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise InputError("part of content", part, 'an object with "type"')
    text = part.get(TEXT_PARTS.get(part["type"], ""), "")
    if not isinstance(text, str):
        raise InputError(f"text of a part of type {part['type']}", text, "a string")
    return text
