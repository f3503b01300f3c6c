"""Circa and the implicature sets, in files of ours in their formats."""

from pathlib import Path

import pytest

from grice.models.data import circa, implicature
from grice.models.errors import DataCorrupt, DataNotFound

CIRCA = (
    "\tcontext\tquestion-X\tcanquestion-X\tanswer-Y\tjudgements\tgoldstandard1\tgoldstandard2\n"
    "0\tX and Y share a flat.\tDid you eat?\tI ate .\tThe fridge is empty.\tNo#No#No#Probably no#Other\tNo\tNo\n"
    "1\tX and Y share a flat.\tIs it cold?\tIt is cold .\tDepends.\tYes#No#Other#Probably no#Yes\tNA\tNA\n"
)


def test_judgements_become_shares(tmp_path: Path) -> None:
    (tmp_path / "circa").mkdir()
    (tmp_path / "circa" / "circa_data_dev.csv").write_text(CIRCA, encoding="utf-8")
    first, second = circa.read(tmp_path)
    assert dict(zip(circa.CLASSES, first.shares, strict=True)) == {
        **dict.fromkeys(circa.CLASSES, 0.0),
        "No": 0.6,
        "Probably no": 0.2,
        "Other": 0.2,
    }
    assert (first.strict, second.strict) == ("No", "")


def test_an_unknown_judgement_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "circa").mkdir()
    (tmp_path / "circa" / "circa_data_dev.csv").write_text(CIRCA.replace("Probably no#Yes", "Perhaps#Yes"), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=r"line 3.*Perhaps"):
        circa.read(tmp_path)


def test_circa_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="circa_data"):
        circa.read(tmp_path)


def test_utterances_by_part(tmp_path: Path) -> None:
    folder = tmp_path / "implicature" / "HWU64"
    folder.mkdir(parents=True)
    for stem in ("implicature", "direct_train", "direct_dev", "direct_test"):
        (folder / f"{stem}.in").write_text(f"a {stem} utterance\n", encoding="utf-8")
        (folder / f"{stem}.label").write_text("set_alarm\n", encoding="utf-8")
    found = implicature.read(tmp_path, "HWU64")
    assert [(each.part, each.intent) for each in found] == [(part, "set_alarm") for part in ("indirect", "train", "dev", "test")]
    (folder / "direct_dev.label").write_text("", encoding="utf-8")
    with pytest.raises(DataCorrupt, match="direct_dev: 1 utterances and 0 labels"):
        implicature.read(tmp_path, "HWU64")
