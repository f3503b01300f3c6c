"""Each label quotes what it is about: the bot's turn, the user's, or what was given. On the shipped weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations import QuotedSpan, RelationQuestion, RelationReader, ResponseRelations, load_relation_reader
from grice.models.relations.inputs import row_text
from grice.models.relations.labels import LABELS, RelationLabel
from grice.models.relations.quotes import quote_sentences
from grice.models.results import BEHAVIORS

TALK = (
    Turn("user", "I have two sons. Can you find me a hotel in Leeds?"),
    Turn("bot", "I have never been to Leeds. The Swan has a pool and costs 90 euros."),
    Turn("user", "We travel by train. Does it take dogs, and is there parking?"),
)
RESPONSE = "I lived in Leeds for years. Will your daughter come too? The Swan costs 120 euros."
FACTS = ({"hotel": "The Swan", "rate": "90 euros a night"},)


@pytest.fixture(scope="module")
def reader() -> RelationReader:
    return load_relation_reader()


def showing(reader: RelationReader, question: RelationQuestion, *labels: RelationLabel) -> ResponseRelations:
    """What is concluded where the network is sure of these labels, and wherever it points."""
    said = np.array([9.0 if each in labels else -9.0 for each in LABELS], np.float32)
    return reader.conclude(question, replace(reader.score(question), bad=9.0, labels=said))


def quotes(found: ResponseRelations) -> dict[RelationLabel, QuotedSpan | None]:
    return {finding.label: finding.about for finding in found.findings}


def text_of(question: RelationQuestion, span: QuotedSpan) -> str:
    """What the span is a part of."""
    if span.kind == "fact":
        return row_text(question.facts[span.place])
    if span.kind in ("document", "policy"):
        return (question.documents if span.kind == "document" else question.policy)[span.place]
    assert question.dialogue.turns[span.place].speaker == ("user" if span.kind == "user" else "bot")
    return question.dialogue.turns[span.place].text


def test_labels_of_one_response_quote_what_each_is_about(reader: RelationReader) -> None:
    question = RelationQuestion(Dialogue((*TALK, Turn("bot", RESPONSE))), setting="task", facts=FACTS)
    found = quotes(showing(reader, question, *LABELS))
    assert set(found) == set(LABELS)
    kinds = {label: span and span.kind for label, span in found.items()}
    assert kinds["!Sel"] == "bot"
    assert kinds["!Fac"] == kinds["unsupported"] == "fact"
    of_user: tuple[RelationLabel, ...] = ("!Par", "asked_again", "Ign", "unanswered", "!Emp", "!Com", "!Rel", "promise", "Emp")
    assert {kinds[label] for label in of_user} == {"user"}
    assert kinds["Red"] in ("user", "bot")
    for span in found.values():
        assert span is not None
        assert text_of(question, span)[span.start : span.end] == span.text
        assert span.text


def test_what_is_ignored_is_what_the_user_said_last(reader: RelationReader) -> None:
    question = RelationQuestion(Dialogue((*TALK, Turn("bot", RESPONSE))), setting="task")
    found = quotes(showing(reader, question, "Ign", "unanswered"))
    assert {span and span.place for span in found.values()} == {2}


def test_a_contradiction_quotes_the_turn_that_it_contradicts(reader: RelationReader) -> None:
    talk = (
        Turn("user", "Do you have pets?"),
        Turn("bot", "I have no pets, I am allergic to fur."),
        Turn("user", "And what do you do at the weekend?"),
        Turn("bot", "Mostly I play chess with a neighbour."),
        Turn("user", "Nice. I like hiking."),
    )
    question = RelationQuestion(Dialogue((*talk, Turn("bot", "My dog would love that, he sleeps on my bed every night."))))
    span = quotes(showing(reader, question, "!Sel"))["!Sel"]
    assert span is not None
    assert span.place == 1


def test_where_there_is_nothing_of_the_kind_nothing_is_quoted(reader: RelationReader) -> None:
    first = RelationQuestion(Dialogue((Turn("user", "Hello."), Turn("bot", "I am a cat and no cat."))), setting="chat")
    assert quotes(showing(reader, first, "!Sel")) == {"!Sel": None}
    alone = RelationQuestion(Dialogue((Turn("bot", "Purple is a number."),)), setting="chat")
    found = showing(reader, alone, "!Com", "!Rel")
    assert quotes(found) == {"!Com": None, "!Rel": None}
    assert found.about is None
    assert found.quotes["Ign"].about is None


def test_behaviours_that_another_model_shows_are_quoted_too(reader: RelationReader) -> None:
    question = RelationQuestion(Dialogue((*TALK, Turn("bot", RESPONSE))), setting="task")
    found = showing(reader, question)
    assert set(found.quotes) == set(BEHAVIORS) - {"!Fac"}
    assert {span.about.kind for span in found.quotes.values() if span.about} == {"user", "bot"}


def test_the_sentences_of_two_turns_that_have_most_in_common() -> None:
    said, response = Turn("bot", "Hello there. The Swan has a pool. Anything else?"), "Sure! It has no pool, the Swan."
    pair = quote_sentences(said, 3, response, 5)
    assert pair.about == QuotedSpan("bot", 3, 1, 13, 33, "The Swan has a pool.")
    assert pair.words == QuotedSpan("response", 5, 1, 6, 31, "It has no pool, the Swan.")
    none = quote_sentences(said, 3, "Bread. Milk.", 5)
    assert none.about == QuotedSpan("bot", 3, 0, 0, 48, said.text)
    assert none.words == QuotedSpan("response", 5, 0, 0, 12, "Bread. Milk.")


def test_a_guess_at_facts_quotes_what_the_user_said(reader: RelationReader) -> None:
    question = RelationQuestion(Dialogue((*TALK, Turn("bot", RESPONSE))), setting="task")
    span = quotes(showing(reader.with_guesses(), question, "!Fac"))["!Fac"]
    assert span is not None
    assert span.kind == "user"


def test_the_clash_of_the_response_is_that_of_its_likeliest_fault(reader: RelationReader) -> None:
    question = RelationQuestion(Dialogue((*TALK, Turn("bot", RESPONSE))), setting="task", facts=FACTS)
    for labels in (("!Sel",), ("!Par",), ("!Fac", "Emp")):
        found = showing(reader, question, *labels)
        fault = next(each for each in found.findings if each.label != "Emp")
        assert found.about == fault.about
