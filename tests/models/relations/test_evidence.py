"""Each sentence is supported, contradicted or not found; without anything given there is no evidence."""

from __future__ import annotations

from typing import Any

import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.evidence import sentence_support
from grice.models.relations.results import QuotedSpan, RelationFinding, RelationQuestion

ROW = {"ferry": "Heron", "departs": "17:30", "fare": "12 euros"}


def question(response: str, **given: Any) -> RelationQuestion:
    return RelationQuestion(Dialogue((Turn("user", "When does the Heron leave?"), Turn("bot", response))), **given)


@pytest.mark.parametrize(
    ("response", "support"),
    [
        ("The ferry Heron departs at 5:30 pm.", "supported"),
        ("The ferry Heron departs at 18:40.", "contradicted"),
        ("The ferry Heron has 140 seats.", "not found"),
        ("Dolphins can be seen from the deck.", "not found"),
    ],
)
def test_a_sentence_beside_a_row(response: str, support: str) -> None:
    (found,) = sentence_support(question(response, facts=(ROW,)), [])
    assert found.support == support
    if support == "contradicted":
        assert found.by is not None
        assert found.by.text == "departs: 17:30"
    if support == "supported":
        assert found.by is not None
        assert found.by.kind == "fact"


def test_without_anything_given_there_is_no_evidence() -> None:
    first, second = sentence_support(question("It leaves at noon. Be early."), [])
    assert (first.support, second.support) == ("no evidence", "no evidence")
    assert second.words.text == "Be early."


def test_what_the_model_shows_counts_for_its_sentence_alone() -> None:
    response = "The ferry has a bar. Dogs may sit on deck."
    rule = "Dogs stay inside the car."
    own = QuotedSpan("response", 1, 1, 21, 43, "Dogs may sit on deck.")
    about = QuotedSpan("document", 0, 0, 0, len(rule), rule)
    shown = [RelationFinding("!Fac", 0.9, about, own)]
    first, second = sentence_support(question(response, documents=(rule,)), shown)
    assert first.support == "not found"
    assert (second.support, second.by) == ("contradicted", about)
