"""The span that a caller works in, as W3C's Trace Context has it (https://www.w3.org/TR/trace-context/)."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import NamedTuple

HEADER = "traceparent"
PATTERN = r"^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"
INCOMING: ContextVar[str] = ContextVar("grice_traceparent", default="")
"""That of the request that is being answered; "": it has none."""


class TraceParent(NamedTuple):
    """A span. `trace_id` has 32 and `span_id` 16 hexadecimal digits in lower case."""

    trace_id: str
    span_id: str


def read_traceparent(text: str) -> TraceParent | None:
    """The span that a `traceparent` names; None where it names none."""
    if not re.fullmatch(PATTERN, text) or text.startswith("ff"):
        return None
    _, trace_id, span_id, _ = text.split("-")
    return TraceParent(trace_id, span_id) if trace_id.strip("0") and span_id.strip("0") else None


def checked_traceparent(given: object) -> str:
    """What was given, if it names a span; else "", as the convention wants it: a broken one is no error."""
    text = given.strip() if isinstance(given, str) else ""
    return text if read_traceparent(text) else ""
