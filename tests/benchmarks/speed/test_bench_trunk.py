"""The trunk in `grice bench speed`: every engine computes the same trunk, on the same turns."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from bench_fixtures import bench, check_shape, write_data

from grice.benchmarks.speed.benchmark import TASKS
from grice.benchmarks.speed.ctranslate2_trunk import CTranslate2Trunk
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.trunk import PIECES, TRUNKS, TrunkGiven, TurnIds, _nearness
from grice.models import Dialogue
from grice.models.errors import InputError, ModelError
from grice.models.training.sentence_trunk import SentenceTrunk, TrunkShape

SHAPE = TrunkShape(60, 2, 32, 4, 64, 50, 2, True, 1e-5, "")
NAMES = ("grice-int8", "pytorch", "pytorch-int8", "ctranslate2-int8", "openvino-fp32", "openvino-int8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def found() -> TrunkGiven:
    """Of a small trunk with weights by chance, and turns of pieces by chance."""
    torch.manual_seed(0)
    trunk = SentenceTrunk(SHAPE)
    for part in trunk.modules():
        if isinstance(part, torch.nn.LayerNorm):
            torch.nn.init.normal_(part.weight, 1, 0.2)
            torch.nn.init.normal_(part.bias, 0, 0.2)
    chance = np.random.default_rng(0)
    turns: list[TurnIds] = [chance.integers(0, SHAPE.vocabulary, (1, PIECES)) for _ in range(4)]
    given = TrunkGiven(SpeedOptions(Path("data")), [])
    vars(given).update(trunk=trunk.eval(), turns=turns)  # in place of those of a reader of meaning
    return given


def nearness(found: TrunkGiven, name: str) -> float:
    """The cosine of a system's states with those of the trunk itself."""
    read = TRUNKS.find(name).build(found, name)
    with torch.no_grad():
        expected = [found.trunk(torch.from_numpy(turn), torch.ones(turn.shape)).numpy() for turn in found.turns]
    states = [read(turn) for turn in found.turns]
    assert {each.shape for each in states} == {(1, PIECES, SHAPE.width)}
    return _nearness(states, expected)


@pytest.mark.parametrize(("name", "least"), [("pytorch", 1 - 1e-6), ("pytorch-int8", 0.99), ("ctranslate2-int8", 0.99)])
def test_rivals_say_what_the_trunk_says(found: TrunkGiven, name: str, least: float) -> None:
    assert nearness(found, name) > least


@pytest.mark.parametrize(("name", "least"), [("openvino-fp32", 1 - 1e-6), ("openvino-int8", 0.99)])
def test_openvino_says_what_the_trunk_says(found: TrunkGiven, name: str, least: float) -> None:
    pytest.importorskip("openvino", reason="OpenVINO is not installed: pip install openvino")
    assert nearness(found, name) > least


def test_ctranslate2_says_so_to_the_last_digits_in_float(found: TrunkGiven) -> None:
    """Places, distances and norms are where CTranslate2 looks for them."""
    read = CTranslate2Trunk(found.trunk, 1, "float32").read
    with torch.no_grad():
        for turn in found.turns:
            expected = found.trunk(torch.from_numpy(turn), torch.ones(turn.shape)).numpy()
            assert np.abs(read(turn) - expected).max() < 1e-4


def test_states_that_differ_are_not_near() -> None:
    one = np.eye(4)[None]
    assert _nearness([one], [one]) == 1
    assert _nearness([one], [one[:, ::-1]]) == 0
    assert _nearness([one, one], [one, -one]) == 0


def test_turns_have_forty_pieces() -> None:
    texts = ("I am on a tight budget.", "No thanks.", "Can you find me a hotel in the north of the city? " * 9)
    turns = TrunkGiven(SpeedOptions(Path("data")), [Dialogue.of(text) for text in texts]).turns
    assert [turn.shape for turn in turns] == [(1, PIECES)] * 3
    assert len({turn.tobytes() for turn in turns}) == 3
    assert {(int(turn[0, 0]), int(turn[0, -1])) for turn in turns} == {(0, 2)}, "MPNet's begin and end"


def test_without_openvino_its_rows_say_so(found: TrunkGiven, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(ModelError, match="pip install openvino"):
        TRUNKS.find("openvino-fp32").build(found, "openvino-fp32")


def test_a_task_that_is_not_there(data: Path) -> None:
    with pytest.raises(InputError, match=r"got 'trunks'; allowed: rewrite, .*, trunk"):
        bench("speed", "--data-dir", str(data), "--task", "trunks")
    (told,) = [each.metadata["about"] for each in fields(SpeedOptions) if each.name == "tasks"]
    assert f"only these: {', '.join(TASKS)} (" in told


def test_the_shipped_trunk_beside_the_others(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    options = ["--task", "trunk", "--limit", "3", "--rounds", "1"]
    assert bench("speed", "--data-dir", str(data), *options, "--out", str(out)) == 0
    results = check_shape(out)
    metrics = ("p50_ms", "p95_ms", "p99_ms", "per_second")
    assert set(results) == {("trunk", name, metric) for name in NAMES for metric in metrics}
    run = json.loads(out.read_text(encoding="utf-8"))["run"]
    missing = {place.split("/")[1] for place in run["reasons"]}
    assert missing in (set(), {"openvino-fp32", "openvino-int8"})
    (table,) = run["tables"]
    rows = {row[0]: row[1:] for row in table["rows"]}
    assert set(rows) == set(NAMES) - missing
    assert rows["grice-int8"][0] == 1
    assert rows["grice-int8"][1] > 0.9, "the float weights are not those of the file"
    assert rows["pytorch"][1] == 1
