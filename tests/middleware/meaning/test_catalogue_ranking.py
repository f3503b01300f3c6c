"""Retrieval by a turn's vector with what the reader of meaning says of the turn added."""

from __future__ import annotations

import math

import pytest

from grice.middleware.meaning.ranking import FLOOR, CatalogueReading, add_prior, add_reading
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

SIMILARITIES = {"tides": 0.5, "find_berth": 0.4, "find_boat": 0.3, "other": 0.45}


def reading(indirect: float = 1.0) -> CatalogueReading:
    return CatalogueReading({"tides": 0.1, "find_boat": 0.3}, {"tides": FLOOR, "find_boat": 1 - FLOOR}, indirect)


def meaning(**shares: float) -> TurnMeaning:
    possible = tuple(PossibleMeaning("intent", name, share) for name, share in shares.items())
    return TurnMeaning("unknown", "", 0.1, 0.1, possible, (), 0.0, 0.9, None, ())


def test_the_readers_own_cosine_is_added_and_the_least_of_them_where_it_read_none() -> None:
    found = add_reading(SIMILARITIES, reading(), likeness=2.0, weight=0.0)
    assert found == pytest.approx({"find_boat": 0.9, "tides": 0.7, "other": 0.65, "find_berth": 0.6})
    assert list(found) == ["find_boat", "tides", "other", "find_berth"]


def test_a_share_counts_as_far_as_the_turn_is_indirect() -> None:
    gain = 0.1 * math.log((1 - FLOOR) / FLOOR)
    for indirect in (0.0, 0.5, 1.0):
        found = add_reading(SIMILARITIES, reading(indirect), likeness=0.0, weight=0.1)
        assert found == pytest.approx({**SIMILARITIES, "find_boat": 0.3 + indirect * gain})
    assert list(add_reading(SIMILARITIES, reading(0.0), likeness=0.0)) == ["tides", "other", "find_berth", "find_boat"]
    assert next(iter(add_reading(SIMILARITIES, reading(1.0), likeness=0.0))) == "find_boat"


def test_a_negative_weight_is_refused() -> None:
    for name in ("likeness", "weight"):
        with pytest.raises(InputError, match=rf"{name}: got -1\.0; allowed: 0 or more"):
            add_reading(SIMILARITIES, reading(), **{name: -1.0})
    with pytest.raises(InputError, match=r"weight: got -1\.0; allowed: 0 or more"):
        add_prior(SIMILARITIES, meaning(), weight=-1.0)


def test_the_prior_raises_what_the_turn_may_mean() -> None:
    likely = meaning(find_boat=0.6, find_berth=0.15, tides=0.05)
    assert list(add_prior(SIMILARITIES, likely, weight=0.0)) == ["tides", "other", "find_berth", "find_boat"]
    raised = add_prior(SIMILARITIES, likely, weight=0.1)
    assert list(raised) == ["find_boat", "find_berth", "tides", "other"]
    assert raised["other"] == 0.45
    assert add_prior(SIMILARITIES, meaning(tides=FLOOR / 2)) == SIMILARITIES


def test_what_the_shipped_reader_says_of_a_catalogue() -> None:
    menu = BotSchema(
        (IntentSpec("renew_loan", "keep a borrowed book longer"), IntentSpec("opening_hours", "when the library is open"))
    )
    scores = load_meaning_reader().score(
        [MeaningQuestion(Dialogue.of(text), menu) for text in ("I am only halfway through this novel.", "When are you open?")]
    )
    hinted, said = map(CatalogueReading.of, scores)
    assert hinted.likenesses.keys() == hinted.shares.keys() == {"renew_loan", "opening_hours"}
    assert sum(hinted.shares.values()) == pytest.approx(1)
    assert hinted.indirect > said.indirect
    similarities = {"opening_hours": 0.35, "renew_loan": 0.3}
    assert next(iter(add_reading(similarities, hinted))) == "renew_loan"
    assert next(iter(add_reading(similarities, said))) == "opening_hours"


def test_a_catalogue_without_entries() -> None:
    (scores,) = load_meaning_reader().score([MeaningQuestion(Dialogue.of("Hello."), BotSchema(slots=(SlotSpec("day"),)))])
    read = CatalogueReading.of(scores)
    assert (read.likenesses, read.shares) == ({}, {})
    assert add_reading({"a": 0.1, "b": 0.2}, read) == {"b": 0.2, "a": 0.1}
