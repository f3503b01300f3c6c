"""What can be wrong, or good, in a response: ABC-Eval's names where it has them, and others that people who run bots ask for."""

from __future__ import annotations

from typing import Literal, get_args

RelationLabel = Literal[
    "!Sel", "!Par", "Red", "asked_again", "Ign", "unanswered", "!Rel", "!Fac", "unsupported", "!Com", "!Emp", "promise", "Emp"
]
LABELS: tuple[RelationLabel, ...] = get_args(RelationLabel)
FAULTS: tuple[RelationLabel, ...] = tuple(label for label in LABELS if label != "Emp")

Setting = Literal["chat", "task", "assistant"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
