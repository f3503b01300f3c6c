from pathlib import Path

import pytest
from data_fixtures import sgd_dialogue, write_sgd
from meaning_fixtures import write_sgd_intents

from grice.models.data import sgd
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound

FILES = {
    "dialogues_002.json": [sgd_dialogue("2_00000", "Any bread in Ulm?")],
    "dialogues_001.json": [
        sgd_dialogue("1_00000", "A bakery in Ulm, please.", "There is Crumb's."),
        sgd_dialogue("1_00001", "Rolls?"),
    ],
}


@pytest.mark.parametrize("zipped", [True, False])
def test_reads_dialogues_in_file_order(tmp_path: Path, zipped: bool) -> None:
    write_sgd(tmp_path, FILES, zipped=zipped)
    dialogues = list(sgd.read(tmp_path, "dev"))
    assert [dialogue.dialogue_id for dialogue in dialogues] == ["1_00000", "1_00001", "2_00000"]
    user, system = dialogues[0].turns
    assert (user.turn, system.turn) == (Turn("user", "A bakery in Ulm, please."), Turn("bot", "There is Crumb's."))
    assert user.actions == (sgd.Action("Bakeries_1", "INFORM", "city", ("Ulm",)),)
    assert (user.state, system.state) == ({"Bakeries_1": {"city": ("Ulm", "ulm")}}, {})
    assert dialogues[0].services == ("Bakeries_1",)


@pytest.mark.parametrize("zipped", [True, False])
def test_reads_the_schema(tmp_path: Path, zipped: bool) -> None:
    write_sgd(tmp_path, FILES, zipped=zipped)
    service = sgd.read_schema(tmp_path, "dev")["Bakeries_1"]
    assert service.description == "Bakeries and bread"
    assert service.slots == (
        sgd.SlotSchema("city", "Where", False, ()),
        sgd.SlotSchema("price", "How dear", True, ("low", "high")),
    )


def _broken(**changes: object) -> dict[str, object]:
    return {**sgd_dialogue("1_00000", "Bread?"), **changes}


@pytest.mark.parametrize(
    "dialogue",
    [
        _broken(turns=[{"speaker": "WAITER", "utterance": "Hi", "frames": []}]),
        _broken(turns=[{"speaker": "USER", "utterance": 7, "frames": []}]),
        _broken(turns=[{"speaker": "USER", "frames": []}]),
        _broken(turns=None),
        ["not an object"],
    ],
)
def test_another_format_is_refused(tmp_path: Path, dialogue: object) -> None:
    write_sgd(tmp_path, {"dialogues_001.json": [dialogue]})
    with pytest.raises(DataCorrupt, match=r"dev\.zip: not in the format of SGD"):
        list(sgd.read(tmp_path, "dev"))


def test_an_empty_turn_keeps_its_place(tmp_path: Path) -> None:
    write_sgd(tmp_path, {"dialogues_001.json": [sgd_dialogue("1_00000", "Bread?", " ", "Hello?")]})
    (dialogue,) = sgd.read(tmp_path, "dev")
    assert [said.silent for said in dialogue.turns] == [False, True, False]
    assert dialogue.turns[2].turn == Turn("user", "Hello?")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = write_sgd(tmp_path, FILES)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataCorrupt, match=r"dev\.zip.*fetch it again"):
        list(sgd.read(tmp_path, "dev"))
    with pytest.raises(DataCorrupt, match=r"dev\.zip \(dev/schema\.json\)"):
        sgd.read_schema(tmp_path, "dev")


def test_an_archive_without_a_schema_is_refused(tmp_path: Path) -> None:
    write_sgd(tmp_path, FILES).rename(tmp_path / "train.zip")
    with pytest.raises(DataCorrupt, match=r"train/schema\.json"):
        sgd.read_schema(tmp_path, "train")


def test_a_missing_split_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"test\.zip, test"):
        list(sgd.read(tmp_path, "test"))


def test_the_schema_in_other_wordings(tmp_path: Path) -> None:
    write_sgd_intents(tmp_path)
    schema = sgd.read_schema(tmp_path / "sgd", "test")
    variants = sgd.read_variants(tmp_path / "sgd", "test", schema)
    assert list(variants) == list(sgd.VARIANTS)
    assert [intent.name for intent in variants["v3"]["Bakeries_1"].intents] == ["SearchLoaf", "OrderCakeAs3"]
    with pytest.raises(DataCorrupt, match=r"sgd_x\.zip: v1 has no wording of Boats_1 with 0 intents"):
        sgd.read_variants(tmp_path / "sgd", "test", {"Boats_1": sgd.ServiceSchema("Boats_1", "", ())})
    with pytest.raises(DataCorrupt, match="v1 has no wording of Boats_2"):
        sgd.read_variants(tmp_path / "sgd", "test", {"Boats_2": sgd.ServiceSchema("Boats_2", "", ())})
