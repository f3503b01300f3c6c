"""The mean of two checkpoints of one network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import nn

from grice.middleware.cli import main
from grice.models.errors import InputError, ModelNotFound, WeightsError
from grice.models.export.mean import mean_checkpoints
from grice.models.training.checkpoint import FACTS, WEIGHTS, save_checkpoint

TOKENIZER = Tokenizer(WordLevel({"a": 0}, unk_token="a"))


def write(folder: Path, value: float, width: int = 2, **facts: object) -> Path:
    network = nn.BatchNorm1d(width)
    state = network.state_dict()
    network.load_state_dict(state | {"weight": torch.full((width,), value), "num_batches_tracked": torch.tensor(int(value))})
    return save_checkpoint(folder, network, TOKENIZER, {"value": value, **facts})


def test_weights_lie_between_and_all_else_is_the_later_ones(tmp_path: Path) -> None:
    before, after = write(tmp_path / "before", 1.0, weights="dequantised"), write(tmp_path / "after", 3.0)
    (after / "people.json").write_text("[]", encoding="utf-8")
    out = mean_checkpoints(before, after, 0.75, tmp_path / "out")
    state = torch.load(out / WEIGHTS, weights_only=True)
    assert state["weight"].tolist() == [2.5, 2.5]
    assert int(state["num_batches_tracked"]) == 3  # a count has no mean
    facts = json.loads((out / FACTS).read_text(encoding="utf-8"))
    assert facts == {"value": 3.0, "mean": {"share": 0.75, "before": "dequantised"}}
    assert (out / "people.json").read_text(encoding="utf-8") == "[]"
    assert torch.load(after / WEIGHTS, weights_only=True)["weight"].tolist() == [3.0, 3.0]


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, out = write(tmp_path / "before", 1.0), write(tmp_path / "after", 2.0), tmp_path / "out"
    asked = ["export", "mean", "--before", str(before), "--checkpoint", str(after), "--out", str(out)]
    assert main(asked) == 0
    assert capsys.readouterr().out == f"{out}: 0.5 of {after}\n"
    assert torch.load(out / WEIGHTS, weights_only=True)["weight"].tolist() == [1.5, 1.5]
    assert main([*asked, "--share", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": str(out), "share": 0.1}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["mean", "--checkpoint", "a"], "--before: got None; allowed: a checkpoint with `export mean`"),
        (["relations", "--before", "a"], "--before: got 'a'; allowed: a checkpoint with `export mean`, nothing elsewhere"),
        (["mean", "--before", "a"], "--checkpoint: got None; allowed: the checkpoint that was trained on from --before"),
    ],
)
def test_folders_that_are_missing_or_too_many(asked: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *asked]) != 0
    assert message in capsys.readouterr().err.replace("PosixPath('a')", "'a'")


def test_what_has_no_mean(tmp_path: Path) -> None:
    before, after = write(tmp_path / "before", 1.0), write(tmp_path / "after", 2.0, width=3)
    with pytest.raises(WeightsError, match="not checkpoints of one network"):
        mean_checkpoints(before, after, 0.5, tmp_path / "out")
    with pytest.raises(ModelNotFound):
        mean_checkpoints(tmp_path / "none", after, 0.5, tmp_path / "out")
    with pytest.raises(InputError, match="share: got 1; allowed: between 0 and 1"):
        mean_checkpoints(before, before, 1, tmp_path / "out")
    with pytest.raises(InputError, match="another folder than those of both"):
        mean_checkpoints(before, after, 0.5, after)
    assert not (tmp_path / "out").exists()
