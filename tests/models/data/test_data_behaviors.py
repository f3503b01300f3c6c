"""The readers of what the behaviour monitor also learns from: DBDC3, BEGIN, ProSeCCo, Persuasion For Good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from behavior_data_fixtures import (
    DBDC3_ROOT,
    dbdc3_dialogue,
    statement_pair,
    write_begin,
    write_dbdc3,
    write_persuasion,
    write_prosecco,
)

from grice.models.data import begin, dbdc3, persuasion_for_good, prosecco
from grice.models.data.silence import SILENCE
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound

ROSA = dbdc3_dialogue("CIC7", ("S", "Hello  Rosa ", ""), ("U", "Is the tap on?", ""), ("S", "I like taps.", "OTXXX"))
IVO = dbdc3_dialogue("YI3", ("U", "Any news?", ""), ("S", "Plenty.", "OOO"), ("U", "Such as?", ""), ("S", "", "TXX"))


def test_dbdc3_dialogues_have_the_votes_on_the_bots_turns(tmp_path: Path) -> None:
    write_dbdc3(tmp_path, {"eval/YI_50/YI3": IVO, "dev/CIC_115/CIC7": ROSA})
    rosa, ivo = dbdc3.read(tmp_path)
    assert (rosa.dialogue_id, rosa.part, rosa.source) == ("CIC7", "dev", "CIC_115")
    assert (ivo.dialogue_id, ivo.part, ivo.source) == ("YI3", "eval", "YI_50")
    assert [said.turn for said in rosa.turns] == [
        Turn("bot", "Hello Rosa"),
        Turn("user", "Is the tap on?"),
        Turn("bot", "I like taps."),
    ]
    assert [said.votes for said in rosa.turns] == [None, None, dbdc3.Votes(fine=1, possible=1, breakdown=3)]
    assert [said.votes.annotators for said in (rosa.turns[2], ivo.turns[1]) if said.votes] == [5, 3]


def test_a_dbdc3_bot_that_said_nothing_keeps_its_turn_and_its_votes(tmp_path: Path) -> None:
    write_dbdc3(tmp_path, {"eval/YI_50/YI3": IVO})
    (ivo,) = dbdc3.read(tmp_path)
    assert [said.silent for said in ivo.turns] == [False, False, False, True]
    assert [said.text for said in ivo.turns] == ["Any news?", "Plenty.", "Such as?", SILENCE]
    assert ivo.turns[3].votes == dbdc3.Votes(0, 1, 2)


def changed(place: int, **values: Any) -> dict[str, Any]:
    """`ROSA` with other values in one turn."""
    turns = [{**turn, **values} if index == place else turn for index, turn in enumerate(ROSA["turns"])]
    return {**ROSA, "turns": turns}


@pytest.mark.parametrize(
    ("dialogue", "message"),
    [
        (changed(2, annotations=[{"breakdown": "B"}]), r"CIC7\.log\.json\), turn 2: .*a label is 'B', not O, T or X"),
        (changed(2, annotations=None), "turn 2: .*TypeError"),
        (changed(1, speaker="A"), "turn 1: .*'A'"),
        (changed(1, utterance=7), "turn 1: "),
        (changed(1, **{"turn-index": 4}), "turn 1: .*turn-index is 4, not 1"),
        ({**ROSA, "turns": []}, r"CIC7\.log\.json\): .*no turns"),
        ({"turns": ROSA["turns"]}, r"CIC7\.log\.json\): .*dialogue-id"),
        ([], r"CIC7\.log\.json\): .*DBDC3"),
    ],
)
def test_a_damaged_dbdc3_dialogue_says_where(tmp_path: Path, dialogue: Any, message: str) -> None:
    write_dbdc3(tmp_path, {"dev/CIC_115/CIC7": dialogue})
    with pytest.raises(DataCorrupt, match=message):
        dbdc3.read(tmp_path)


def test_another_dbdc3_archive_is_refused(tmp_path: Path) -> None:
    write_dbdc3(tmp_path, {})
    with pytest.raises(DataCorrupt, match=r"dbdc3_revised_en\.zip: .*no file \*\.log\.json"):
        dbdc3.read(tmp_path)
    write_dbdc3(tmp_path, {"test/CIC_115/CIC7": ROSA})
    with pytest.raises(DataCorrupt, match="'test'"):
        dbdc3.read(tmp_path)


def test_a_dbdc3_archive_with_altered_bytes_says_in_which_file(tmp_path: Path) -> None:
    path = write_dbdc3(tmp_path, {"dev/CIC_115/CIC7": ROSA})
    content = bytearray(path.read_bytes())
    start = content.index(DBDC3_ROOT.encode()) + len(f"{DBDC3_ROOT}/dev/CIC_115/CIC7.log.json")
    content[start + 20 : start + 30] = bytes(10)
    path.write_bytes(content)
    with pytest.raises(DataCorrupt, match=r"CIC7\.log\.json\): .*fetch it again"):
        dbdc3.read(tmp_path)


KNOWN = ("t5", "wow", "Rye is a grass .", "do you bake?", "it 's a grass , you know", "Fully attributable")


def test_begin_rows_have_natural_spacing_and_their_part(tmp_path: Path) -> None:
    write_begin(tmp_path, "test_wow", KNOWN)
    write_begin(
        tmp_path, "dev_cmu", ("gpt2", "cmu", 'A "quoted', "", "Oh\u2028well.", "Generic"), (*KNOWN[:5], "Not fully attributable")
    )
    generic, unsupported, supported = begin.read(tmp_path)
    assert supported == begin.KnowledgeResponse(
        "test_wow", "t5", "Rye is a grass.", "do you bake?", "it's a grass, you know", "fully attributable"
    )
    assert (generic.part, generic.knowledge, generic.message, generic.attribution) == ("dev_cmu", 'A "quoted', SILENCE, "generic")
    assert unsupported.attribution == "not fully attributable"


@pytest.mark.parametrize(
    "row",
    [
        KNOWN[:5],
        (*KNOWN, "more"),
        (*KNOWN[:5], "Fully attrib"),
        (*KNOWN[:4], " ", KNOWN[5]),
        (*KNOWN[:2], "", *KNOWN[3:]),
        (),
    ],
)
def test_a_damaged_begin_row_says_where(tmp_path: Path, row: tuple[str, ...]) -> None:
    write_begin(tmp_path, "dev_wow", KNOWN, row, KNOWN)
    with pytest.raises(DataCorrupt, match=r"begin_dev_wow\.tsv, line 3: not in the format of BEGIN"):
        begin.read(tmp_path)


def test_another_begin_file_is_refused(tmp_path: Path) -> None:
    path = write_begin(tmp_path, "dev_wow", KNOWN, columns=["model", *begin.COLUMNS[1:]])
    with pytest.raises(DataCorrupt, match=r"begin_dev_wow\.tsv: .*columns model_name"):
        begin.read(tmp_path)
    for content in (b"", "\t".join(begin.COLUMNS).encode(), b"\xff\xfe"):
        path.write_bytes(content)
        with pytest.raises(DataCorrupt, match=r"begin_dev_wow\.tsv: .*fetch it again"):
            begin.read(tmp_path)


def test_prosecco_pairs_are_read_in_file_order(tmp_path: Path) -> None:
    plain = statement_pair(label="no self-contradiction", locution_1="that 's all , folks", source="US2016", prop_needed=0.0)
    write_prosecco(tmp_path, statement_pair(), plain, statement_pair(prop_needed=float("nan")))
    first, second, third = prosecco.read(tmp_path)
    assert first == prosecco.StatementPair(
        "QT30_000",
        "speaker_001",
        "QT30",
        "we never close it",
        "it was shut on Monday",
        "the council never closes the bridge",
        "the bridge was shut on Monday",
        contradictory=True,
        propositions_needed=True,
    )
    assert (second.source, second.first, second.contradictory) == ("US2016", "that's all, folks", False)
    assert (second.propositions_needed, third.propositions_needed) == (False, None)


@pytest.mark.parametrize(
    "pair",
    [
        statement_pair(label="contradiction"),
        statement_pair(locution_2=" "),
        statement_pair(proposition_1=7),
        statement_pair(proposition_1=None),
        statement_pair(prop_needed=2),
        statement_pair(prop_needed="yes"),
        ["not an object"],
    ],
)
def test_a_damaged_prosecco_pair_says_where(tmp_path: Path, pair: Any) -> None:
    write_prosecco(tmp_path, statement_pair(), pair)
    with pytest.raises(DataCorrupt, match=r"ProSeCCo_final\.json, line 2: not in the format of ProSeCCo"):
        prosecco.read(tmp_path)


@pytest.mark.parametrize(("content", "place"), [(b"", ""), (b'{"id": "QT30_000"', ", line 1"), (b"\xff\xfe{}", "")])
def test_a_cut_or_empty_prosecco_file_is_refused(tmp_path: Path, content: bytes, place: str) -> None:
    write_prosecco(tmp_path).write_bytes(content)
    with pytest.raises(DataCorrupt, match=rf"ProSeCCo_final\.json{place}: .*fetch it again"):
        prosecco.read(tmp_path)


TALK = (
    ("0", "Do you know\nthe library? ", "0", "0", "a_live"),
    ("1", "It lends books.", "0", "0", "a_live"),
    ("2", 'The "old" one, yes.', "0", "1", "a_live"),
    ("3", "It needs a roof.", "1", "0", "a_live"),
    ("0", "Hi.", "0", "0", "b_live"),
)


def test_persuasion_turns_have_roles_and_joined_units(tmp_path: Path) -> None:
    write_persuasion(tmp_path, *TALK)
    first, second = persuasion_for_good.read(tmp_path)
    assert (first.dialogue_id, second.dialogue_id) == ("a_live", "b_live")
    assert first.turns == (
        persuasion_for_good.PersuasionTurn("persuader", "Do you know the library? It lends books."),
        persuasion_for_good.PersuasionTurn("persuadee", 'The "old" one, yes.'),
        persuasion_for_good.PersuasionTurn("persuader", "It needs a roof."),
    )
    assert first.with_bot("persuadee")[:2] == (
        Turn("user", "Do you know the library? It lends books."),
        Turn("bot", 'The "old" one, yes.'),
    )
    assert second.with_bot("persuader") == (Turn("bot", "Hi."),)


def test_a_speaker_who_goes_on_in_the_next_turn_has_two_turns(tmp_path: Path) -> None:
    write_persuasion(tmp_path, TALK[0], TALK[3])
    (dialogue,) = persuasion_for_good.read(tmp_path)
    assert [said.role for said in dialogue.turns] == ["persuader", "persuader"]


@pytest.mark.parametrize(
    "row",
    [
        ("4", " ", "1", "1", "b_live"),
        ("4", "Really?", "1", "2", "b_live"),
        ("4", "Really?", "one", "1", "b_live"),
        ("4", "Really?", "1", "1"),
        ("4", "Really?", "1", "1", "b_live", "more"),
    ],
)
def test_a_damaged_persuasion_row_says_where(tmp_path: Path, row: tuple[str, ...]) -> None:
    write_persuasion(tmp_path, *TALK, row)
    with pytest.raises(DataCorrupt, match=r"full_dialog\.csv, row 6: not in the format of Persuasion For Good"):
        persuasion_for_good.read(tmp_path)


def test_persuasion_rows_that_are_not_together_or_not_in_order_are_refused(tmp_path: Path) -> None:
    write_persuasion(tmp_path, *TALK, TALK[3])
    with pytest.raises(DataCorrupt, match="dialogue a_live goes on after another one"):
        persuasion_for_good.read(tmp_path)
    write_persuasion(tmp_path, TALK[4], TALK[2], TALK[0])
    with pytest.raises(DataCorrupt, match="turns of dialogue a_live are out of order"):
        persuasion_for_good.read(tmp_path)


def test_another_persuasion_file_is_refused(tmp_path: Path) -> None:
    write_persuasion(tmp_path, *TALK, columns=["", "Unit", "Turn", "Role", "B2"])
    with pytest.raises(DataCorrupt, match="columns Unit, Turn, B4, B2, then rows"):
        persuasion_for_good.read(tmp_path)
    write_persuasion(tmp_path)
    with pytest.raises(DataCorrupt, match="then rows"):
        persuasion_for_good.read(tmp_path)
    path = write_persuasion(tmp_path, *TALK)
    path.write_bytes(path.read_bytes().rstrip() + b'\r\n1,"Hi. I am on')
    with pytest.raises(DataCorrupt, match=r"full_dialog\.csv: .*unexpected end of data"):
        persuasion_for_good.read(tmp_path)


@pytest.mark.parametrize(
    ("read", "file"),
    [
        (dbdc3.read, "dbdc3_revised_en.zip"),
        (begin.read, r"begin_\*\.tsv"),
        (prosecco.read, r"ProSeCCo_final\.json"),
        (persuasion_for_good.read, r"full_dialog\.csv"),
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, read: Callable[[Path], object], file: str) -> None:
    with pytest.raises(DataNotFound, match=rf"{file}.*`grice data "):
        read(tmp_path)
