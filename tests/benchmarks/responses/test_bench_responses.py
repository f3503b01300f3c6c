"""`grice bench responses`: figures on items and on data in their formats, samples, mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from relation_fixtures import WRONG, WordReader, response_item, write_lines

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.responses.benchmark import BENCHMARK, TASKS, evaluate
from grice.benchmarks.responses.breakdowns import fit_limits, most
from grice.benchmarks.responses.cases import held_out_cases
from grice.benchmarks.responses.llm import answer_of_reply, prompt_of
from grice.benchmarks.responses.systems import RelationRun, ResponseOptions, shape_of
from grice.models.data.dbdc3 import Votes
from grice.models.errors import InputError
from grice.models.relations.budget import expectation

ITEMS = [
    response_item(0, "The roof is grey."),
    response_item(1, f"The shed is {WRONG}, and so is the roof."),
    response_item(2, "Grey slate, I think."),
    response_item(3, f"I told you that all is {WRONG}, {WRONG} from top to bottom."),
]


def run(options: ResponseOptions, sheet: Sheet) -> RelationRun:
    return RelationRun(options, sheet, load=lambda _: WordReader())  # type: ignore[arg-type, return-value]


def figures(sheet: Sheet, system: str = "grice") -> dict[tuple[str, str], float | None]:
    return {(each.task, each.metric): each.value for each in sheet.results if each.system == system}


def options(tmp_path: Path, **given: Any) -> ResponseOptions:
    return ResponseOptions(tmp_path, **{"systems": ("grice", "majority"), **given})


def test_items(tmp_path: Path) -> None:
    items, samples = write_lines(tmp_path / "items.jsonl", ITEMS), tmp_path / "samples.jsonl"
    sheet = evaluate(options(tmp_path, items=items, samples=samples), run)
    found = figures(sheet)
    assert found["any-bad", "auc"] == 1.0
    assert found["any-bad", "pair_accuracy"] == 100
    assert found["any-bad", "false_alarms"] == 0
    assert found["any-bad", "evidence"] == 100
    assert found["any-bad/task", "auc"] == found["any-bad/chat", "auc"] == 1.0
    assert found["!Sel", "f1_pos"] == 100
    assert ("Ign", "auc") not in found
    assert figures(sheet, "majority")["any-bad", "auc"] == 0.5
    rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == [item["id"] for item in ITEMS]
    assert [row["found"]["alarm"] for row in rows] == [False, True, False, True]


def test_a_false_alarm_and_a_wrong_turn_count(tmp_path: Path) -> None:
    wrong = {"!Sel": False}
    items = [*ITEMS, response_item(4, f"A {WRONG} roof, indeed.", gold=wrong), response_item(5, f"All {WRONG}.", evidence_turn=0)]
    found = figures(evaluate(options(tmp_path, items=write_lines(tmp_path / "items.jsonl", items)), run))
    assert found["any-bad", "false_alarms"] == pytest.approx(100 / 3)
    assert found["any-bad", "found"] == 100
    assert found["any-bad", "precision_at_1"] == pytest.approx(100 * expectation(1, 1 / 3, 1).precision)
    assert found["any-bad", "precision_at_20"] == pytest.approx(100 * 0.2 / (0.2 + 0.8 / 3))
    assert found["any-bad", "evidence"] == pytest.approx(200 / 3)
    assert found["any-bad", "pair_accuracy"] == pytest.approx(100 * 2.5 / 3)


def test_a_response_read_twice_is_the_same_case(tmp_path: Path) -> None:
    items = write_lines(tmp_path / "items.jsonl", [*ITEMS, response_item(0, f"It is {WRONG}.", id="shed-9")])
    assert figures(evaluate(options(tmp_path, items=items, limit=4), run))["any-bad", "auc"] == 1.0


def test_ci_tod(tmp_path: Path) -> None:
    (tmp_path / "ci_tod").mkdir()
    entries = [
        {
            "id": number,
            "dialogue": [{"turn": "driver", "utterance": "where is it"}, {"turn": "assistant", "utterance": said}],
            "scenario": {"kb": {"items": [{"poi": "green_shed"}]}, "qi": "0", "hi": flag, "kbi": "0"},
        }
        for number, (said, flag) in enumerate([("in the yard", "0"), (f"the {WRONG} one", "1"), ("by the gate", "0")])
    ]
    (tmp_path / "ci_tod" / "navigate_test.json").write_text(json.dumps(entries), encoding="utf-8")
    sheet = evaluate(options(tmp_path, tasks=("ci-tod",)), run)
    assert figures(sheet)["ci-tod/HI", "f1_pos"] == 100
    assert ("ci-tod/KBI", "f1_pos") not in figures(sheet)
    assert "ci_tod/navigate_test.json" in sheet.data


def test_conture(tmp_path: Path) -> None:
    (tmp_path / "conture").mkdir()
    turns = [
        {"user": "User: hi", "chatbot": f"Chatbot: {said}", "overall impression": 2 - said.count(WRONG)}
        for said in (WRONG, "hi", "oh")
    ]
    (tmp_path / "conture" / "data.json").write_text(json.dumps([{"dialog_id": 1, "turns": turns}]), encoding="utf-8")
    assert figures(evaluate(options(tmp_path, tasks=("conture",)), run))["conture", "correlation"] == pytest.approx(1.0)


def test_held_hands_are_those_that_training_leaves_out() -> None:
    cases = held_out_cases()
    assert {case.name.partition("/")[0] for case in cases} == {"RG", "RM"}
    assert any(case.evidence and case.evidence[0] == "fact" for case in cases)
    assert any(case.hard for case in cases)
    assert all(not case.bad for case in cases if case.hard)


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=", ".join(TASKS)):
        evaluate(options(tmp_path, tasks=("poems",)), run)
    with pytest.raises(InputError, match="with --items"):
        evaluate(options(tmp_path, samples=tmp_path / "a.jsonl"), run)
    assert BENCHMARK.name == "responses"


def test_limits_of_breakdowns_are_those_with_which_most_are_right() -> None:
    assert most(Votes(10, 10, 5)) == 0
    low, high = fit_limits([0.1, 0.2, 0.5, 0.6, 0.9, 0.95], [0, 0, 1, 1, 2, 2])
    assert 0.2 < low <= 0.5
    assert 0.6 < high <= 0.9


def test_what_a_language_model_is_asked_and_says() -> None:
    case = held_out_cases()[0]
    assert case.question.dialogue.last.text in prompt_of(case.question)
    assert answer_of_reply('Well: {"bad": 80, "labels": ["Red", "no such"], "turn": 1}') == {
        "bad": 80.0,
        "labels": ["Red"],
        "turn": 1,
    }
    assert answer_of_reply('{"bad": 300}') is None
    assert answer_of_reply("none") is None


def test_shape_reads_marks_and_digits_alone() -> None:
    assert shape_of("Is it 12?") == shape_of("Ab cd 34?")
