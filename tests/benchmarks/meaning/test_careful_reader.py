"""The careful reader's answers: of turns that are there, in names of their menus."""

from __future__ import annotations

import pytest

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning.careful_reader import CAREFUL, HANDS, answer_of, find_cases, read_answers
from grice.benchmarks.meaning.scores import add_meaning
from grice.models.data.user_turns import DONT_CARE
from grice.models.meaning.menu import ACTS
from grice.models.training.meaning.written import HELD_HANDS, LATER_HANDS


def test_each_answer_is_of_a_turn_that_is_there_and_in_names_of_its_menu() -> None:
    answers = read_answers()
    for case, row in zip(find_cases(list(answers)), answers.values(), strict=True):
        schema = case.question.schema
        assert row["meaning"] in {*ACTS, *(intent.name for intent in schema.intents)}
        listed = {slot.name: slot.values for slot in schema.slots}
        for slot, value in answer_of(row).slots.items():  # type: ignore[union-attr]
            assert not listed[slot] or value in (*listed[slot], DONT_CARE)


def test_turns_are_of_strangers_and_most_are_indirect() -> None:
    cases = find_cases(list(read_answers()))
    assert {case.part for case in cases} == set(HANDS)
    assert not {*HELD_HANDS, *LATER_HANDS} & set(HANDS)  # nothing may be chosen by a look at these
    assert len(cases) == 240
    assert sum(case.kind == "indirect" for case in cases) == 200


def test_a_careful_reader_is_scored_as_every_system() -> None:
    answers = read_answers()
    cases = find_cases(list(answers))
    sheet = Sheet("meaning", [case.group for case in cases], 0, drawn="bot")
    add_meaning(sheet, "careful", CAREFUL, cases, [answer_of(row) for row in answers.values()])
    figures = {each.metric: each for each in sheet.results if each.task == "careful"}
    right = sum(
        case.is_right(answer_of(row).best) for case, row in zip(cases, answers.values(), strict=True) if case.kind == "indirect"
    )
    assert figures["intent_accuracy"].value == pytest.approx(100 * right / 200)
    assert figures["reply_accuracy"].n == 40


def test_what_is_excluded_or_open_fills_nothing() -> None:
    row = {"meaning": "yes", "slots": {"a": {"not": "x"}, "b": {"either": ["x", "y"]}, "c": "any", "d": "z"}}
    assert answer_of(row).slots == {"c": DONT_CARE, "d": "z"}
