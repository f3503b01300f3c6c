"""Events to deliver, and where they wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grice.middleware.events import DialogueEvent

LONG_TEXT = "x" * 9000


def event(number: int, dialogue_id: str = "d", **changes: Any) -> DialogueEvent:
    values: dict[str, Any] = {"speaker": "user", "text": f"Secret turn {number}.", "timestamp": 1000.0 + number, **changes}
    return DialogueEvent(f"{dialogue_id}-{number}", dialogue_id, **values)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool.jsonl"
