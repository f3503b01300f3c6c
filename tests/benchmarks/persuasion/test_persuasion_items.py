"""`grice bench persuasion --items`: anybody's persuasions, scored in all and by goal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.persuasion.own_items import add_held_hands
from grice.middleware.cli import main
from grice.models.data.persuasion_items import read_persuasion_items
from grice.models.errors import InputError
from grice.models.face_acts import load_intention_detector

CHOIR = [
    {"role": "persuader", "text": "Would you come to our open evening on Thursday?", "face_act": "hneg-"},
    {"role": "persuadee", "text": "No, I really don't want to.", "face_act": "sneg+"},
]
BIKE = [{"role": "persuader", "text": "Hello there.", "face_act": "other"}]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_items_are_scored_by_goal_and_samples_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = write(
        tmp_path / "items.jsonl",
        {"id": "1", "goal": "join a choir", "utterances": CHOIR},
        {"id": "2", "goal": "sell a bike", "utterances": BIKE, "note": "kept out"},
    )
    samples, out = tmp_path / "samples.jsonl", tmp_path / "run.json"
    assert main(["bench", "persuasion", "--items", str(items), "--samples", str(samples), "--out", str(out)]) == 0
    assert "face-acts/join a choir" in capsys.readouterr().out
    results = json.loads(out.read_text())["results"]
    counts = {each["task"]: each["n"] for each in results if each["system"] == "grice" and each["metric"] == "accuracy"}
    assert counts == {"face-acts": 3, "face-acts/join a choir": 2, "face-acts/sell a bike": 1}
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    assert [(row["id"], row["utterance"], row["face_act"], row["read_as"]) for row in rows] == [
        ("1", 0, "hneg-", "other"),
        ("1", 1, "sneg+", "other"),
        ("2", 0, "other", "other"),
    ]
    assert all(row["found"] in row["probabilities"] for row in rows)


@pytest.mark.parametrize(
    ("utterances", "message"),
    [
        ([], "utterances: got 'none'"),
        ([{**BIKE[0], "role": "seller"}], "role: got 'seller'; allowed: persuader, persuadee"),
        ([{**BIKE[0], "face_act": "nice"}], "face_act: got 'nice'; allowed: spos\\+"),
        ([{"role": "persuader"}], "text: got 'no such field'"),
    ],
)
def test_what_is_wrong_with_an_item_is_said(tmp_path: Path, utterances: list[Any], message: str) -> None:
    path = write(tmp_path / "items.jsonl", {"id": "1", "goal": "g", "utterances": utterances})
    with pytest.raises(InputError, match=f"line 1.*{message}"):
        read_persuasion_items(path)


def test_samples_are_those_of_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "persuasion", "--samples", str(tmp_path / "s.jsonl"), "--data-dir", str(tmp_path)]) != 0


def test_held_hands_are_scored_beside_the_most_frequent_act() -> None:
    sheet = Sheet("persuasion", [], 0)
    add_held_hands(sheet, load_intention_detector(), "other-goals", 40)
    values = {each.system: each.value or 0.0 for each in sheet.results if each.metric == "accuracy"}
    assert values["grice"] > values["majority"] + 20
    assert sheet.part.startswith("written hands PH and PK")
