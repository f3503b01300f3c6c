"""The shipped descriptions of intentions, and what a file of them may not hold."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from grice.models.errors import InputError
from grice.models.face_acts.descriptions import DESCRIPTIONS, PHRASINGS, descriptions_of


def test_the_shipped_descriptions() -> None:
    counts = {wording: len(DESCRIPTIONS.by_wording[wording]) for wording in PHRASINGS}
    assert counts == {"new": 42, "old": 23}
    everything = [each for wording in PHRASINGS for each in DESCRIPTIONS.by_wording[wording]]
    assert len({each.id for each in everything}) == len(everything)
    assert all(len({each.text for each in DESCRIPTIONS.by_wording[wording]}) == counts[wording] for wording in PHRASINGS)
    assert len(DESCRIPTIONS.groups) == 5
    for wording in PHRASINGS:
        assert [each.id for each in DESCRIPTIONS.candidates(wording, "persuader", "hpos-")] in (
            ["er-criticizes"],
            ["old-er-criticizes"],
        )
        assert not DESCRIPTIONS.candidates(wording, "persuader", "sneg+")
        assert not DESCRIPTIONS.candidates(wording, "persuadee", "other")


def test_groups_have_one_role_each_and_at_least_two_face_acts() -> None:
    by_id = {each.id: each for wording in PHRASINGS for each in DESCRIPTIONS.by_wording[wording]}
    for group in DESCRIPTIONS.groups.values():
        assert len({by_id[each].role for each in group}) == 1
        assert len({by_id[each].face_act for each in group}) > 1


def test_a_description_in_two_groups_is_related_to_both() -> None:
    willing = next(each for each in DESCRIPTIONS.by_wording["new"] if each.id == "ee-is-willing")
    assert {"ee-asks-for-donation", "ee-states-preference"} < DESCRIPTIONS.related(willing)
    criticizes = DESCRIPTIONS.candidates("new", "persuader", "hpos-")[0]
    assert DESCRIPTIONS.related(criticizes) == frozenset()


ENTRY = {"id": "a", "role": "persuader", "face_act": "spos+", "text": "The persuader boasts."}
CONTENT: dict[str, Any] = {"descriptions": {"new": [ENTRY], "old": []}, "groups": {"g": ["a"]}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "buyer"}, "role of a: got 'buyer'"),
        ({"face_act": "other"}, "face act of a: got 'other'"),
        ({"text": " "}, "text of a"),
        ({"note": "x"}, "keys of a description"),
    ],
)
def test_bad_entries_are_refused(change: dict[str, str], message: str) -> None:
    content = copy.deepcopy(CONTENT)
    content["descriptions"]["new"][0] |= change
    with pytest.raises(InputError, match=message):
        descriptions_of(content)


def test_bad_files_are_refused() -> None:
    descriptions_of(CONTENT)
    with pytest.raises(InputError, match="id of a description: got 'a'"):
        descriptions_of({**CONTENT, "descriptions": {"new": [ENTRY], "old": [ENTRY]}})
    with pytest.raises(InputError, match="wordings"):
        descriptions_of({**CONTENT, "descriptions": {"new": [ENTRY]}})
    with pytest.raises(InputError, match="group g: got 'b'"):
        descriptions_of({**CONTENT, "groups": {"g": ["a", "b"]}})
