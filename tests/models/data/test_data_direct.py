from pathlib import Path
from typing import get_args

import pytest
from data_fixtures import DIRECT_ROWS, write_direct, write_multiwoz

from grice.models.data import direct
from grice.models.data.split import Part, part_of
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    write_multiwoz(tmp_path / "multiwoz21")
    write_direct(tmp_path)
    return tmp_path


def test_joins_rows_to_their_dialogues(data_dir: Path) -> None:
    first, second = direct.read(data_dir)
    assert first == direct.Triple(
        "BAK0001",
        0,
        "Hello, I don't know a bakery. Is there one?",
        "Find a bakery.",
        "I could eat some bread.",
        (),
        frozenset({"bakery-request-name"}),
        "Good",
    )
    assert second.turn_index == 4
    assert second.labels == {"general-thank-none"}


def test_the_history_has_what_was_said_and_nothing_for_silent_turns(data_dir: Path) -> None:
    history = direct.read(data_dir)[1].history
    assert history == (
        Turn("user", "Hello, I don't know a bakery. Is there one?"),
        Turn("bot", "Crumb's is open until 18:30."),
        Turn("user", "I'll need it on 3-4 May."),
    )


def test_the_training_split_is_not_judged_and_takes_train_and_val(tmp_path: Path) -> None:
    write_multiwoz(tmp_path / "multiwoz21", "train")
    write_multiwoz(tmp_path / "multiwoz21", "val")
    write_direct(tmp_path, split="train")
    assert [row.quality for row in direct.read(tmp_path, "train")] == [None, None]


def test_parts_choose_dialogues(data_dir: Path) -> None:
    ours = part_of("BAK0001")
    assert len(direct.read(data_dir, parts=[ours])) == 2
    others = [part for part in get_args(Part) if part != ours]
    assert direct.read(data_dir, parts=others) == []


def test_the_split_of_a_dialogue_never_changes() -> None:
    assert [part_of(f"BAK{number:04}") for number in (0, 8, 7)] == ["train", "dev", "test"]
    parts = [part_of(f"D{number}") for number in range(2000)]
    assert (parts.count("dev"), parts.count("test")) == (124, 239)


def test_a_missing_column_is_named(data_dir: Path) -> None:
    write_direct(data_dir, without="direct_utterance")
    with pytest.raises(DataCorrupt, match=r"columns missing: direct_utterance"):
        direct.read(data_dir)


@pytest.mark.parametrize("index", ["5", "-1", "one", "", "1.0"])
def test_a_turn_outside_the_dialogue_is_refused(data_dir: Path, index: str) -> None:
    write_direct(data_dir, [(*DIRECT_ROWS[0][:2], index, *DIRECT_ROWS[0][3:])])
    with pytest.raises(DataCorrupt, match=rf"row 1: turn_index '{index}' is not a turn of BAK0001 \(5 turns\)"):
        direct.read(data_dir)


def test_a_turn_of_the_system_is_refused(data_dir: Path) -> None:
    write_direct(data_dir, [(*DIRECT_ROWS[0][:2], "1", *DIRECT_ROWS[0][3:])])
    with pytest.raises(DataCorrupt, match="turn of the system"):
        direct.read(data_dir)


def test_an_unknown_dialogue_says_where_it_was_looked_for(data_dir: Path) -> None:
    write_direct(data_dir, [("0", "BAK9999.json", *DIRECT_ROWS[0][2:])])
    with pytest.raises(DataNotFound, match=r"row 1: dialogue BAK9999 is not in the MultiWOZ files of .*multiwoz21"):
        direct.read(data_dir)


def test_a_cut_row_an_open_quote_and_undecodable_bytes_are_refused(data_dir: Path) -> None:
    path = write_direct(data_dir)
    whole = path.read_bytes()
    path.write_bytes(whole + b"2,BAK0001.json,0\r\n")
    with pytest.raises(DataCorrupt, match="row 3"):
        direct.read(data_dir)
    path.write_bytes(whole + b'2,BAK0001.json,0,"' + b"an open quote, " * 10_000)
    with pytest.raises(DataCorrupt, match=r"test\.csv.*field larger"):
        direct.read(data_dir)
    path.write_bytes(whole.replace(b"bakery", b"b\xff\xfery"))
    with pytest.raises(DataCorrupt, match=r"test\.csv"):
        direct.read(data_dir)
