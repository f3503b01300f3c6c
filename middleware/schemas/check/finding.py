"""One thing that is wrong with a menu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

SchemaFault = Literal["intent-without-text", "slot-without-text", "empty-name", "slot-of-no-intent", "like-values", "like-intents"]

KINDS: tuple[str, ...] = get_args(SchemaFault)


@dataclass(frozen=True)
class SchemaFinding:
    """What is wrong, and where.

    Attributes:
        kind: one of `KINDS`.
        names: the intents, slots or values that it is about.
        message: what is wrong, and what to do.
        examples: the texts that show it, those that show it best first.
    """

    kind: SchemaFault
    names: tuple[str, ...]
    message: str
    examples: tuple[str, ...] = ()
