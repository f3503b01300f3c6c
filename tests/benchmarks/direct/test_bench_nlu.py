"""`grice bench nlu`, with the real NLU, pipeline, gate and guard, and fake models."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from bench_fixtures import DIALOGUES, bench, check_shape, held_out_numbers, triple_of, write_data

from grice.benchmarks.core import report, runner
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.direct import nlu
from grice.benchmarks.direct.benchmark import TurnOptions
from grice.benchmarks.direct.held_out import held_out
from grice.benchmarks.direct.plain_nlu import Hyperparameters, PlainNlu, held_out_f1, user_turns
from grice.models import Dialogue
from grice.models.errors import DataNotFound, ModelNotFound
from grice.models.manifest import shipped
from grice.models.results import Directness, Rewrite

DIRECT_OF = {text: triple_of(number)[1] for number in range(DIALOGUES) for text in triple_of(number)}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


class WishScorer:
    """Wishes are indirect."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        return [Directness(0.0 if "wish" in dialogue.last.text else 1.0) for dialogue in dialogues]


class CountingRewriter:
    """Answers from `answers`, and counts what it was asked."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.asked = 0

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        self.asked += len(dialogues)
        return [Rewrite(self.answers[dialogue.last.text], 0.9, 5) for dialogue in dialogues]


def evaluated(data: Path, answers: dict[str, str], *systems: str) -> tuple[Sheet, CountingRewriter]:
    rewriter = CountingRewriter(answers)
    return nlu.evaluate(TurnOptions(data, systems=systems), lambda _: nlu.PipelineModels(WishScorer(), rewriter)), rewriter


def values(sheet: Sheet, metric: str) -> dict[tuple[str, str], float]:
    scored = [result for result in sheet.results if result.metric == metric]
    return {(result.task, result.system): result.value for result in scored if result.value is not None}


def test_plain_is_the_nlu_on_each_wording(data: Path) -> None:
    sheet, _ = evaluated(data, {}, "plain")
    found = values(sheet, "micro_f1")
    assert found["original", "plain"] == found["direct", "plain"] == 100
    assert found["indirect", "plain"] < 90
    assert {result.metric for result in sheet.results} == {"micro_f1", "exact_match"}


def test_replacing_by_the_direct_wording_gives_its_figures(data: Path) -> None:
    sheet, _ = evaluated(data, DIRECT_OF, "plain", "replace")
    for metric in ("micro_f1", "exact_match"):
        found = values(sheet, metric)
        assert found["indirect", "replace"] == found["direct", "plain"]
        assert found["direct", "replace"] == found["direct", "plain"]
    gained = values(sheet, "exact_match")["indirect", "replace"] - values(sheet, "exact_match")["indirect", "plain"]
    assert values(sheet, "fixed")["indirect", "replace"] == pytest.approx(gained)
    assert gained > 0
    assert values(sheet, "broken")["indirect", "replace"] == 0


def test_the_gate_keeps_direct_turns_from_harm(data: Path) -> None:
    spoilt = dict.fromkeys(DIRECT_OF, "Goodbye now.")
    sheet, _ = evaluated(data, spoilt, "plain", "append", "append-ungated", "replace-ungated")
    broken = values(sheet, "broken")
    asks = 100 * sum(1 for number in held_out_numbers() if number % 3) / len(held_out_numbers())
    assert broken["original", "append"] == 0
    assert broken["original", "replace-ungated"] == pytest.approx(asks)
    assert values(sheet, "micro_f1_change")["original", "replace-ungated"] < 0
    assert values(sheet, "micro_f1_change")["original", "append"] == 0


def test_the_guard_is_in_the_way_of_made_up_numbers(data: Path) -> None:
    numbered = {text: f"{direct[:-1]} for 97 people." for text, direct in DIRECT_OF.items()}
    sheet, _ = evaluated(data, numbered, "replace", "plain")
    assert values(sheet, "micro_f1")["indirect", "replace"] == values(sheet, "micro_f1")["indirect", "plain"]
    (table,) = sheet.tables
    assert not any(name.startswith("rewrite") for name in table.header)


def test_decisions_are_shares_of_all_turns(data: Path) -> None:
    (table,) = evaluated(data, DIRECT_OF, "append")[0].tables
    assert [row[0] for row in table.rows] == ["original", "direct", "indirect"]
    assert all(sum(map(float, row[1:])) == pytest.approx(100, abs=0.3) for row in table.rows)
    assert dict(zip(table.header, table.rows[2], strict=True))["rewrite: indirect"] == 100


def test_each_turn_is_rewritten_once(data: Path) -> None:
    _, rewriter = evaluated(data, DIRECT_OF, *nlu.SYSTEMS.names)
    distinct_turns = {(triple_of(number)[form], number) for number in held_out_numbers() for form in range(3)}
    assert rewriter.asked <= len(distinct_turns)


def test_intervals_go_by_dialogue_and_the_report_shows_them(data: Path, tmp_path: Path) -> None:
    benchmark = dataclasses.replace(
        nlu.BENCHMARK, evaluate=partial(nlu.evaluate, load=lambda _: nlu.PipelineModels(WishScorer(), CountingRewriter(DIRECT_OF)))
    )
    found = runner.run(benchmark, TurnOptions(data), "grice bench nlu")
    found.write(tmp_path / "nlu.json")
    results = check_shape(tmp_path / "nlu.json")
    plain = results["indirect", "plain", "exact_match"]
    assert plain["low"] < plain["value"] < plain["high"]
    assert f"{plain['value']:.2f} [{plain['low']:.2f}, {plain['high']:.2f}]" in report.text(found)
    assert found.run.options["pipeline replace"]["mode"] == "replace"
    assert set(found.run.data) == {"direct/test.csv", "multiwoz21/test.json.zip", "multiwoz21/val.json.zip"}


def test_the_nlu_learns_from_val_alone(data: Path) -> None:
    texts, labels, groups = user_turns(data)
    assert {group[:3] for group in groups} == {"VAL"}
    assert len(texts) == 2 * DIALOGUES
    assert "library-request-topic" in frozenset().union(*labels)


def test_turns_without_an_act_are_to_get_none() -> None:
    texts = ["find a book", "find a film", "hm", "well"] * 5
    labels = [frozenset({"find"}), frozenset({"find"}), frozenset(), frozenset()] * 5
    model = PlainNlu(Hyperparameters(10, True, 1)).fit(texts, labels)
    assert model.predict(["find a book", "hm"]) == [frozenset({"find"}), frozenset()]
    assert model.predict([]) == []


def test_cross_validation_never_tests_on_a_dialogue_it_learned() -> None:
    texts = [f"word{number // 2}" for number in range(20)]
    labels = [frozenset({f"label{number // 2}"}) for number in range(20)]
    seen = held_out_f1(texts, labels, [str(number) for number in range(20)], Hyperparameters(1000, True, 1), 5)
    unseen = held_out_f1(texts, labels, [str(number // 2) for number in range(20)], Hyperparameters(1000, True, 1), 5)
    assert seen > 50
    assert unseen == 0


def test_gold_labels_are_those_of_the_original_turn(data: Path) -> None:
    rows = held_out(TurnOptions(data)).rows
    assert {label for row in rows for label in row.labels} == {"library-request-topic", "general-bye-none"}


def test_without_val_there_is_no_nlu(data: Path, tmp_path: Path) -> None:
    write_data(tmp_path)
    (tmp_path / "multiwoz21" / "val.json.zip").unlink()
    with pytest.raises(DataNotFound, match=r"val\.json"):
        bench("nlu", "--data-dir", str(tmp_path), "--system", "plain")


def test_a_pipeline_that_cannot_be_loaded_is_an_error(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="nowhere"):
        bench("nlu", "--data-dir", str(data), "--rewriter", str(tmp_path / "nowhere"), "--directness", str(tmp_path / "nowhere"))


@pytest.mark.skipif(not {"rewriter", "directness", "meaning"} <= set(shipped()), reason="the shipped weights are not in this tree")
def test_the_shipped_models_are_scored(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "nlu.json"
    assert bench("nlu", "--data-dir", str(data), "--limit", "4", "--out", str(out)) == 0
    results = check_shape(out)
    assert {system for _, system, _ in results} == set(nlu.SYSTEMS.names)
    assert set(json.loads(out.read_text(encoding="utf-8"))["run"]["models"]) == {"rewriter", "directness", "meaning"}
