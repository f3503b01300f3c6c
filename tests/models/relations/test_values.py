"""Values are the same however they are written, and are held exactly against rows."""

from __future__ import annotations

import pytest

from grice.models.relations.values import is_borne_out, known_amounts, stated_values


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("at 17:30", "time", "17:30"),
        ("at 5:30 pm", "time", "17:30"),
        ("at 5 pm", "time", "17:00"),
        ("on Thursday", "date", "thu"),
        ("on Sun", "date", "sun"),
        ("on the 4th", "date", "4"),
        ("on 4 March", "date", "4"),
        ("on 2019-03-04", "date", "4"),
        ("for $1,200.50", "amount", "1200.5"),
        ("for 12 euros", "amount", "12"),
        ("15 of them", "number", "15"),
    ],
)
def test_kinds_and_amounts(text: str, kind: str, amount: str) -> None:
    (found,) = stated_values(text)
    assert (found.kind, found.amount) == (kind, amount)


@pytest.mark.parametrize("text", ["The cat sat in the sun.", "They wed in June."])
def test_words_that_are_short_for_no_day(text: str) -> None:
    assert stated_values(text) == []


def test_half_days_sums_and_words_are_borne_out() -> None:
    known = known_amounts(["It leaves at 17:30.", "A ticket is 12 euros, a bicycle 3 euros.", "We are two."])
    for text, right in (("5:30 pm", True), ("24 euros", True), ("15 euros", True), ("27 euros", True), ("31.40 euros", False)):
        (value,) = stated_values(text)
        assert is_borne_out(value, known) is right, text
