"""A value that clashes with the one field that a sentence names is a fault by rule; what is unclear is left to the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.clashes import find_clash, find_clashes
from grice.models.relations.results import RelationQuestion

ROWS = ({"boat": "Heron", "leaves": "17:30", "fare": "12 euros"}, {"boat": "Curlew", "leaves": "18:10", "fare": "9 euros"})
MUSEUM = {"museum": "Kiln Yard", "open": "17:00", "phone": "01223 350688", "price": "20 euros", "closed on": "Monday"}


def asked(response: str, *said: str, rows: tuple[Mapping[str, str], ...] = (MUSEUM,), **given: Any) -> RelationQuestion:
    turns = [Turn("bot" if place % 2 else "user", text) for place, text in enumerate(said or ("When does it open?",))]
    return RelationQuestion(Dialogue((*turns, Turn("bot", response))), facts=rows, **given)


def test_a_value_clashes_with_the_field_that_the_sentence_names() -> None:
    (clash,) = find_clashes("The Heron leaves at 17:50.", ROWS, ["When does the Heron go?"])
    assert (clash.row, clash.field, clash.has) == (0, "leaves", "17:30")


@pytest.mark.parametrize(
    "sentence",
    [
        "The Heron leaves at 5:30 pm.",
        "Either leaves at 17:50.",  # no row is named
        "Be at the Heron by 17:20.",  # no field is named
        "The Heron leaves with the tide.",
        "Would the Heron that leaves at 17:50 do?",  # a question
        "The Heron does not leave at 17:50.",
        "If you leave the Heron at 17:50, you catch the bus.",
        "Another boat than the Heron leaves at 17:50.",
        "No doubt the Heron's friends would leave at 17:50, or later.",
        "A fare of 50 percent is for children on the Heron.",  # a share is no amount
        "The Heron leaves at 17:30 and is back at 19:00.",  # the field's own value is said too
    ],
)
def test_what_is_right_or_unclear_does_not_clash(sentence: str) -> None:
    assert find_clashes(sentence, ROWS, []) == []


def test_a_denial_in_another_part_of_the_sentence_changes_nothing() -> None:
    (clash,) = find_clashes("Not yet: the Heron leaves at 17:50, don't worry.", ROWS, [])
    assert clash.has == "17:30"


def test_what_somebody_said_does_not_clash() -> None:
    assert find_clashes("The Heron leaves at 17:50.", ROWS, ["The harbour says that it leaves at 17:50 today."]) == []


def test_a_date_is_the_same_however_it_is_written_and_no_weekday_clashes_with_it() -> None:
    rows = ({"event date": "2019-03-07"},)
    assert find_clashes("The date is March 7th.", rows, []) == []
    assert find_clashes("The date is next Thursday.", rows, []) == []
    (clash,) = find_clashes("The date is March 8th.", rows, [])
    assert clash.has == "2019-03-07"


@pytest.mark.parametrize(
    ("response", "quoted", "words"),
    [
        ("Kiln Yard is lovely. It opens at 18:30.", "open: 17:00", "18:30"),
        ("It costs 35 euros.", "price: 20 euros", "35 euros"),
        ("It is closed on Tuesday.", "closed on: Monday", "Tuesday"),
    ],
)
def test_both_sides_are_quoted_with_their_places(response: str, quoted: str, words: str) -> None:
    found = find_clash(asked(response))
    assert found is not None
    assert (found.label, found.rule) == ("!Fac", True)
    assert found.about is not None
    assert found.words is not None
    row = "; ".join(f"{name}: {value}" for name, value in MUSEUM.items())
    assert (found.about.kind, found.about.place, found.about.text) == ("fact", 0, quoted)
    assert row[found.about.start : found.about.end] == quoted
    assert response[found.words.start : found.words.end] == found.words.text == words
    assert found.words.place == 1


def test_what_the_user_wished_for_is_no_fact_to_clash_with() -> None:
    slots = {"leave after": "17:00", "destination": "Ely"}
    wished = asked("The next one leaves at 17:16.", "I want to leave after 5 pm, to Ely.", rows=(slots,))
    assert find_clash(wished) is None


def test_another_value_of_the_same_field_may_have_been_said() -> None:
    found = find_clash(asked("It can be collected until 23:00.", "It is the 4th, 21:40.", rows=({"collect by": "4 March 22:00"},)))
    assert found is not None
    assert found.about is not None
    assert found.about.text == "collect by: 4 March 22:00"


def test_a_time_that_follows_from_the_row_does_not_clash() -> None:
    rows = ({"lesson": "16:30", "length": "45 minutes"},)
    assert find_clash(asked("The lesson is over at 17:15.", rows=rows)) is None


def test_without_rows_nothing_clashes() -> None:
    assert find_clash(asked("It opens at 18:30.", rows=(), documents=("It opens at 17:00.",))) is None
