"""`grice bench rectom`: floors, stored folds, our model and language models on invented questions; floors of the released."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from bench_fixtures import bench, check_shape, figures
from data_fixtures import needs_released_data
from loopback_server import Answer
from openai_server import chat, openai_server
from rectom_fixtures import DIALOGUES, QUESTIONS, write_rectom

from grice.benchmarks.core.folds import read_folds
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.llm import read_run, run_folders
from grice.benchmarks.llm.sample import Exchange
from grice.benchmarks.rectom import benchmark as rectom
from grice.benchmarks.rectom.benchmark import PAPER, RectomOptions, best_model
from grice.benchmarks.rectom.folds import TRAINS, stored_answers
from grice.benchmarks.rectom.llm import Prompt, letters_in
from grice.benchmarks.rectom.metrics import score
from grice.middleware.llm import Message
from grice.models.data import rectom as data
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.minds.questions import TASKS, MindQuestion, Option, Task

JUDGEMENTS: tuple[Task, ...] = ("judgement-recommender", "judgement-seeker")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_rectom(tmp_path)


def accuracy(sheet: Sheet, task: str, system: str) -> float:
    value = figures(sheet)[task, system, "accuracy"].value
    assert value is not None
    return value


def stored(folder: Path) -> dict[str, Any]:
    """A cross-validation in three folds that always names the first option."""
    questions = data.read(folder)
    return {
        "about": {"recipe": "none: invented"},
        "folds": {str(100 + number): number % 3 for number in range(DIALOGUES)},
        "predictions": {task: {question.question_id: "A" for question in each} for task, each in questions.items()},
    }


@pytest.fixture
def folds(folder: Path) -> Path:
    path = folder / "folds.json"
    path.write_text(json.dumps(stored(folder)), encoding="utf-8")
    return path


class Oracle:
    """A model that is always right, but for the seeker's desires, where it is always wrong."""

    def answer(self, questions: Sequence[MindQuestion]) -> list[frozenset[str]]:
        letters = [frozenset(option.letter for option in question.options) for question in questions]
        return [
            all_letters - question.gold if question.task == "desire" else question.gold
            for question, all_letters in zip(questions, letters, strict=True)
        ]


