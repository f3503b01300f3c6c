"""The readers of what the behaviour monitor also learns from, on the released files, where GRICE_DATA_DIR has them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from data_fixtures import needs_released_data

from grice.models.data import begin, dbdc3, persuasion_for_good, prosecco
from grice.models.data.pins import data_set
from grice.models.data.silence import SILENCE
from grice.models.data.verify import verify

pytestmark = needs_released_data


@pytest.fixture(scope="module")
def data_dir() -> Path:
    return Path(os.environ["GRICE_DATA_DIR"])


@pytest.mark.parametrize(
    ("name", "statuses"),
    [("dbdc3", {"subset"}), ("begin", {"official"}), ("prosecco", {"official"}), ("persuasion_for_good", {"official"})],
)
def test_the_released_files_are_the_pinned_ones(data_dir: Path, name: str, statuses: set[str]) -> None:
    assert {check.status for check in verify(data_set(name), data_dir)} == statuses


def test_the_released_dbdc3(data_dir: Path) -> None:
    found = dbdc3.read(data_dir)
    judged = [said for dialogue in found for said in dialogue.turns if said.votes]
    assert (len(found), len({dialogue.dialogue_id for dialogue in found}), len(judged)) == (615, 615, 6150)
    assert Counter(dialogue.part for dialogue in found) == {"dev": 415, "eval": 200}
    assert {said.turn.speaker for said in judged} == {"bot"}
    votes = [said.votes for said in judged if said.votes]
    assert {each.annotators for each in votes} == {30}
    assert [sum(each.fine for each in votes), sum(each.possible for each in votes)] == [61595, 65359]
    assert sum(said.silent for dialogue in found for said in dialogue.turns) == 28


def test_the_released_begin(data_dir: Path) -> None:
    found = begin.read(data_dir)
    assert Counter(each.part for each in found) == {"dev_cmu": 416, "dev_wow": 430, "test_wow": 3607}
    assert Counter(each.attribution for each in found) == {
        "fully attributable": 1631,
        "not fully attributable": 2737,
        "generic": 85,
    }
    assert sum(each.message == SILENCE for each in found) == 2


def test_the_released_prosecco(data_dir: Path) -> None:
    found = prosecco.read(data_dir)
    assert Counter(each.contradictory for each in found) == {True: 685, False: 642}
    assert (len({each.pair_id for each in found}), len({(each.first, each.second) for each in found})) == (1325, 1324)
    assert sum(each.propositions_needed is None for each in found) == 24


def test_the_released_persuasion_for_good(data_dir: Path) -> None:
    found = persuasion_for_good.read(data_dir)
    assert (len(found), sum(len(dialogue.turns) for dialogue in found)) == (1017, 20932)
    assert {dialogue.turns[0].role for dialogue in found} == {"persuader"}
