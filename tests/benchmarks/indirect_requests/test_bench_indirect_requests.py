"""`grice bench indirect-requests`: floors, resolver, tracker and a language model, on our requests and an invented bakery."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench_fixtures import bench, check_shape, figures
from indirect_request_fixtures import VALUES, VerbatimTracker, WordResolver, request_line, write_bakeries, write_lines
from loopback_server import Answer
from openai_server import Request, chat, openai_server

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.indirect_requests import benchmark as indirect_requests
from grice.benchmarks.indirect_requests import data as indirect_requests_data
from grice.benchmarks.indirect_requests.benchmark import TASKS
from grice.benchmarks.indirect_requests.data import request_set
from grice.benchmarks.indirect_requests.models import IndirectOptions, Loaders
from grice.benchmarks.indirect_requests.slots import confidence
from grice.benchmarks.indirect_requests.slots.confidence import read_questions
from grice.benchmarks.indirect_requests.slots.floors import chance, lexical, lexical_with_negation, majority
from grice.benchmarks.indirect_requests.slots.state import Tracked, filled
from grice.benchmarks.indirect_requests.slots.tasks import INDIRECT, ORIGINALS, RESOLVER
from grice.benchmarks.indirect_requests.slots.turns import SlotTurn, inform_turns, silent_questions
from grice.benchmarks.stats import metrics
from grice.models.data.indirect_requests import AMBIGUOUS, FOLDER, file_name
from grice.models.data.pins import DataSet, Pin
from grice.models.data.verify import sums
from grice.models.dialogue import Dialogue
from grice.models.errors import DataCorrupt, DataNotFound, InputError, ModelNotFound
from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion

FLOORS = ("majority", "random", "lexical", "lexical-negation")
OFFICIAL = [
    request_line(),
    request_line(utterance="As white as it gets.", target_slot_value="wheat", mean_world_understanding=9),
    request_line(utterance="Something with a crust.", target_slot_value=AMBIGUOUS, mean_world_understanding=5),
]


def missing(options: IndirectOptions) -> WordResolver:
    raise ModelNotFound(options.resolver, [])


def scored(options: IndirectOptions) -> Sheet:
    return indirect_requests.evaluate(options, Loaders(lambda _: WordResolver(), lambda _: VerbatimTracker()))


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bakeries(tmp_path_factory.mktemp("data"))


@pytest.fixture
def official(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files that pass for the official ones, and the bakery's SGD."""
    pins = []
    for split in ("train", "validation", "test"):
        path = write_lines(tmp_path / FOLDER / file_name(split), *OFFICIAL)
        pins.append(Pin(path.name, None, *sums(path)))
    known = DataSet(FOLDER, "invented", "", "", "", "", "", tuple(pins))
    monkeypatch.setattr(indirect_requests_data, "data_set", lambda name: known)
    return write_bakeries(tmp_path)


