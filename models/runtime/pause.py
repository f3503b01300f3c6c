"""Where long work may stop for others, or end because nobody wants its result any more.

Models compute in short steps, and call `pause` before each (`Session.run` does). Who runs a model says by `pausing` what happens
there: nothing, by default.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class Stopped(BaseException):
    """The work has to end here. It is no failure of the work, so it is no `Exception`: nobody tries again or records it."""


def _go_on() -> None:
    """Nobody else wants to work."""


_hook: ContextVar[Callable[[], None]] = ContextVar("grice_pause", default=_go_on)


def pause() -> None:
    """Let others work, if whoever runs this wants that; may take its time.

    Raises:
        Stopped: the result is not wanted any more.
    """
    _hook.get()()


@contextlib.contextmanager
def pausing(hook: Callable[[], None]) -> Iterator[None]:
    """Call `hook`, after the hooks that are set already, where work inside pauses; it waits, or raises `Stopped`.

    Threads that are started inside have to be given the context (`contextvars.copy_context`).
    """
    outer = _hook.get()

    def both() -> None:
        outer()
        hook()

    token = _hook.set(hook if outer is _go_on else both)
    try:
        yield
    finally:
        _hook.reset(token)
