"""Which turn or row a fault is about: where the network points, and which words stand on both sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations import RelationQuestion, RelationReader, load_relation_reader
from grice.models.relations.inputs import KnownSpan
from grice.models.relations.labels import LABELS
from grice.models.relations.pointing import POINTED_BY, describe_spans
from grice.models.training.relations.calibration import UNCALIBRATED, ReadSample, fit_pointing
from grice.models.training.relations.samples import Clash, RelationSample, TaughtResponse

SPANS = (
    KnownSpan("document", 0, "The museum opens at ten."),
    KnownSpan("bot", 0, "How many tickets do you need?"),
    KnownSpan("user", 1, "Three, please."),
    KnownSpan("bot", 2, "For which day shall they be?"),
    KnownSpan("user", 3, "For Sunday, when the museum opens."),
)


@pytest.fixture(scope="module")
def reader() -> RelationReader:
    return load_relation_reader()


def test_the_numbers_of_spans() -> None:
    numbers = describe_spans(SPANS, "The museum it is. And the tickets?", np.array([0.5, 0.1, 0.1, 0.3, 0.0], np.float32))
    assert numbers.shape == (len(SPANS), len(POINTED_BY))
    share, words, asked = numbers.T
    assert share == pytest.approx(np.log([0.5, 0.1, 0.1, 0.3, 1e-6]))
    assert words == pytest.approx([0.5, 0.5, 0, 0, 0.5])  # of "museum" and "tickets"
    assert asked == pytest.approx([0, 0, 1, 0, 0])


def test_a_response_without_words_or_questions() -> None:
    numbers = describe_spans(SPANS, "...", np.full(len(SPANS), 0.2, np.float32))
    assert not numbers[:, 1:].any()


def test_what_is_asked_again_was_answered_after_the_same_question(reader: RelationReader) -> None:
    talk = (
        Turn("bot", "How many tickets do you need?"),
        Turn("user", "Three, please."),
        Turn("bot", "For which day shall they be?"),
        Turn("user", "For Sunday."),
    )
    for response, answered in (("And how many tickets are needed?", 1), ("Fine. And which day?", 3)):
        question = RelationQuestion(Dialogue((*talk, Turn("bot", response))), setting="task")
        scores = reader.score(question)
        said = np.array([9.0 if each == "asked_again" else -9.0 for each in LABELS], np.float32)
        undecided = np.full_like(scores.of_context, 1 / len(scores.of_context))
        found = reader.conclude(question, replace(scores, bad=9.0, labels=said, of_context=undecided))
        assert found.about is not None
        assert found.about.place == answered


def read_sample(reader: RelationReader, response: str, clash: int) -> ReadSample:
    taught = TaughtResponse(response, frozenset({"asked_again"}), True, Clash(clash, "", ""))
    scores = reader.score_beside(SPANS, response)
    undecided = np.full_like(scores.of_context, 1 / len(scores.of_context))
    return ReadSample(RelationSample("", "task", SPANS, (taught,)), taught, replace(scores, of_context=undecided))


def test_weights_follow_from_what_faults_are_about(reader: RelationReader) -> None:
    read = [read_sample(reader, "And how many tickets?", 2), read_sample(reader, "Which day shall it be?", 4)] * 4
    weights = fit_pointing(read)
    assert tuple(weights) == POINTED_BY
    assert weights["asked"] > 1
    assert weights["asked"] > abs(weights["words"])


def test_without_anything_to_choose_the_network_decides(reader: RelationReader) -> None:
    alone = read_sample(reader, "And how many tickets?", 0)  # no document is asked again
    assert fit_pointing([alone]) == UNCALIBRATED["pointing"]
    assert fit_pointing([]) == UNCALIBRATED["pointing"]
