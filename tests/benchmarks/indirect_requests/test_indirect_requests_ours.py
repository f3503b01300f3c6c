"""Our own set of indirect requests keeps what its data card promises."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from data_fixtures import needs_released_data

from grice.benchmarks.indirect_requests.data import OURS
from grice.models.data import sgd
from grice.models.data.indirect_requests import STRATEGIES, IndirectRequest, read_file
from grice.models.text.verbatim import words
from grice.models.text.wording import FUNCTION_WORDS

CARD = OURS.with_suffix(".md")


@pytest.fixture(scope="module")
def requests() -> list[IndirectRequest]:
    return read_file(OURS, "ours")


def test_there_are_as_many_as_the_card_says(requests: list[IndirectRequest]) -> None:
    card = CARD.read_text(encoding="utf-8")
    ambiguous = sum(request.ambiguous for request in requests)
    slots = {(request.service, request.slot) for request in requests}
    strategies = Counter(request.strategy for request in requests)
    assert f"{len(requests)} indirect requests" in card
    assert f"{len(requests) - ambiguous} requests mean one value; {ambiguous} (20 %)" in card
    assert f"{len(slots)} categorical slots of {len({service for service, _ in slots})} services" in card
    assert all(f"{strategy} {strategies[strategy]}" in card for strategy in STRATEGIES)
    assert ambiguous / len(requests) == pytest.approx(0.2, abs=0.005)
    assert min(Counter((request.service, request.slot) for request in requests).values()) >= 4


def test_each_is_marked_as_ours_and_complete(requests: list[IndirectRequest]) -> None:
    assert len({request.request_id for request in requests}) == len(requests)
    assert all(request.request_id.startswith("ours-") for request in requests)
    assert len({request.utterance for request in requests}) == len(requests)
    assert all(request.slot and request.strategy and len(request.phrasings) == len(request.values) for request in requests)
    lines = [json.loads(line) for line in OURS.read_text(encoding="utf-8").splitlines()]
    assert all(set(line) == {*lines[0]} for line in lines)


def test_none_has_a_word_of_its_value(requests: list[IndirectRequest]) -> None:
    for request in requests:
        told = set(words(request.target)) & set(words(request.utterance)) - FUNCTION_WORDS
        assert request.ambiguous or not told, request


def test_requests_of_a_slot_agree_on_the_slot(requests: list[IndirectRequest]) -> None:
    worded = {(request.service, request.slot, request.slot_description, request.values, request.situation) for request in requests}
    assert len(worded) == len({(request.service, request.slot) for request in requests})


@needs_released_data
def test_values_are_those_of_the_test_schema_and_nothing_is_copied(requests: list[IndirectRequest]) -> None:
    folder = Path(os.environ["GRICE_DATA_DIR"]) / "sgd"
    schema = sgd.read_schema(folder, "test")
    slots = {(service.name, slot.name): slot for service in schema.values() for slot in service.slots}
    said = {turn.turn.text.lower() for dialogue in sgd.read(folder, "test") for turn in dialogue.turns}
    for request in requests:
        slot = slots[request.service, str(request.slot)]
        assert (slot.is_categorical, slot.possible_values) == (True, request.values)
        assert slot.description.lower() != request.slot_description.lower()
        assert request.utterance.lower() not in said
