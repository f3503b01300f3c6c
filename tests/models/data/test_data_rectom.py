"""RecToM's ten files: their quirks on invented ones, and what is true of the released ones."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from data_fixtures import needs_released_data
from rectom_fixtures import QUESTIONS, contents, said, write_rectom

from grice.models.data import rectom
from grice.models.data.rectom import FILES
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.minds.labels import BELIEFS, COARSE, COARSE_OF, FINE, MIND_ROLES, coarse_of
from grice.models.minds.questions import TASKS, MindQuestion, RoleTurn, Task

Questions = dict[Task, tuple[MindQuestion, ...]]


@pytest.fixture
def questions(tmp_path: Path) -> Questions:
    return rectom.read(write_rectom(tmp_path))


def test_ten_tasks_are_read_in_the_order_of_the_files(questions: Questions) -> None:
    assert {task: len(each) for task, each in questions.items()} == QUESTIONS
    for each in questions.values():
        assert [question.dialogue_id for question in each] == sorted(question.dialogue_id for question in each)
        assert len({question.question_id for question in each}) == len(each)


def test_questions_at_one_place_are_numbered(questions: Questions) -> None:
    assert [question.question_id for question in questions["belief"][:3]] == ["100/3/0", "100/3/1", "101/3/0"]


def test_turns_have_roles_and_texts(questions: Questions) -> None:
    turns = questions["desire"][0].turns
    assert [(turn.role, turn.text) for turn in turns] == list(zip(("seeker", "recommender", "seeker"), said(0)[:3], strict=True))


def test_what_is_asked_about(questions: Questions) -> None:
    assert {question.place for question in questions["fine-intention-recommender"]} == {1}
    assert {len(question.turns) for question in questions["fine-intention-recommender"]} == {2, 3}
    assert questions["coarse-intention-recommender"][4].about == said(4)[1]
    assert {question.about for question in questions["fine-intention-seeker"]} == {said(0)[0]}
    assert [question.about for question in questions["belief"][:2]] == ["Bean 0 (1999)", "Leek (2001)"]
    assert [question.about for question in questions["judgement-seeker"][:3]] == ["give-feedback", "other", "other"]
    assert {(question.about, question.place) for question in questions["prediction-seeker"]} == {("", None)}


def test_labels_come_from_the_texts_of_options_in_whatever_order(tmp_path: Path) -> None:
    def labels(questions: Questions, task: Task) -> list[str]:
        return [option.label for option in questions[task][0].options]

    plain = rectom.read(write_rectom(tmp_path / "plain"))
    for role in MIND_ROLES:
        fine: Task = "fine-intention-recommender" if role == "recommender" else "fine-intention-seeker"
        coarse: Task = "coarse-intention-recommender" if role == "recommender" else "coarse-intention-seeker"
        assert labels(plain, fine) == list(FINE[role])
        assert set(labels(plain, coarse)) == set(COARSE[role])
    assert labels(plain, "belief") == list(BELIEFS)
    assert labels(plain, "judgement-recommender") == ["no", "yes"]
    assert labels(plain, "judgement-seeker") == labels(plain, "desire") == ["yes", "no"]
    content = contents()
    entry = content["prediction-seeker"][0]
    entry["choices"] = [f"{letter}:{choice[2:]}" for letter, choice in zip("ABCD", reversed(entry["choices"]), strict=True)]
    turned = rectom.read(write_rectom(tmp_path / "turned", content))
    assert labels(turned, "prediction-seeker") == labels(plain, "prediction-seeker")[::-1]


def test_letters_and_labels_of_gold(questions: Questions) -> None:
    first, second = questions["fine-intention-recommender"][:2]
    assert (first.gold, second.gold) == ({"F"}, {"J", "F"})
    assert second.labels_of(second.gold) == {"other", "inquire-about-item"}
    assert second.letters_of(frozenset({"other"})) == {"J"}
    assert (second.kind, second.role, second.has_several) == ("fine-intention", "recommender", True)
    belief = questions["belief"][0]
    assert (belief.kind, belief.role, belief.has_several) == ("belief", "recommender", False)
    assert questions["desire"][0].role == "seeker"


def test_a_text_may_have_several_lines(tmp_path: Path) -> None:
    content = contents()
    content["prediction-recommender"][0]["utterance_context"] += "\nOr on peas?"
    assert rectom.read(write_rectom(tmp_path, content))["prediction-recommender"][0].turns[0].text.endswith("beans?\nOr on peas?")


def test_single_tasks_can_be_read(tmp_path: Path) -> None:
    write_rectom(tmp_path)
    (tmp_path / "rectom" / FILES["belief"]).unlink()
    assert list(rectom.read(tmp_path, ("desire",))) == ["desire"]
    with pytest.raises(DataNotFound, match=r"8_belief_rec_2_com\.json"):
        rectom.read(tmp_path)


def changed(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda entry: entry.update(changes)


@pytest.mark.parametrize(
    ("task", "change", "message"),
    [
        ("desire", lambda entry: entry.pop("question"), "KeyError.*question"),
        ("desire", lambda entry: entry.pop("choices"), "KeyError.*choices"),
        ("desire", lambda entry: entry.pop("answer"), r"the answer is \[\], not letters of the options"),
        ("desire", changed(answer=[]), r"the answer is \[\[\]\], not letters"),
        ("desire", changed(answer=["C"]), r"the answer is \[\['C'\]\], not letters"),
        ("desire", changed(answer=["A", "B"]), "2 right options in a question that has one"),
        ("desire", changed(utterance_pos=4), "the context has 3 turns, not 4"),
        ("desire", changed(utterance_context="Hello"), "a context has lines SEEKER says"),
        ("desire", changed(utterance_context=None), "TypeError"),
        ("desire", changed(choices={"A": "yes", "B": "perhaps"}), "'perhaps' is not yes or no"),
        ("desire", changed(choices=["A: yes", "A: no"]), "each option needs a letter of its own"),
        ("desire", changed(choices={"A": "yes", "B": "yes"}), "each option needs a label of its own"),
        ("desire", changed(choices={"a": "yes", "B": "no"}), "an option has the letter 'a'"),
        ("desire", changed(choices=["yes", "no"]), "ValueError"),
        ("desire", changed(question="Will it rain?"), "does not ask for desire of the seeker: 'Will it rain"),
        (
            "prediction-seeker",
            changed(question="What strategy will RECOMMENDER use next?"),
            "does not ask for prediction of the seeker",
        ),
        ("prediction-seeker", changed(choices=["A: To sing"]), "'To sing' has 0 of the phrases give feedback, "),
        ("judgement-seeker", changed(question='Seeker will adopt "To sing" strategy'), "'To sing' has 0 of the phrases"),
        ("belief", changed(choices={"A": "It rains."}), "'It rains.' is none of the attitudes recommender-unseen-disliked"),
        (
            "fine-intention-seeker",
            changed(question='What is the intention expressed by the Seeker in the "Bye" given the dialogue history?'),
            "the question is not about the last turn of the seeker",
        ),
    ],
)
def test_a_damaged_question_is_named(tmp_path: Path, task: Task, change: Callable[[dict[str, Any]], None], message: str) -> None:
    content = contents()
    change(content[task][4])
    with pytest.raises(DataCorrupt, match=message) as raised:
        rectom.read(write_rectom(tmp_path, content))
    assert f"{FILES[task]}, question 4: not in the format of RecToM" in str(raised.value)


@pytest.mark.parametrize("content", [{}, [], None])
def test_a_file_must_be_a_list(tmp_path: Path, content: Any) -> None:
    with pytest.raises(DataCorrupt, match=r"7_desire_seeker_com\.json: not in the format of RecToM \(a list of questions\)"):
        rectom.read(write_rectom(tmp_path, {**contents(), "desire": content}))


def test_an_entry_must_be_an_object(tmp_path: Path) -> None:
    content: dict[Task, Any] = {**contents(), "desire": ["A"]}
    with pytest.raises(DataCorrupt, match=r"7_desire_seeker_com\.json, question 0: .*TypeError"):
        rectom.read(write_rectom(tmp_path, content))


@pytest.fixture(scope="module")
def released() -> Questions:
    return rectom.read(Path(os.environ["GRICE_DATA_DIR"]))


@needs_released_data
def test_counts_of_the_released_files(released: Questions) -> None:
    intentions = {f"{kind}-intention-{role}": 1910 for kind in ("fine", "coarse") for role in MIND_ROLES}
    recommender = {f"{kind}-recommender": 1815 for kind in ("prediction", "judgement")}
    seeker = {f"{kind}-seeker": 1863 for kind in ("prediction", "judgement")}
    assert {task: len(each) for task, each in released.items()} == {
        **intentions,
        **recommender,
        **seeker,
        "belief": 1525,
        "desire": 1263,
    }


@needs_released_data
def test_the_released_files_are_about_the_same_dialogues(released: Questions) -> None:
    ids = [{question.dialogue_id for question in released[task]} for task in TASKS]
    assert all(each == ids[0] for each in ids)
    assert len(ids[0]) == 290
    longest: dict[str, tuple[RoleTurn, ...]] = {}
    for question in (question for each in released.values() for question in each):
        known = longest.get(question.dialogue_id, ())
        shorter, longer = sorted((known, question.turns), key=len)
        assert longer[: len(shorter)] == shorter
        longest[question.dialogue_id] = longer


@needs_released_data
@pytest.mark.parametrize("role", MIND_ROLES)
def test_fine_intentions_imply_the_coarse_ones(released: Questions, role: str) -> None:
    fine = {question.question_id: question for question in released[f"fine-intention-{role}"]}  # type: ignore[index]
    for question in released[f"coarse-intention-{role}"]:  # type: ignore[index]
        implied = fine[question.question_id]
        assert coarse_of(question.role, implied.labels_of(implied.gold)) == question.labels_of(question.gold)


@needs_released_data
@pytest.mark.parametrize("role", MIND_ROLES)
def test_a_strategy_is_effective_where_it_is_predicted(released: Questions, role: str) -> None:
    predicted = {question.question_id: question for question in released[f"prediction-{role}"]}  # type: ignore[index]
    for question in released[f"judgement-{role}"]:  # type: ignore[index]
        same = predicted[question.question_id]
        assert (question.labels_of(question.gold) == {"yes"}) == (question.about in same.labels_of(same.gold))


@needs_released_data
def test_a_film_is_desired_where_the_suggestion_is_believed_to_be_liked(released: Questions) -> None:
    beliefs = {(each.dialogue_id, each.about): each.labels_of(each.gold) for each in released["belief"]}
    shared = [each for each in released["desire"] if (each.dialogue_id, each.about) in beliefs]
    assert len(shared) == 1192
    for question in shared:
        (belief,) = beliefs[question.dialogue_id, question.about]
        assert re.fullmatch(r"recommender-(un)?seen-(dis)?liked", belief)
        assert belief.endswith("-liked") == (question.labels_of(question.gold) == {"yes"})


def test_every_fine_intention_has_one_coarse_intention() -> None:
    assert {role: (len(COARSE[role]), len(FINE[role])) for role in MIND_ROLES} == {"recommender": (5, 10), "seeker": (4, 16)}
    for role in MIND_ROLES:
        assert len(set(FINE[role])) == len(FINE[role])
        assert set(COARSE_OF[role]) == set(FINE[role])
        assert set(COARSE_OF[role].values()) == set(COARSE[role])
    assert coarse_of("seeker", ["seen", "like", "answer"]) == {"give-feedback", "add-details"}
    assert len(set(BELIEFS)) == 7
