"""Turns that say nothing but hello, thanks or goodbye."""

from __future__ import annotations

import pytest

from grice.middleware import Pipeline
from grice.middleware.turns.courtesy import is_courtesy
from grice.models import Dialogue


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Hi there!",
        "Good morning.",
        "Thanks, bye!",
        "ok thank you so much",
        "Thank you for all your help. Have a lovely day!",
        "Goodbye",
    ],
)
def test_nothing_else(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "Hello, my train was late.",
        "Thanks, that is all I need.",
        "I would be thankful for a table",
        "good",
        "Thank you, but that is too far.",
        "hi 5",
        "Have a look at the hotel",
    ],
)
def test_something_else(text: str) -> None:
    assert not is_courtesy(text)


def test_a_greeting_is_not_made_a_request() -> None:
    analysis = Pipeline.load().predict([Dialogue.of("hello", [])])[0]
    assert (analysis.decision, analysis.reason, analysis.text, analysis.rewrite) == ("pass", "courtesy", "hello", None)
    assert analysis.directness is not None
