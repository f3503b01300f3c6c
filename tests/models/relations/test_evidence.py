"""Each sentence is supported, contradicted or not found; without anything given there is no evidence."""

from __future__ import annotations

from typing import Any

import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.evidence import sentence_support
from grice.models.relations.results import QuotedSpan, RelationFinding, RelationQuestion
from grice.models.relations.settled import is_settled

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


MUSEUM = {"museum": "Kiln Yard", "opens": "17:00", "phone": "01223 350688", "price": "20 euros", "since": "2 June"}


def false_says_the_model(asked: RelationQuestion) -> RelationFinding:
    """A finding of the model, that the whole response clashes with the price."""
    response = asked.dialogue.last.text
    own = QuotedSpan("response", len(asked.dialogue.history), 0, 0, len(response), response)
    return RelationFinding("!Fac", 0.3, QuotedSpan("fact", 0, 0, 55, 70, "price: 20 euros"), own)


def test_values_that_are_all_in_the_row_win_over_the_model() -> None:
    asked = question("It opens at 5 pm, phone 01223 350688.", facts=(MUSEUM,))
    finding = false_says_the_model(asked)
    assert is_settled(asked, finding)
    (found,) = sentence_support(asked, [finding])
    assert found.support == "supported"
    assert found.by is not None
    assert found.by.kind == "fact"


def test_a_right_sum_wins_over_the_model() -> None:
    bill = Dialogue((Turn("user", "The bill was $96.60, we are three."), Turn("bot", "$96.60/3 = $32.20 each.")))
    asked = RelationQuestion(bill, documents=("Tips are up to you.",))
    assert is_settled(asked, false_says_the_model(asked))
    (found,) = sentence_support(asked, [false_says_the_model(asked)])
    assert found.support != "contradicted"


@pytest.mark.parametrize(
    "response",
    [
        "It opens at 6 pm, phone 01223 350688.",  # one value is another
        "It opens at noon, call before.",  # no value that can be compared
        "The phone is 17:00.",  # the value is another field's
        "It opens at 5 pm on 2 July.",  # the row has a second of another month
    ],
)
def test_what_is_not_all_in_the_row_does_not(response: str) -> None:
    asked = question(response, facts=(MUSEUM,))
    assert not is_settled(asked, false_says_the_model(asked))


def test_a_finding_that_points_at_no_value_is_not_settled_by_values() -> None:
    asked = question("The cellar opens at 5 pm.", facts=(MUSEUM,))
    finding = RelationFinding("!Fac", 0.9, None, QuotedSpan("response", 1, 0, 0, 10, "The cellar"))
    assert not is_settled(asked, finding)


def test_values_of_two_rows_settle_nothing_where_no_row_is_named() -> None:
    other = {**MUSEUM, "museum": "Old Mill", "opens": "18:00"}
    for response, settled in (("It opens at 5 pm.", False), ("Kiln Yard opens at 5 pm.", True), ("Old Mill opens at 5 pm.", False)):
        asked = question(response, facts=(MUSEUM, other))
        assert is_settled(asked, false_says_the_model(asked)) is settled, response


def promise(response: str, *facts: dict[str, str]) -> bool:
    """Whether the rows show that the promised act was done."""
    asked = question(response, facts=facts)
    own = QuotedSpan("response", 1, 0, 0, len(response), response)
    return is_settled(asked, RelationFinding("promise", 0.9, None, own))


def test_an_act_that_a_row_says_is_done_is_no_empty_promise() -> None:
    said = "I have refunded the 12 euros to your card."
    assert promise(said, {"tool": "refund_card", "status": "done"})
    assert promise(said, {"action": "refundCard", "result": "ok"})
    assert not promise(said, {"tool": "refund_card", "status": "failed"})
    assert not promise(said, {"tool": "refund_card"})
    assert not promise(said, {"tool": "send_email", "status": "done"})
    assert not promise(said, {"status": "done", "card": "refund"})
