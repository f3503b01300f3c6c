"""The sweep that chose the gate's thresholds, on an invented data folder with the shipped models."""

from pathlib import Path

import pytest
from bench_fixtures import write_data

from grice.benchmarks.direct import gate_thresholds


def test_a_gate_that_lets_all_pass_rewrites_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_thresholds, "DIRECT_FROM", (0.0, 1.0))
    monkeypatch.setattr(gate_thresholds, "MIN_CONFIDENCE", (0.0, 1.0))
    effects = {(found.direct_from, found.min_confidence): found for found in gate_thresholds.sweep(write_data(tmp_path))}
    assert len(effects) == 4
    shut = effects[0.0, 0.0]
    assert (shut.rewritten, shut.broken, shut.harm) == (0, 0, 0)
    assert shut.replace == shut.append
    assert effects[1.0, 0.0].rewritten > 0
    assert effects[1.0, 1.0].rewritten == 0
