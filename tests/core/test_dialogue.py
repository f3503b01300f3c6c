import pytest

from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Turn, plain_text
from grice.models.errors import InputError


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
