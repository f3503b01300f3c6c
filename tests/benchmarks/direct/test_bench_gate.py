"""Sweeps that choose thresholds read the dev part: on an invented data folder, with the shipped models."""

from pathlib import Path
from typing import Any

import pytest
from bench_fixtures import DIALOGUES, triple_of, write_data
from data_fixtures import write_direct

from grice.benchmarks.direct import gate_thresholds
from grice.benchmarks.direct.gate_thresholds import Effect, SweptSettings
from grice.benchmarks.direct.held_out import dev_rows
from grice.middleware import Pipeline
from grice.models.data.split import Part, part_of
from grice.models.errors import DataNotFound

TRIED = SweptSettings(direct_from=(0.0, 1.0), verified_from=(0.01, 1.0), min_confidence=(0.0, 1.0))


def write_parts(folder: Path, *parts: Part) -> Path:
    """DIRECT with the rows of some parts of our split alone."""
    numbers = [number for number in range(DIALOGUES) if part_of(f"LIB{number:04d}") in parts]
    write_data(folder)
    write_direct(folder, [(str(number), f"LIB{number:04d}.json", "2", *triple_of(number)) for number in numbers])
    return folder


def swept(folder: Path) -> dict[tuple[float, float, float | None], Effect]:
    found = gate_thresholds.sweep(folder, TRIED)
    return {(each.direct_from, each.verified_from, each.min_confidence): each for each in found}


def test_a_gate_that_lets_all_pass_rewrites_nothing(tmp_path: Path) -> None:
    effects = swept(write_data(tmp_path))
    assert len(effects) == 8
    for shut in (effects[0.0, 0.0, 0.0], effects[0.0, 0.01, None]):
        assert (shut.rewritten, shut.broken, shut.harm) == (0, 0, 0)
        assert shut.replace == shut.append
    assert effects[1.0, 0.0, 0.0].rewritten > 0
    assert effects[1.0, 0.0, 1.0].rewritten == 0


def test_a_stricter_verifier_lets_fewer_rewrites_through(tmp_path: Path) -> None:
    effects = swept(write_data(tmp_path))
    assert effects[1.0, 0.01, None].rewritten > effects[1.0, 1.0, None].rewritten


def test_the_gate_is_swept_on_the_dev_part_alone(tmp_path: Path) -> None:
    everything, dev = write_data(tmp_path / "all"), write_parts(tmp_path / "dev", "dev")
    assert {part_of(row.dialogue_id) for row in dev_rows(everything)} == {"dev"}
    assert swept(everything) == swept(dev)
    with pytest.raises(DataNotFound, match="no row of DIRECT in our dev part"):
        swept(write_parts(tmp_path / "test", "train", "test"))


def test_a_sweep_asks_in_batches_so_that_a_stage_has_its_time_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    predict = Pipeline.predict

    def counted(self: Any, dialogues: Any) -> Any:
        asked.append(len(dialogues))
        return predict(self, dialogues)

    monkeypatch.setattr(Pipeline, "predict", counted)
    monkeypatch.setattr(gate_thresholds, "BATCH", 2)
    gate_thresholds.sweep(write_data(tmp_path), SweptSettings((0.0,), (0.5,), ()))
    assert max(asked) == 2
