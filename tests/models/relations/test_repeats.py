"""Words said before are found, and so are the reasons for saying them again."""

from __future__ import annotations

from grice.models.dialogue import Turn
from grice.models.relations.repeats import find_repeat

OFFER = "The blue kayak is free from nine on Saturday."


def said(*texts: str) -> list[Turn]:
    """Turns by bot and user in turn; the user's is the last."""
    speakers = ("bot", "user") if len(texts) % 2 == 0 else ("user", "bot")
    return [Turn("user" if speakers[place % 2] == "user" else "bot", text) for place, text in enumerate(texts)]


def test_the_same_words_are_found_where_they_were_said() -> None:
    turns = said(f"Hello. {OFFER}", "And what does it cost?")
    found = find_repeat(turns, OFFER)
    assert found is not None
    assert found.exact
    assert found.reason == ""
    assert (found.about.kind, found.about.place, found.about.sentence) == ("bot", 0, 1)
    assert turns[0].text[found.about.start : found.about.end] == OFFER


def test_the_users_own_words_are_found_too() -> None:
    found = find_repeat(said("My bicycle lost a pedal on the hill."), "My bicycle lost a pedal on the hill.")
    assert found is not None
    assert found.about.kind == "user"


def test_nearly_the_same_words_are_near() -> None:
    found = find_repeat(said(OFFER, "What is the price?"), "The blue kayak is free from nine on Saturday then.")
    assert found is not None
    assert not found.exact


def test_other_words_and_short_ones_are_no_repeat() -> None:
    assert find_repeat(said(OFFER, "What is the price?"), "It is twelve euros an hour.") is None
    assert find_repeat(said("Good morning to you.", "Good morning."), "Good morning to you.") is None


def test_reasons() -> None:
    def reason(last: str, response: str) -> str:
        found = find_repeat(said(OFFER, last), response)
        assert found is not None
        return found.reason

    assert reason("Sorry, can you say that again?", OFFER) == "asked for"
    assert reason("Fine.", "The blue kayak is free from nine on Saturday, confirmed.") == "confirms"
    assert reason("Well.", f"{OFFER} It costs twelve euros an hour, and the paddle and the vest are in that price.") == "says more"
    question = "Which day would suit you for the kayak?"
    again = find_repeat(said(question, "My dog likes water."), question)
    assert again is not None
    assert again.reason == "unanswered"


def test_a_question_that_the_user_has_just_answered_is_asked_again_for_no_reason() -> None:
    question = "Which day would suit you for the kayak?"
    answer = "Saturday would be fine."
    again = find_repeat(said(question, answer), question)
    assert again is not None
    assert (again.exact, again.reason) == (True, "")
    assert again.answer is not None
    assert (again.answer.place, again.answer.text) == (1, answer)


def test_a_question_may_be_asked_again_where_the_answer_is_open_or_an_offer() -> None:
    for question, answer in (
        ("Which day would suit you for the kayak?", "Two of us want to go."),  # a number is no day
        ("Shall I book the blue kayak for you?", "What does it cost on Saturday?"),
        ("How many people want to paddle the kayak?", "On Saturday."),
    ):
        again = find_repeat(said(question, answer), question)
        assert again is not None
        assert again.reason == "unanswered", question


def test_a_question_of_long_ago_may_be_about_something_else_now() -> None:
    question = "Which day would suit you for the kayak?"
    turns = said(question, "Saturday.", "Booked. Anything else?", "Another one for my brother.")
    again = find_repeat(turns, question)
    assert again is not None
    assert again.reason == "unanswered"
