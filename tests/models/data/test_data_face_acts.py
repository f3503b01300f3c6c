"""The readers of face acts and of dialogue acts in persuasions, on files in the released formats."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from data_fixtures import needs_released_data
from persuasion_fixtures import DIALOGUES, face_act_rows, write_face_acts, write_units, write_xlsx

from grice.models.data import face_acts, persuasion_acts
from grice.models.data.face_acts import FaceActUtterance
from grice.models.data.persuasion_acts import Unit
from grice.models.data.pins import data_set
from grice.models.data.verify import verify
from grice.models.data.xlsx import read_rows
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.results import FACE_ACTS


@pytest.mark.parametrize("shared", [False, True])
def test_dialogues_are_read_in_order(tmp_path: Path, shared: bool) -> None:
    write_face_acts(tmp_path, shared=shared)
    first, second = face_acts.read(tmp_path)
    assert (first.dialogue_id, first.donates, len(first.utterances)) == ("7", True, len(DIALOGUES["7"]))
    assert first.utterances[4] == FaceActUtterance("persuadee", "I would rather not", "sneg+", "hpos-", 0.5)
    assert second.utterances[-1].text == "35000"


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (1, 2, "speaker is '2'"),
        (2, "", "utterance"),
        (3, "spos*", "KeyError"),
        (4, "", "KeyError"),
        (6, 1.5, "donation_prob is 1.5"),
        (6, "high", "could not convert"),
    ],
)
def test_a_bad_value_is_an_error_that_names_the_row(tmp_path: Path, place: int, value: object, message: str) -> None:
    rows = face_act_rows()
    rows[3][place] = value
    write_face_acts(tmp_path, *rows)
    with pytest.raises(DataCorrupt, match=f"row 5: .*{message}"):
        face_acts.read(tmp_path)


def test_a_dialogue_has_one_outcome(tmp_path: Path) -> None:
    rows = face_act_rows()
    rows[3][5] = 0
    write_face_acts(tmp_path, *rows)
    with pytest.raises(DataCorrupt, match="actual_donation differs within dialogue 7"):
        face_acts.read(tmp_path)


def test_a_dialogue_whose_rows_are_apart_is_an_error(tmp_path: Path) -> None:
    rows = face_act_rows()
    write_face_acts(tmp_path, *rows[1:], rows[0])
    with pytest.raises(DataCorrupt, match="dialogue 7 goes on after another one"):
        face_acts.read(tmp_path)


def test_missing_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="Persuasion Face Act Prediction"):
        face_acts.read(tmp_path)
    path = write_face_acts(tmp_path, columns=["a"] * 7)
    with pytest.raises(DataCorrupt, match="expected columns conversation_id"):
        face_acts.read(tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DataCorrupt, match="not an xlsx file"):
        face_acts.read(tmp_path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", "<worksheet><sheetData>")
    with pytest.raises(DataCorrupt, match="not an xlsx file"):
        face_acts.read(tmp_path)


def test_columns_are_found_by_name_and_empty_cells_are_blank(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [["b", None, "a"], [1, None, "x & y"], [None, None, ""]])
    assert read_rows(path, ("a", "b")) == [{"a": "x & y", "b": "1"}, {"a": "", "b": ""}]
    with pytest.raises(DataCorrupt, match="columns b, a and 2 rows; expected columns c"):
        read_rows(path, ("c",))


UNITS = (
    ("x1", 0, 0, "Hello there!", "greeting", "", "", ""),
    ("x1", 0, 0, "would you give a dollar to the library?", "proposition-of-donation", "", "ask-more", ""),
    ("x1", 1, 0, "What does it do?", "", "ask-org-info", "", ""),
    ("x1", 0, 1, "Something else.", "other", "", "", ""),
    ("x1", 0, 1, "It reads to children.", "credibility-appeal", "", "", ""),
    ("x2", 0, 0, "Hello there!", "greeting", "", "", ""),
)


def test_units_are_joined_to_utterances(tmp_path: Path) -> None:
    write_face_acts(tmp_path)
    write_units(tmp_path, *UNITS)
    annotated = persuasion_acts.read(tmp_path)
    assert [(each.dialogue_id, len(each.units)) for each in annotated] == [("x1", 5), ("x2", 1)]
    joined = persuasion_acts.joined(face_acts.read(tmp_path), annotated)
    assert joined["7"][:4] == (
        Unit("persuader", "Hello there!", "greeting"),
        Unit("persuader", "would you give a dollar to the library?", "proposition-of-donation", "ask-more"),
        Unit("persuadee", "What does it do?", "ask-org-info"),
        Unit("persuader", "It reads to children.", "credibility-appeal"),
    )
    assert joined["7"][4:] == (None,) * 4
    assert joined["9"] == (None,) * 5


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("x1", 0, 0, "Hello.", "", "greeting", "", "")], "row 2: .*no er_label_1"),
        ([("x1", 0, 0, "", "greeting", "", "", "")], "row 2: .*Unit"),
        ([UNITS[0], UNITS[5], UNITS[1]], "dialogue x1 goes on after another one"),
    ],
)
def test_bad_units_are_errors(tmp_path: Path, rows: list[tuple[object, ...]], message: str) -> None:
    write_units(tmp_path, *rows)
    with pytest.raises(DataCorrupt, match=message):
        persuasion_acts.read(tmp_path)


@needs_released_data
def test_the_released_face_acts_and_their_units() -> None:
    data_dir = Path(os.environ["GRICE_DATA_DIR"])
    assert [check.status for check in verify(data_set("face_acts"), data_dir)] == ["subset"]
    dialogues = face_acts.read(data_dir)
    said = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    assert (len(dialogues), len(said), sum(dialogue.donates for dialogue in dialogues)) == (254, 9136, 194)
    counts = Counter(each.face_act for each in said)
    assert [counts[label] for label in FACE_ACTS] == [1352, 12, 2412, 303, 232, 263, 916, 3646]
    annotated = persuasion_acts.read(data_dir)
    assert (len(annotated), sum(len(each.units) for each in annotated)) == (300, 10864)
    joined = persuasion_acts.joined(dialogues, annotated)
    assert sum(unit is not None for units in joined.values() for unit in units) == 9131
    assert all(
        unit.role == each.role
        for dialogue in dialogues
        for unit, each in zip(joined[dialogue.dialogue_id], dialogue.utterances, strict=True)
        if unit
    )
