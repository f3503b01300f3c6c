"""The turns written for the model of meaning: they are in order, and none of their words are those of what is evaluated."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from data_fixtures import needs_released_data

from grice.benchmarks.meaning.services import DESCRIPTIONS as MULTIDOGO
from grice.benchmarks.meaning.services import SPLIT
from grice.models.data import implicature, multidogo, sgd
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.training.meaning.written import HELD_HANDS, REPLIES, SlotMention, WrittenBot, read_hand, read_hands
from grice.models.training.overlap import runs_of, runs_of_all

OURS = Path(__file__).parents[3] / "benchmarks" / "indirect_requests" / "ours.jsonl"

KIOSK = """
== kiosk | sells papers and snacks
i buy_snack | buy something to eat
i ask_hours | ask when it is open
s snack | what to eat | crisps; an apple
s size | how big | small; large
s name | whose order | *
b Shall I pack it?
> i | no-but:ask_hours | | my bus is here, when do you close | No, tell me when you close. | Yes, pack it.
u Crisps please.
b Small or large, for whom?
> d~ | - | snack=an apple; size=?small/large; name="Ada" | an apple after all, for Ada | An apple, for Ada. |
> i | buy_snack | snack=!crisps; size=* | whatever, if it does not crunch | Something that is no crisps. | Crisps.
> i | option 2 | | the one my doctor likes | The second one. | The first one.
"""


@pytest.fixture(scope="module")
def hands() -> dict[str, list[WrittenBot]]:
    return read_hands()


@pytest.fixture(scope="module")
def learned(hands: dict[str, list[WrittenBot]]) -> dict[str, list[WrittenBot]]:
    """All hands but those that are held out."""
    return {name: bots for name, bots in hands.items() if name not in HELD_HANDS}


def turns(hands: dict[str, list[WrittenBot]]) -> Iterator[str]:
    return (turn.text for bots in hands.values() for bot in bots for turn in bot.turns)


def forms(hands: dict[str, list[WrittenBot]]) -> Iterator[str]:
    """What the reader also learns from: plain forms of turns, and wrong readings."""
    return (text for bots in hands.values() for bot in bots for turn in bot.turns for text in (turn.direct, turn.wrong))


def test_the_shorthand_says_all(tmp_path: Path) -> None:
    (tmp_path / "K.txt").write_text(KIOSK, encoding="utf-8")
    (bot,) = read_hand(tmp_path / "K.txt")
    first, second, third, fourth = bot.turns
    assert (first.meaning, first.instead, first.kind) == ("no-but", "ask_hours", "indirect")
    assert [turn.speaker for turn in second.history] == ["user", "bot"]
    assert second.changes
    assert second.mentions == {
        "snack": SlotMention("meant", ("an apple",)),
        "size": SlotMention("ambiguous", ("small", "large")),
        "name": SlotMention("meant", words="Ada"),
    }
    assert third.mentions == {"snack": SlotMention("not_this", ("crisps",)), "size": SlotMention("any")}
    assert (fourth.meaning, fourth.option) == ("option", 2)


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("no-but:ask_hours", "no-but:ask_price", "line 9: got 'ask_price'; allowed: ask_hours, buy_snack"),
        ("no-but:ask_hours", "perhaps", "line 9: got 'perhaps'; allowed: an intent of the bot"),
        ("snack=!crisps", "snack=!cake", "line 13: got 'cake'; allowed: crisps, an apple"),
        ("snack=!crisps", "drink=tea", "line 13: got 'drink=tea'; allowed: snack, size, name"),
        ("i buy_snack |", "x buy_snack |", "line 3: got 'x'"),
    ],
)
def test_a_slip_is_told_with_its_line(tmp_path: Path, was: str, becomes: str, message: str) -> None:
    (tmp_path / "K.txt").write_text(KIOSK.replace(was, becomes), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=message):
        read_hand(tmp_path / "K.txt")


def test_a_hand_that_is_not_there() -> None:
    with pytest.raises(DataNotFound, match="no hand Z9; there are A, B"):
        read_hands(names=["Z9"])


def test_every_hand_is_in_order(hands: dict[str, list[WrittenBot]]) -> None:
    assert len(hands) >= 16
    for name, bots in hands.items():
        texts = [turn.text.lower() for bot in bots for turn in bot.turns if len(turn.text.split()) > 6]
        once = 0.8 if name.startswith(("T", "W", "X")) else 0.95  # hands of replies have turns twice, under two questions
        assert len(set(texts)) > once * len(texts), name
        for bot in bots:
            assert len(bot.schema.intents) >= 4
            assert bot.turns
            kinds = {turn.kind for turn in bot.turns}
            assert {"indirect", "direct"} <= kinds
            assert any(turn.meaning in REPLIES for turn in bot.turns)


def test_no_five_words_in_a_row_are_those_of_our_requests(hands: dict[str, list[WrittenBot]]) -> None:
    ours = runs_of_all(json.loads(line)["utterance"] for line in OURS.read_text(encoding="utf-8").splitlines())
    assert [text for text in turns(hands) if runs_of(text) & ours] == []


@pytest.fixture(scope="module")
def evaluated() -> list[str]:
    """Texts of users in the test files of every benchmark that the reader of meaning is measured on."""
    folder = Path(os.environ["GRICE_DATA_DIR"])
    texts: list[str] = []
    for path in folder.glob("implicature/*/*.in"):
        if "train" not in path.name:
            texts += path.read_text(encoding="utf-8").splitlines()
    texts += [text for part in implicature.read_out_of_scope(folder).values() for text in part]
    for path in folder.glob("circa/*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            texts += [row["answer-Y"] for row in csv.DictReader(file, delimiter="\t")]
    with (folder / "direct" / "test.csv").open(newline="", encoding="utf-8") as file:
        texts += [row["indirect_utterance"] for row in csv.DictReader(file)]
    for dialogue in sgd.read(folder / "sgd", "test"):
        texts += [turn.turn.text for turn in dialogue.turns if turn.turn.speaker == "user"]
    for domain in json.loads(MULTIDOGO.read_text(encoding="utf-8")):
        texts += [turn.dialogue.last.text for turn in multidogo.read(folder / multidogo.FOLDER, domain, SPLIT)]
    return texts


@needs_released_data
def test_no_five_words_of_a_turn_in_a_row_are_those_of_a_test_file(
    learned: dict[str, list[WrittenBot]], evaluated: list[str]
) -> None:
    runs = runs_of_all(evaluated)
    assert [text for text in turns(learned) if runs_of(text) & runs] == []


@needs_released_data
def test_no_eight_words_of_a_plain_form_or_a_wrong_reading_are_those_of_a_test_file(
    learned: dict[str, list[WrittenBot]], evaluated: list[str]
) -> None:
    runs = runs_of_all(evaluated, 8)
    assert [text for text in forms(learned) if runs_of(text, 8) & runs] == []


def test_no_eight_words_of_a_turn_in_a_row_are_those_of_a_hand_that_is_held_out(
    hands: dict[str, list[WrittenBot]], learned: dict[str, list[WrittenBot]]
) -> None:
    held = runs_of_all(turns({name: hands[name] for name in HELD_HANDS}), 8)
    assert [text for text in turns(learned) if runs_of(text, 8) & held] == []
