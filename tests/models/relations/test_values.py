"""Values are the same however they are written, and are held exactly against rows."""

from __future__ import annotations

import pytest

from grice.models.relations.values import find_clashes, is_borne_out, known_amounts, stated_values

ROWS = ({"boat": "Heron", "leaves": "17:30", "fare": "12 euros"}, {"boat": "Curlew", "leaves": "18:10", "fare": "9 euros"})


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("at 17:30", "time", "17:30"),
        ("at 5:30 pm", "time", "17:30"),
        ("at 5 pm", "time", "17:00"),
        ("on Thursday", "date", "thu"),
        ("on the 4th", "date", "4"),
        ("on 4 March", "date", "4"),
        ("for $1,200.50", "amount", "1200.5"),
        ("for 12 euros", "amount", "12"),
        ("15 of them", "number", "15"),
    ],
)
def test_kinds_and_amounts(text: str, kind: str, amount: str) -> None:
    (found,) = stated_values(text)
    assert (found.kind, found.amount) == (kind, amount)


def test_half_days_sums_and_words_are_borne_out() -> None:
    known = known_amounts(["It leaves at 17:30.", "A ticket is 12 euros, a bicycle 3 euros.", "We are two."])
    for text, right in (("5:30 pm", True), ("24 euros", True), ("15 euros", True), ("27 euros", True), ("31.40 euros", False)):
        (value,) = stated_values(text)
        assert is_borne_out(value, known) is right, text


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
    ],
)
def test_what_is_right_or_unclear_does_not_clash(sentence: str) -> None:
    assert find_clashes(sentence, ROWS, []) == []


def test_what_somebody_said_does_not_clash() -> None:
    assert find_clashes("The Heron leaves at 17:50.", ROWS, ["The harbour says that it leaves at 17:50 today."]) == []
