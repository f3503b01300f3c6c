"""Which turns no model is asked about."""

from typing import Any

import pytest

from grice.middleware import Pipeline
from grice.middleware.turns.scope import MOST_CHARACTERS, is_out_of_scope
from grice.models import BotSchema, Dialogue, MeaningQuestion

ENGLISH = (
    "I am on a tight budget",
    "vegan, please",
    "postcode?",
    "9:30",
    "Yes!!!",
    "🙂",
    "Gdańsk Główny, Peterborough",
    "crème brûlée",
    "Curry Garden <3",
    "can u book it 4 me",
    "hes drooling on my shoe rn",
    "the heating went off; nobody came; nobody will, I guess",
    "A table at Zur Alten Post, near the Bahnhof, if you would",
)
OTHERS = (
    "Ich möchte gerne einen Tisch für zwei Personen",
    "Das ist mir zu teuer, hast du etwas günstigeres",
    "C'est trop cher pour moi",
    "No tengo mucho dinero, algo más barato",
    "Vorrei un tavolo per due persone stasera",
    "Chciałbym zarezerwować stolik dla dwóch osób",
    "我没有那么多钱",
    "У меня мало денег",
    "お金がありません",
    "/restart",
    ' /inform{"price": "cheap"}',
    "SELECT name FROM hotels",
    "for (i = 0; i < 3; i++) { book(i); }",
    "<b>cheap</b>",
    "```\nx\n```",
    "https://example.org/a?b=c",
    "word " * (MOST_CHARACTERS // 5 + 1),
)


@pytest.mark.parametrize("text", ENGLISH)
def test_english_turns_are_read(text: str) -> None:
    assert not is_out_of_scope(text)


@pytest.mark.parametrize("text", OTHERS)
def test_others_are_not(text: str) -> None:
    assert is_out_of_scope(text)


class Silent:
    """A model that must not be asked."""

    def predict(self, asked: Any, /) -> list[Any]:
        raise AssertionError(asked)


@pytest.mark.parametrize("text", OTHERS)
def test_the_pipeline_lets_them_pass_and_asks_no_model(text: str) -> None:
    pipeline = Pipeline(Silent(), Silent(), reader=Silent())
    menu = BotSchema.of({"intents": [{"name": "book"}]})
    for found in pipeline.predict([Dialogue.of(text), MeaningQuestion(Dialogue.of(text), menu)]):
        assert (found.decision, found.reason, found.text, found.failures) == ("pass", "out_of_scope", text, ())
