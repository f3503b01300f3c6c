"""Sweeps that choose thresholds read the dev part: on an invented data folder, with the shipped models."""

from pathlib import Path

import pytest
from bench_fixtures import DIALOGUES, triple_of, write_data
from data_fixtures import write_direct

from grice.benchmarks.direct import gate_thresholds
from grice.benchmarks.direct.gate_thresholds import Effect
from grice.benchmarks.direct.held_out import dev_rows
from grice.models.data.split import Part, part_of
from grice.models.errors import DataNotFound


@pytest.fixture(autouse=True)
def few_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_thresholds, "DIRECT_FROM", (0.0, 1.0))
    monkeypatch.setattr(gate_thresholds, "MIN_CONFIDENCE", (0.0, 1.0))


def write_parts(folder: Path, *parts: Part) -> Path:
    """DIRECT with the rows of some parts of our split alone."""
    numbers = [number for number in range(DIALOGUES) if part_of(f"LIB{number:04d}") in parts]
    write_data(folder)
    write_direct(folder, [(str(number), f"LIB{number:04d}.json", "2", *triple_of(number)) for number in numbers])
    return folder


def swept(folder: Path) -> dict[tuple[float, float], Effect]:
    return {(found.direct_from, found.min_confidence): found for found in gate_thresholds.sweep(folder)}


def test_a_gate_that_lets_all_pass_rewrites_nothing(tmp_path: Path) -> None:
    effects = swept(write_data(tmp_path))
    assert len(effects) == 4
    shut = effects[0.0, 0.0]
    assert (shut.rewritten, shut.broken, shut.harm) == (0, 0, 0)
    assert shut.replace == shut.append
    assert effects[1.0, 0.0].rewritten > 0
    assert effects[1.0, 1.0].rewritten == 0


def test_the_gate_is_swept_on_the_dev_part_alone(tmp_path: Path) -> None:
    everything, dev = write_data(tmp_path / "all"), write_parts(tmp_path / "dev", "dev")
    assert {part_of(row.dialogue_id) for row in dev_rows(everything)} == {"dev"}
    assert swept(everything) == swept(dev)
    with pytest.raises(DataNotFound, match="no row of DIRECT in our dev part"):
        swept(write_parts(tmp_path / "test", "train", "test"))
