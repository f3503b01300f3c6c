"""Contrast groups and changes of mind: what is counted, worked out by hand, and what the held-out hands have of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_fixtures import bench, check_shape
from meaning_fixtures import item, write_items

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning.cases import NOTHING, MeaningAnswer, MeaningCase, NamedMeaning
from grice.benchmarks.meaning.contrast import add_contrasts, find_contrasts, other_bot_cases
from grice.benchmarks.meaning.held_out import written_cases
from grice.benchmarks.meaning.scores import add_meaning
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec, SlotSpec
from grice.models.text.verbatim import words
from grice.models.training.meaning.written import HELD_HANDS, read_hands

MENU = BotSchema((IntentSpec("order", "order a pizza"),), (SlotSpec("size", "how big", ("small", "large")), SlotSpec("name")))
YES: NamedMeaning = ("act", "yes")
NO: NamedMeaning = ("act", "no")


def case(text: str, gold: NamedMeaning, asked: str = "", changed: frozenset[str] | None = None) -> MeaningCase:
    dialogue = Dialogue.of(text, [("bot", asked)] if asked else [])
    return MeaningCase(MeaningQuestion(dialogue, MENU), f"bot {asked}", gold, "indirect", changed=changed)


def answer(best: NamedMeaning, *changed: str) -> MeaningAnswer:
    return MeaningAnswer(best, True, "order", {}, None, changed)


CASES = [
    case("I am up at dawn.", YES, "Can you be there at six?"),
    case("Thanks a lot!", ("act", "courtesy")),
    case("I am up at dawn", NO, "Is six too early?"),
    case("thanks a lot", ("act", "courtesy"), "Done."),
    case("Nine of us are coming.", ("intent", "order")),
    case("Nine of us are coming!", NO, "Is a table for two enough?"),
]


def test_groups_have_the_same_words_and_different_meanings() -> None:
    assert find_contrasts(CASES) == [[0, 2], [4, 5]]


def test_a_group_is_right_where_each_of_its_turns_is() -> None:
    sheet = Sheet("meaning", [], 0)
    said = [YES, NO, NO, NO, ("intent", "order"), YES]
    add_contrasts(sheet, "written", "s", CASES, [answer(each) for each in said])
    found = {(row.task, row.metric): (row.value, row.n) for row in sheet.results}
    assert found == {("written/contrast", "all_right"): (50.0, 2), ("written/contrast", "each_right"): (75.0, 4)}
    add_contrasts(sheet, "written", "s", CASES[:2], [answer(YES)] * 2)
    assert len(sheet.results) == 2


def test_changes_are_counted_where_they_are_known() -> None:
    cases = [
        case("small after all", ("act", "answer"), changed=frozenset(("size", "name"))),
        case("for Ada", ("act", "answer"), changed=frozenset()),
        case("hm", NOTHING),
    ]
    sheet = Sheet("meaning", [], 0)
    add_meaning(sheet, "written", "s", cases, [answer(NOTHING, "size"), answer(NOTHING, "name"), answer(NOTHING, "size")])
    found = {row.metric: (row.value, row.n) for row in sheet.results if row.metric.startswith("changes")}
    assert found == {"changes_found": (50.0, 2), "changes_right": (50.0, 2)}
    untold = Sheet("meaning", [], 0)
    add_meaning(untold, "written", "s", cases, [MeaningAnswer(NOTHING, True, "order")] * 3)
    assert {row.value for row in untold.results if row.metric.startswith("changes")} == {None}
    assert untold.reasons["written/s"] == "it tells no changes"
    nobody = Sheet("meaning", [], 0)
    add_meaning(nobody, "meaning", "s", cases[2:], [answer(NOTHING, "size")])
    assert not [row for row in nobody.results if row.metric.startswith("changes")]


def test_what_the_held_out_hands_have() -> None:
    cases = written_cases()
    groups = find_contrasts(cases)
    assert len(groups) >= 10
    assert {len({cases[at].question for at in group}) for group in groups} == {2}
    marked = {case.part for case in cases if case.changed is not None}
    turns = {hand: [turn for bot in bots for turn in bot.turns] for hand, bots in read_hands(names=HELD_HANDS).items()}
    assert marked == {hand for hand, each in turns.items() if any(turn.changes for turn in each)} == {"QJ", "QO"}
    changed = [frozenset(turn.mentions) if turn.changes else frozenset() for hand in ("QJ", "QO") for turn in turns[hand]]
    assert [case.changed for case in cases if case.part in marked] == changed


def test_a_hint_is_read_for_its_own_bot_and_for_another() -> None:
    cases = other_bot_cases()
    assert {case.part for case in cases} == set(HELD_HANDS)
    for own, other in zip(cases[::2], cases[1::2], strict=True):
        assert (own.question.dialogue, own.group) == (other.question.dialogue, other.group)
        assert own.gold[1] in {intent.name for intent in own.question.schema.intents}
        assert own.gold[1] not in {intent.name for intent in other.question.schema.intents}
        assert other.gold == NOTHING
    pairs = {tuple(words(case.question.dialogue.last.text)) for case in cases}
    assert len(find_contrasts(cases)) == len(pairs)


@pytest.mark.parametrize("system", ["lexical"])
def test_own_items_with_the_same_words_are_a_contrast(system: str, tmp_path: Path) -> None:
    close = [{"speaker": "bot", "text": "We close at noon. Anything else?"}]
    path = write_items(
        tmp_path / "items.jsonl",
        item(1, text="When is the library open?", gold_intent="opening_hours"),
        item(2, text="When is the library open?", gold_intent=None, history=close),
    )
    out = tmp_path / "out.json"
    assert bench("meaning", "--items", str(path), "--system", system, "--out", str(out)) == 0
    found = check_shape(out)
    assert (found["meaning/contrast", system, "all_right"]["n"], found["meaning/contrast", system, "each_right"]["value"]) == (
        1,
        50.0,
    )
