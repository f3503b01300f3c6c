"""Messages of language models' APIs as turns."""

from __future__ import annotations

import pytest

from grice.models import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.messages import read_dialogue, read_message, read_messages

ROWS = [
    {"role": "system", "content": "You rent kayaks."},
    {"role": "user", "content": "Is it far to the lake?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
    {"role": "tool", "content": "3 km", "tool_call_id": "1"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Three kilometres."}]},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "My feet hurt."},
            {"type": "image_url", "image_url": {"url": "data:,"}},
            {"type": "input_text", "text": "Look."},
        ],
    },
]
SAID = (Turn("user", "Is it far to the lake?"), Turn("bot", "Three kilometres."), Turn("user", "My feet hurt. Look."))


def test_a_conversation_of_a_language_model() -> None:
    assert Dialogue.of_messages(ROWS) == Dialogue(SAID)


def test_turns_and_messages_may_be_mixed() -> None:
    rows = [{"speaker": "user", "text": "Hi."}, Turn("bot", "Hello."), {"role": "user", "content": "A kayak."}]
    assert read_messages(rows) == (Turn("user", "Hi."), Turn("bot", "Hello."), Turn("user", "A kayak."))


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function"])
def test_who_is_nobody(role: str) -> None:
    assert read_message({"role": role, "content": "Something."}) is None


@pytest.mark.parametrize("content", [None, "", "  ", "\x08\x00", [], [{"type": "image_url", "image_url": {"url": "data:,"}}]])
def test_rows_in_which_nothing_is_said(content: object) -> None:
    assert read_message({"role": "user", "content": content}) is None


def test_a_refusal_is_said() -> None:
    assert read_message({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}) == Turn("bot", "No.")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"role": "narrator", "content": "x"}], "role: got 'narrator'; allowed: user, assistant, system"),
        ([{"role": "user", "content": 7}], "content: got 7; allowed: a string, a list of parts, or null"),
        ([{"role": "user", "content": [7]}], 'part of content: got 7; allowed: an object with "type"'),
        ([{"role": "user", "content": [{"type": "text", "text": 7}]}], "text of a part of type text: got 7"),
        ([{"text": "x"}], "speaker: got None; allowed: user or bot"),
        (["x"], 'allowed: an object with "role" and "content"'),
        ("x", "allowed: a list of messages"),
        ([], "at least one row of user or assistant"),
        ([ROWS[0]], "at least one row of user or assistant"),
        ([{"role": "user", "content": "x" * 10_001}], "at most 10000 characters"),
    ],
)
def test_what_cannot_be_read(rows: object, message: str) -> None:
    with pytest.raises(InputError, match="got") as caught:
        read_dialogue(rows)
    assert message in str(caught.value)
