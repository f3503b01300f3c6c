"""IndirectRequests' reader, and what counts as a verbatim mention."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from data_fixtures import needs_released_data
from indirect_request_fixtures import VALUES, request_line, write_lines

from grice.models.data import indirect_requests
from grice.models.data.indirect_requests import AMBIGUOUS, FOLDER, file_name, read, read_file
from grice.models.data.pins import data_set
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.text.verbatim import says

BROKEN = [
    (request_line(possible_slot_values="['rye'"), "not a Python literal"),
    (request_line(possible_slot_values="__import__('os').getcwd()"), "malformed node or string"),
    (request_line(possible_slot_values="(" * 5000), "not a Python literal"),
    (request_line(possible_slot_values="'rye'"), "not a list"),
    (request_line(possible_slot_values="['rye']"), "not at least 2 different ones"),
    (request_line(possible_slot_values="['rye', 'rye']"), "not at least 2 different ones"),
    (request_line(target_slot_value="oats"), "target_slot_value is 'oats', not one of"),
    (request_line(mean_world_understanding=11), "mean_world_understanding is 11.0, not 1 to 10"),
    (request_line(mean_world_understanding=float("nan")), "not 1 to 10"),
    (request_line(utterance="  "), "printable"),
    (request_line(strategy="shouting"), "strategy is 'shouting', not one of simple elaboration"),
    ({"utterance": "Bread."}, "KeyError"),
    (["Bread."], "TypeError"),
]


def test_reads_the_evaluated_splits_in_file_order(tmp_path: Path) -> None:
    for split in ("train", "validation", "test"):
        write_lines(tmp_path / FOLDER / file_name(split), request_line(utterance=f"One of {split}."), request_line())
    assert [request.request_id for request in read(tmp_path)] == ["validation-1", "validation-2", "test-1", "test-2"]
    assert next(iter(read(tmp_path, ["train"]))).utterance == "One of train."


def test_reads_all_fields(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "mine.jsonl",
        request_line(id="mine", slot="grain", strategy="hyponym swap", target_slot_value=AMBIGUOUS),
        request_line(possible_slot_values="(True, False)", bool_rephrased_slot_values="['a', 'b']", target_slot_value=True),
    )
    mine, boolean = read_file(path, "mine")
    assert (mine.request_id, mine.slot, mine.strategy, mine.ambiguous) == ("mine", "grain", "hyponym swap", True)
    assert (mine.service, mine.slot_description, mine.values) == ("Bakeries_2", "Kind of grain", VALUES)
    assert (mine.situation, mine.world_understanding) == ("Someone wants to buy bread", 2.5)
    assert (boolean.request_id, boolean.slot, boolean.strategy) == ("mine-2", None, None)
    assert (boolean.values, boolean.phrasings, boolean.target) == (("True", "False"), ("a", "b"), "True")
    assert not boolean.ambiguous


@pytest.mark.parametrize(("line", "message"), BROKEN)
def test_a_broken_line_is_refused_with_its_number(tmp_path: Path, line: object, message: str) -> None:
    path = write_lines(tmp_path / "mine.jsonl", request_line(), line)
    with pytest.raises(DataCorrupt, match=rf"mine\.jsonl, line 2: not in the format of IndirectRequests.*{message}"):
        read_file(path, "mine")


def test_a_file_without_requests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataCorrupt, match="no requests"):
        read_file(write_lines(tmp_path / "mine.jsonl"), "mine")
    with pytest.raises(DataNotFound, match="validation_target_slot_value"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("Two tickets, please.", "2", True),
        ("Only 2.", "2", True),
        ("For 12.", "2", False),
        ("A one stop trip", "one-stop", True),
        ("I'd stop at one.", "one-stop", False),
        ("premium ECONOMY seats", "Premium Economy", True),
        ("economy, premium", "Premium Economy", False),
        ("the kitchens", "Kitchen", True),
        ("Rentals", "rent", False),
        ("True, I smoke.", "True", False),
        ("Bread", "!", False),
    ],
)
def test_verbatim_is_a_run_of_the_words_of_the_value(text: str, value: str, expected: bool) -> None:
    assert says(text, value) is expected


@needs_released_data
def test_the_released_files() -> None:
    data_dir = Path(os.environ["GRICE_DATA_DIR"])
    if not all((data_dir / FOLDER / pin.path).exists() for pin in data_set(FOLDER).files):
        pytest.skip("the official IndirectRequests files are not in GRICE_DATA_DIR")
    by_split = {split: read(data_dir, [split]) for split in ("train", "validation", "test")}
    assert {split: len(requests) for split, requests in by_split.items()} == {"train": 123, "validation": 136, "test": 194}
    assert sum(request.ambiguous for requests in by_split.values() for request in requests) == 81


def test_the_pins_name_the_files_that_are_read() -> None:
    splits = indirect_requests.RequestSplit.__args__  # type: ignore[attr-defined]
    assert {pin.path for pin in data_set(FOLDER).files} == {file_name(split) for split in splits}
