"""`grice bench responses`: figures on items and on data in their formats, samples, mistakes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai_server import chat, openai_server
from relation_fixtures import WRONG, WordReader, response_item, write_lines

from grice.benchmarks.core.results import Cell
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.llm.run import UNKNOWN
from grice.benchmarks.responses.benchmark import BENCHMARK, TASKS, evaluate
from grice.benchmarks.responses.breakdowns import fit_limits, most
from grice.benchmarks.responses.cases import ResponseAnswer, held_out_cases, item_cases
from grice.benchmarks.responses.llm import answer_of_reply, prompt_of
from grice.benchmarks.responses.scores import add_any_bad, add_ci_tod, add_label, add_people, add_ratings
from grice.benchmarks.responses.systems import RelationRun, ResponseOptions, shape_of
from grice.benchmarks.scale.judge_price import CHARACTERS_A_TOKEN
from grice.models.data.dbdc3 import Votes
from grice.models.errors import InputError
from grice.models.relations.budget import expectation
from grice.models.relations.labels import RelationLabel

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


def test_what_a_shown_label_quotes_counts_where_the_label_is_right(tmp_path: Path) -> None:
    more = [
        response_item(4, f"A {WRONG} roof, indeed.", gold={"Ign": True}),  # shown as !Sel, which is wrong
        response_item(5, f"All {WRONG}.", evidence_turn=0),
        response_item(6, "All grey.", gold={"!Sel": True}, evidence_turn=1),  # nothing is shown
    ]
    found = figures(evaluate(options(tmp_path, items=write_lines(tmp_path / "items.jsonl", [*ITEMS, *more])), run))
    assert found["any-bad", "evidence_shown"] == pytest.approx(200 / 3)
    assert ("any-bad", "evidence_shown") not in figures(
        evaluate(options(tmp_path, items=write_lines(tmp_path / "items.jsonl", ITEMS), systems=("majority",)), run), "majority"
    )


def test_a_response_read_twice_is_the_same_case(tmp_path: Path) -> None:
    items = write_lines(tmp_path / "items.jsonl", [*ITEMS, response_item(0, f"It is {WRONG}.", id="shed-9")])
    assert figures(evaluate(options(tmp_path, items=items, limit=4), run))["any-bad", "auc"] == 1.0


def test_a_label_without_a_score_counts_as_none_and_the_run_says_so() -> None:
    has: list[frozenset[RelationLabel]] = [frozenset(), frozenset({"!Fac"}), frozenset({"!Fac"})]
    cases = [replace(case, labels=labels) for case, labels in zip(held_out_cases(), has, strict=False)]
    answers = [ResponseAnswer(0.5, False, {"!Fac": 0.1}), ResponseAnswer(0.5, False), ResponseAnswer(0.5, False, {"!Fac": 0.9})]
    sheet = Sheet("responses", [], 0)
    add_label(sheet, "!Fac", "!Fac", "grice", list(zip(cases, answers, strict=True)))
    assert figures(sheet)["!Fac", "auc"] == 0.5
    assert sheet.notes == [
        "!Fac, grice: 1 of 3 responses have no score, as the bot was given nothing; they count as 0 and not shown"
    ]


def test_a_judge_none_of_whose_answers_can_be_read_is_unscored() -> None:
    cases = held_out_cases()[:4]
    nothing = [ResponseAnswer(None, False)] * len(cases)
    sheet = Sheet("responses", [], 0)
    add_any_bad(sheet, "judge", cases, nothing)
    add_ci_tod(sheet, "judge", cases, nothing)
    add_people(sheet, "people/multiwoz", "judge", cases, nothing)
    add_ratings(sheet, "conture", "judge", cases, nothing)
    assert {each.task: each.unscored for each in sheet.results} == {"any-bad": 4, "people/multiwoz": 4, "conture": 4}
    assert {each.value for each in sheet.results} == {None}


def costs(sheet: Sheet) -> dict[str, list[Cell]]:
    (table,) = (each for each in sheet.tables if each.title == "1,000 responses")
    assert table.header == ("", "milliseconds", "tokens read", "tokens written", "US dollars")
    return {str(name): list(row) for name, *row in table.rows}


def test_what_a_thousand_responses_cost(tmp_path: Path) -> None:
    items = write_lines(tmp_path / "items.jsonl", ITEMS)
    sheet = evaluate(options(tmp_path, items=items, judge_price_in=2.0, judge_price_out=10.0, judge_answer_tokens=50), run)
    found, times = costs(sheet), figures(sheet)["cost", "ms_per_1000"]
    assert times is not None
    assert times > 0
    assert found["grice, one at a time, 1 thread"] == [f"{times:.0f}", "none", "none", UNKNOWN]
    prompts = [prompt_of(case.question) for case in item_cases(items)]
    read = 1000 * sum(map(len, prompts)) / len(prompts) / CHARACTERS_A_TOKEN
    once = ["not called", f"{read:.0f}", "50000", f"{read * 2 / 1e6 + 0.5:.2f}"]
    assert found["a judge, one question a response"] == once
    nine = found["a judge, nine questions a response"]
    assert (nine[0], nine[2]) == ("not called", "450000")
    assert float(nine[1]) > 4 * read
    assert "four characters a token" in " ".join(sheet.notes)


def test_a_judge_that_is_called_costs_what_its_server_counts(tmp_path: Path) -> None:
    items = write_lines(tmp_path / "items.jsonl", ITEMS)
    with openai_server(lambda _: chat('{"bad": 70, "labels": [], "turn": null}', (300, 12))) as server:
        given = options(tmp_path, items=items, systems=("openai:m",), llm_url=server.url)
        free, priced = (evaluate(each, run) for each in (given, replace(given, llm_price_in=1.0, llm_price_out=5.0)))
    assert costs(free)["openai:m"] == [UNKNOWN, "300000", "12000", UNKNOWN]
    assert costs(priced)["openai:m"] == [UNKNOWN, "300000", "12000", "0.36"]
    assert sum(table.title.startswith("Usage of openai:m") for table in priced.tables) == 1
    assert not [each for each in priced.results if each.task == "cost"]


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
