"""Predictions of rows by models that have not seen them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Row = TypeVar("Row")
Found = TypeVar("Found")


def cross_validate(
    rows: Sequence[Row], folds: Sequence[int], predict: Callable[[list[Row], list[Row]], Sequence[Found]]
) -> list[Found]:
    """What is found for each row, in order.

    Args:
        folds: that of each row; rows of one dialogue are to be in one.
        predict: learns from the first rows, which are of other folds, and predicts the second.
    """
    found: dict[int, Found] = {}
    for fold in sorted(set(folds)):
        places = [place for place, each in enumerate(folds) if each == fold]
        seen = [row for row, each in zip(rows, folds, strict=True) if each != fold]
        found.update(zip(places, predict(seen, [rows[place] for place in places]), strict=True))
    return [found[place] for place in range(len(rows))]