def test_the_command_scores_floors_and_says_what_is_missing(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert bench("indirect-requests", "--data-dir", str(data_dir), "--system", *FLOORS, "--out", str(out)) == 0
    results = check_shape(out)
    assert {task for task, _, _ in results} == set(TASKS)
    assert results["unambiguity", "lexical", "accuracy"]["n"] == 230
    assert results["world-understanding", "majority", "pearson"]["value"] is None
    assert results[INDIRECT, "random", "accuracy"]["n"] == 184
    assert all(0 <= result["value"] <= 1 for (_, _, metric), result in results.items() if metric == "accuracy")
    run = json.loads(out.read_text(encoding="utf-8"))["run"]
    assert run["options"]["requests"] == "ours"
    assert set(run["data"]) == {"sgd/train.zip", "sgd/test.zip"}
    printed = capsys.readouterr().out
    assert "indirect requests of our own set, NOT the official ones" in printed
    assert "bootstrap by slot for indirect requests" in printed
    assert "published: T5" in printed


def test_without_weights_ours_is_not_scored_unless_it_is_asked_for(data_dir: Path) -> None:
    options = IndirectOptions(data_dir)
    found = indirect_requests.evaluate(options, Loaders(missing, lambda _: VerbatimTracker()))
    for task in TASKS:
        metric = "pearson" if task == "world-understanding" else "accuracy"
        assert figures(found)[task, "grice", metric].value is None
        assert "meaning" in found.reasons[f"{task}/grice"]
    assert figures(found)[ORIGINALS, "plain", "accuracy"].value is not None
    with pytest.raises(ModelNotFound):
        indirect_requests.evaluate(replace(options, systems=("grice",)), Loaders(missing))


def test_unambiguity_is_over_the_values_and_ambiguous(official: Path) -> None:
    sheet = scored(IndirectOptions(official, systems=("grice", "plain")))
    assert ("unambiguity", "plain", "accuracy") not in figures(sheet)  # a tracker has no opinion of it
    found = figures(sheet)["unambiguity", "grice", "accuracy"]
    assert (found.value, found.n) == (1.0, 6)  # Finland: rye, white: wheat, and neither
    assert sheet.part == "official indirect requests, validation and test"
    table = next(table for table in sheet.tables if table.title == "Unambiguity by kind of request")
    assert [row[:2] for row in table.rows] == [("unambiguous", 4), ("ambiguous", 2)]
    rated = figures(sheet)["world-understanding", "grice", "pearson"]
    assert rated.value is not None
    assert -1 <= rated.value <= 1


def test_the_resolver_is_asked_about_what_is_not_said(data_dir: Path) -> None:
    sheet = scored(IndirectOptions(data_dir, systems=("grice", "plain", "lexical"), tasks=(RESOLVER,)))
    found = figures(sheet)
    assert found[RESOLVER, "grice", "accuracy"].n == 4  # not "rye bread", not "Spelt", not "dontcare"
    assert found[RESOLVER, "grice", "accuracy"].value == 1.0
    assert found[RESOLVER, "plain", "accuracy"].value == 0.0
    kinds = {row[0]: row[1] for row in sheet.tables[-1].rows}
    assert kinds == {"boolean slots": 2, "other slots": 2, "one value a turn, other slots": 1}


def test_services_that_training_has_seen_are_no_task_for_the_resolver(tmp_path: Path) -> None:
    write_bakeries(tmp_path, test_service="Bakeries_1")
    sheet = scored(IndirectOptions(tmp_path, systems=("grice",), tasks=(RESOLVER,)))
    assert figures(sheet)[RESOLVER, "grice", "accuracy"].value is None


def test_slot_accuracy_is_over_turns_of_the_four_conditions(data_dir: Path) -> None:
    found = figures(scored(IndirectOptions(data_dir, systems=("grice", "plain"), tasks=(ORIGINALS,))))
    plain, grice = (found[ORIGINALS, name, "accuracy"] for name in ("plain", "grice"))
    assert (plain.n, plain.value) == (3, pytest.approx(1 / 3))  # "rye bread"; neither "Cut it" nor "white"
    assert grice.value == 1.0
    assert found[ORIGINALS, "grice", "times_plain"].value == pytest.approx(3)
    turns = list(inform_turns(data_dir / "sgd", "test"))
    assert [(turn.question.slot, turn.target, turn.alone) for turn in turns] == [
        ("grain", "rye", True),
        ("sliced", "True", True),
        ("grain", "rye", False),
        ("sliced", "False", False),
        ("grain", "wheat", True),
        ("grain", "spelt", False),
    ]
    assert len(turns[1].question.dialogue.turns) == 3


def test_silent_questions_are_about_slots_that_a_turn_leaves_alone(data_dir: Path) -> None:
    found = list(silent_questions(data_dir / "sgd", "test", share=1.0, seed=0))
    asked = [(question.dialogue.last.text, question.slot) for _, question in found]
    assert ("I want rye bread.", "sliced") in asked
    assert ("Cut it for me.", "grain") in asked
    assert not any(text.startswith("Something dark") for text, _ in asked)


def test_the_dev_split_may_be_asked_about_services_that_training_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grice.benchmarks.indirect_requests.slots.confidence.SILENT_SHARE", 1.0)
    for service in ("Bakeries_2", "Bakeries_1"):
        folder = write_bakeries(write_bakeries(tmp_path / service), test_service=service, dev=True) / "sgd"
        everything, unseen = (read_questions(folder, each) for each in (False, True))
        assert everything[0]
        assert everything[1]
        assert unseen == (everything if service == "Bakeries_2" else ([], []))


def test_indirect_requests_lower_the_tracker_and_the_resolver_helps(official: Path) -> None:
    found = figures(scored(IndirectOptions(official, systems=("grice", "plain"), tasks=(INDIRECT,))))
    assert (found[INDIRECT, "plain", "accuracy"].value, found[INDIRECT, "plain", "accuracy"].n) == (0.0, 4)
    assert found[INDIRECT, "grice", "accuracy"].value == 1.0
    assert found[INDIRECT, "grice", "times_plain"].value is None  # nothing times zero


@pytest.mark.parametrize(
    ("tracked", "resolved", "expected"),
    [
        (Tracked("rye", 0.8), "wheat", "rye"),
        (Tracked("rye", 0.4), "wheat", "wheat"),
        (Tracked("rye", 0.4), None, "rye"),
        (Tracked(None, 0.9), "wheat", "wheat"),
        (Tracked(None, 0.9), None, None),
    ],
)
def test_the_resolver_fills_only_what_the_tracker_leaves(tracked: Tracked, resolved: str | None, expected: str | None) -> None:
    assert filled(tracked, SlotValues((0.5, 0.5), 0.0, resolved, resolved is None)) == expected


def test_official_files_are_told_by_their_bytes(official: Path, data_dir: Path) -> None:
    assert request_set(IndirectOptions(official)).owner == "official"
    assert len(request_set(IndirectOptions(official, split="all")).rows) == 9
    assert len(request_set(IndirectOptions(official, limit=2)).rows) == 2
    assert request_set(IndirectOptions(official), "ours").owner == "ours"
    assert request_set(IndirectOptions(data_dir)).owner == "ours"
    with pytest.raises(DataNotFound, match="grice data fetch indirect-requests"):
        request_set(IndirectOptions(data_dir), "official")
    write_lines(official / FOLDER / file_name("test"), request_line())
    with pytest.raises(DataCorrupt, match=r"test_target_slot_value\.jsonl: not the official file"):
        request_set(IndirectOptions(official))


def test_without_sgd_the_tasks_on_slots_are_not_scored(tmp_path: Path) -> None:
    sheet = scored(IndirectOptions(tmp_path, systems=("lexical",)))
    assert figures(sheet)["unambiguity", "lexical", "accuracy"].n == 230
    assert figures(sheet)[RESOLVER, "lexical", "accuracy"].value is None
    assert "train.zip" in sheet.reasons[f"{RESOLVER}/lexical"]
    with pytest.raises(DataNotFound):
        scored(IndirectOptions(tmp_path, systems=("lexical",), tasks=(RESOLVER,)))
    with pytest.raises(InputError, match="allowed: unambiguity, world-understanding, resolver"):
        scored(IndirectOptions(tmp_path, tasks=("nope",)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--requests", "mine"], "requests: got 'mine'; allowed: auto, official, ours"),
        (["--task", "slots"], "task of benchmark indirect-requests: got 'slots'; allowed: unambiguity, world-understanding"),
        (["--system", "t5"], "system of benchmark indirect-requests: got 't5'; allowed: grice, plain, majority"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bench("indirect-requests", "--data-dir", str(tmp_path), *arguments)


def test_a_language_model_is_asked_both_criteria(official: Path, tmp_path: Path) -> None:
    def script(request: Request) -> Answer:
        case = request["messages"][-1]["content"].rpartition("Utterance:")[2]
        if case.rstrip().endswith("Rating:"):
            return chat("9" if "white" in case else "3")
        return chat("rye" if "Finland" in case else "wheat, spelt" if "crust" in case else "It depends.")

    with openai_server(script) as server:
        options = IndirectOptions(official, systems=("openai:m",), llm_url=server.url)
        sheet = scored(options)
    found = figures(sheet)["unambiguity", "openai:m", "accuracy"]
    assert (found.value, found.n, found.unscored) == (1.0, 4, 2)
    assert figures(sheet)["world-understanding", "openai:m", "pearson"].n == 6
    assert {task for task, _, _ in figures(sheet)} == {"unambiguity", "world-understanding"}
    assert sheet.settings["openai:m"]["unambiguity"]["about"]["benchmark"] == "indirect-requests"
    assert sum(table.title.startswith("Usage of openai:m") for table in sheet.tables) == 2


def turn(text: str, target: str, values: tuple[str, ...] = VALUES, description: str = "Kind of grain") -> SlotTurn:
    return SlotTurn("group", "Bakeries_2", SlotQuestion(Dialogue.of(text), "grain", description, values), target)


def test_floors() -> None:
    turns = [turn("Rye or wheat?", "rye"), turn("Wheat, please.", "wheat"), turn("The usual.", "wheat"), turn("Hm.", AMBIGUOUS)]
    assert majority(turns, True, 0) == ["wheat"] * 4
    assert lexical(turns, True, 0) == [AMBIGUOUS, "wheat", AMBIGUOUS, AMBIGUOUS]
    assert lexical(turns, False, 0) == ["rye", "wheat", "rye", "rye"]
    many = chance(turns * 100, True, 0)
    assert set(many) == {*VALUES, AMBIGUOUS}
    assert set(chance(turns * 100, False, 0)) == set(VALUES)
    boolean = [
        turn(text, "True", ("True", "False"), "Whether the bread is sliced")
        for text in ("Yes, do.", "No, thanks.", "I like it sliced.", "It need not be sliced.")
    ]
    assert lexical_with_negation(boolean, True, 0) == ["True", "False", "True", "False"]
    assert lexical(boolean, False, 0) == ["True"] * 4  # nobody says "true": the first of the best
    assert lexical_with_negation(turns, True, 0) == lexical(turns, True, 0)


def test_pearson_and_accuracy_ratio_are_what_numpy_says() -> None:
    generator = np.random.default_rng(0)
    left = generator.normal(size=50)
    right = left + generator.normal(size=50)
    assert metrics.pearson(left, right).value == pytest.approx(np.corrcoef(left, right)[0, 1])
    assert np.isnan(metrics.pearson([1, 2, 3], [4, 4, 4]).value)
    assert metrics.accuracy_ratio([True, True, False], [True, False, False]).value == 2
    assert np.isnan(metrics.accuracy_ratio([True], [False]).value)


def test_a_tracker_is_trained_once_and_kept(data_dir: Path, tmp_path: Path) -> None:
    from grice.benchmarks.indirect_requests.slots.tracker import TrackerRecipe, tracker_at
    from grice.models.sentence_encoder.encoder import load_sentence_encoder

    encoder, recipe = load_sentence_encoder(), TrackerRecipe(silent=1.0, hidden=32, epochs=20, batch=16)
    trained = tracker_at(tmp_path / "tracker", data_dir, encoder, recipe)
    questions = [question.question for question in inform_turns(data_dir / "sgd", "train")]
    targets = [question.target for question in inform_turns(data_dir / "sgd", "train")]
    right = np.mean([found.value == target for found, target in zip(trained.predict(questions), targets, strict=True)])
    assert right > 0.9
    kept = tracker_at(tmp_path / "tracker", tmp_path / "no data is needed", encoder, recipe)
    assert kept.predict(questions[:5]) == trained.predict(questions[:5])
    with pytest.raises(DataNotFound):
        tracker_at(tmp_path / "tracker", tmp_path / "no data", encoder, replace(recipe, epochs=2))
    (tmp_path / "tracker" / "tracker.pt").write_bytes(b"cut")
    with pytest.raises(DataCorrupt, match="not a slot tracker"):
        tracker_at(tmp_path / "tracker", data_dir, encoder, recipe)


def test_the_confidence_is_chosen_on_the_dev_split_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bakeries(tmp_path, dev=True)
    monkeypatch.setattr(confidence, "load_slot_resolver", lambda name: WordResolver())
    monkeypatch.setattr("sys.argv", ["confidence", "--data-dir", str(tmp_path)])
    confidence.main()
    said, header, first, *rows = capsys.readouterr().out.splitlines()
    assert said.startswith("dev split of SGD, 4 turns")
    assert header.split()[0] == "confidence"
    assert first.split()[1] == "1.00"  # all four are filled
    assert len(rows) == len(confidence.CONFIDENCES) - 1
