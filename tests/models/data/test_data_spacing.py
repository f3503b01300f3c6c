import pytest

from grice.models.data.spacing import untokenized


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("The oven does n't work .", "The oven doesn't work."),
        ("I 'd say it 's Rosa 's , is n't it ?", "I'd say it's Rosa's, isn't it?"),
        ("I ’ll come , you ’re late", "I’ll come, you’re late"),
        ("That doesn ' t fit , I ' m afraid .", "That doesn't fit, I'm afraid."),
        ("do nt tell me what s next", "dont tell me whats next"),
        ("I got ta go , wan na come ?", "I gotta go, wanna come?"),
        ("the bakers ' guild", "the bakers' guild"),
        ("at 12 : 15 or 8 : 30 PM", "at 12:15 or 8:30 PM"),
        ("on 10 / 28 , rooms 15 - 17", "on 10/28, rooms 15-17"),
        ("the day / time", "the day/time"),
        ("a three - star place with free wi - fi . Good - bye !", "a three-star place with free wi-fi. Good-bye!"),
        ("the code is : AB12 .", "the code is: AB12."),
        ("one ( or two ) rolls", "one (or two) rolls"),
        ('the " Golden Loaf " , please', 'the "Golden Loaf", please'),
        ("it costs $ 7.50 , 5 % off", "it costs $7.50, 5% off"),
        ("well .. let me see ... fine", "well.. let me see... fine"),
        ("  tabs\tand \n lines .  Done . ", "tabs and lines. Done."),
        ("", ""),
    ],
)
def test_tokens_become_written_english(tokens: str, text: str) -> None:
    assert untokenized(tokens) == text


@pytest.mark.parametrize(
    "text",
    [
        "Hi - is it open today?",
        "It is -5 degrees, 3.5 miles away.",
        "Great :) see you at 9:15, bye :(",
        "She said 'sex appeal' and 'em.",
        "Don't! It's Rosa's (the \"old\" one): 50% off, $3.",
        "I need a .5 litre jar",
    ],
)
def test_natural_text_stays(text: str) -> None:
    assert untokenized(text) == text


def test_a_second_pass_changes_nothing() -> None:
    once = untokenized("Hello , I do n't know ( yet ) if it 's 12 : 30 .")
    assert untokenized(once) == once
