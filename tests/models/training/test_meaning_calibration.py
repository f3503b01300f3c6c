"""What is indirect is fitted to turns with a menu and without one."""

from typing import cast

import numpy as np
import pytest

pytest.importorskip("sklearn")

from grice.models.meaning.reader import MeaningReader
from grice.models.training.meaning.calibration import MOST_TAKEN_FOR_INDIRECT, _fit_indirect


class Reader:
    """Has weights of its own."""

    indirect_weights = (0.5, 1.0, -1.0)


READER = cast(MeaningReader, Reader())


def turns(kind: str, first: float, second: float) -> list[tuple[list[float], str | None]]:
    """Ten turns whose two numbers lie near these."""
    return [([first + step / 100, second], kind) for step in range(10)]


def shares(weights: list[float], read: list[tuple[list[float], str | None]]) -> list[float]:
    """How indirect they are."""
    return [float(1 / (1 + np.exp(-(weights[0] + np.dot(weights[1:], numbers))))) for numbers, _ in read]


def test_without_a_menu_numbers_may_mean_something_else() -> None:
    direct, indirect = turns("direct", 0, 0), turns("indirect", 1, 0)
    direct_without, indirect_without = turns("direct", 1, 1), turns("indirect", 2, 1)
    both = _fit_indirect([*direct, *indirect], [*direct_without, *indirect_without], READER)
    assert max(shares(both, direct_without)) < 0.7 < min(shares(both, [*indirect, *indirect_without]))
    with_menu_alone = _fit_indirect([*direct, *indirect], [], READER)
    assert min(shares(with_menu_alone, direct_without)) > 0.9


def test_few_plain_turns_of_a_menu_reach_one_half() -> None:
    plain = [*turns("direct", 0, 0), *turns("courtesy", 0.3, 0)] * 20
    weights = _fit_indirect([*plain, *turns("indirect", 0.5, 0), *turns("out_of_scope", 2, 0)], [], READER)
    assert np.mean(np.array(shares(weights, plain)) > 0.5) <= MOST_TAKEN_FOR_INDIRECT


@pytest.mark.parametrize("kind", ["direct", "indirect", "out_of_scope"])
def test_turns_of_one_sort_leave_the_weights_as_they_are(kind: str) -> None:
    assert _fit_indirect(turns(kind, 1, 0), turns(kind, 2, 1), READER) == list(Reader.indirect_weights)
