"""`grice bench persuasion`, on invented dialogues, a real server on loopback and the released predictions."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bench_fixtures import bench, check_shape
from bench_fixtures import values as figures
from data_fixtures import needs_released_data
from openai_server import chat, openai_server
from persuasion_fixtures import DIALOGUES, write_face_acts
from sklearn.metrics import accuracy_score, f1_score

from grice.benchmarks.core.folds import read_folds
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.llm.sample import Exchange
from grice.benchmarks.persuasion import benchmark as persuasion
from grice.benchmarks.persuasion.annotations import AnnotatedUtterance, without_votes
from grice.benchmarks.persuasion.benchmark import PersuasionOptions
from grice.benchmarks.persuasion.folds import TRAINS, FoldPredictor
from grice.benchmarks.persuasion.llm import (
    ask_plainly,
    ask_with_reason,
    letter_of,
    plain_prompt,
    reason_prompt,
    select_prompt,
)
from grice.benchmarks.persuasion.metrics import macro_f1, measures_of
from grice.benchmarks.persuasion.predictions import DetectorPredictor, Spoken, chosen
from grice.benchmarks.persuasion.questions import IntentionQuestion, questions_of
from grice.benchmarks.persuasion.tables import PAPER
from grice.middleware.llm import Message
from grice.models.data import face_acts
from grice.models.dialogue import Dialogue
from grice.models.errors import DataCorrupt, DataNotFound, InputError
from grice.models.results import FACE_ACTS, FaceAct


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    write_face_acts(tmp_path)
    return tmp_path


def table(sheet: Sheet, title: str) -> dict[Any, tuple[Any, ...]]:
    (found,) = [each for each in sheet.tables if each.title == title]
    return {row[0]: row[1:] for row in found.rows}


def questions(data_dir: Path) -> list[IntentionQuestion]:
    return questions_of(without_votes(face_acts.read(data_dir)))


# Metrics


def test_metrics_are_those_of_scikit_learn() -> None:
    chance = np.random.default_rng(3)
    gold, said = (list(chance.choice(FACE_ACTS, 500, p=(0.1, 0.02, 0.3, 0.08, 0.1, 0.1, 0.1, 0.2))) for _ in range(2))
    measures = measures_of(gold, said)
    assert measures["accuracy"].value == pytest.approx(100 * accuracy_score(gold, said))
    assert measures["macro_f1"].value == pytest.approx(100 * f1_score(gold, said, average="macro", labels=FACE_ACTS))
    others = [label for label in FACE_ACTS if label != "spos-"]
    assert measures["macro_f1_without_spos-"].value == pytest.approx(100 * f1_score(gold, said, average="macro", labels=others))
    kept = [place for place, label in enumerate(gold) if "spos-" not in (label, said[place])]
    some, other = [gold[place] for place in kept], [said[place] for place in kept]
    assert macro_f1(some, other).value == pytest.approx(100 * f1_score(some, other, average="macro"))
    assert np.isnan(macro_f1(["other"], ["other"], ["spos+"]).value)


# Systems that need no model


def test_the_replay_and_the_floor(data_dir: Path) -> None:
    sheet = persuasion.evaluate(PersuasionOptions(data_dir), folds=data_dir / "none.json")
    found = figures(sheet)
    rows = [row for said in DIALOGUES.values() for row in said]
    right = [gold == predicted for _, _, gold, predicted in rows]
    assert found["face-acts", "authors", "accuracy"] == pytest.approx(100 * np.mean(right))
    persuaders = [gold == predicted for speaker, _, gold, predicted in rows if speaker == 0]
    assert found["face-acts, persuader", "authors", "accuracy"] == pytest.approx(100 * np.mean(persuaders))
    assert found["face-acts", "majority", "accuracy"] == pytest.approx(100 * np.mean([row[2] == "other" for row in rows]))
    assert found["face-acts", "grice", "macro_f1"] is None
    assert "none.json is not there" in sheet.reasons["face-acts/grice"]
    assert "without probabilities" in sheet.reasons["multiple-choice/authors"]
    assert table(sheet, "face-acts: authors")["hpos-"][:4] == (0, 0, 1, 2)
    assert table(sheet, "face-acts: F1 by face act")["hpos-"][0] == 3
    assert any("the file at hand has 13 utterances" in note for note in sheet.notes)


def test_tasks_systems_and_limits(data_dir: Path) -> None:
    options = PersuasionOptions(data_dir, tasks=tuple(persuasion.CHOICE_TASKS), systems=("majority",), limit=2)
    sheet = persuasion.evaluate(options)
    assert {(each.task, each.n) for each in sheet.results} == {(task, 2) for task in persuasion.CHOICE_TASKS}
    assert len(sheet.groups) == 4 * 2
    assert table(sheet, "multiple-choice: which option is chosen, in %")["right"][-1] == 2
    with pytest.raises(InputError, match="task of benchmark persuasion: got 'faces'; allowed: face-acts"):
        persuasion.evaluate(PersuasionOptions(data_dir, tasks=("faces",)))


def test_the_papers_rows_stand_beside(data_dir: Path) -> None:
    sheet = persuasion.evaluate(PersuasionOptions(data_dir, systems=("majority",)))
    published = {(row.task, row.system, row.metric): row.value for row in sheet.published}
    assert published["face-acts", "authors, whole file", "macro_f1"] == 55.3
    assert published["multiple-choice", "GPT-4", "accuracy"] == 91
    assert {row.task for row in sheet.published} == {"face-acts", "multiple-choice"}
    assert {row.task for row in read_paper(PAPER).rows} == {*persuasion.TASKS} - {persuasion.OTHER_TASK}
    assert table(sheet, "multiple-choice: accuracy by face act, persuader/persuadee/both")["published: GPT-4"][3] == "14/62/52"


# The stored predictions of the folds


def folds_of(data_dir: Path, **changes: Any) -> Path:
    """Predictions that are right but for the persuader's hpos-, which are taken for hpos+ without much doubt."""
    numbers, labels = {}, {}
    for key, said in DIALOGUES.items():
        given = ["hpos+" if gold == "hpos-" else gold for _, _, gold, _ in said]
        labels[key] = given
        numbers[key] = [[0.65 if label == each else 0.05 for label in FACE_ACTS] for each in given]
    content = {"about": {"recipe": "test"}, "folds": {"7": 0, "9": 1}, "predictions": labels, "probabilities": numbers} | changes
    path = data_dir / "folds.json"
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


