"""The written turns of users: they are in order, do not give themselves away by their shape, and share no words with test files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from data_fixtures import needs_released_data
from evaluated_texts import evaluated_texts

from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.training.frustration.written import HELD_HAND, LATER_HANDS, LEARNED, WrittenUserTalk, WrittenUserTurn, read_talks
from grice.models.training.overlap import runs_of, runs_of_all
from grice.models.training.relations.evaluate import auc

KIOSK = """
== task | a kiosk's bot
u Do you have crisps?
b Yes. Do you want crisps?
F 1 | I asked you that.
F 0 | Two, please!
"""


@pytest.fixture(scope="module")
def hands() -> dict[str, list[WrittenUserTalk]]:
    return read_talks()


def test_the_shorthand(tmp_path: Path) -> None:
    (tmp_path / "K.txt").write_text(KIOSK, encoding="utf-8")
    (talk,) = read_talks(tmp_path)["K"]
    assert (talk.hand, talk.setting, talk.about) == ("K", "task", "a kiosk's bot")
    assert talk.nexts == (WrittenUserTurn("I asked you that.", True), WrittenUserTurn("Two, please!", False))
    assert [turn.speaker for turn in talk.dialogue_of(talk.nexts[0]).turns] == ["user", "bot", "user"]


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("== task", "== shop", "K.txt, line 2: got 'shop'; allowed: chat, task, assistant"),
        ("F 1 |", "F 2 |", "K.txt, line 5: got '2 | I asked you that.'; allowed: 0 or 1, and a text"),
        ("F 1 | I", "F 1 I", "K.txt, line 5: got '1 fields'; allowed: 2"),
        ("F 1 | I asked you that.", "F 1 |", r"K.txt, line 5: got '1 \| '; allowed: 0 or 1, and a text"),
        ("b Yes", "x Yes", "K.txt, line 4: got 'x'; allowed: ==, u, b, F"),
        ("b Yes. Do you want crisps?\n", "", "K.txt, line 2: got 'no turn of the bot before the last turns'; allowed: b last"),
        ("F 1", "F 0", "K.txt, line 2: got '2 last turns of one kind'; allowed: at least one F 1 and one F 0"),
        ("F 0", "b Hm.\nF 0", "K.txt, line 6: got 'b'; allowed: ==, F"),
    ],
)
def test_a_slip_is_told_with_its_line(tmp_path: Path, was: str, becomes: str, message: str) -> None:
    (tmp_path / "K.txt").write_text(KIOSK.replace(was, becomes), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=message):
        read_talks(tmp_path)


def test_a_hand_that_is_not_there() -> None:
    with pytest.raises(DataNotFound, match="no hand FZ; there are FA, FB"):
        read_talks(names=["FZ"])


def test_every_hand_is_in_order(hands: dict[str, list[WrittenUserTalk]]) -> None:
    assert set(hands) == {*LEARNED, HELD_HAND, *LATER_HANDS}
    for name, talks in hands.items():
        said = [each for talk in talks for each in talk.nexts]
        assert len(said) >= 390, name
        once = 0.9 if name == "FJ" else 0.95  # FJ has the same words frustrated in one talk and calm in another
        assert len({each.text.lower() for each in said}) > once * len(said), name
        assert 0.45 <= sum(each.frustrated for each in said) / len(said) <= 0.55, name
        assert {talk.setting for talk in talks} == {"chat", "task", "assistant"}, name


def _digits(text: str) -> int:
    return sum(letter.isdigit() for letter in text)


@pytest.mark.parametrize(
    "shape",
    [len, lambda text: len(text.split()), lambda text: text.count("?"), lambda text: text.count("!"), _digits],
    ids=["letters", "words", "question marks", "exclamation marks", "digits"],
)
def test_no_hand_gives_itself_away_by_its_shape(hands: dict[str, list[WrittenUserTalk]], shape: Callable[[str], int]) -> None:
    for name, talks in hands.items():
        said = [each for talk in talks for each in talk.nexts]
        told = auc([shape(each.text) for each in said], [each.frustrated for each in said])
        assert 0.4 < told < 0.6, name


def _of_users(hands: dict[str, list[WrittenUserTalk]]) -> Iterator[str]:
    for talks in hands.values():
        for talk in talks:
            yield from (turn.text for turn in talk.turns if turn.speaker == "user")
            yield from (each.text for each in talk.nexts)


@needs_released_data
def test_no_five_words_of_a_user_in_a_row_are_those_of_a_test_file(hands: dict[str, list[WrittenUserTalk]]) -> None:
    runs = runs_of_all(evaluated_texts(Path(os.environ["GRICE_DATA_DIR"])))
    assert len(runs) > 100_000
    assert [text for text in _of_users(hands) if runs_of(text) & runs] == []


def test_no_eight_words_in_a_row_are_those_of_the_hand_that_is_held_out(hands: dict[str, list[WrittenUserTalk]]) -> None:
    held = runs_of_all(_of_users({HELD_HAND: hands[HELD_HAND]}), 8)
    learned = {name: hands[name] for name in LEARNED}
    assert [text for text in _of_users(learned) if runs_of(text, 8) & held] == []
