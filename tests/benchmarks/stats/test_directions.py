"""Which way is better: known of every metric that is quoted."""

from __future__ import annotations

import pytest

from grice.benchmarks.core.figures import Figures
from grice.benchmarks.stats.directions import HIGHER, LOWER, better

DESCRIBES = {"positives", "prediction_bias", "left_empty", "filled_percent", "results"}
"""Metrics that only say how a system behaves."""


def test_every_quoted_metric_is_higher_lower_or_known_to_only_describe() -> None:
    quoted = {key.rpartition("/")[2] for run in Figures.read().runs.values() for key in run.figures}
    assert {metric for metric in quoted if better(metric) == "neither"} == DESCRIBES & quoted
    assert not HIGHER & LOWER


@pytest.mark.parametrize(
    ("metric", "way"),
    [("f1_pos", "higher"), ("p95_ms", "lower"), ("broken", "lower"), ("positives", "neither"), ("new", "neither")],
)
def test_examples(metric: str, way: str) -> None:
    assert better(metric) == way