def test_stored_predictions_are_scored(data_dir: Path) -> None:
    sheet = persuasion.evaluate(PersuasionOptions(data_dir, systems=("grice",)), folds=folds_of(data_dir))
    found = figures(sheet)
    assert found["face-acts", "grice", "accuracy"] == pytest.approx(100 * 10 / 13)
    asked = questions(data_dir)
    fooled = [next((place for place, option in enumerate(each.options) if option.face_act == "hpos+"), 0) for each in asked]
    expected = [fooled[0], asked[1].gold, fooled[2]]
    stored = FoldPredictor(read_folds(folds_of(data_dir), TRAINS), face_acts.read(data_dir))
    assert chosen(asked, stored.probabilities(asked)) == expected
    right = [place == each.gold for place, each in zip(expected, asked, strict=True)]
    assert found["multiple-choice", "grice", "accuracy"] == pytest.approx(100 * np.mean(right))
    assert sheet.settings["grice"] == {"weights": "folds", "folds": 2, "recipe": "test"}


def test_probabilities_of_joined_utterances_are_meaned(data_dir: Path) -> None:
    numbers = {key: np.zeros((len(said), len(FACE_ACTS))).tolist() for key, said in DIALOGUES.items()}
    numbers["7"][5][0], numbers["7"][6][0] = 0.2, 0.6
    stored = FoldPredictor(read_folds(folds_of(data_dir, probabilities=numbers), TRAINS), face_acts.read(data_dir))
    assert stored.probabilities(questions(data_dir))[0][0] == pytest.approx(0.4)


