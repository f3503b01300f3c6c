"""`grice calibrate`: a shipped model with settings that fit one's own turns, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from meaning_fixtures import item, write_items

from grice.middleware.cli import main
from grice.models.manifest import read_manifest
from grice.models.meaning import load_meaning_reader

pytest.importorskip("sklearn")


def test_the_settings_fit_the_turns_and_nothing_else_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    direct = [
        ("Please renew my loan.", "renew_loan"),
        ("When do you open?", "opening_hours"),
        ("Is it open today?", "opening_hours"),
    ]
    wrong = [("Please renew my loan.", "opening_hours")]
    turns = [item(place, text=text, kind="direct", gold_intent=gold) for place, (text, gold) in enumerate((direct + wrong) * 3)]
    items, out = write_items(tmp_path / "items.jsonl", *turns), tmp_path / "fitted"
    assert main(["calibrate", "meaning", "--items", str(items), "--out", str(out)]) == 0
    assert f"fitted to {len(turns)} turns" in capsys.readouterr().out
    before, after = read_manifest("meaning"), read_manifest(out, "meaning")
    assert after.files == before.files
    assert after.training == before.training
    assert after.settings.keys() == before.settings.keys()
    assert after.settings != before.settings
    assert load_meaning_reader(out).threshold == after.settings["threshold"]


def test_a_threshold_of_which_the_turns_say_nothing_stays(tmp_path: Path) -> None:
    thanks = [item(place, text="Thank you so much!", kind="courtesy", gold_intent=None, slots={}) for place in range(3)]
    items = write_items(tmp_path / "items.jsonl", *thanks)
    assert main(["calibrate", "meaning", "--items", str(items), "--out", str(tmp_path / "fitted")]) == 0
    before, after = read_manifest("meaning").settings, read_manifest(tmp_path / "fitted").settings
    assert after["slot_threshold"] == before["slot_threshold"]
    assert after["threshold"] == before["threshold"]


def test_turns_that_are_all_read_right_are_enough(tmp_path: Path) -> None:
    items = write_items(
        tmp_path / "items.jsonl", *(item(place, text="When do you open?", gold_intent="opening_hours") for place in (1, 2))
    )
    assert main(["calibrate", "meaning", "--items", str(items), "--out", str(tmp_path / "fitted")]) == 0
    assert 0.3 <= read_manifest(tmp_path / "fitted").settings["threshold"] < 1


def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = write_items(tmp_path / "items.jsonl", item(1))
    assert main(["calibrate", "meaning", "--items", str(items), "--out", str(tmp_path)]) == 2
    assert "--out: got" in capsys.readouterr().err
    assert main(["calibrate", "meaning", "--items", str(tmp_path / "no.jsonl"), "--out", str(tmp_path / "a")]) == 2
    assert "no.jsonl" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
    assert main(["train", "directness", "--items", str(items)]) == 2
    assert "allowed: meaning" in capsys.readouterr().err
    assert main(["train", "meaning", "--thaw"]) == 2
    assert "--thaw: got 'no --from'; allowed: meaning with --from" in capsys.readouterr().err
    assert json.loads(items.read_text(encoding="utf-8"))["id"] == "library-1"


@pytest.mark.parametrize(
    "options", [["meaning", "--steps", "0"], ["relations", "--steps", "5"], ["meaning", "--steps", "5", "--epochs", "1"]]
)
def test_steps_are_counted_for_the_reader_of_meaning_alone_and_not_beside_epochs(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *options]) == 2
    assert f"--steps: got {options[2]}; allowed: 1 or more, with meaning and without --epochs" in capsys.readouterr().err
