"""The part of `grice bench speed` on slot values, intentions and minds, with models that answer at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from bench_fixtures import write_data
from fake_models import FakeIntentions, FakeMind, FakeSlots

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.direct.held_out import dialogues, held_out
from grice.benchmarks.speed.behaviors import fresh_dialogues
from grice.benchmarks.speed.classifiers import MENTIONS, add_intentions, add_mind, add_slots, load_resolver, recommended
from grice.benchmarks.speed.meanings import add_meanings
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.timing import WARM_UP
from grice.models import Dialogue, Turn
from grice.models.errors import WeightsError
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import MindReading
from grice.models.minds.sentence_heads import clauses
from grice.models.minds.wording import masked, parts
from grice.models.protocols import SlotPredictor
from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion

METRICS = ("p50_ms", "p95_ms", "p99_ms", "per_second")
SYSTEMS = ("grice-int8", "grice-fp32", "pytorch")


class Slots(FakeSlots):
    def __init__(self) -> None:
        super().__init__()
        self.questions: list[SlotQuestion] = []

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        self.questions += questions
        return super().predict(questions)


class Mind(FakeMind):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[RecommendationDialogue] = []

    def predict(self, dialogues: Sequence[RecommendationDialogue]) -> list[MindReading]:
        self.asked += dialogues
        return super().predict(dialogues)


class Meanings:
    def __init__(self) -> None:
        self.questions: list[MeaningQuestion] = []

    def predict(self, questions: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        self.questions += questions
        return []


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def options(data: Path) -> SpeedOptions:
    return SpeedOptions(data, rounds=2)


@pytest.fixture
def given(options: SpeedOptions) -> list[Dialogue]:
    return dialogues(held_out(options).rows, "indirect")


@pytest.fixture
def sheet(options: SpeedOptions) -> Sheet:
    return Sheet("speed", held_out(options).groups, 0)


def check_timed(sheet: Sheet, rows: set[tuple[str, str]]) -> None:
    assert {(each.task, each.system, each.metric) for each in sheet.results} == {(*row, name) for row in rows for name in METRICS}
    assert all(each.n == len(sheet.groups) and each.value is not None and each.value > 0 for each in sheet.results)


def check_followed(read: Sequence[Dialogue], calls: int) -> list[Dialogue]:
    """Of `calls` dialogues never seen before none is read twice; as many go on by one turn. Returns one of each."""
    cold, live = read[:calls], read[calls:]
    before, after = live[::2], live[1::2]
    assert len(after) == calls
    assert [dialogue.turns for dialogue in before] == [dialogue.history for dialogue in after]
    read_once = [*cold, *after]
    assert {(len(each.history), each.history[-1].speaker, each.last.speaker) for each in read_once} == {(20, "bot", "user")}
    return read_once


def test_a_turn_is_timed_against_eight_values(sheet: Sheet, options: SpeedOptions, given: list[Dialogue]) -> None:
    resolvers: dict[str, Slots] = {}
    add_slots(sheet, options, SYSTEMS, given, lambda _, name: resolvers.setdefault(name, Slots()))
    check_timed(sheet, {("slots", "grice-int8"), ("slots", "grice-fp32")})
    questions = [question for resolver in resolvers.values() for question in resolver.questions]
    assert {len(question.values) for question in questions} == {8}
    assert all(question.description and question.dialogue.history for question in questions)
    assert len({question.dialogue.last for question in questions}) == len(questions) == 2 * (2 * len(given) + WARM_UP)
    assert all(any(question.dialogue.last.text.startswith(each.last.text) for each in given) for question in questions)


def test_a_turn_and_the_pending_one_are_timed_against_a_menu(sheet: Sheet, options: SpeedOptions, given: list[Dialogue]) -> None:
    readers: dict[str, Meanings] = {}
    add_meanings(sheet, options, SYSTEMS, given, lambda _, name: readers.setdefault(name, Meanings()))
    check_timed(sheet, {("meaning", "grice-int8"), ("meaning", "grice-fp32")})
    questions = [question for reader in readers.values() for question in reader.questions]
    assert len(questions) == 2 * (2 * len(given) + WARM_UP)
    for question in questions:
        assert [turn.speaker for turn in question.dialogue.turns] == ["bot", "user"]
        assert len(question.schema.intents) == 10
        assert [len(slot.values) for slot in question.schema.slots] == [5, 5, 5]


def test_intentions_are_timed_unread_and_followed(sheet: Sheet, options: SpeedOptions, given: list[Dialogue]) -> None:
    detector = FakeIntentions()
    add_intentions(sheet, options, SYSTEMS, given, lambda _: detector)
    check_timed(sheet, {("intentions", "grice-int8"), ("intentions-cold", "grice-int8")})
    read = check_followed([dialogue for batch in detector.batches for dialogue in batch], 2 * len(given) + WARM_UP)
    turns = [turn for dialogue in read for turn in set(dialogue.turns)]
    assert len(set(turns)) == len(turns)


def test_numbers_go_on_behind_those_of_behaviors(sheet: Sheet, options: SpeedOptions, given: list[Dialogue]) -> None:
    scored = {turn for items in fresh_dialogues(given, 2 * (options.rounds + 1)) for each in items for turn in each.turns}
    detector = FakeIntentions()
    add_intentions(sheet, options, SYSTEMS, given, lambda _: detector)
    assert scored.isdisjoint(turn for batch in detector.batches for dialogue in batch for turn in dialogue.turns)


def test_minds_are_timed_unread_and_followed(sheet: Sheet, options: SpeedOptions, given: list[Dialogue]) -> None:
    model = Mind()
    add_mind(sheet, options, SYSTEMS, given, lambda _: model)
    check_timed(sheet, {("mind", "grice-int8"), ("mind-cold", "grice-int8")})
    assert {len(asked.found_items()) for asked in model.asked} == {len(MENTIONS)}
    assert all(turn.role == "recommender" for asked in model.asked for _, turn in asked.turns() if "(19" in turn.text)
    read = check_followed([asked.dialogue for asked in model.asked], 2 * len(given) + WARM_UP)
    texts = [text for dialogue in read for text in {masked(part) for turn in dialogue.turns for part in parts(turn.text)}]
    assert len(set(texts)) == len(texts)


def test_every_clause_has_the_number() -> None:
    said = recommended("Well, I saw it. It was long but good! And you...", 17, 0)
    assert said == "Well 17, I saw it 17. It was long 17, but good 17! And you 17"
    assert clauses(said) == ["Well 17", "I saw it 17.", "It was long 17", "but good 17!", "And you 17"]
    assert recommended("It is late. It is dark.", 17, 3) == "It is late 17. How about The Glass Orchard (1994) 17?"


def test_mentions_differ_without_their_titles() -> None:
    assert len({masked(mention) for mention in MENTIONS}) == len(MENTIONS)


def test_it_says_what_cannot_be_loaded_and_goes_on(data: Path, tmp_path: Path) -> None:
    """Also where the system was asked for by name: without one model its others are timed."""

    def load(options: SpeedOptions, system: str) -> SlotPredictor:
        if system == "grice-fp32":
            return load_resolver(options, system)
        raise WeightsError("the weights are truncated")

    sheet = Sheet("speed", ["a"], 0)
    asked = SpeedOptions(data, systems=("grice-fp32", "grice-int8"), resolver=str(tmp_path))
    add_slots(sheet, asked, asked.systems, [Dialogue.of("Hello?", [Turn("bot", "Hello.")])], load)
    assert {result.value for result in sheet.results} == {None}
    assert sheet.reasons["slots/grice-int8"] == "the weights are truncated"
    assert str(tmp_path) in sheet.reasons["slots/grice-fp32"]


def test_other_systems_have_no_readers(sheet: Sheet, options: SpeedOptions, given: list[Dialogue]) -> None:
    def fail(*_: object) -> NoReturn:
        raise AssertionError("loaded")

    add_slots(sheet, options, ("pytorch",), given, fail)
    add_intentions(sheet, options, ("grice-fp32",), given, fail)
    add_mind(sheet, options, ("grice-fp32",), given, fail)
    assert sheet.results == []