def test_labels_alone_answer_no_question(data_dir: Path) -> None:
    sheet = persuasion.evaluate(PersuasionOptions(data_dir, systems=("grice",)), folds=folds_of(data_dir, probabilities=None))
    assert figures(sheet)["face-acts", "grice", "accuracy"] == pytest.approx(100 * 10 / 13)
    assert "holds labels and no probabilities" in sheet.reasons["multiple-choice/grice"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"folds": {"7": 0}}, r"13 utterances in 2 dialogues \(1 with a fold\)"),
        ({"predictions": {"7": ["other"]}}, "1 utterances in 1 dialogues"),
        ({"predictions": {"7": ["joy"]}}, "'joy'"),
        ({"probabilities": {"7": [[0.5]]}}, "8 numbers"),
        ({"probabilities": {"7": [[2.0] * 8]}}, "8 numbers from 0 to 1"),
        ({"about": None}, "KeyError"),
    ],
)
def test_damaged_folds_are_errors(data_dir: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataCorrupt, match=message):
        FoldPredictor(read_folds(folds_of(data_dir, **changes), TRAINS), face_acts.read(data_dir))
    with pytest.raises(DataNotFound, match="grice train intentions --folds"):
        persuasion.evaluate(PersuasionOptions(data_dir, systems=("grice",)), folds=data_dir / "none.json")


# A detector


class Detector:
    """Finds a reproach where a text has an exclamation or question mark, and else nothing; notes what it reads."""

    def __init__(self) -> None:
        self.read: list[Dialogue] = []

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Any]:
        self.read += dialogues
        return [self._found(each) for each in dialogues]

    def _found(self, dialogue: Dialogue) -> Any:
        label: FaceAct = "hpos-" if dialogue.last.text[-1] in "!?" else "other"

        return SimpleNamespace(label=label, probabilities={each: 0.65 if each == label else 0.05 for each in FACE_ACTS})


def test_the_shipped_detector_reads_the_dialogue_as_bot_and_user(data_dir: Path) -> None:
    detector = Detector()
    options = PersuasionOptions(data_dir, systems=("grice",), weights="shipped")
    sheet = persuasion.evaluate(options, lambda name, threads: DetectorPredictor(detector), data_dir / "none.json")
    spoken = Spoken(face_acts.read(data_dir)[0], 5)
    assert len(detector.read) == 13 + 3
    assert detector.read[5].last.text == spoken.utterance.text
    assert [turn.speaker for turn in detector.read[5].turns] == ["bot", "bot", "user", "bot", "user", "bot"]
    assert detector.read[13].last.text == "You only think of yourself. How can you sleep?"
    assert detector.read[13].history == detector.read[5].history
    assert figures(sheet)["face-acts", "grice", "accuracy"] == pytest.approx(100 * 3 / 13)
    assert sheet.settings["grice"] == {"weights": "shipped"}
    assert "grice: the shipped weights were trained on 0 of these 2 dialogues" in sheet.notes


def test_the_report_says_how_many_dialogues_the_shipped_weights_saw(data_dir: Path) -> None:
    options = PersuasionOptions(data_dir, systems=("grice",), weights="shipped")
    folds = folds_of(data_dir, folds={"7": 0, "8": 0})
    sheet = persuasion.evaluate(options, predictors=lambda name, threads: DetectorPredictor(Detector()), folds=folds)
    assert "grice: the shipped weights were trained on 1 of these 2 dialogues" in sheet.notes


def test_the_option_with_the_most_probable_face_act_is_chosen(data_dir: Path) -> None:
    asked = questions(data_dir)[:1]
    for option in asked[0].options:
        probabilities = np.array([[0.9 if label == option.face_act else 0.01 for label in FACE_ACTS]])
        first = [each.face_act for each in asked[0].options].index(option.face_act)
        assert chosen(asked, probabilities) == [first]


# Language models


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("C", "C"),
        ("(B) The persuader asks.", "B"),
        ("Because of that, the answer is (D).", "D"),
        ("**A**, not B", "A"),
        ("None of them fits.", None),
        ("E", None),
        ("b", None),
    ],
)
def test_the_first_capital_letter_is_the_answer(reply: str, letter: str | None) -> None:
    assert letter_of(reply) == letter


def test_prompts_show_history_and_options(data_dir: Path) -> None:
    asked = questions(data_dir)[0]
    prompt = plain_prompt(asked)
    assert prompt.startswith(
        "Persuader: Hello there!\nPersuader: Would you give a dollar to the library\nPersuadee: What does it do?\n"
    )
    assert "\nPersuader: You only think of yourself. How can you sleep?\n\nQ: " in prompt
    assert f"(A) {asked.options[0].text} (B) {asked.options[1].text} (C) " in prompt
    assert prompt.endswith("\n\nA:")
    assert plain_prompt(asked, 1).startswith("Persuadee: I would rather not\nPersuader: You only")
    reason = reason_prompt(asked, 2)
    assert "Hello there!" not in reason
    assert reason.endswith("A: Let's think step by step.")
    assert select_prompt(asked, " They attack. ", 2) == f"{reason}\n\nThey attack.\n\nSo, out of A to D, the answer is"


