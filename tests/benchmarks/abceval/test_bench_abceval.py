"""`grice bench abceval`: replays, our monitor and a judge on invented dialogues, and the paper's tables on the released ones."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from abceval_fixtures import DIALOGUES, EXCHANGES, SPECIALIZED, invented, stored_folds, write_abceval
from bench_fixtures import bench, check_shape, figures
from data_fixtures import needs_released_data
from fake_models import FakeBehaviors
from loopback_server import Answer
from openai_server import OpenAiServer, chat, openai_server, refusing

from grice.benchmarks.abceval import benchmark as abceval
from grice.benchmarks.abceval.benchmark import AbcevalOptions
from grice.benchmarks.abceval.folds import TRAINS, stored_predictions
from grice.benchmarks.abceval.predictions import Predictions
from grice.benchmarks.abceval.tables import PAPER
from grice.benchmarks.core import report, runner
from grice.benchmarks.core.folds import read_folds
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.results import Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.llm import read_run, run_folders
from grice.models.data import abceval as data
from grice.models.errors import DataCorrupt, DataNotFound, InputError, JudgeError
from grice.models.results import BEHAVIORS, Behavior

ROWS = DIALOGUES * EXCHANGES


class FakeMonitor(FakeBehaviors):
    """`FakeBehaviors` with thresholds; nothing reaches that of !Rel."""

    def __init__(self) -> None:
        super().__init__()
        self.thresholds: dict[Behavior, float] = {**dict.fromkeys(BEHAVIORS, 0.9), "!Rel": 0.95, "Red": 0.1}


MODEL = "some/model:1"


def hour_of(request: dict[str, Any]) -> int:
    """The hour that the response in question speaks of: 5 in the first of each dialogue, 9 in the last."""
    question = request["messages"][-1]["content"].rpartition("I water bed")[2].split(".")[0]
    return int(question.rpartition(" at ")[2])


def judged_by(answer: Callable[[int], Answer], folder: Path, **options: Any) -> tuple[Sheet, OpenAiServer]:
    """What comes of asking a model that answers by the hour."""
    with openai_server(lambda request: answer(hour_of(request))) as server:
        return abceval.evaluate(AbcevalOptions(folder, systems=(f"openai:{MODEL}",), llm_url=server.url, **options)), server


def even_hours(hour: int) -> Answer:
    """Yes of responses at an even hour, and no decision at five."""
    return chat("Hm." if hour == 5 else f"Decision: [{'NO' if hour % 2 else 'YES'}]", (90, 8) if hour == 5 else (100, 10))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_abceval(tmp_path)
    return tmp_path


@pytest.fixture
def folds(tmp_path: Path) -> Path:
    path = tmp_path / "folds.json"
    path.write_text(json.dumps(stored_folds()), encoding="utf-8")
    return path


def predictions(folds: Path, folder: Path) -> Predictions:
    return stored_predictions(read_folds(folds, TRAINS), data.read(folder))


def table(sheet: Sheet, title: str) -> Table:
    return next(each for each in sheet.tables if each.title.startswith(title))


def test_the_command_prints_and_writes_every_system(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "abceval.json"
    systems = ("human", "chatgpt", "specialized", "always-yes")
    assert bench("abceval", "--data-dir", str(folder), "--system", *systems, "--out", str(out)) == 0
    results = check_shape(out)
    assert {task for task, _, _ in results} == {*BEHAVIORS, "macro"}
    assert {name for _, name, _ in results} == set(systems)
    assert results["Red", "chatgpt", "f1_pos"]["n"] == ROWS
    assert results["macro", "human", "f1_pos"]["low"] is not None
    assert {metric for _, name, metric in results if name == "human"} == {"f1_pos", "f1_neg", "accuracy", "positives"}
    for label in set(BEHAVIORS) - set(SPECIALIZED):
        assert results[label, "specialized", "f1_pos"]["value"] is None
    reasons = json.loads(out.read_text(encoding="utf-8"))["run"]["reasons"]
    assert reasons["macro/specialized"] == "specialized says nothing of !Com, !Par, Red"
    printed = capsys.readouterr().out
    assert "Table 14 of the paper, and ours" in printed
    assert f"{ROWS} rows (every row, cross-validated by dialogue)" in printed


def test_the_macro_average_is_the_mean_of_the_nine(folder: Path) -> None:
    found = figures(abceval.evaluate(AbcevalOptions(folder, systems=("chatgpt", "human", "always-yes"))))
    for system in ("chatgpt", "human", "always-yes"):
        values = [found[label, system, "f1_pos"].value for label in BEHAVIORS]
        assert found["macro", system, "f1_pos"].value == pytest.approx(sum(v for v in values if v is not None) / 9)
    assert ("macro", "human", "positives") not in found


def test_folds_decide_by_the_thresholds_of_the_fold_that_scored(folder: Path, folds: Path) -> None:
    content = stored_folds()
    content["thresholds"][1]["Emp"] = 0.9  # a probability of 0.9 reaches it
    content["thresholds"][2]["Emp"] = 0.91
    folds.write_text(json.dumps(content), encoding="utf-8")
    rows = data.read(folder)
    said = predictions(folds, folder).outputs["Emp"].said[:, 0]
    expected = [row.annotators["Emp"][0] and content["folds"][row.dialogue_id] != 2 for row in rows]
    assert any(expected)
    assert said.tolist() == expected


def test_our_predictions_stand_beside_the_replays(folder: Path, folds: Path) -> None:
    sheet = abceval.evaluate(AbcevalOptions(folder), folds=folds)
    found = figures(sheet)
    first = [row.annotators["Ign"][0] for row in data.read(folder)]
    assert found["Ign", "grice", "positives"].value == sum(first)
    assert found["Ign", "grice", "f1_pos"].value > found["Ign", "chatgpt", "f1_pos"].value  # type: ignore[operator]
    assert sheet.settings["grice"] == {"weights": "folds", "folds": 3, "recipe": "none: invented"}
    compared = table(sheet, "McNemar's test: grice")
    assert {row[:2] for row in compared.rows} == {
        *((label, name) for label in BEHAVIORS for name in ("human", "chatgpt")),
        *((label, "specialized") for label in SPECIALIZED),
    }
    calibration = {row[0]: row for row in table(sheet, "Calibration: grice").rows}
    assert calibration["Ign"][1] == f"{(0.9 * sum(first) + 0.2 * (ROWS - sum(first))) / ROWS:.3f}"
    assert table(sheet, "Table 15").header[-1] == "grice"
    assert {row[-1] for row in table(sheet, "Table 15").rows} == {"0.00"}


def test_the_first_rows_are_scored_by_the_folds_of_the_whole_file(folder: Path, folds: Path) -> None:
    sheet = abceval.evaluate(AbcevalOptions(folder, limit=7, systems=("grice", "chatgpt")), folds=folds)
    assert {result.n for result in sheet.results} <= {0, 7}
    assert figures(sheet)["Emp", "grice", "accuracy"].n == 7


def test_without_folds_ours_is_unscored_unless_it_is_asked_for(folder: Path, tmp_path: Path) -> None:
    sheet = abceval.evaluate(AbcevalOptions(folder), folds=tmp_path / "nothing.json")
    assert figures(sheet)["macro", "grice", "f1_pos"].value is None
    assert "grice train behaviors --folds" in sheet.reasons["Emp/grice"]
    with pytest.raises(DataNotFound, match=r"nothing\.json is not there; run `grice train behaviors --folds`"):
        abceval.evaluate(AbcevalOptions(folder, systems=("grice",)), folds=tmp_path / "nothing.json")


FIRST = next(iter(invented()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda stored: stored["probabilities"].pop(FIRST), r"55 responses in 11 dialogues .*not the 60 responses in 12 dialogues"),
        (lambda stored: stored["probabilities"][FIRST].pop(), r"59 responses in 12 dialogues"),
        (lambda stored: stored["probabilities"].update({"(9,9)_new": [[0.1] * 9]}), "61 responses in 13 dialogues"),
        (lambda stored: stored["folds"].pop(FIRST), r"12 dialogues \(11 with a fold\)"),
        (lambda stored: stored["folds"].update({FIRST: 3}), "3 is not a fold from 0 to 2"),
        (lambda stored: stored["folds"].update({FIRST: "0"}), "'0' is not a fold from 0 to 2"),
        (lambda stored: stored["probabilities"][FIRST][0].pop(), "a response has not 9 probabilities"),
        (lambda stored: stored["probabilities"][FIRST][0].__setitem__(0, 1.5), "1.5 is not a number from 0 to 1"),
        (lambda stored: stored["probabilities"][FIRST][0].__setitem__(0, None), "None is not a number from 0 to 1"),
        (lambda stored: stored["thresholds"][0].pop("Emp"), "KeyError.*Emp"),
        (lambda stored: stored["thresholds"][0].update(Emp=True), "True is not a number"),
        (lambda stored: stored.pop("about"), "KeyError.*about"),
    ],
)
def test_stored_folds_must_be_about_this_file(folder: Path, folds: Path, change: Any, message: str) -> None:
    content = stored_folds()
    change(content)
    folds.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=message) as raised:
        predictions(folds, folder)
    assert "run `grice train behaviors --folds`" in str(raised.value)


def test_a_cut_file_of_folds_is_refused(folder: Path, folds: Path) -> None:
    folds.write_bytes(folds.read_bytes()[:-9])
    with pytest.raises(DataCorrupt, match=r"folds\.json: .*grice train behaviors --folds"):
        predictions(folds, folder)


def test_shipped_weights_score_other_data_by_their_thresholds(folder: Path) -> None:
    content = invented()
    exchanges = content[FIRST]
    exchanges[0]["system"], exchanges[1]["system"], exchanges[2]["system"] = "So Ign.", "So !Rel.", "Ign and !Fac."
    write_abceval(folder, content)
    monitor = FakeMonitor()
    sheet = abceval.evaluate(AbcevalOptions(folder, systems=("grice",), weights="shipped"), monitors=lambda _: monitor)
    found = figures(sheet)
    positives = {label: found[label, "grice", "positives"].value for label in BEHAVIORS}
    # What is at its threshold is shown: 0.9 for !Fac and Ign, the 0.1 of every response for Red; !Rel's 0.9 is below its 0.95.
    assert positives == {label: {"!Fac": 1, "Ign": 2, "Red": ROWS}.get(label, 0) for label in BEHAVIORS}
    read = [dialogue for batch in monitor.batches for dialogue in batch]
    assert read == [row.dialogue for row in data.read(folder)]
    assert any("grice: this is not the released file" in note for note in sheet.notes)
    assert found["Emp", "grice", "precision"].value is None
    assert sheet.reasons["Emp/grice"] == "nothing to divide by in precision"


def test_a_judges_missing_decisions_are_unscored_and_left_out(folder: Path) -> None:
    sheet, server = judged_by(even_hours, folder)
    found = figures(sheet)
    assert len(server.requests) == len(BEHAVIORS) * ROWS
    result = found["Red", f"openai:{MODEL}", "accuracy"]
    assert (result.n, result.unscored) == (ROWS - DIALOGUES, DIALOGUES)  # the first response of each dialogue has no decision
    kept = [row for row in data.read(folder) if row.place]
    right = [(row.place % 2 == 1) == truth for row in kept for truth in row.annotators["Red"]]
    assert result.value == pytest.approx(100 * sum(right) / len(right))
    assert found["Red", f"openai:{MODEL}", "positives"].value == 2 * DIALOGUES
    values = [found[label, f"openai:{MODEL}", "f1_pos"].value for label in BEHAVIORS]
    assert found["macro", f"openai:{MODEL}", "f1_pos"].value == pytest.approx(sum(v for v in values if v is not None) / 9)
    assert found["macro", f"openai:{MODEL}", "f1_pos"].unscored == DIALOGUES
    assert f"openai:{MODEL}: {9 * DIALOGUES} answers unscored: the judge's answer has no decision" in sheet.notes


def test_a_judges_cost_and_tokens_are_per_dialogue(folder: Path) -> None:
    sheet, _ = judged_by(even_hours, folder, llm_price_in=2.0, llm_price_out=20.0)
    # Four answers of 100 and 10 tokens, and one of 90 and 8, for each behaviour of a dialogue.
    assert {row[-1] for row in table(sheet, "Table 15").rows} == {"0.0019"}  # (490 × 2 + 48 × 20) / 1,000,000
    tokens = table(sheet, f"Tokens per dialogue: openai:{MODEL}")
    assert {row[1:] for row in tokens.rows} == {(490.0, 48.0, 0, DIALOGUES)}
    unpriced, _ = judged_by(even_hours, folder, limit=5)
    assert {row[-1] for row in table(unpriced, "Table 15").rows} == {"–"}


def test_a_decision_that_is_cut_or_an_answer_that_fails_is_unscored(folder: Path) -> None:
    answers = {5: chat("Decision: [Y", finish_reason="length"), 6: chat(""), 7: refusing("400 No")}
    sheet, _ = judged_by(lambda hour: answers.get(hour, chat("Decision: [YES]")), folder)
    result = figures(sheet)["Emp", f"openai:{MODEL}", "positives"]
    assert (result.value, result.n, result.unscored) == (2 * DIALOGUES, 2 * DIALOGUES, 3 * DIALOGUES)
    reasons = [note.partition("answers unscored: ")[2] for note in sheet.notes if "unscored" in note]
    assert sorted(reason.split(";")[0] for reason in reasons) == [
        "the judge's answer has no decision",
        "the model's answer is empty",
        "the server answered 400 (some_error)",
    ]


def test_a_yes_about_any_turn_is_a_yes_although_another_turn_failed(folder: Path) -> None:
    def answer(request: dict[str, Any]) -> Answer:
        prompt = request["messages"][-1]["content"]
        return chat("Decision: [YES]") if '"number": 1, "speaker": "Speaker 1", "text": "Row 0' in prompt else refusing("400 No")

    with openai_server(answer) as server:
        options = AbcevalOptions(folder, systems=("openai:m",), limit=5, llm_url=server.url, llm_pairing=True)
        sheet = abceval.evaluate(options)
    results = figures(sheet)
    assert [results[label, "openai:m", "positives"].value for label in ("!Par", "Red")] == [5, 5]


def test_a_server_that_never_answers_stops_the_run(folder: Path) -> None:
    with pytest.raises(JudgeError, match=r"40 questions in a row were not answered, the last one because the server answered 400"):
        judged_by(lambda _: refusing("400 No"), folder)


def test_a_language_model_needs_a_server(folder: Path) -> None:
    with pytest.raises(InputError, match=r"--llm-url: got None; allowed: the base URL"):
        abceval.evaluate(AbcevalOptions(folder, systems=("openai:some-model",)))


def test_a_judges_samples_are_written_down(folder: Path, tmp_path: Path) -> None:
    sheet, _ = judged_by(even_hours, folder, limit=2, llm_out=tmp_path / "llm")
    (run_folder,) = run_folders(tmp_path / "llm")
    run = read_run(run_folder)
    assert [sample.sample_id for sample in run.samples[:2]] == [f"{FIRST}/0/{label}" for label in BEHAVIORS[:2]]
    first = data.read(folder)[0]
    assert run.samples[0].gold == list(first.annotators[BEHAVIORS[0]])
    assert [sample.status for sample in run.samples] == ["unparsable"] * 9 + ["answered"] * 9
    assert sheet.settings[f"openai:{MODEL}"] == run.settings


def decided(request: dict[str, Any]) -> Answer:
    """Says yes of responses that speak of six o'clock, and nothing that is a decision of those that speak of nine."""
    hour = hour_of(request)
    return chat("Reasoning: none.\n" + ("I wonder." if hour == 9 else f"Decision: [{'YES' if hour == 6 else 'NO'}]"), (1000, 50))


