"""`grice bench responses`: the tasks about users' frustration, on written hands and on data in their formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from data_fixtures import write_multiwoz
from openai_server import chat, openai_server
from relation_fixtures import WordReader

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.responses import frustration
from grice.benchmarks.responses.benchmark import evaluate
from grice.benchmarks.responses.frustration import HANDS, PEOPLE, RATED, rated_cases, written_cases
from grice.benchmarks.responses.systems import RelationRun, ResponseOptions
from grice.models.relations import FRUSTRATION
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.frustration import recipe
from grice.models.training.frustration.written import HELD_HAND, LATER_HANDS, LEARNED, read_talks


def evaluated(folder: Path, task: str, *systems: str, **given: Any) -> Sheet:
    def runs(options: ResponseOptions, sheet: Sheet) -> RelationRun:
        return RelationRun(options, sheet, load=lambda _: WordReader())  # type: ignore[arg-type, return-value]

    return evaluate(ResponseOptions(folder, tasks=(task,), systems=systems, **given), runs)


def figures(sheet: Sheet, system: str = "grice") -> dict[str, float | None]:
    return {each.metric: each.value for each in sheet.results if each.system == system}


def test_the_held_hand_is_read_by_the_shipped_model(tmp_path: Path) -> None:
    sheet = evaluated(tmp_path, FRUSTRATION, "grice", "shape", "majority", limit=12)
    assert sheet.models.keys() == {"frustration"}
    assert figures(sheet).keys() == {"auc", "recall_at_5", "recall_at_2", "pair_accuracy", "found", "false_alarms"}
    assert figures(sheet, "majority") == {
        "auc": 0.5,
        "recall_at_5": 0.0,
        "recall_at_2": 0.0,
        "pair_accuracy": 50.0,
        "found": 0.0,
        "false_alarms": 0.0,
    }
    assert {each.n for each in sheet.results} == {12}


def test_no_learned_hand_is_among_the_held_ones() -> None:
    assert {case.hand for case in written_cases((HELD_HAND,))} == {HELD_HAND}
    assert {case.hand for case in written_cases(LATER_HANDS)} == set(LATER_HANDS)
    assert not {HELD_HAND, *LATER_HANDS} & set(LEARNED)


def test_hands_held_out_one_at_a_time_are_scored_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"FA": ("I told you already!", "The blue one."), "FB": ("I told you that already.", "The red one, please.")}
    for hand, (angry, calm) in texts.items():
        talk = f"== task | a kiosk\nu Where is it?\nb Which one?\nF 1 | {angry}\nF 0 | {calm}\n"
        (tmp_path / f"{hand}.txt").write_text(talk, encoding="utf-8")
    examples = recipe.read_examples(load_sentence_encoder(), tuple(texts), tmp_path)
    monkeypatch.setattr(frustration, "LEARNED", tuple(texts))
    monkeypatch.setattr(frustration, "read_talks", lambda names: read_talks(tmp_path, names))
    monkeypatch.setattr(recipe, "read_examples", lambda encoder: examples)
    found = figures(evaluated(tmp_path, HANDS, "grice"))
    assert found.keys() == {"auc", "recall_at_5", "recall_at_2", "pair_accuracy"}
    assert found["auc"] == 1.0
    assert found["pair_accuracy"] == 100


def test_people_in_multiwoz(tmp_path: Path) -> None:
    log = [
        {"text": text, "dialog_act": {"general-thank": [["none", "none"]]}}
        for text in ("I need a cake .", "Which one ?", "I told you already, are you even listening ?", "Sorry !", "Thank you .")
    ]
    write_multiwoz(tmp_path / "multiwoz21", log=log)
    sheet = evaluated(tmp_path, PEOPLE, "grice", "majority")
    assert figures(sheet) == {"false_alarms": 50.0}
    assert figures(sheet, "majority") == {"false_alarms": 0.0}
    assert [path for path in sheet.data if "multiwoz21/test.json" in path]


def test_turns_after_rated_ones(tmp_path: Path) -> None:
    (tmp_path / "conture").mkdir()
    turns = [
        {"user": f"User: {said}", "chatbot": f"Chatbot: {answer}", "overall impression": rating}
        for said, answer, rating in (
            ("hi", "Which film do you mean?", 0),
            ("I told you already, are you not listening?", "Sorry, the blue one.", 2),
            ("yes please", "Good!", 1),
            ("bye", "Bye!", 2),
        )
    ]
    dialogues = [{"dialog_id": number, "turns": turns} for number in (1, 2)]
    (tmp_path / "conture" / "data.json").write_text(json.dumps(dialogues), encoding="utf-8")
    cases = rated_cases(tmp_path)
    assert [(case.dialogue.last.text[:3], case.frustrated) for case in cases] == [("I t", True), ("yes", False)] * 2
    assert figures(evaluated(tmp_path, RATED, "grice")) == {"auc": 1.0}


def test_a_language_model_is_asked_about_the_user(tmp_path: Path) -> None:
    replies = iter(["90", "It is 5 percent.", "no idea", "80"] * 3)
    asked: list[str] = []

    def answer(request: Any) -> Any:
        asked.append(json.dumps(request))
        return chat(next(replies), (100, 2))

    with openai_server(answer) as server:
        sheet = evaluated(tmp_path, FRUSTRATION, "openai:m", limit=4, llm_url=server.url)
    results = [each for each in sheet.results if each.system == "openai:m" and each.metric == "auc"]
    assert [(each.n, each.unscored) for each in results] == [(3, 1)]
    assert any(table.title.startswith("Usage of openai:m") for table in sheet.tables)
    assert "frustrated with the bot" in asked[0]
