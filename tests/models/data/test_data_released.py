"""The readers on the released files, where GRICE_DATA_DIR has them."""

import os
import re
from pathlib import Path

import pytest
from data_fixtures import needs_released_data

from grice.models.data import canard, contextual_query_rewrite, direct, mudoco_qr, multiwoz, sgd
from grice.models.data.spacing import untokenized

pytestmark = needs_released_data


@pytest.fixture(scope="module")
def data_dir() -> Path:
    return Path(os.environ["GRICE_DATA_DIR"])


def test_direct_and_multiwoz(data_dir: Path) -> None:
    rows = direct.read(data_dir)
    dialogues = multiwoz.read(data_dir / "multiwoz21", "test")
    assert (len(rows), len({row.dialogue_id for row in rows}), len(dialogues)) == (6405, 864, 1000)
    said = [dialogues[row.dialogue_id][row.turn_index].turn.text for row in rows]
    assert all(_letters(text) == _letters(row.original) for text, row in zip(said, rows, strict=True))
    assert sum(text == row.original for text, row in zip(said, rows, strict=True)) >= 0.99 * len(rows)
    assert sum(untokenized(row.original) == row.original for row in rows) >= 0.99 * len(rows)


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


def test_multiwoz_val_and_annotated_utterances(data_dir: Path) -> None:
    folder = data_dir / "multiwoz21"
    dialogues = multiwoz.read(folder, "val")
    assert len(dialogues) == 999
    assert not any(said.silent for dialogue in dialogues.values() for said in dialogue)
    assert len(multiwoz.read_annotated_utterances(folder)) == 10528
    assert len(multiwoz.read_user_utterances(folder)) == 6719


@pytest.mark.parametrize(("split", "dialogues", "services"), [("train", 12174, 26), ("dev", 2098, 17), ("test", 2921, 21)])
def test_sgd(data_dir: Path, split: str, dialogues: int, services: int) -> None:
    schema = sgd.read_schema(data_dir / "sgd", split)
    assert len(schema) == services
    count = 0
    for dialogue in sgd.read(data_dir / "sgd", split):
        count += 1
        assert set(dialogue.services) <= set(schema)
    assert count == dialogues


@pytest.mark.parametrize(("split", "dialogues", "records"), [("dev", 271, 206), ("test", 276, 214)])
def test_contextual_query_rewrite(data_dir: Path, split: str, dialogues: int, records: int) -> None:
    folder = data_dir / "contextual_query_rewrite"
    found = contextual_query_rewrite.read(folder, split)
    assert len(contextual_query_rewrite.read_dialogues(folder, split)) == dialogues
    assert len(found) == records
    assert all(record.turn.speaker == "user" and record.history for record in found)


def test_mudoco_qr(data_dir: Path) -> None:
    records = mudoco_qr.read(data_dir / "mudoco_qr")
    assert len(mudoco_qr.read_dialogues(data_dir / "mudoco_qr")) == 298
    assert (len(records), sum(record.rewrites[0] != record.turn.text for record in records)) == (1237, 411)


def test_canard(data_dir: Path) -> None:
    records = canard.read(data_dir / "canard")
    assert (len(records), len({record.dialogue_id for record in records})) == (3430, 490)
    assert all(len(record.history) == 2 * record.turn_index - 1 for record in records)
