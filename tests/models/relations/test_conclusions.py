"""What is known exactly decides; the model says the rest. On the shipped weights, with scores as the network would give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations import RelationFinding, RelationQuestion, RelationReader, ResponseRelations, load_relation_reader
from grice.models.relations.budget import NEVER, AlarmThresholds
from grice.models.relations.labels import LABELS, SETTINGS

MUSEUM = {"museum": "Kiln Yard", "opens": "17:00", "phone": "01223 350688", "price": "20 euros"}


@pytest.fixture(scope="module")
def reader() -> RelationReader:
    return load_relation_reader()


def asked(response: str, *said: str, **given: Any) -> RelationQuestion:
    turns = [Turn("bot" if place % 2 else "user", text) for place, text in enumerate(said or ("When does it open?",))]
    return RelationQuestion(Dialogue((*turns, Turn("bot", response))), setting="task", **given)


def concluded(reader: RelationReader, question: RelationQuestion, bad: float = -9.0, **labels: float) -> ResponseRelations:
    """What is concluded where the network scores the response so; labels that are not given are most unlikely."""
    scores = reader.score(question)
    given: Mapping[str, float] = {"!Fac" if name == "false" else name: score for name, score in labels.items()}
    for place, label in enumerate(LABELS):
        scores.labels[place] = given.get(label, -9.0)
    return reader.conclude(question, replace(scores, bad=bad))


def shown(found: ResponseRelations, label: str) -> RelationFinding | None:
    return next((each for each in found.findings if each.label == label), None)


def test_without_anything_given_nothing_is_said_of_false_facts(reader: RelationReader) -> None:
    found = concluded(reader, asked("Sydney is the capital."), bad=9.0, false=9.0)
    assert found.labels["!Fac"] is None
    assert found.alarm
    assert shown(found, "!Fac") is None
    assert found.findings
    assert concluded(reader, asked("Sydney is the capital.", facts=({"opens": None},)), false=9.0).labels["!Fac"] is None


def test_the_old_reading_is_a_setting(reader: RelationReader) -> None:
    found = concluded(reader.with_guesses(), asked("Sydney is the capital."), false=9.0)
    share = found.labels["!Fac"]
    assert share is not None
    assert share > 0.5
    assert shown(found, "!Fac") is not None
    assert not reader.guesses_facts


def test_a_value_that_clashes_with_the_row_is_an_alarm_whatever_the_model_says(reader: RelationReader) -> None:
    found = concluded(reader, asked("It opens at 18:30.", facts=(MUSEUM,)))
    finding = shown(found, "!Fac")
    assert finding is not None
    assert finding.rule
    assert finding.about is not None
    assert finding.words is not None
    assert (finding.about.text, finding.words.text) == ("opens: 17:00", "18:30")
    assert found.alarm
    assert found.about == finding.about
    assert found.labels["!Fac"] == finding.probability
    assert [each.support for each in found.sentences] == ["contradicted"]


def test_values_that_are_all_in_the_row_overrule_the_model(reader: RelationReader) -> None:
    found = concluded(reader, asked("It opens at 5 pm, phone 01223 350688.", facts=(MUSEUM,)), bad=9.0, false=9.0)
    assert shown(found, "!Fac") is None
    assert not found.alarm
    assert [each.support for each in found.sentences] == ["supported"]


def test_another_fault_of_such_a_sentence_stays(reader: RelationReader) -> None:
    found = concluded(reader, asked("It opens at 5 pm, phone 01223 350688.", facts=(MUSEUM,)), bad=9.0, false=9.0, Ign=9.0)
    assert found.alarm
    assert [each.label for each in found.findings] == ["Ign"]


def test_an_act_that_a_row_says_is_done_is_no_promise(reader: RelationReader) -> None:
    said = "I have refunded the 12 euros to your card."
    done = asked(said, "Where is my money?", facts=({"tool": "refund_card", "status": "done"},))
    failed = asked(said, "Where is my money?", facts=({"tool": "refund_card", "status": "failed"},))
    assert not concluded(reader, done, bad=9.0, promise=9.0).alarm
    assert concluded(reader, failed, bad=9.0, promise=9.0).alarm


def test_what_a_rule_says_is_an_alarm_at_every_budget_but_where_there_are_none(reader: RelationReader) -> None:
    clash = asked("It opens at 18:30.", facts=(MUSEUM,))
    strict = AlarmThresholds(dict.fromkeys(SETTINGS, 0.999), dict(reader.thresholds.labels))
    assert concluded(reader.with_thresholds(strict), clash).alarm
    never = AlarmThresholds(dict.fromkeys(SETTINGS, NEVER), dict(reader.thresholds.labels))
    assert not concluded(reader.with_thresholds(never), clash).alarm


def test_a_question_that_was_just_answered_is_an_alarm(reader: RelationReader) -> None:
    question = "Which day would suit you for the kayak?"
    found = concluded(reader, asked(question, "A kayak, please.", question, "Saturday would be fine."))
    finding = shown(found, "asked_again")
    assert finding is not None
    assert finding.rule
    assert finding.about is not None
    assert (finding.about.kind, finding.about.text) == ("user", "Saturday would be fine.")
    assert found.alarm


def test_a_near_repeat_is_quoted_where_the_model_says_that_there_is_one(reader: RelationReader) -> None:
    first = "The blue kayak is free from nine on Saturday."
    question = asked(f"{first[:-1]} then.", "A kayak, please.", f"Hello. {first}", "What is the price?")
    found = concluded(reader, question, Red=9.0)
    finding = shown(found, "Red")
    assert finding is not None
    assert finding.about is not None
    assert (finding.rule, finding.about.text) == (False, first)
    assert shown(concluded(reader, question), "Red") is None
