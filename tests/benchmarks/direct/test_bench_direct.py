"""`grice bench direct`, on invented dialogues with floors, with fakes, and with the shipped weights where they are."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench_fixtures import DIALOGUES, bench, check_shape, held_out_numbers, triple_of, write_data
from data_fixtures import write_direct

from grice.benchmarks.core import runner
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.direct import benchmark as direct
from grice.benchmarks.direct.benchmark import TurnOptions
from grice.models import Dialogue
from grice.models.data.split import part_of
from grice.models.errors import DataNotFound, ModelNotFound
from grice.models.manifest import shipped
from grice.models.results import Directness, Rewrite

FLOORS = ("--system", "copy", "original", "bag-of-words")
WORDINGS = ("original", "direct", "indirect")
FORMS = {text: form for number in range(DIALOGUES) for text, form in zip(triple_of(number), WORDINGS, strict=True)}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


class PerfectRewriter:
    """Knows the fixtures' wordings, and expects each target with probability 1/e a token."""

    def __init__(self, form: str) -> None:
        place = WORDINGS.index(form)
        self.answers = {text: triple_of(number)[place] for number in range(DIALOGUES) for text in triple_of(number)}

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        assert all(len(dialogue.history) == 2 for dialogue in dialogues)
        return [Rewrite(self.answers[dialogue.last.text].upper(), 0.9, 5) for dialogue in dialogues]

    def score(self, dialogues: Sequence[Dialogue], targets: Sequence[str]) -> list[tuple[float, int]]:
        return [(-float(len(target)), len(target)) for target in targets]


class WordingScorer:
    """Scores a fixture's turn by its wording."""

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        return [Directness(self.scores[FORMS[dialogue.last.text]]) for dialogue in dialogues]


def evaluated(data: Path, scores: dict[str, float]) -> Sheet:
    return direct.evaluate(
        TurnOptions(data, systems=("grice",)), lambda _, __, form: PerfectRewriter(form), lambda _, __: WordingScorer(scores)
    )


def values(sheet: Sheet) -> dict[tuple[str, str], float]:
    return {(result.task, result.metric): result.value for result in sheet.results if result.value is not None}


