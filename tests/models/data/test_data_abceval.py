"""The reader of ABC-Eval's released results."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import pytest
from abceval_fixtures import DIALOGUES, EXCHANGES, exchange, invented, write_abceval
from data_fixtures import needs_released_data

from grice.models.data import abceval
from grice.models.data.pins import data_set
from grice.models.data.verify import verify
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.results import BEHAVIORS

TALK = {
    "(3,1)_green_bean": [
        exchange("Is it time to sow peas?", "I grew peas last year.", {"Ign": (1, 0, 1, 1), "Red": (0, 1, 0, 0)}),
        exchange("But when?", "In March.", {"!Rel": (0, 0, 0, 1)}),
    ]
}


def test_reads_responses_with_their_history_and_labels(tmp_path: Path) -> None:
    write_abceval(tmp_path, TALK)
    first, second = abceval.read(tmp_path)
    assert (first.dialogue_id, first.bot, first.place, second.place) == ("(3,1)_green_bean", "green_bean", 0, 1)
    assert first.history == (Turn("user", "Is it time to sow peas?"),)
    assert second.history == (*first.history, Turn("bot", "I grew peas last year."), Turn("user", "But when?"))
    assert second.dialogue.turns == (*second.history, Turn("bot", "In March."))
    assert first.annotators["Ign"] == (True, False)
    assert first.annotators["Red"] == (False, True)
    assert first.chatgpt["Ign"]
    assert not first.chatgpt["Red"]
    assert (first.specialized["Ign"], first.specialized["!Sel"], first.specialized["Red"]) == (True, False, None)
    assert tuple(second.annotators) == tuple(second.chatgpt) == tuple(second.specialized) == BEHAVIORS
    assert second.specialized["!Rel"]


def test_every_dialogue_is_read_in_order(tmp_path: Path) -> None:
    write_abceval(tmp_path)
    found = abceval.read(tmp_path)
    assert [(each.dialogue_id, each.place) for each in found] == [(key, n) for key in invented() for n in range(EXCHANGES)]
    assert len(found) == DIALOGUES * EXCHANGES


def damaged(place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """`TALK` with `value` in one place; None removes what is there."""
    content = copy.deepcopy(TALK)
    inside: Any = content["(3,1)_green_bean"]
    for key in place[:-1]:
        inside = inside[key]
    if value is None:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return content


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((1, "system"), " \n", r"dialogue \(3,1\)_green_bean, response 1: .*printable"),
        ((0, "user"), 7, "response 0: .*a string"),
        ((1, "user"), None, "response 1: .*'user'"),
        ((1, "behaviors", "ignore"), None, "response 1: .*'ignore'"),
        ((0, "behaviors", "ignore", "human"), [1], "response 0: .*expected 2"),
        ((0, "behaviors", "ignore", "human"), [1, 2], "response 0: .*a label is 2, not 0 or 1"),
        ((0, "behaviors", "ignore", "gpt"), "yes", "response 0: .*a label is 'yes', not 0 or 1"),
        ((0, "behaviors", "ignore", "gpt"), None, "response 0: .*'gpt'"),
        ((0, "behaviors", "ignore", "specialized"), -1, "response 0: .*a label is -1"),
        ((0, "behaviors"), [], "response 0: .*ABC-Eval"),
        ((1,), "In March.", "response 1: .*ABC-Eval"),
    ],
)
def test_a_damaged_file_says_which_response(tmp_path: Path, place: tuple[str | int, ...], value: Any, message: str) -> None:
    write_abceval(tmp_path, damaged(place, value))
    with pytest.raises(DataCorrupt, match=message):
        abceval.read(tmp_path)


@pytest.mark.parametrize("content", [[], {}, "dialogues", {"(1,1)_bot": {}}, {"(1,1)_bot": []}])
def test_what_is_no_object_of_dialogues_is_refused(tmp_path: Path, content: Any) -> None:
    write_abceval(tmp_path, content)
    with pytest.raises(DataCorrupt, match=r"results\.json: .*fetch it again"):
        abceval.read(tmp_path)


def test_a_cut_file_and_a_missing_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="behavior-classification-results"):
        abceval.read(tmp_path)
    path = write_abceval(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataCorrupt, match="fetch it again"):
        abceval.read(tmp_path)


@needs_released_data
def test_the_released_file() -> None:
    folder = Path(os.environ["GRICE_DATA_DIR"])
    found = abceval.read(folder)
    assert (len(found), len({each.dialogue_id for each in found}), len({each.bot for each in found})) == (1634, 108, 4)
    assert all(each.history[-1].speaker == "user" and len(each.history) == 2 * each.place + 1 for each in found)
    assert {label for label in BEHAVIORS if found[0].specialized[label] is None} == {"!Com", "!Par", "Red"}
    assert [check.status for check in verify(data_set("abceval"), folder)] == ["official"]
