"""Responses, persuasion and recommendation that were written for this project: they are in order, and none of their words are those
of what is evaluated."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from data_fixtures import needs_released_data

from grice.benchmarks.responses.cases import HELD_HANDS, ci_tod_cases, people_cases
from grice.models.data import abceval, dbdc3, face_acts, rectom
from grice.models.errors import DataCorrupt
from grice.models.minds.labels import Attitude
from grice.models.results import FACE_ACTS
from grice.models.training.face_acts.written import WrittenPersuasion, WrittenUtterance, read_persuasion
from grice.models.training.minds.written import ItemMention, WrittenTalk, read_talks
from grice.models.training.overlap import runs_of, runs_of_all
from grice.models.training.responses.written import FAULTS, LABELS, LineEvidence, WrittenContext, read_contexts

KIOSK = """
== task | a kiosk's bot
d Crisps cannot be given back.
f crisps: 2 euros; apples: none
u Do you have crisps?
b Yes, we do.
u What do they cost?
R ok |  |  | Two euros.
R !fac,again | 2 "2 euros" | "Three euros" | Three euros. What would you like?
"""
CHORE = """
== chores | the persuader wants: the bins out | partly
p hneg- | Could you take the bins out?
e sneg+ | I'm in the bath.
"""
BIKES = """
== bicycles | a shop, for the hills
r show-item, explain-item | The [Corvo E2] has gears for that.
s seen,dislike | My brother's [Corvo=Corvo E2] is a tank. But [Stay] looks light.
A Corvo E2 | recommender | seen | disliked
A stay | seeker | unseen | liked
"""


@pytest.fixture(scope="module")
def contexts() -> list[WrittenContext]:
    return [context for each in read_contexts().values() for context in each]


@pytest.fixture(scope="module")
def persuasion() -> list[WrittenPersuasion]:
    return [dialogue for each in read_persuasion().values() for dialogue in each]


@pytest.fixture(scope="module")
def talks() -> list[WrittenTalk]:
    return [talk for each in read_talks().values() for talk in each]


def test_the_shorthand_of_responses(tmp_path: Path) -> None:
    (tmp_path / "K.txt").write_text(KIOSK, encoding="utf-8")
    (context,) = read_contexts(tmp_path)["K"]
    assert (context.setting, context.documents) == ("task", ("Crisps cannot be given back.",))
    assert context.facts == ({"crisps": "2 euros", "apples": "none"},)
    assert [turn.speaker for turn in context.turns] == ["user", "bot", "user"]
    fine, faulty = context.responses
    assert fine.is_fine
    assert (fine.evidence, fine.words) == (None, "")
    assert not faulty.is_fine
    assert faulty.labels == {"!fac", "again"}
    assert (faulty.evidence, faulty.words) == (LineEvidence(1, "2 euros"), "Three euros")


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("== task", "== shop", "line 2: got 'shop'; allowed: chat, task, assistant"),
        ("!fac,again", "wrong", "line 9: got 'wrong'; allowed: ok, ok!"),
        ('2 "2 euros"', '9 "2 euros"', "line 9: got '9 .*'; allowed: a line from 1 to 5, and words of it"),
        ('2 "2 euros"', '1 "2 euros"', "line 9: got"),
        ('"Three euros"', '"Four"', "line 9: got 'Four'; allowed: a response, and words of it"),
        ("u What do they cost?\n", "", "line 2: got 'no turn of the user before the responses'"),
        ("b Yes", "x Yes", "line 6: got 'x'; allowed: ==, d, f, u, b, R"),
    ],
)
def test_a_slip_in_responses_is_told_with_its_line(tmp_path: Path, was: str, becomes: str, message: str) -> None:
    (tmp_path / "K.txt").write_text(KIOSK.replace(was, becomes), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=message):
        read_contexts(tmp_path)


def test_the_shorthand_of_persuasion(tmp_path: Path) -> None:
    (tmp_path / "K.txt").write_text(CHORE, encoding="utf-8")
    (dialogue,) = read_persuasion(tmp_path)["K"]
    assert (dialogue.kind, dialogue.goal, dialogue.end) == ("chores", "the bins out", "partly")
    assert dialogue.utterances[1] == WrittenUtterance("persuadee", "I'm in the bath.", "sneg+")
    for was, becomes, message in (
        ("partly", "maybe", "line 2"),
        ("sneg+", "sneg-", "line 4: got .sneg- "),
        ("e sneg", "x sneg", "x"),
    ):
        (tmp_path / "K.txt").write_text(CHORE.replace(was, becomes), encoding="utf-8")
        with pytest.raises(DataCorrupt, match=message):
            read_persuasion(tmp_path)


def test_the_shorthand_of_recommendation(tmp_path: Path) -> None:
    (tmp_path / "K.txt").write_text(BIKES, encoding="utf-8")
    (talk,) = read_talks(tmp_path)["K"]
    second = talk.turns[1]
    assert second.text == "My brother's Corvo is a tank. But Stay looks light."
    assert second.intents == {"seen", "dislike"}
    assert second.mentions == (ItemMention(13, 18, "Corvo E2"), ItemMention(34, 38, "Stay"))
    assert talk.attitudes == {"Corvo E2": Attitude("recommender", True, False), "Stay": Attitude("seeker", False, True)}
    for was, becomes, message in (
        ("A stay", "A go", "line 6"),
        ("seen,dislike", "hates", "got 'hates'"),
        ("| liked", "| loved", "6"),
    ):
        (tmp_path / "K.txt").write_text(BIKES.replace(was, becomes), encoding="utf-8")
        with pytest.raises(DataCorrupt, match=message):
            read_talks(tmp_path)


def test_responses_are_in_order(contexts: list[WrittenContext]) -> None:
    counts = Counter(label for context in contexts for each in context.responses for label in each.labels)
    assert set(counts) == set(LABELS)
    assert {context.setting for context in contexts} == {"chat", "task", "assistant"}
    for context in contexts:
        assert any(each.is_fine for each in context.responses), context.about
        assert any(each.labels & set(FAULTS) for each in context.responses), context.about


def test_goals_of_persuasion_are_of_all_kinds(persuasion: list[WrittenPersuasion]) -> None:
    acts = Counter(each.face_act for dialogue in persuasion for each in dialogue.utterances)
    assert set(acts) == set(FACE_ACTS)
    assert min(acts.values()) > 0.03 * acts.total()
    ends = Counter(dialogue.end for dialogue in persuasion)
    assert min(ends.values()) > 0.1 * len(persuasion)
    assert len({dialogue.goal for dialogue in persuasion}) > 0.98 * len(persuasion)
    assert len({dialogue.kind for dialogue in persuasion}) > 30


def test_items_of_recommendation_are_of_all_kinds(talks: list[WrittenTalk]) -> None:
    stands = Counter(attitude for talk in talks for attitude in talk.attitudes.values())
    assert len(stands) == 8
    assert min(stands.values()) > 0.02 * stands.total()
    assert all(talk.attitudes for talk in talks)
    assert len({talk.domain.lower() for talk in talks}) > 200


def _said(talks: list[WrittenTalk]) -> Iterator[str]:
    return (turn.text for talk in talks for turn in talk.turns)


@needs_released_data
def test_no_five_words_in_a_row_are_those_of_evaluated_files(
    contexts: list[WrittenContext], persuasion: list[WrittenPersuasion], talks: list[WrittenTalk]
) -> None:
    folder = Path(os.environ["GRICE_DATA_DIR"])
    charity = runs_of_all(each.text for dialogue in face_acts.read(folder) for each in dialogue.utterances)
    assert [each.text for dialogue in persuasion for each in dialogue.utterances if runs_of(each.text) & charity] == []
    movies = runs_of_all({turn.text for questions in rectom.read(folder).values() for each in questions for turn in each.turns})
    assert [text for text in _said(talks) if runs_of(text) & movies] == []
    judged = runs_of_all({text for row in abceval.read(folder) for text in (*(turn.text for turn in row.history), row.response)})
    judged |= runs_of_all(each.turn.text for talk in dbdc3.read(folder) for each in talk.turns)
    rated = json.loads((folder / "conture" / "data.json").read_text(encoding="utf-8"))
    judged |= runs_of_all(turn[who] for dialogue in rated for turn in dialogue["turns"] for who in ("user", "chatbot"))
    assert [text for text in _texts(contexts) if runs_of(text) & judged] == []


@needs_released_data
def test_no_five_words_in_a_row_that_are_learned_from_are_those_of_evaluated_bots(contexts: list[WrittenContext]) -> None:
    """CI-ToD's and people's replies in MultiWOZ: the held hands are evaluated beside them, and may share words with them."""
    folder = Path(os.environ["GRICE_DATA_DIR"])
    cases = [*ci_tod_cases(folder), *people_cases(folder)]
    evaluated = runs_of_all({turn.text for case in cases for turn in case.question.dialogue.turns})
    learned = [context for context in contexts if context.hand not in HELD_HANDS]
    assert [text for text in _texts(learned) if runs_of(text) & evaluated] == []


def _texts(contexts: list[WrittenContext]) -> list[str]:
    return [text for context in contexts for text in (*context.lines, *(each.text for each in context.responses))]