def test_floors_from_the_command_line(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, markdown = tmp_path / "direct.json", tmp_path / "direct.md"
    assert bench("direct", "--data-dir", str(data), *FLOORS, "--out", str(out), "--markdown", str(markdown)) == 0
    results = check_shape(out)
    assert {(task, system) for task, system, _ in results} == {
        (task + second, floor)
        for second in ("", "/dev")
        for task, floor in (
            *((task, floor) for task in ("indirect-to-direct", "direct-to-indirect") for floor in ("copy", "original")),
            ("directness", "bag-of-words"),
        )
    }
    assert {result["n"] for (task, _, _), result in results.items() if "/" not in task} == {len(held_out_numbers())}
    assert results["directness", "bag-of-words", "exact_match"]["value"] > 0.9
    printed = capsys.readouterr().out
    for text in (printed, markdown.read_text(encoding="utf-8")):
        assert "published: BART w/ history" in text
        assert "33.77" in text
        assert "nrefs:1|case:lc" in text
        assert "Reliability of bag-of-words" in text
        assert "/dev: our dev part" in text


def test_the_run_says_how_to_repeat_it(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "direct.json"
    bench("direct", "--data-dir", str(data), "--system", "copy", "--limit", "3", "--seed", "7", "--out", str(out))
    run = json.loads(out.read_text(encoding="utf-8"))["run"]
    assert (run["split"], run["limit"], run["seed"], run["n"]) == ("ours", 3, 7, 3)
    assert run["part"] == "our test part; /dev: our dev part"
    assert run["data"]["direct/test.csv"] == hashlib.sha256((data / "direct" / "test.csv").read_bytes()).hexdigest()
    assert set(run["data"]) == {"direct/test.csv", "multiwoz21/test.json.zip"}
    assert {"python", "grice", "onnxruntime", "sacrebleu"} <= set(run["versions"])
    assert any(row["system"] == "BART w/ history" and row["value"] == 33.77 and row["n"] == 7372 for row in run["published"])


def test_all_takes_every_row_and_ours_the_test_part(data: Path) -> None:
    ours, every = (direct.evaluate(TurnOptions(data, split, ("copy",))) for split in ("ours", "all"))
    assert ours.groups == [f"LIB{number:04d}" for number in held_out_numbers()]
    assert len(every.groups) == DIALOGUES


def test_our_dev_part_is_a_second_split_beside_the_first(data: Path) -> None:
    (sheet, every) = (direct.evaluate(TurnOptions(data, split, ("copy", "bag-of-words"))) for split in ("ours", "all"))
    dev = [number for number in range(DIALOGUES) if part_of(f"LIB{number:04d}") == "dev"]
    assert dev
    assert dev != held_out_numbers()
    ns = {task: {result.n for result in sheet.results if result.task == task} for task in {each.task for each in sheet.results}}
    assert ("directness/dev", "calibration_error") not in values(sheet)
    for task in (*direct.TASKS, "directness"):
        assert (ns[task], ns[f"{task}/dev"]) == ({len(held_out_numbers())}, {len(dev)})
    assert not [each.task for each in every.results if "/" in each.task]


def test_a_limit_holds_for_each_split(data: Path) -> None:
    assert {each.n for each in direct.evaluate(TurnOptions(data, systems=("copy",), limit=2)).results} == {2}


def test_data_without_a_dev_part_have_one_split(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    rows = [(str(number), f"LIB{number:04d}.json", "2", *triple_of(number)) for number in held_out_numbers()]
    write_direct(data, rows)
    sheet = direct.evaluate(TurnOptions(data, systems=("copy",)))
    assert {each.task for each in sheet.results} == set(direct.TASKS)
    assert not any("/dev" in note for note in sheet.notes)


def test_unreadable_rows_are_counted_in_their_own_split(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    dev = next(number for number in range(DIALOGUES) if part_of(f"LIB{number:04d}") == "dev")
    rows = [(str(number), f"LIB{number:04d}.json", "2", *triple_of(number)) for number in range(DIALOGUES)]
    rows[dev] = (*rows[dev][:5], "\u200b ")
    write_direct(data, rows)
    sheet = direct.evaluate(TurnOptions(data, systems=("copy",)))
    assert {(each.task.endswith("/dev"), each.unscored) for each in sheet.results} == {(False, 0), (True, 1)}


def test_bag_of_words_never_scores_what_it_learned(tmp_path: Path) -> None:
    """The words of each row are its own: a model that saw the row would rank it, one that did not cannot."""
    data = write_data(tmp_path)
    rows = [(str(n), f"LIB{n:04d}.json", "2", f"original{n}", f"direct{n}", f"indirect{n}") for n in range(DIALOGUES)]
    write_direct(data, rows)
    for split in ("ours", "all"):
        found = values(direct.evaluate(TurnOptions(data, split, ("bag-of-words",))))
        assert (found["directness", "exact_match"], found["directness", "kendall_tau"]) == (0, 0)


def test_bag_of_words_of_a_single_dialogue_cannot_rank(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    write_direct(data, [("0", "LIB0001.json", "2", *triple_of(1))])
    found = values(direct.evaluate(TurnOptions(data, "all", ("bag-of-words",))))
    assert (found["directness", "exact_match"], found["directness", "kendall_tau"]) == (0, 0)


def test_a_perfect_rewriter_but_for_case(data: Path) -> None:
    found = values(evaluated(data, {"direct": 1.0, "original": 0.5, "indirect": 0.0}))
    for task in direct.TASKS:
        assert found[task, "bleu"] == pytest.approx(100)
        assert found[task, "bleu_cased"] < 20
        assert found[task, "perplexity"] == pytest.approx(math.e)


def test_directness_of_known_scores(data: Path) -> None:
    good = values(evaluated(data, {"direct": 0.9, "original": 0.5, "indirect": 0.1}))
    assert (good["directness", "exact_match"], good["directness", "kendall_tau"]) == (1, pytest.approx(1))
    assert good["directness", "calibration_error"] == pytest.approx(0.1)
    bad = values(evaluated(data, {"direct": 0.2, "original": 0.5, "indirect": 0.9}))
    assert (bad["directness", "exact_match"], bad["directness", "kendall_tau"]) == (0, pytest.approx(-1))


def test_reliability_counts_direct_and_indirect_wordings(data: Path) -> None:
    (table,) = evaluated(data, {"direct": 0.95, "original": 0.5, "indirect": 0.35}).tables  # of the test part: the other calibrates
    rows = len(held_out_numbers())
    assert table.rows == (("0.3 to 0.4", rows, 0.35, 0.0), ("0.9 to 1.0", rows, 0.95, 1.0))


def test_an_unreadable_row_is_counted_as_unscored(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    numbers = held_out_numbers()
    rows = [(str(number), f"LIB{number:04d}.json", "2", *triple_of(number)) for number in numbers]
    rows[0] = (*rows[0][:5], "\u200b ")
    write_direct(data, rows)
    sheet = direct.evaluate(TurnOptions(data, systems=("copy",)))
    assert {(len(sheet.groups), result.n, result.unscored) for result in sheet.results} == {(len(numbers) - 1, len(numbers) - 1, 1)}


def test_a_model_that_is_not_there_is_unscored_with_its_reason(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "nowhere")
    out = tmp_path / "direct.json"
    assert bench("direct", "--data-dir", str(data), "--rewriter", missing, "--directness", missing, "--out", str(out)) == 0
    result = check_shape(out)["indirect-to-direct", "grice", "bleu"]
    assert (result["value"], result["n"], result["unscored"]) == (None, 0, len(held_out_numbers()))
    reasons = json.loads(out.read_text(encoding="utf-8"))["run"]["reasons"]
    assert "nowhere" in reasons["indirect-to-direct/grice"]
    assert ("directness/dev", "grice", "kendall_tau") in check_shape(out)
    assert ("directness/dev", "grice", "calibration_error") not in check_shape(out)
    assert ", directness/dev/grice, directness/dev/grice-fp32: model " in capsys.readouterr().out


def test_a_model_that_was_asked_for_must_be_there(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="nowhere"):
        bench("direct", "--data-dir", str(data), "--rewriter", str(tmp_path / "nowhere"), "--system", "grice")


def test_an_empty_split_says_so(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    write_direct(data, [])
    with pytest.raises(DataNotFound, match="no row of DIRECT in split all"):
        runner.run(direct.BENCHMARK, TurnOptions(data, "all", ("copy",)), "grice bench direct")


@pytest.mark.skipif(not {"rewriter", "directness"} <= set(shipped()), reason="the shipped weights are not in this tree")
def test_the_shipped_models_are_scored(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "direct.json"
    assert bench("direct", "--data-dir", str(data), "--system", "grice", "--limit", "4", "--out", str(out)) == 0
    results = check_shape(out)
    assert {metric for _, _, metric in results} == {
        "bleu",
        "bleu_cased",
        "perplexity",
        "exact_match",
        "kendall_tau",
        "calibration_error",
    }
    assert all(result["value"] is not None for result in results.values())
    assert results["indirect-to-direct", "grice", "perplexity"]["value"] > 1
    assert set(json.loads(out.read_text(encoding="utf-8"))["run"]["models"]) == {"rewriter", "directness"}
