"""Work in a thread of its own that whoever asks shares, so that many who ask cost no more than one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class SharedCall(Generic[Answer]):
    """Calls a function without arguments; who asks while it runs gets the result of that call.

    Args:
        function: what takes time. It has a thread to itself: other work that hangs does not delay it.
        name: of the thread.
    """

    def __init__(self, function: Callable[[], Answer], name: str) -> None:
        self._function = function
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._running: asyncio.Future[Answer] | None = None

    async def result(self) -> Answer:
        """What the function returns, or raises."""
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().run_in_executor(self._thread, self._function)
        return await asyncio.shield(self._running)

    def close(self) -> None:
        """Call no more."""
        self._thread.shutdown(wait=False)
