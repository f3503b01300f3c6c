"""How long stages take: counted for whoever asked, in every thread that has the context."""

from __future__ import annotations

import contextvars
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from grice.middleware.telemetry import traced
from grice.middleware.telemetry.stage_times import StageTimes, timing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second passes from each look at the clock to the next."""
    seconds = itertools.count()
    monkeypatch.setattr("grice.middleware.telemetry.stage_times.monotonic", lambda: float(next(seconds)))


@pytest.mark.parametrize("has_spans", [True, False])
@pytest.mark.usefixtures("clock")
def test_stages_are_timed_with_and_without_opentelemetry(monkeypatch: pytest.MonkeyPatch, has_spans: bool) -> None:
    monkeypatch.setattr("grice.middleware.telemetry.spans.HAS_SPANS", has_spans)
    with timing() as times:
        with traced("grice.monitor"), traced("grice.judge"):
            pass
        with traced("grice.judge"):
            pass
    assert times.seconds() == {"grice.judge": 2.0, "grice.monitor": 3.0}
    assert times.header() == "judge;dur=2000.0, monitor;dur=3000.0"


@pytest.mark.usefixtures("clock")
def test_a_stage_that_fails_took_time_as_well() -> None:
    with timing() as times, pytest.raises(RuntimeError), traced("grice.rewriter"):
        raise RuntimeError
    assert times.seconds() == {"grice.rewriter": 1.0}


def test_nobody_is_told_of_work_outside() -> None:
    with traced("grice.guard"):
        pass
    with timing() as times:
        with timing() as inner, traced("grice.meaning"):
            pass
        with ThreadPoolExecutor(1) as threads:
            threads.submit(lambda: traced("grice.slots").__enter__()).result()
    with traced("grice.guard"):
        pass
    assert times.header() == ""
    assert list(inner.seconds()) == ["grice.meaning"]


@pytest.mark.usefixtures("clock")
def test_threads_add_to_the_same_times() -> None:
    def work() -> None:
        with traced("grice.meaning"):
            pass

    with timing() as times, ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(contextvars.copy_context().run, work) for _ in range(200)]:
            done.result()
    assert times.seconds()["grice.meaning"] >= 200
    both = StageTimes()
    both.add("grice.meaning", 0.5)
    both.add_all(times)
    assert both.seconds()["grice.meaning"] == times.seconds()["grice.meaning"] + 0.5
