"""Working on parts of a batch side by side: runs of one thread each use two cores better than one run of two threads."""

from __future__ import annotations

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
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="grice-part") if self.count > 1 else None

    def map(self, work: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], largest: int) -> list[Result]:
        """`work` on consecutive parts of `items`, at most `largest` in one and as many as there are workers.

        The results come in the order of the items.
        """
        size = max(1, min(largest, -(-len(items) // self.count)))
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        done = map(work, parts) if self._threads is None or len(parts) < 2 else self._threads.map(work, parts)
        return [result for part in done for result in part]


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