@dataclass
class ScriptedAsk:
    """Gives the replies one after another, and notes the prompts."""

    replies: Sequence[str]
    prompts: list[str] = field(default_factory=list)
    exchanges: Sequence[Exchange] = ()

    def __call__(self, messages: Sequence[Message], /) -> str:
        self.prompts.append(messages[-1].content)
        return self.replies[len(self.prompts) - 1]


def test_a_reason_is_asked_for_first(data_dir: Path) -> None:
    asked = questions(data_dir)[0]
    ask = ScriptedAsk(["A is tempting, but they attack.", "(B)"])
    assert ask_with_reason(asked, ask) == "B"
    assert ask.prompts == [reason_prompt(asked), select_prompt(asked, "A is tempting, but they attack.")]
    ask = ScriptedAsk(["hm"])
    assert ask_plainly(asked, ask) is None
    assert ask.prompts == [plain_prompt(asked)]


def test_a_whole_run_of_language_models(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    asked = questions(data_dir)
    right = {plain_prompt(each, 10): "ABCD"[each.gold] for each in asked}
    unreadable = plain_prompt(asked[2], 10)

    def answer(request: dict[str, Any]) -> Any:
        prompt = request["messages"][-1]["content"]
        if prompt.endswith("step by step."):
            return chat("They mean it.")
        if prompt.endswith("the answer is"):
            return chat("(D)")
        return chat("No idea." if prompt == unreadable else right[prompt])

    path = data_dir / "out.json"
    with openai_server(answer) as server:
        command = ["persuasion", "--data-dir", str(data_dir), "--system", "openai:m", "openai-cot:m", "--llm-url", server.url]
        assert bench(*command, "--llm-window", "10", "--llm-out", str(data_dir / "runs"), "--out", str(path)) == 0
        assert len(server.requests) == 3 + 2 * 3
        assert {request["temperature"] for request in server.requests} == {0}
    found = check_shape(path)
    plain = found["multiple-choice", "openai:m", "accuracy"]
    assert (plain["value"], plain["n"], plain["unscored"]) == (100, 2, 1)
    reasoned = found["multiple-choice", "openai-cot:m", "accuracy"]
    assert reasoned["value"] == pytest.approx(100 * np.mean([each.gold == 3 for each in asked]))
    assert found["face-acts", "openai:m", "accuracy"]["value"] is None
    run = json.loads(path.read_text())["run"]
    assert "to name face acts" in run["reasons"]["face-acts/openai:m"]
    assert run["options"]["openai:m"]["multiple-choice"]["about"]["prompting"] == "zero-shot"
    positions = next(each for each in run["tables"] if each["title"] == "multiple-choice: which option is chosen, in %")
    assert positions["rows"][-1] == ["openai-cot:m", "0.0", "0.0", "0.0", "100.0", 3]


def test_annotated_dialogues_are_asked_about(data_dir: Path) -> None:
    path = data_dir / "mine.jsonl"
    said = AnnotatedUtterance("persuader", "Give", "hneg-")
    votes = {"new": ["er-asks-for-donation"] * 2}
    entry = {"role": said.role, "text": said.text, "face_act": said.face_act, "descriptions": votes}
    path.write_text(json.dumps({"dialogue_id": "mine", "utterances": [entry]}))
    options = PersuasionOptions(data_dir, annotations=path, systems=("grice", "majority"), tasks=("multiple-choice",))
    sheet = persuasion.evaluate(options, folds=folds_of(data_dir))
    assert figures(sheet)["multiple-choice", "majority", "accuracy"] == 100
    assert "nothing of question mine:0" in sheet.reasons["multiple-choice/grice"]
    assert len(sheet.settings["annotations_sha256"]) == 64


@needs_released_data
def test_the_released_predictions() -> None:
    sheet = persuasion.evaluate(PersuasionOptions(Path(os.environ["GRICE_DATA_DIR"]), systems=("authors",), tasks=("face-acts",)))
    found = figures(sheet)
    assert found["face-acts", "authors", "accuracy"] == pytest.approx(65.89, abs=0.01)
    assert found["face-acts", "authors", "macro_f1"] == pytest.approx(54.73, abs=0.01)
