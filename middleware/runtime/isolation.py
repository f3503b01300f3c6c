"""Keeps one bad item of a batch from taking the others with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from grice.models.errors import ModelError

Item = TypeVar("Item")
Result = TypeVar("Result")


def isolate(
    work: Callable[[Sequence[Item]], Sequence[Result]], items: Sequence[Item], final: tuple[type[Exception], ...] = ()
) -> list[Result | Exception]:
    """One outcome an item, in order: what `work` gives for it, or the error that it raises for it.

    All items are tried together first, and each alone only if that fails:

        for item, outcome in zip(items, isolate(model.predict, items), strict=True):
            answer(item, None if isinstance(outcome, Exception) else outcome)

    Args:
        work: the batch method of a model; one that gives too few results or too many has failed. It is not called without items.
        final: errors that are not tried again item by item, such as a missed deadline: every item of the batch gets them.
    """
    if not items:
        return []
    try:
        return [*_complete(work(items), len(items))]
    except final as error:
        return [error] * len(items)
    except Exception as error:  # noqa: BLE001 - one bad item; a model may fail in any way
        if len(items) == 1:
            return [error]
        return [outcome for item in items for outcome in isolate(work, [item], final)]


def _complete(results: Sequence[Result], count: int) -> Sequence[Result]:
    if len(results) != count:
        raise ModelError(f"the model gave {len(results)} results for {count} items")
    return results