def test_a_language_model_behind_a_server(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GRICE_JUDGE_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret-key")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    out = tmp_path / "llm.json"
    prices = ("--llm-cache", str(tmp_path / "replies"), "--llm-price-in", "2", "--llm-price-out", "20")
    asked = ("--data-dir", str(folder), "--system", "openai:bean-1", "--limit", "10", "--llm-window", "3", *prices)
    with openai_server(decided) as server:
        assert bench("abceval", *asked, "--llm-url", server.url, "--out", str(out)) == 0
        assert len(server.requests) == 90
        assert {request["model"] for request in server.requests} == {"bean-1"}
        assert set(server.keys) == {"Bearer a-secret-key"}
        assert bench("abceval", *asked, "--llm-url", server.url) == 0
        assert len(server.requests) == 90  # the second run had all answers in its file
    results = check_shape(out)
    result = results["Red", "openai:bean-1", "positives"]
    assert (result["value"], result["n"], result["unscored"]) == (2, 8, 2)
    run = json.loads(out.read_text(encoding="utf-8"))["run"]
    assert "a-secret-key" not in out.read_text(encoding="utf-8") + capsys.readouterr().out
    costs = next(found for found in run["tables"] if found["title"].startswith("Table 15"))
    assert {row[-1] for row in costs["rows"]} == {"0.015"}  # five answers a dialogue of 1,000 and 50 tokens: 5 × 0.003 dollars
    assert any("18 answers unscored: the judge's answer has no decision" in note for note in run["notes"])


def test_marks_do_not_depend_on_which_systems_are_shown(folder: Path) -> None:
    everything = {row[:2]: row for row in table(abceval.evaluate(AbcevalOptions(folder)), "Table 3").rows}
    alone = {row[:2]: row for row in table(abceval.evaluate(AbcevalOptions(folder, systems=("human",))), "Table 3").rows}
    assert alone == {key: row for key, row in everything.items() if key[1] == "human"}


@pytest.fixture(scope="module")
def released() -> Sheet:
    folder = Path(os.environ["GRICE_DATA_DIR"])
    return abceval.evaluate(AbcevalOptions(folder, systems=("human", "chatgpt", "specialized", "always-yes")))


@needs_released_data
@pytest.mark.parametrize("title", ["Table 3", "Table 14"])
def test_the_replays_print_the_papers_tables_to_the_last_digit(released: Sheet, title: str) -> None:
    rows = [row for row in table(released, title).rows if row[1] != "always-yes"]
    assert len(rows) == len(read_paper(PAPER).rows) == 24
    for row in rows:
        assert row[2:6] == row[7:], row[:2]


@needs_released_data
def test_rows_of_the_papers_tables_as_they_are_printed_there(released: Sheet) -> None:
    rows = {row[:2]: " & ".join(map(str, row[2:6])) for row in table(released, "Table 3").rows}
    assert rows["Emp", "specialized"] == "54.2 & 31.3 & 45.0 & 1,343"
    assert rows["!Com", "human"] == "55.6 & 88.6 & 81.9⋆ & 333"
    assert rows["!Sel", "specialized"] == "31.1 & 92.6 & 86.6†† & 215"
    assert rows["!Rel", "specialized"] == "27.9 & 82.9 & 72.4† & 365"
    assert rows["Red", "human"] == "58.7 & 96.4 & 93.5⋆⋆ & 129"
    rows = {row[:2]: " & ".join(map(str, row[2:6])) for row in table(released, "Table 14").rows}
    assert rows["!Fac", "chatgpt"] == "37.7 / 44.9 / 41.0 & 95.5 / 94.0 / 94.7 & 90.3†† & 146"
    assert rows["Emp", "specialized"] == "39.6 / 86.0 / 54.2 & 70.3 / 20.1 / 31.3 & 45.0 & 1343"
    assert rows["!Emp", "human"] == "51.5 & 92.0 & 86.3⋆⋆ & 231"


@needs_released_data
def test_floors_and_macro_averages_of_the_released_file(released: Sheet) -> None:
    found = figures(released)
    shown = {key: f"{found[key].value:.1f}" for key in found if found[key].value is not None}
    assert (shown["Emp", "always-yes", "f1_pos"], shown["!Com", "always-yes", "f1_pos"]) == ("54.9", "33.8")
    assert (shown["macro", "chatgpt", "f1_pos"], shown["macro", "human", "f1_pos"]) == ("28.8", "56.9")
    assert found["Emp", "human", "f1_pos"].n == 1634


@needs_released_data
def test_shipped_weights_give_no_estimate_on_the_released_file() -> None:
    options = AbcevalOptions(Path(os.environ["GRICE_DATA_DIR"]), systems=("grice",), weights="shipped", limit=20)
    sheet = abceval.evaluate(options, monitors=lambda _: FakeMonitor())
    assert any("grice: these weights were trained on this very file" in note for note in sheet.notes)


@needs_released_data
def test_the_report_prints_the_tables() -> None:
    folder = Path(os.environ["GRICE_DATA_DIR"])
    lines = report.text(runner.run(abceval.BENCHMARK, AbcevalOptions(folder, systems=("human", "chatgpt")), "grice bench abceval"))
    assert re.search(r"^!Par +chatgpt +18\.6 +93\.8 +88\.5 +79 +ChatGPT +18\.6 +93\.8 +88\.5 +79$", lines, re.MULTILINE)
    assert re.search(r"^!Fac +0\.02 +1\.96$", lines, re.MULTILINE)