def test_the_command_prints_and_writes_the_floors(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rectom.json"
    systems = ("majority", "majority-option", "random")
    assert bench("rectom", "--data-dir", str(folder), "--system", *systems, "--out", str(out)) == 0
    results = check_shape(out)
    assert {task for task, _, _ in results} == set(TASKS)
    assert {name for _, name, _ in results} == set(systems)
    assert {task: results[task, "majority", "accuracy"]["n"] for task in TASKS} == QUESTIONS
    printed = capsys.readouterr().out
    assert "published: DeepSeek-v3+CoT" in printed
    assert "Table 4 of the paper, and ours" in printed
    assert f"{sum(QUESTIONS.values())} rows (every question, cross-validated by dialogue)" in printed


def test_floors_are_the_best_constant_answers(folder: Path) -> None:
    sheet = rectom.evaluate(RectomOptions(folder, systems=("majority", "majority-option", "random")))
    task = "coarse-intention-recommender"  # {E, C} in four dialogues of six, {C} in two: E is right in four, C in all
    assert accuracy(sheet, task, "majority") == pytest.approx(100 * 4 / 6)
    assert accuracy(sheet, task, "majority-option") == pytest.approx(100 * 2 / 6)
    for judgement in JUDGEMENTS:
        assert accuracy(sheet, judgement, "majority") == accuracy(sheet, judgement, "majority-option") == pytest.approx(100 * 4 / 6)


def test_chance_is_the_papers(folder: Path) -> None:
    sheet = rectom.evaluate(RectomOptions(folder, systems=("random",)))
    for task in TASKS:
        assert accuracy(sheet, task, "random") == pytest.approx(
            read_paper(PAPER).value(task, "Random Guess", "accuracy"), abs=0.005
        )


def test_limit_takes_the_first_questions_of_each_task(folder: Path) -> None:
    sheet = rectom.evaluate(RectomOptions(folder, systems=("majority",), limit=2))
    assert {result.n for result in sheet.results if result.metric == "accuracy"} == {2}
    assert len(sheet.groups) == 2 * len(TASKS)


def test_stored_folds_are_scored_by_exact_match(folder: Path, folds: Path) -> None:
    content = stored(folder)
    content["predictions"]["coarse-intention-seeker"].update({"100/2/0": "CD", "101/2/0": "DC", "102/2/0": "BCD", "103/2/0": "C"})
    folds.write_text(json.dumps(content), encoding="utf-8")
    sheet = rectom.evaluate(RectomOptions(folder), folds=folds)
    assert accuracy(sheet, "coarse-intention-seeker", "grice") == pytest.approx(100 * 2 / 6)
    assert figures(sheet)["coarse-intention-seeker", "grice", "accuracy"].low is not None
    assert accuracy(sheet, "prediction-seeker", "grice") == 100
    assert sheet.settings["grice"] == {"weights": "folds", "recipe": "none: invented"}


def test_fine2coarse_forgives_the_wrong_fine_intention_of_the_right_coarse_one(folder: Path, folds: Path) -> None:
    content = stored(folder)
    # right are {J, F} (other, recommend), and {F} in every third dialogue
    answers = {"100/2/0": "E", "101/3/0": "EJ", "102/2/0": "EFJ", "103/3/0": "EJ", "104/2/0": "FJ", "105/3/0": "F"}
    content["predictions"]["fine-intention-recommender"] = answers
    folds.write_text(json.dumps(content), encoding="utf-8")
    found = figures(rectom.evaluate(RectomOptions(folder), folds=folds))
    assert found["fine-intention-recommender", "grice", "accuracy"].value == pytest.approx(100 * 1 / 6)
    assert found["fine-intention-recommender", "grice", "fine2coarse"].value == pytest.approx(100 * 4 / 6)


@pytest.mark.parametrize("task", JUDGEMENTS)
def test_judgement_is_analysed_by_what_letters_stand_for(folder: Path, task: Task) -> None:
    questions = data.read(folder)[task]  # no is right in 1, 2, 4 and 5, yes in 0 and 3

    def values(answers: Sequence[str | None]) -> dict[str, float]:
        chosen = [
            None if said is None else question.letters_of(frozenset({said}))
            for question, said in zip(questions, answers, strict=True)
        ]
        return {metric: measure.value for metric, measure in score(task, questions, chosen).measures.items()}

    assert values(["yes"] * 6) == pytest.approx(
        {"accuracy": 100 / 3, "prediction_bias": 100, "false_positive_rate": 100, "recall_no": 0}
    )
    assert values(["yes", "no", "yes", None, "no", "no"]) == pytest.approx(
        {"accuracy": 80, "prediction_bias": 40, "false_positive_rate": 25, "recall_no": 75}
    )


def test_what_nothing_can_be_divided_by_is_not_scored(folder: Path) -> None:
    sheet = rectom.evaluate(RectomOptions(folder, systems=("majority",), limit=1))  # yes is right in the only judgements
    assert figures(sheet)["judgement-seeker", "majority", "recall_no"].value is None
    assert figures(sheet)["judgement-seeker", "majority", "recall_no"].unscored == 1
    assert sheet.reasons["judgement-seeker/majority"] == "nothing to divide by in false_positive_rate, recall_no"


def test_a_missing_file_of_folds_is_a_reason_or_an_error(folder: Path, tmp_path: Path) -> None:
    sheet = rectom.evaluate(RectomOptions(folder), folds=tmp_path / "nothing.json")
    assert figures(sheet)["belief", "grice", "accuracy"].value is None
    assert figures(sheet)["belief", "grice", "accuracy"].unscored == QUESTIONS["belief"]
    assert "--weights shipped" in sheet.reasons["belief/grice"]
    with pytest.raises(DataNotFound, match=r"nothing\.json is not there; run `grice train"):
        rectom.evaluate(RectomOptions(folder, systems=("grice",)), folds=tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["predictions"].pop("belief"), r"folds\.json: belief 100/3/0 has no stored answer"),
        (lambda content: content["predictions"]["desire"].pop("103/3/1"), "desire 103/3/1 has no stored answer"),
        (lambda content: content["folds"].pop("102"), "fine-intention-recommender 102/2/0 has no stored answer"),
        (
            lambda content: content["predictions"]["desire"].update({"103/3/1": "C"}),
            "desire 103/3/1: the answer is 'C', not letters of AB",
        ),
        (
            lambda content: content["predictions"]["desire"].update({"103/3/1": ""}),
            "desire 103/3/1: the answer is '', not letters of AB",
        ),
        (lambda content: content["predictions"].update(desire=["A"]), r"folds\.json: not in the format of stored fold predictions"),
        (lambda content: content.pop("about"), "KeyError.*about"),
    ],
)
def test_stored_folds_must_answer_every_question(folder: Path, folds: Path, change: Any, message: str) -> None:
    content = stored(folder)
    change(content)
    folds.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=message) as raised:
        stored_answers(read_folds(folds, TRAINS), data.read(folder))
    assert "--weights shipped" in str(raised.value)


