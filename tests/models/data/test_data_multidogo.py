"""The reader of MultiDoGO."""

from pathlib import Path

import pytest
from meaning_fixtures import write_multidogo

from grice.models.data import multidogo
from grice.models.errors import DataCorrupt, DataNotFound


def test_customers_turns_with_what_was_said_before(tmp_path: Path) -> None:
    write_multidogo(tmp_path, airline="hi|openinggreeting; two\nlines|bookflight; a seat|changeseatassignment<div>getseatinfo; ok|")
    first, second, third, last = multidogo.read(tmp_path / "multidogo", "airline", "test")
    assert (first.dialogue_id, second.dialogue_id, third.dialogue_id) == ("airline-0", "airline-0", "airline-1")
    assert [turn.text for turn in second.dialogue.turns] == ["hi", "two\nlines"]
    assert [turn.text for turn in third.dialogue.turns] == ["a seat"]
    assert (second.intents, third.intents, last.intents) == (("bookflight",), ("changeseatassignment", "getseatinfo"), ())
    assert list(multidogo.read(tmp_path / "multidogo", "media", "test")) == []


def test_what_is_missing_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"turn_level\.zip"):
        list(multidogo.read(tmp_path, "airline", "test"))
    (tmp_path / "turn_level.zip").write_bytes(b"no archive")
    with pytest.raises(DataCorrupt, match=r"turn_level\.zip \(data/.*airline/test\.tsv\)"):
        list(multidogo.read(tmp_path, "airline", "test"))
