import threading

import pytest

from grice.models.errors import InputError
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("items", [0, 1, 2, 7, 100])
def test_results_keep_their_order(count: int, items: int) -> None:
    parts: list[int] = []

    def work(part: list[int]) -> list[int]:
        parts.append(len(part))
        return [-number for number in part]

    assert Workers(count).map(work, list(range(items)), largest=16) == [-number for number in range(items)]
    assert sum(parts) == items
    assert all(size <= 16 for size in parts)


def test_parts_run_side_by_side() -> None:
    meeting = threading.Barrier(2, timeout=10)

    def work(part: list[int]) -> list[int]:
        meeting.wait()
        return part

    assert Workers(2).map(work, [1, 2], largest=16) == [1, 2]


def test_an_error_in_a_part_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        Workers(2).map(lambda part: [1 // number for number in part], [1, 0], largest=16)


@pytest.mark.parametrize("count", [-1, 65, True, 1.0])
def test_worker_count_out_of_range(count: int) -> None:
    with pytest.raises(InputError, match=r"workers: got .*; allowed: 0 to 64"):
        Runtime(workers=count)
