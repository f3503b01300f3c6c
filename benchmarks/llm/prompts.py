"""The prompts of a run in one number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def hashed(prompts: Iterable[str]) -> str:
    """One sha256 of all prompts, for `about`."""
    return hashlib.sha256("\0".join(prompts).encode()).hexdigest()
