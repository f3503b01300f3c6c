"""Annotations of intentions, their agreement, and the questions that are built of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from persuasion_fixtures import write_face_acts

from grice.benchmarks.persuasion.annotations import (
    AnnotatedDialogue,
    AnnotatedUtterance,
    agreements,
    mean_alpha,
    read_annotations,
    without_votes,
)
from grice.benchmarks.persuasion.questions import LETTERS, distractors, joined_text, questions_of
from grice.benchmarks.stats.krippendorff import alpha
from grice.middleware.cli import main
from grice.models.data import face_acts
from grice.models.errors import DataCorrupt, DataNotFound, InputError
from grice.models.face_acts.descriptions import DESCRIPTIONS, PHRASINGS


def test_alpha_of_the_worked_examples() -> None:
    """Krippendorff 2011: example A (two observers, 0 or 1) and example C (four observers, five categories, missing data)."""
    assert alpha(zip((0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0), strict=True)) == pytest.approx(0.095, abs=5e-4)
    observers = ("123321412   ", "1233224125 3", " 3332342251 ", "12332441251 ")
    units = [[None if value == " " else value for value in unit] for unit in zip(*observers, strict=True)]
    assert alpha(units) == pytest.approx(0.743, abs=5e-4)


@pytest.mark.parametrize("units", [[], [["a"]], [["a", None], ["b"]], [["a", "a"], ["a", "a"]]])
def test_alpha_is_undefined_where_nothing_can_differ(units: list[list[str | None]]) -> None:
    assert alpha(units) is None


def said(face_act: str | None, *votes: str | None, role: str = "persuader", text: str = "Well") -> dict[str, Any]:
    return {"role": role, "text": text, "face_act": face_act, "descriptions": {"new": list(votes)} if votes else {}}


def write_annotations(path: Path, *dialogues: Sequence[dict[str, Any]]) -> Path:
    lines = [json.dumps({"dialogue_id": str(number), "utterances": each}) for number, each in enumerate(dialogues)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


ASKS, ASKS_MORE, ASKS_TIME = "er-asks-for-donation", "er-asks-for-more", "er-asks-to-talk"


@pytest.mark.parametrize(
    ("votes", "found"),
    [
        ((ASKS, ASKS_MORE, ASKS), ASKS),
        ((ASKS, ASKS_MORE, ASKS_TIME), None),
        ((ASKS, ASKS_MORE), None),
        ((ASKS, None, None), ASKS),
        ((ASKS, ASKS, ASKS_MORE, ASKS_MORE), None),
        ((), None),
    ],
)
def test_the_intention_is_the_vote_of_the_majority(tmp_path: Path, votes: tuple[str | None, ...], found: str | None) -> None:
    (dialogue,) = read_annotations(write_annotations(tmp_path / "a.jsonl", [said("hneg-", *votes)]))
    intention = dialogue.utterances[0].intention("new")
    assert (intention and intention.id) == found
    assert dialogue.utterances[0].intention("old") is None


def test_an_intention_without_a_choice_follows_from_the_label() -> None:
    assert AnnotatedUtterance("persuader", "x", "hpos-").intention("new") == DESCRIPTIONS.candidates("new", "persuader", "hpos-")[0]
    for face_act in ("other", "sneg+", None):
        assert AnnotatedUtterance("persuader", "x", face_act).intention("new") is None


@pytest.mark.parametrize(
    ("utterance", "message"),
    [
        (said("hneg-", "er-criticizes"), "'er-criticizes' is none of the new descriptions of persuader and hneg-"),
        (said("hneg-", role="buyer"), "'buyer' is none of"),
        (said("neg"), "'neg' is none of"),
        (said("other", text=" "), "text: got ' '"),
        ({**said("other"), "descriptions": {"newest": []}}, "newest"),
        ({"role": "persuader"}, "KeyError"),
    ],
)
def test_a_bad_annotation_is_an_error_that_names_the_line(tmp_path: Path, utterance: dict[str, Any], message: str) -> None:
    path = write_annotations(tmp_path / "a.jsonl", [said("other")], [utterance])
    with pytest.raises(DataCorrupt, match=f"line 2: .*{message}"):
        read_annotations(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"a\.jsonl"):
        read_annotations(tmp_path / "a.jsonl")
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xff")
    with pytest.raises(DataCorrupt, match="not UTF-8"):
        read_annotations(path)
    path.write_text("\n")
    with pytest.raises(DataCorrupt, match="no dialogue in it"):
        read_annotations(path)
    line = json.dumps({"dialogue_id": "1", "utterances": []})
    path.write_text(f"{line}\n{line}\n")
    with pytest.raises(DataCorrupt, match=r"line 2: .*dialogue 1 is twice there"):
        read_annotations(path)


def test_a_text_may_hold_a_line_separator(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = json.dumps({"dialogue_id": 1, "utterances": [said("other", text="One\u2028two")]}, ensure_ascii=False)
    path.write_text(f"{line}\n", encoding="utf-8")
    (dialogue,) = read_annotations(path)
    assert (dialogue.dialogue_id, dialogue.utterances[0].text) == ("1", "One two")


def test_agreement_is_by_role_and_face_act(tmp_path: Path) -> None:
    votes = [(ASKS, ASKS), (ASKS_MORE, ASKS_MORE), (ASKS, ASKS_TIME), (ASKS, None)]
    utterances = [*(said("hneg-", *each) for each in votes), said("hpos-", "er-criticizes", "er-criticizes")]
    dialogues = read_annotations(write_annotations(tmp_path / "a.jsonl", utterances))
    (found,) = agreements(dialogues, "new")
    assert (found.role, found.face_act, found.utterances) == ("persuader", "hneg-", 3)
    assert found.alpha == pytest.approx(1 - 5 * 2 / (36 - 9 - 4 - 1))
    assert mean_alpha([found]) == found.alpha
    assert agreements(dialogues, "old") == []
    assert mean_alpha([]) is None


def test_joined_utterances_end_in_full_stops() -> None:
    assert joined_text(["Hello.", "Give", "Will you?", "Please"]) == "Hello. Give. Will you?. Please"
    assert joined_text(["Give"]) == "Give"


def dialogue_of(*utterances: AnnotatedUtterance) -> AnnotatedDialogue:
    return AnnotatedDialogue("1", utterances)


def test_consecutive_utterances_with_one_intention_are_one_question(tmp_path: Path) -> None:
    write_face_acts(tmp_path)
    first, second, third = questions_of(without_votes(face_acts.read(tmp_path)))
    assert [each.question_id for each in (first, second, third)] == ["7:5", "7:7", "9:3"]
    assert (first.joined, first.utterance.text) == (2, "You only think of yourself. How can you sleep?")
    assert [each.text for each in first.history][-1] == "I would rather not"
    assert len(second.history) == 7
    assert [each.answer.id for each in (first, second, third)] == ["er-criticizes", "ee-apologizes", "er-criticizes"]


@pytest.mark.parametrize("wording", PHRASINGS)
def test_distractors_keep_the_rules(wording: Any) -> None:
    for description in DESCRIPTIONS.by_wording[wording]:
        found = distractors(description, wording)
        assert len(found) >= 3
        assert {each.role for each in found} == {description.role}
        assert description.face_act not in {each.face_act for each in found}
        assert not DESCRIPTIONS.related(description) & {each.id for each in found}
        loose = distractors(description, wording, with_rules=False)
        assert set(found) <= set(loose)
        assert {each.face_act for each in loose} == {
            each.face_act for each in DESCRIPTIONS.by_wording[wording] if each.role == description.role
        } - {description.face_act}


def test_the_example_of_appendix_d() -> None:
    asks = next(each for each in DESCRIPTIONS.by_wording["new"] if each.id == "ee-asks-for-donation")
    assert "ee-is-willing" not in {each.id for each in distractors(asks, "new")}
    assert "ee-is-willing" in {each.id for each in distractors(asks, "new", with_rules=False)}


def test_questions_are_seeded_and_independent_of_each_other() -> None:
    dialogue = dialogue_of(*(AnnotatedUtterance("persuader", "Shame", each) for each in ("hpos-", "other") * 20))
    questions = questions_of([dialogue])
    assert len(questions) == 20
    assert questions == questions_of([dialogue])
    assert questions != questions_of([dialogue], seed=1)
    assert questions[:3] == questions_of([dialogue_of(*dialogue.utterances[:6])])
    assert {each.gold for each in questions} == {0, 1, 2, 3}
    assert len({frozenset(each.options) for each in questions}) > 10
    for each in questions:
        assert len(set(each.options)) == 4
        assert each.answer.id == "er-criticizes"
    with pytest.raises(InputError, match="seed: got -1"):
        questions_of([dialogue], seed=-1)


def test_the_command_writes_a_sheet_and_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_face_acts(tmp_path)
    sheet, asked = tmp_path / "sheet.jsonl", tmp_path / "questions.jsonl"
    assert main(["persuasion", "sheet", "--data-dir", str(tmp_path), "--out", str(sheet)]) == 0
    lines = [json.loads(line) for line in sheet.read_text().splitlines()]
    asks = lines[0]["utterances"][1]
    assert asks["candidates"]["new"] == [each.id for each in DESCRIPTIONS.candidates("new", "persuader", "hneg-")]
    assert "candidates" not in lines[0]["utterances"][5]
    asks["descriptions"]["new"] = [ASKS, ASKS, ASKS_MORE]
    sheet.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["persuasion", "questions", "--annotations", str(sheet), "--out", str(asked)]) == 0
    err = capsys.readouterr().err
    assert err == "4 questions, on 5 of 10 utterances\npersuader hneg-: alpha 0.000 on 1 utterances\nmean alpha 0.000\n"
    first, *_ = [json.loads(line) for line in asked.read_text().splitlines()]
    assert first["options"][first["gold"]]["id"] == ASKS
    assert set(first["options"]) == set(LETTERS)
    assert [each["text"] for each in first["history"]] == ["Hello there!"]
    assert main(["persuasion", "questions", "--data-dir", str(tmp_path), "--wording", "old", "--without-rules"]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 4
    assert captured.err == "4 questions, on 5 of 10 utterances\n"


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_face_acts(tmp_path)
    assert main(["persuasion", "sheet", "--data-dir", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "--out" in capsys.readouterr().err