def test_a_shipped_model_answers_all_questions(folder: Path, folds: Path) -> None:
    sheet = rectom.evaluate(RectomOptions(folder, weights="shipped"), models=lambda _: Oracle(), folds=folds)
    assert {task: accuracy(sheet, task, "grice") for task in TASKS} == {**dict.fromkeys(TASKS, 100), "desire": 0}
    assert figures(sheet)["judgement-recommender", "grice", "recall_no"].value == 100
    assert "grice: the shipped weights were trained on 6 of these 6 dialogues" in sheet.notes


def question(folder: Path, task: Task) -> MindQuestion:
    return data.read(folder, (task,))[task][1]


def test_a_prompt_has_the_conversation_the_question_and_the_options(folder: Path) -> None:
    several, one = question(folder, "coarse-intention-recommender"), question(folder, "belief")
    for asked in (several, one):
        text = Prompt(asked, "zero-shot").text
        for turn in asked.turns:
            assert f"{turn.role.capitalize()}: {turn.text}" in text
        for option in asked.options:
            assert f"\n{option.letter}. {option.text}\n" in text
        assert f"Question: {asked.text}\n" in text
        assert "step by step" not in text
        assert "Let's think step by step." in Prompt(asked, "chain-of-thought").text
    assert "Exactly one option is right." in Prompt(one, "zero-shot").text
    assert "Answer: A, C" in Prompt(several, "zero-shot").text


def test_a_question_is_asked_once(folder: Path) -> None:
    @dataclass
    class Saying:
        reply: str
        asked: list[Sequence[Message]] = field(default_factory=list)
        exchanges: Sequence[Exchange] = ()

        def __call__(self, messages: Sequence[Message], /) -> str:
            self.asked.append(messages)
            return self.reply

    prompt = Prompt(question(folder, "coarse-intention-recommender"), "chain-of-thought")
    ask = Saying("It greets first.\n**Answer:** E, C")
    assert prompt.ask(ask) == "CE"
    assert ask.asked == [[Message("user", prompt.text)]]
    assert prompt.ask(Saying("I cannot say.")) is None


OPTIONS = tuple(Option(letter, f"About {plant}.", plant) for letter, plant in zip("ABC", ("beans", "leek", "peas"), strict=True))


@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("Answer: B", "B"),
        ("answer : A,C", "AC"),
        ("A and C are like beans.\n\n**Answer: A and C**\n", "AC"),
        ("Answer: B\nNo, wait.\nAnswer: [C]", "C"),
        ("Answer: AC.", "AC"),
        ("Answer: B. About leek.", "B"),
        ("C", "C"),
        ("A, B", "AB"),
        ("B: About leek.", "B"),
        ("Answer: D", None),
        ("Answer: A or B", None),
        ("Answer: none", None),
        ("Answer:", None),
        ("", None),
        ("I think that it is B.", None),
        ("The answer is B.", None),
    ],
)
def test_an_answer_is_read_from_the_fixed_format(reply: str, letters: str | None) -> None:
    assert letters_in(reply, OPTIONS) == (None if letters is None else set(letters))


