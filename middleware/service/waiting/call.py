"""One call of the service, as queues know it: who calls, and until when an answer is of use."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from grice.middleware.runtime.deadline import Deadline
from grice.middleware.telemetry.stage_times import StageTimes


@dataclass(eq=False)
class WaitingCall:
    """A call.

    Attributes:
        deadline: until when it has to be answered, from its arrival on.
        address: where it comes from: host and port.
        body_bytes: how long its body is, as its header says; 0: not known.
        is_back: whether it was refused before and comes back when it was told to; None: nobody has looked.
        stages: how long the stages of its batches took. A batch that it shares with other calls counts as a whole.
    """

    deadline: Deadline
    address: tuple[str, int] = ("", 0)
    body_bytes: int = 0
    is_back: bool | None = None
    stages: StageTimes = field(default_factory=StageTimes)


Pay = Callable[[], Awaitable[None]]
"""Counts the work of a call against what its caller may use in a minute; raises `QuotaExceeded`."""

CALL: ContextVar[WaitingCall | None] = ContextVar("grice_call", default=None)
"""The call that is being answered; None outside of one."""


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Inside, queues take the call for another one with the same deadline: what one learns of it says nothing of a model's."""
    call = CALL.get()
    token = CALL.set(None if call is None else replace(call, body_bytes=0, is_back=None))
    try:
        yield
    finally:
        CALL.reset(token)
