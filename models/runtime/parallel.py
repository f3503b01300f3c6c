"""Working on parts of a batch side by side: runs of one thread each use two cores better than one run of two threads."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """Runs a batch function on parts of a batch, in `count` threads; onnxruntime gives the interpreter free while it computes.

    Args:
        count: 1 or more; 0: as many as the CPUs that this process may use.
    """

    def __init__(self, count: int) -> None:
        self.count = count or _cpus()

    def map(self, work: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], largest: int) -> list[Result]:
        """`work` on consecutive parts of `items`, at most `largest` in one and as many as there are workers.

        The results come in the order of the items. Threads are those of the call alone: one that pauses for another call
        (`grice.models.runtime.pause`) must not keep a thread that this other needs.
        """
        size = max(1, min(largest, -(-len(items) // self.count)))
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        if self.count == 1 or len(parts) < 2:
            return [result for part in parts for result in work(part)]
        with ThreadPoolExecutor(min(self.count, len(parts)), thread_name_prefix="grice-part") as threads:
            done = [threads.submit(contextvars.copy_context().run, work, part) for part in parts]
            return [result for part in done for result in part.result()]

    def meanwhile(self, work: Callable[[], Result], other: Callable[[], object]) -> Result:
        """What `work` gives. With two workers or more `other` runs beside it, and is waited for; alone it does not run at all.

        What `other` finds out it has to keep itself, and whoever needs it must do without: its errors are not told.
        """
        if self.count == 1:
            return work()
        with ThreadPoolExecutor(1, thread_name_prefix="grice-meanwhile") as thread:
            thread.submit(contextvars.copy_context().run, other)
            return work()


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
