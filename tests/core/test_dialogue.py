from collections.abc import Callable

import pytest

from grice.models import (
    RecommendationDialogue,
    SlotQuestion,
    load_behavior_monitor,
    load_directness_scorer,
    load_intention_detector,
    load_mind_model,
    load_rewriter,
    load_slot_resolver,
)
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Turn, plain_text
from grice.models.errors import InputError
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec
from grice.models.sentence_encoder import load_sentence_encoder


@pytest.mark.parametrize(
    ("speaker", "text", "message"),
    [
        ("user", "", "text: got ''; allowed: a text with at least one printable character"),
        ("user", " \t\n\x00", "at least one printable character"),
        ("user", "a" * (MAX_TEXT_CHARACTERS + 1), f"at most {MAX_TEXT_CHARACTERS} characters"),
        ("user", "broken \ud800 text", "valid Unicode"),
        ("user", 7, "text: got 7; allowed: a string"),
        ("robot", "hello", "speaker: got 'robot'; allowed: user or bot"),
    ],
)
def test_unusable_turn_says_what_got_and_allowed(speaker: str, text: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Turn(speaker, text)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_message_about_ten_megabytes_stays_short() -> None:
    with pytest.raises(InputError) as caught:
        Turn("user", "a" * 10_000_000)
    assert len(str(caught.value)) < 300


def test_dialogue_needs_a_turn() -> None:
    with pytest.raises(InputError, match="at least 1"):
        Dialogue(())


def test_dialogue_of_text_and_history() -> None:
    dialogue = Dialogue.of("a cheap one", [("user", "a hotel"), Turn("bot", "what price?")])
    assert dialogue.last == Turn("user", "a cheap one")
    assert [turn.text for turn in dialogue.history] == ["a hotel", "what price?"]


def test_plain_text_drops_control_characters_and_runs_of_space() -> None:
    assert plain_text("a\x00b\u200b \n\t c") == "a b c"


@pytest.mark.parametrize("turns", ["hi", b"hi", 7, None, [("user", "hi")], (Turn("user", "hi"), "hello"), {"user": "hi"}])
def test_what_are_no_turns(turns: object) -> None:
    with pytest.raises(InputError, match=r"turns.*: got .*; allowed: a (list of )?Turn object"):
        Dialogue(turns)  # type: ignore[arg-type]


def test_a_list_of_turns_is_as_good_as_a_tuple() -> None:
    assert Dialogue([Turn("user", "hi")]) == Dialogue((Turn("user", "hi"),))  # type: ignore[arg-type]
    assert hash(Dialogue([Turn("user", "hi")])) == hash(Dialogue((Turn("user", "hi"),)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ("hello", "history: got 'hello'; allowed: a list of turns, or of pairs of speaker and text"),
        (5, "history: got 5"),
        (["hi"], "turn of the history: got 'hi'; allowed: a Turn, or a pair of speaker and text"),
        ([("user",)], "turn of the history: got"),
        ([("user", "a", "b")], "turn of the history: got"),
        ([("robot", "a")], "speaker: got 'robot'"),
        ([("user", 5)], "text: got 5; allowed: a string"),
    ],
)
def test_histories_of_a_wrong_shape(history: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Dialogue.of("hi", history)  # type: ignore[arg-type]


@pytest.mark.parametrize("load", [load_directness_scorer, load_rewriter, load_behavior_monitor, load_intention_detector])
@pytest.mark.parametrize("asked", [["text"], "text", [None], Dialogue.of("hi"), None])
def test_a_model_says_that_it_reads_dialogues(load: Callable[[], object], asked: object) -> None:
    with pytest.raises(InputError, match=r"dialogues.*: got .*; allowed: a (list of )?Dialogue object"):
        load().predict(asked)  # type: ignore[attr-defined]


def test_other_models_say_what_they_read() -> None:
    with pytest.raises(InputError, match=r"dialogues, at 0: got .*; allowed: a RecommendationDialogue object"):
        load_mind_model().predict([Dialogue.of("hi")])  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"questions, at 0: got .*; allowed: a SlotQuestion object"):
        load_slot_resolver().predict([Dialogue.of("hi")])  # type: ignore[list-item]
    with pytest.raises(InputError, match="texts: got 'hi'; allowed: a list of str objects"):
        load_sentence_encoder().encode("hi")
    with pytest.raises(InputError, match="targets: got '1 targets'; allowed: 2, one a dialogue"):
        load_rewriter().score([Dialogue.of("hi")] * 2, ["hello"])


ASKED = Dialogue.of("hi")
MENU = BotSchema((IntentSpec("greet", "say hello"),))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((ASKED, "price", "what it costs", "cheap"), "values of slot price: got 'cheap'; allowed: a list of str objects"),
        ((ASKED, "price", "what it costs", ("cheap", 5)), "values of slot price, at 1: got 5; allowed: a str object"),
        (("hi", "price", "what it costs", ("a", "b")), "dialogue: got 'hi'; allowed: a Dialogue object"),
        ((ASKED, 5, "what it costs", ("a", "b")), "slot: got 5; allowed: a string"),
        ((ASKED, "price", None, ("a", "b")), "description: got None; allowed: a string"),
    ],
)
def test_questions_of_a_wrong_shape(parts: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SlotQuestion(*parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("hi",), "dialogue: got 'hi'; allowed: a Dialogue object"),
        ((ASKED, "Up"), "items: got 'Up'; allowed: a list of str objects"),
        ((ASKED, (5,)), "items, at 0: got 5; allowed: a str object"),
    ],
)
def test_recommendation_dialogues_of_a_wrong_shape(parts: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RecommendationDialogue(*parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("hi", MENU), "dialogue: got 'hi'; allowed: a Dialogue object"),
        ((ASKED, "menu.yml"), "schema: got 'menu.yml'; allowed: a BotSchema object"),
    ],
)
def test_questions_of_meaning_of_a_wrong_shape(parts: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MeaningQuestion(*parts)  # type: ignore[arg-type]
