"""Appropriateness, unambiguity and world understanding: ours, and a language model's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from iur_fixtures import GARDEN, PRICE, ScriptedResolver, by_words
from numpy.typing import NDArray
from openai_server import OpenAiServer, chat, openai_server, refusing

from grice.middleware.authoring.indirect_requests import (
    Candidate,
    Criteria,
    LlmCriteria,
    LocalCriteria,
    StrategyLabeller,
    unambiguous_value,
)
from grice.middleware.authoring.indirect_requests.llm_criteria import listed, rating
from grice.middleware.llm import ChatModel, ChatSettings
from grice.models.data.indirect_requests import AMBIGUOUS, IndirectRequest, Strategy
from grice.models.errors import GriceError, NoDecision
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return load_sentence_encoder()


def asked(text: str, target: str = "inexpensive") -> Candidate:
    return Candidate(GARDEN if target in GARDEN.values else PRICE, target, text, "template")


READING = by_words(inexpensive="cheap|purse", moderate="middle|purse", luxury="caviar")


def test_implied_values_are_the_resolvers(encoder: SentenceEncoder) -> None:
    resolver = ScriptedResolver(READING)
    texts = ["Somewhere cheap", "Mind my purse", "Hello there"]
    found = LocalCriteria(resolver, encoder).implied([asked(text) for text in texts])
    assert found == [("inexpensive",), ("inexpensive", "moderate"), ()]
    assert [unambiguous_value(implied) for implied in found] == ["inexpensive", AMBIGUOUS, AMBIGUOUS]
    question = resolver.questions[0]
    assert (question.slot, question.description, question.values) == ("price", PRICE.description, PRICE.values)


def test_what_is_out_of_place_is_less_appropriate(encoder: SentenceEncoder) -> None:
    criteria = LocalCriteria(ScriptedResolver(READING), encoder)
    fits, strays = criteria.appropriateness([asked("We want to eat somewhere fancy"), asked("The printer has no toner left")])
    assert 1 <= strays < 3 < fits <= 10


def test_an_easy_link_is_easier_to_understand(encoder: SentenceEncoder) -> None:
    criteria = LocalCriteria(ScriptedResolver(READING), encoder)
    easy, hard = criteria.world_understanding([asked("It should be cheap"), asked("My solvency ratio deteriorated")])
    assert 1 <= hard < easy <= 10
    (unclear,) = criteria.world_understanding([asked("Mind my purse", AMBIGUOUS)])
    assert 1 <= unclear <= 10


def test_rows_of_the_data_set_are_judged_as_they_are(encoder: SentenceEncoder) -> None:
    row = IndirectRequest("r-1", "Caviar for all", "User wants to eat", "S", None, "Price", PRICE.values, (), "luxury", 5.0)
    criteria: Criteria = LocalCriteria(ScriptedResolver(READING), encoder)
    assert criteria.implied([row]) == [("luxury",)]
    assert criteria.appropriateness([]) == []


class FlatEncoder:
    """Every text is as near to every other as can be."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), np.float32)


def test_the_scale_is_kept_where_everything_is_near() -> None:
    criteria = LocalCriteria(ScriptedResolver(READING), FlatEncoder())
    assert criteria.appropriateness([asked("x")]) == [10.0]


@pytest.mark.parametrize(
    ("text", "target", "strategy"),
    [
        ("It has rained since Tuesday on our roof. We want to eat somewhere nice.", "luxury", "small talk"),
        ("Somewhere cheap would be nice", "inexpensive", "synonym swap"),
        ("My rent is due, so I have to count coins", "inexpensive", "justification"),
        ("Lobster for everyone", "luxury", "simple elaboration"),
        ("I would love to sit under the trees", "True", "simple elaboration"),
    ],
)
def test_strategies_by_rule(encoder: SentenceEncoder, text: str, target: str, strategy: Strategy) -> None:
    assert StrategyLabeller(encoder).label(asked(text, target)) == strategy


def llm(server: OpenAiServer) -> ChatModel:
    return ChatModel(ChatSettings(server.url, "m", attempts=1, workers=1))


def test_a_model_judges_all_three_criteria() -> None:
    request = asked("My purse\nis empty")
    with openai_server([chat("7"), chat("Moderate, inexpensive"), chat("3 out of ten")]) as server:
        criteria = LlmCriteria(llm(server))
        assert criteria.name == "m"
        assert criteria.appropriateness([request]) == [7.0]
        assert criteria.implied([request]) == [("inexpensive", "moderate")]
        assert criteria.world_understanding([request]) == [3.0]
    fits, implies, links = server.prompts
    case = (
        "Situation: User wants to find a place to eat\nSlot: How expensive the place is\n"
        "Possible Values: inexpensive, moderate, luxury\nUtterance: My purse is empty\n"
    )
    assert fits.endswith(f"{case}Rating:")
    assert implies.endswith(f"{case}Slot Values Implied:")
    assert links.endswith(f"{case}Target Value: inexpensive\nRating:")
    assert "six-year-old" in links
    assert implies.count("Slot Values Implied: ") == implies.count("Utterance: ") - 1 >= 2
    assert all(request["temperature"] == 0 for request in server.requests)


def test_what_a_model_does_not_say_is_an_error_in_its_place() -> None:
    with openai_server([chat("moderate"), chat("perhaps"), refusing("400 Bad Request")]) as server:
        good, odd, failed = LlmCriteria(llm(server)).implied([asked("a"), asked("b"), asked("c")])
    assert good == ("moderate",)
    assert isinstance(odd, NoDecision)
    assert "'perhaps' instead of values among inexpensive, moderate, luxury" in str(odd)
    assert isinstance(failed, GriceError)


@pytest.mark.parametrize(
    ("text", "values", "found"),
    [
        ("none", ("a b", "c"), ()),
        ("None", ("None", "Danish"), ("None",)),
        ("C, a  B.", ("a b", "c"), ("a b", "c")),
        ("\n\nc\nbecause it is", ("a b", "c"), ("c",)),
        ("one, two", ("one, two", "three"), ("one, two",)),
    ],
)
def test_lists_of_values(text: str, values: tuple[str, ...], found: tuple[str, ...]) -> None:
    assert listed(text, values) == found


@pytest.mark.parametrize("text", ["", "c, d", "all of them", "none, c"])
def test_lists_of_something_else(text: str) -> None:
    with pytest.raises(NoDecision, match="instead of values among a b, c, or none"):
        listed(text, ("a b", "c"))


@pytest.mark.parametrize(("text", "value"), [("8", 8.0), ("Rating: 7.5", 7.5), ("10/10", 10.0), ("\n6 \nfor it is so", 6.0)])
def test_ratings(text: str, value: float) -> None:
    assert rating(text) == value


@pytest.mark.parametrize("text", ["", "eleven", "11", "0", "7 or 8", "1-10", "-3"])
def test_what_is_no_rating(text: str) -> None:
    with pytest.raises(NoDecision, match="instead of one number from 1 to 10"):
        rating(text)
