"""Our own split of data that its authors did not split for us: by dialogue, by hash, the same everywhere.

A dialogue's part follows from its id alone, so a subset of the data keeps every dialogue in its part and a run cannot leak
by a different shuffle.
"""

from __future__ import annotations

import hashlib
from typing import Literal

Part = Literal["train", "dev", "test"]

DEV_PERCENT = 6
TEST_PERCENT = 12


def part_of(dialogue_id: str) -> Part:
    """The part of a dialogue: 12 % test, 6 % dev, 82 % train."""
    bucket = int(hashlib.sha256(f"grice:{dialogue_id}".encode()).hexdigest(), 16) % 100
    if bucket < TEST_PERCENT:
        return "test"
    return "dev" if bucket < TEST_PERCENT + DEV_PERCENT else "train"
