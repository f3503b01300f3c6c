"""The shipped slot-value resolver on turns of ours, for slots that nobody trained on."""

import pytest

from grice.models import Dialogue, Turn
from grice.models.slot_questions import SlotQuestion
from grice.models.slot_values import load_slot_resolver

PRICES = ("cheap", "moderate", "expensive")


def resolved(text: str, slot: str, description: str, values: tuple[str, ...], before: str | None = None) -> str | None:
    history = [Turn("bot", before)] if before else []
    return load_slot_resolver().predict([SlotQuestion(Dialogue.of(text, history), slot, description, values)])[0].value


@pytest.mark.parametrize(
    ("text", "value"), [("I do not have much money.", "cheap"), ("Money is no object, we want luxury.", "expensive")]
)
def test_a_value_that_is_not_said(text: str, value: str) -> None:
    assert resolved(text, "price", "how dear the place is", PRICES) == value


def test_a_value_that_is_said() -> None:
    assert resolved("Put it on my credit card.", "payment", "how to pay", ("cash", "credit card", "voucher")) == "credit card"


@pytest.mark.parametrize(("text", "value"), [("Yes, please.", "True"), ("No, thanks, I do not need it.", "False")])
def test_an_answer_to_the_question_of_the_bot(text: str, value: str) -> None:
    assert resolved(text, "insurance", "whether to add insurance", ("True", "False"), "Do you want insurance?") == value


def test_nothing_is_said_of_the_slot() -> None:
    question = SlotQuestion(Dialogue.of("What time is it in Lisbon?"), "price", "how dear the place is", PRICES)
    found = load_slot_resolver().predict([question])[0]
    assert found.value is None
    assert not found.ambiguous
    assert found.not_mentioned > max(found.probabilities)


def test_shares_add_up_and_do_not_depend_on_the_other_questions() -> None:
    resolver = load_slot_resolver()
    texts = "I do not have much money.", "Show me what there is.", "It may cost a bit."
    questions = [SlotQuestion(Dialogue.of(text), "price", "how dear the place is", PRICES) for text in texts]
    together = resolver.predict(questions)
    for question, found in zip(questions, together, strict=True):
        assert sum(found.probabilities) + found.not_mentioned == pytest.approx(1, abs=1e-5)
        assert resolver.predict([question])[0].probabilities == pytest.approx(found.probabilities, abs=1e-4)


def test_the_order_of_the_values_does_not_matter() -> None:
    forward = resolved("We have a baby with us.", "seat", "what is put on the chair", ("cushion", "child seat", "nothing"))
    backward = resolved("We have a baby with us.", "seat", "what is put on the chair", ("nothing", "child seat", "cushion"))
    assert forward == backward
