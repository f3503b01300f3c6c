from pathlib import Path

import pytest
from data_fixtures import write_annotated_utterances, write_json, write_multiwoz

from grice.models.data import multiwoz
from grice.models.data.silence import SILENCE
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound


@pytest.mark.parametrize("zipped", [True, False])
def test_reads_turns_with_natural_spacing_and_speakers(tmp_path: Path, zipped: bool) -> None:
    write_multiwoz(tmp_path, "val", zipped=zipped)
    dialogue = multiwoz.read(tmp_path, "val")["BAK0001"]
    assert [said.turn for said in dialogue[:3]] == [
        Turn("user", "Hello, I don't know a bakery. Is there one?"),
        Turn("bot", "Crumb's is open until 18:30."),
        Turn("user", "I'll need it on 3-4 May."),
    ]


def test_reads_acts(tmp_path: Path) -> None:
    write_multiwoz(tmp_path)
    dialogue = multiwoz.read(tmp_path, "test")["BAK0001"]
    assert dialogue[1].acts == (multiwoz.Act("Bakery-Inform", "Name", "Crumb's"), multiwoz.Act("Bakery-Inform", "Close", "18:30"))
    assert dialogue[1].labels == {"bakery-inform-name", "bakery-inform-close"}
    assert dialogue[3].acts == ()
    assert dialogue[4].labels == {"general-thank-none"}


def test_an_empty_turn_keeps_its_place_and_says_that_it_is_silent(tmp_path: Path) -> None:
    write_multiwoz(tmp_path)
    dialogue = multiwoz.read(tmp_path, "test")["BAK0001"]
    assert [said.silent for said in dialogue] == [False, False, False, True, False]
    assert dialogue[3].turn == Turn("bot", SILENCE)
    assert dialogue[4].turn == Turn("user", "Thank you!")


def test_annotated_utterances_have_the_speaker_of_their_index(tmp_path: Path) -> None:
    write_annotated_utterances(
        tmp_path,
        'BAK7.json\t0\tI want bread , the "good" one .\tBakery-Inform(Kind=bread;Price=dont care)',
        "BAK7\t1\tWhite or brown ?\tBakery-Select()",
        "BAK7\t2\t \tgeneral-thank()",
        "BAK7\t4\tBrown .\tBakery-Inform(Kind=brown)Bakery-Request(Price)",
    )
    rows = multiwoz.read_annotated_utterances(tmp_path)
    assert [(session, said.turn) for session, said in rows] == [
        ("BAK7", Turn("user", 'I want bread, the "good" one.')),
        ("BAK7", Turn("bot", "White or brown?")),
        ("BAK7", Turn("user", "Brown.")),
    ]
    assert rows[0][1].acts == (multiwoz.Act("Bakery-Inform", "Kind", "bread"), multiwoz.Act("Bakery-Inform", "Price", "dont care"))
    assert rows[1][1].labels == {"bakery-select-none"}
    assert rows[2][1].labels == {"bakery-inform-kind", "bakery-request-price"}
    assert multiwoz.read_user_utterances(tmp_path) == [rows[0], rows[2]]


@pytest.mark.parametrize("row", ["BAK7\t0\tno acts", "BAK7\tzero\tBread .\tgeneral-thank()"])
def test_a_damaged_annotated_row_is_named(tmp_path: Path, row: str) -> None:
    write_annotated_utterances(tmp_path, "BAK7\t0\tBread .\tgeneral-thank()", row)
    with pytest.raises(DataCorrupt, match=r"annotated_user_utts_18k\.txt, line 3"):
        multiwoz.read_user_utterances(tmp_path)


def test_a_missing_file_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"test\.json\.zip, test\.json.*grice data list"):
        multiwoz.read(tmp_path, "test")


@pytest.mark.parametrize(
    "value", [[], {"BAK1": {"goal": {}}}, {"BAK1": {"log": [{"dialog_act": {}}]}}, {"BAK1": {"log": [{"text": 7}]}}]
)
def test_another_format_is_refused(tmp_path: Path, value: object) -> None:
    write_json(tmp_path / "test.json", value)
    with pytest.raises(DataCorrupt, match=r"MultiWOZ 2\.1"):
        multiwoz.read(tmp_path, "test")


def test_damaged_archives_and_json_are_refused(tmp_path: Path) -> None:
    path = write_multiwoz(tmp_path)
    whole = path.read_bytes()
    packed = 30 + len("test.json")  # the local header of a member is 30 bytes and its name
    no_block = whole[:packed] + b"\xff" * 8 + whole[packed + 8 :]
    other_text = whole[: packed + 60] + bytes([whole[packed + 60] ^ 1]) + whole[packed + 61 :]
    for damaged in (whole[: len(whole) // 2], b"", b"not a zip", no_block, other_text):
        path.write_bytes(damaged)
        with pytest.raises(DataCorrupt, match=r"test\.json\.zip.*fetch it again"):
            multiwoz.read(tmp_path, "test")
    path.unlink()
    for damaged in (b'{"BAK1": ', b"\xff\xfe\x00"):
        (tmp_path / "test.json").write_bytes(damaged)
        with pytest.raises(DataCorrupt, match=r"test\.json.*fetch it again"):
            multiwoz.read(tmp_path, "test")