def test_language_models_behind_a_server(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    out, runs = tmp_path / "llm.json", tmp_path / "runs"

    def said(request: dict[str, Any]) -> Answer:
        prompt = request["messages"][-1]["content"]
        if "step by step" in prompt:  # says yes or the first option always
            return chat("It may be.\nAnswer: B" if "\nB. yes" in prompt else "It may be.\nAnswer: A")
        return chat("I do not know." if "likely to watch the Leek" in prompt else "Answer: A")

    systems = ("openai:bean-1", "openai-cot:bean-1")
    with openai_server(said) as server:
        arguments = ("--data-dir", str(folder), "--system", *systems, "--llm-url", server.url, "--llm-out", str(runs))
        assert bench("rectom", *arguments, "--out", str(out)) == 0
        assert {request["model"] for request in server.requests} == {"bean-1"}
        assert {request["temperature"] for request in server.requests} == {0.7}
    results = check_shape(out)
    desire = results["desire", "openai:bean-1", "accuracy"]
    assert (desire["value"], desire["n"], desire["unscored"]) == (100, DIALOGUES, DIALOGUES)
    assert results["judgement-recommender", "openai:bean-1", "prediction_bias"]["value"] == 0
    assert results["judgement-recommender", "openai-cot:bean-1", "prediction_bias"]["value"] == 100
    assert results["judgement-seeker", "openai-cot:bean-1", "false_positive_rate"]["value"] == 100
    assert "Usage of openai-cot:bean-1: rectom-belief-chain-of-thought" in capsys.readouterr().out
    written = [read_run(each) for each in run_folders(runs)]
    assert len(written) == 2 * len(TASKS)
    for run in written:
        prompting = run.settings["about"]["prompting"]
        task = run.settings["task"].removeprefix("rectom-").removesuffix(f"-{prompting}")
        system = "openai:bean-1" if prompting == "zero-shot" else "openai-cot:bean-1"
        right = [sample.prediction == sample.gold for sample in run.samples if sample.status == "answered"]
        assert results[task, system, "accuracy"]["value"] == pytest.approx(100 * sum(right) / len(right))


def test_averages_of_the_papers_models_are_those_it_prints() -> None:
    printed = {
        "fine-intention-recommender": 27.74,
        "coarse-intention-recommender": 41.13,
        "belief": 68.72,
        "fine-intention-seeker": 28.20,
        "coarse-intention-seeker": 55.77,
        "desire": 86.35,
        "prediction-recommender": 20.54,
        "judgement-recommender": 34.84,
        "prediction-seeker": 30.59,
        "judgement-seeker": 34.53,
    }
    for task, average in printed.items():
        rows = [
            row.metrics["accuracy"]
            for row in read_paper(PAPER).rows
            if row.task == task and row.system not in ("Human", "Random Guess")
        ]
        assert len(rows) == 10
        assert sum(rows) / len(rows) == pytest.approx(average, abs=0.015)
    assert best_model("desire").system == "GPT-4o"
    assert sum({row.task: row.n for row in read_paper(PAPER).rows}.values()) == 20524


@needs_released_data
def test_floors_of_the_released_files() -> None:
    sheet = rectom.evaluate(RectomOptions(Path(os.environ["GRICE_DATA_DIR"]), systems=("majority", "majority-option", "random")))
    assert len(sheet.groups) == 17784
    assert {task: f"{accuracy(sheet, task, 'majority'):.1f}" for task in TASKS} == {
        "fine-intention-recommender": "13.3",
        "coarse-intention-recommender": "26.1",
        "belief": "30.4",
        "prediction-recommender": "27.5",
        "judgement-recommender": "68.4",
        "fine-intention-seeker": "13.0",
        "coarse-intention-seeker": "40.4",
        "desire": "67.7",
        "prediction-seeker": "41.4",
        "judgement-seeker": "68.5",
    }
    assert f"{accuracy(sheet, 'prediction-recommender', 'majority-option'):.1f}" == "17.1"
    for task in JUDGEMENTS:
        assert figures(sheet)[task, "majority", "recall_no"].value == 100  # the constant answer is no
