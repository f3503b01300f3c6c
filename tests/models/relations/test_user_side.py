"""The user's frustration beside what is found of a response: told once a turn, quoted, and no fault of the response."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grice.models import Dialogue, Turn
from grice.models.relations import FAULTS, FRUSTRATION, LABELS, RelationQuestion, load_relation_reader

ANGRY = "I have told you twice already. Let me talk to a human."
SAID = (
    Turn("user", "My parcel 88 has not come."),
    Turn("bot", "I see! What is the number of your parcel?"),
    Turn("user", "88, as I wrote."),
    Turn("bot", "Please tell me the number of your parcel."),
    Turn("user", ANGRY),
)
READER = load_relation_reader()


def asked(*turns: Turn) -> RelationQuestion:
    return RelationQuestion(Dialogue(turns), setting="task")


def test_it_quotes_the_turn_of_the_user() -> None:
    question = asked(*SAID, Turn("bot", "I'll put you through to a colleague."))
    (found,) = READER.predict([question])
    told = found.findings[-1]
    assert (told.label, told.probability, told.words) == (FRUSTRATION, found.labels[FRUSTRATION], None)
    assert told.about is not None
    assert (told.about.kind, told.about.place) == ("user", 4)
    assert question.dialogue.turns[4].text[told.about.start : told.about.end] == told.about.text == ANGRY


@pytest.mark.parametrize("response", ["I'll put you through to a colleague.", "Please tell me the number of your parcel."])
def test_it_changes_nothing_of_the_response(response: str) -> None:
    question = asked(*SAID, Turn("bot", response))
    (found,), (without,) = READER.predict([question]), READER.with_frustration(None).predict([question])
    assert without.labels[FRUSTRATION] is None
    left = tuple(each for each in found.findings if each.label != FRUSTRATION)
    assert replace(found, labels=without.labels, findings=left) == without
    assert left != found.findings


def test_a_calm_turn_has_a_probability_and_no_finding() -> None:
    (found,) = READER.predict([asked(*SAID[:4], Turn("user", "It is 88."), Turn("bot", "Thank you, I have found it."))])
    assert found.labels[FRUSTRATION] is not None
    assert FRUSTRATION not in [each.label for each in found.findings]


def test_only_the_first_response_to_a_turn_tells_it() -> None:
    first = Turn("bot", "I'll put you through to a colleague.")
    alone = (Turn("bot", "Hello!"),)
    later = asked(*SAID, first, Turn("bot", "It will take a minute."))
    for question in (later, asked(*alone), asked(Turn("user", "This bot is useless!"), *alone)):
        (found,) = READER.predict([question])
        assert found.labels[FRUSTRATION] is None
        assert FRUSTRATION not in [each.label for each in found.findings]


def test_it_is_no_label_of_a_response() -> None:
    assert FRUSTRATION not in (*LABELS, *FAULTS)
