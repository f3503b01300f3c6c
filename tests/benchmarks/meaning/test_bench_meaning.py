"""`grice bench meaning` on invented data in the released formats: which turns are read, on which menus, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_fixtures import bench, check_shape
from meaning_fixtures import held_intents, write_circa, write_implicature, write_multidogo, write_sgd_intents

from grice.benchmarks.meaning.benchmark import TASKS
from grice.benchmarks.meaning.held_out import indirect_cases, judged_answers, scope_cases, written_cases
from grice.benchmarks.meaning.judged import CIRCA
from grice.benchmarks.meaning.services import multidogo_cases, sgd_cases, sgd_x_cases
from grice.models.data import implicature
from grice.models.data.user_turns import DONT_CARE
from grice.models.errors import DataNotFound, InputError
from grice.models.training.meaning.written import HELD_HANDS, SlotMention, read_hands


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    write_implicature(tmp_path)
    write_circa(tmp_path)
    write_sgd_intents(tmp_path)
    write_multidogo(
        tmp_path, airline="hi there|openinggreeting; book a flight|bookflight; a seat|changeseatassignment<div>getseatinfo"
    )
    return tmp_path


def test_all_tasks_with_floors(data_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "meaning.json"
    assert bench("meaning", "--data-dir", str(data_dir), "--system", "lexical", "majority", "--limit", "40", "--out", str(out)) == 0
    results = check_shape(out)
    assert {task.partition("/")[0] for task, _, _ in results} == set(TASKS)
    assert results["sgd", "lexical", "accuracy"]["value"] == 100.0
    assert results["sgd-x", "lexical", "accuracy"]["n"] == 5
    assert results[CIRCA, "majority", "accuracy"]["value"] == pytest.approx(200 / 3)
    assert results["implicature-all", "lexical", "accuracy"]["value"] == 50.0
    assert results["out-of-scope", "lexical", "left_alone"]["value"] == 100.0
    for intent_set in implicature.INTENT_SETS:
        assert results[f"implicature-10/{intent_set}", "lexical", "accuracy"]["n"] == 6
        assert results[f"implicature-all/{intent_set}", "lexical", "accuracy"]["value"] == 50.0


def test_a_data_set_that_is_not_there(tmp_path: Path) -> None:
    out = tmp_path / "meaning.json"
    assert bench("meaning", "--data-dir", str(tmp_path), "--system", "majority", "--limit", "5", "--out", str(out)) == 0
    results = check_shape(out)
    scored = {task.partition("/")[0] for (task, _, _), each in results.items() if each["value"] is not None}
    assert scored == {"written", "written-later", "other-bot"}
    with pytest.raises(DataNotFound, match=r"turn_level\.zip"):
        bench("meaning", "--data-dir", str(tmp_path), "--task", "multidogo")
    with pytest.raises(InputError, match="task of benchmark meaning: got 'reading'; allowed: written, "):
        bench("meaning", "--data-dir", str(tmp_path), "--task", "reading")


def test_menus_of_intents_that_were_not_trained_on(tmp_path: Path) -> None:
    write_implicature(tmp_path, held=12, trained=20)
    held = {intent_set: set(held_intents(intent_set, 12)) for intent_set in implicature.INTENT_SETS}
    small, large = indirect_cases(tmp_path, small=True), indirect_cases(tmp_path, small=False)
    for cases, size in ((small, 10), (large, 32)):
        assert len(cases) == 3 * 12 * 2
        for case in cases:
            assert case.gold[1] in held[case.part]  # type: ignore[index]
            menu = [intent.name for intent in case.question.schema.intents]
            assert case.gold[1] in menu
            assert len(set(menu)) == size
    assert {intent.name for case in scope_cases(tmp_path) for intent in case.question.schema.intents} == held["CLINC150"]


def test_written_turns_are_of_held_out_hands() -> None:
    cases = written_cases()
    assert {case.part for case in cases} == set(HELD_HANDS)
    assert len(cases) == sum(len(bot.turns) for bots in read_hands(names=HELD_HANDS).values() for bot in bots)
    assert {case.gold[0] for case in cases} == {"intent", "act"}
    turns = [turn for bots in read_hands(names=HELD_HANDS).values() for bot in bots for turn in bot.turns]
    for case, turn in zip(cases, turns, strict=True):
        for slot, mention in turn.mentions.items():
            value = (case.slots or {}).get(slot)
            assert value == {"meant": _meant(mention), "any": DONT_CARE}.get(mention.said)


def _meant(mention: SlotMention) -> str:
    return mention.values[0] if mention.values else mention.words


def test_turns_of_services(data_dir: Path) -> None:
    (said,) = sgd_cases(data_dir / "sgd")
    assert (said.gold, said.question.dialogue.last.text) == (("intent", "OrderCake"), "My son turns six, so I order cake.")
    assert {intent.name for intent in said.question.schema.intents} == {"FindBread", "OrderCake", "RentBoat"}
    worded = sgd_x_cases(data_dir / "sgd")
    assert [(case.part, case.gold[1]) for case in worded] == [(f"v{variant}", f"OrderCakeAs{variant}") for variant in "12345"]
    assert {case.question.dialogue for case in worded} == {said.question.dialogue}


def test_customers_turns(data_dir: Path) -> None:
    cases = multidogo_cases(data_dir / "multidogo")
    assert [(case.gold, case.part) for case in cases if case.gold[0] == "intent"] == [(("intent", "bookflight"), "airline")]
    assert len(cases[-1].question.dialogue.turns) == 2


def test_answers_with_a_majority_to_questions_that_were_not_trained_on(data_dir: Path) -> None:
    found = judged_answers(data_dir)
    assert [(answer.answer, answer.strict) for answer, _ in found] == [("Sure.", "Yes"), ("Never.", "No"), ("Of course.", "Yes")]
    assert found[0][1].dialogue.turns[0].text == "Two people meet."


def test_our_reader_on_every_task(data_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "meaning.json"
    assert bench("meaning", "--data-dir", str(data_dir), "--system", "grice", "--limit", "4", "--out", str(out)) == 0
    results = check_shape(out)
    assert results["sgd", "grice", "accuracy"]["n"] == 1
    assert results[CIRCA, "grice", "accuracy"]["n"] == 3
    assert results["written", "grice", "coverage"]["n"] > 0
