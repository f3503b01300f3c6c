"""The figures of the IndirectRequests paper: its Tables 3 and 5."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from grice.benchmarks.core.results import Published

PAPER = Path(__file__).parent / "paper.json"


@cache
def published() -> tuple[tuple[Published, ...], str]:
    """The figures as they are printed, and how they compare with ours."""
    content = json.loads(PAPER.read_text(encoding="utf-8"))
    rows = tuple(Published(**{**row, "source": f"{content['source']}, {row['source']}"}) for row in content["rows"])
    return rows, content["note"]
