"""What can be wrong, or good, in a response: ABC-Eval's names where it has them, and others that people who run bots ask for.

One label is about the user: `user_frustration` says nothing of the response.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

RelationLabel = Literal[
    "!Sel",
    "!Par",
    "Red",
    "asked_again",
    "Ign",
    "unanswered",
    "!Rel",
    "!Fac",
    "unsupported",
    "!Com",
    "!Emp",
    "promise",
    "Emp",
    "user_frustration",
]
FRUSTRATION: Final = "user_frustration"
"""The user is frustrated with the bot or how the talk goes; told by the user's turn before the response."""
LABELS: tuple[RelationLabel, ...] = tuple(label for label in get_args(RelationLabel) if label != FRUSTRATION)
"""What a response can show."""
FAULTS: tuple[RelationLabel, ...] = tuple(label for label in LABELS if label != "Emp")

Setting = Literal["chat", "task", "assistant"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
