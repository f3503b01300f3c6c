"""Thresholds of alarms from a log: by labels, by rate, or the model's own; and the settings file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_models import FakeBehaviors
from relation_fixtures import WRONG, WordReader, response_item, write_lines

from grice.middleware.cli import main
from grice.middleware.monitor import Monitor
from grice.middleware.monitor.alarm_budget import AlarmTarget, ReadLog, read_budget, set_budget, table_of, write_budget
from grice.middleware.monitor.alarm_log import read_log
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataNotFound, InputError
from grice.models.relations.results import RelationQuestion
from grice.models.results import BEHAVIORS

READER = WordReader()


def log_of(path: Path, labels: bool) -> ReadLog:
    """120 responses of chat: of 100 fine ones three read as faulty; 60 of task where nobody says which are fine."""
    rows = []
    for place in range(180):
        wrong = place < 3 or 100 <= place < 120
        row = response_item(0, f"All {WRONG}." if wrong else "All grey.", setting="chat" if place < 120 else "task")
        rows.append({**row, "bad": 100 <= place < 120} if labels and place < 120 else row)
    logged = read_log(write_lines(path / "log.jsonl", rows))
    return ReadLog(logged, READER.predict([each.question for each in logged]))


def test_labels_keep_the_budget_on_fine_responses(tmp_path: Path) -> None:
    found = set_budget(log_of(tmp_path, labels=True), AlarmTarget(), READER.thresholds, READER.faulty)
    assert found["chat"].basis == "labels"
    assert found["chat"].false_alarms <= 0.02
    loose = set_budget(log_of(tmp_path, labels=True), AlarmTarget(5.0), READER.thresholds, READER.faulty)
    assert loose["chat"].false_alarms == pytest.approx(0.03)
    assert 0 < loose["chat"].found < 1
    assert found["task"].basis == "rate"
    assert (found["assistant"].basis, found["assistant"].threshold) == ("model", 0.5)


def test_without_labels_the_rate_is_kept(tmp_path: Path) -> None:
    found = set_budget(log_of(tmp_path, labels=False), AlarmTarget(20.0), READER.thresholds, READER.faulty)
    assert found["chat"].basis == "rate"
    assert found["chat"].false_alarms <= 0.2
    assert "set by rate" in table_of(found, AlarmTarget(20.0))
    assert [each.prevalence for each in found["chat"].expected] == [1.0, 5.0, 20.0]


def test_precision_is_that_of_a_sample_that_is_labelled_throughout(tmp_path: Path) -> None:
    found = set_budget(log_of(tmp_path, labels=True), AlarmTarget(5.0), READER.thresholds, READER.faulty)
    chat, share = found["chat"], 100 * 20 / 120
    assert (chat.prevalence, chat.prevalence_by) == (pytest.approx(share), "labels")
    assert [each.prevalence for each in chat.expected] == [pytest.approx(share), 1, 5, 20]
    wrong = 4 / 101 * (100 - share)  # three of 100 alarmed, and one more would
    assert chat.expected[0].precision == pytest.approx(chat.found * share / (chat.found * share + wrong))
    assert "where 16.7 of 100 are faulty, as of your labelled responses: " in table_of(found, AlarmTarget(5.0))
    assert (found["task"].prevalence, found["task"].prevalence_by) == (None, None)


def test_of_a_log_that_is_labelled_in_part_the_prevalence_has_to_be_said(tmp_path: Path) -> None:
    log = log_of(tmp_path, labels=True)
    part = [replace(each, bad=None) if place % 3 == 0 and place < 90 else each for place, each in enumerate(log.logged)]
    silent, given, drawn = (
        set_budget(ReadLog(part, log.found), AlarmTarget(5.0, prevalence=said), READER.thresholds, READER.faulty)["chat"]
        for said in (None, 8.0, "labelled")
    )
    assert (silent.prevalence, silent.prevalence_by) == (None, None)
    assert (given.prevalence, given.prevalence_by) == (8.0, "you")
    assert (drawn.prevalence, drawn.prevalence_by) == (pytest.approx(100 * 20 / 90), "labels")
    assert "where 8 of 100 are faulty, as you say: " in table_of({"chat": given}, AlarmTarget(5.0, prevalence=8.0))


def test_the_precision_that_is_wanted_of_labelled_responses_depends_on_the_prevalence(tmp_path: Path) -> None:
    log = log_of(tmp_path, labels=True)  # 3 of 100 fine ones score 0.6, none higher
    thresholds = {
        said: set_budget(log, AlarmTarget(5.0, 25.0, said), READER.thresholds, READER.faulty)["chat"] for said in (1.0, 20.0)
    }
    assert thresholds[20.0].threshold < 0.6
    assert thresholds[1.0].threshold > 0.6
    assert all(each.precise for each in thresholds.values())
    missed = set_budget(log, AlarmTarget(5.0, 99.0, 1.0), READER.thresholds, READER.faulty)["chat"]
    assert not missed.precise
    assert missed.threshold == set_budget(log, AlarmTarget(5.0), READER.thresholds, READER.faulty)["chat"].threshold
    assert "no threshold has the precision of 99 % that was wanted" in table_of({"chat": missed}, AlarmTarget(5.0, 99.0, 1.0))


def judged_alarms(path: Path, wrong: int, right: int) -> ReadLog:
    """So many alarms of chat that people called wrong or right; of each ten one is as clear as can be."""
    flags = [False] * wrong + [True] * right
    rows = [
        response_item(0, " ".join([WRONG] * (2 if place % 10 == 0 or bad else 1)), setting="chat", bad=bad, **{"from": "alarm"})
        for place, bad in enumerate(flags)
    ]
    logged = read_log(write_lines(path / "judged.jsonl", rows))
    return ReadLog(logged, READER.predict([each.question for each in logged]))


def test_judged_alarms_leave_the_threshold_alone_and_tell_its_precision(tmp_path: Path) -> None:
    found = set_budget(judged_alarms(tmp_path, 60, 90), AlarmTarget(), READER.thresholds, READER.faulty)["chat"]
    assert (found.threshold, found.basis, found.responses) == (0.5, "model", 0)
    assert (found.judged, found.right) == (150, 90)
    assert "of 150 judged alarms from there on 90 are right: precision 60 %" in table_of({"chat": found}, AlarmTarget())


def test_the_budget_is_of_the_other_responses_of_a_log(tmp_path: Path) -> None:
    traffic, judged = log_of(tmp_path, labels=True), judged_alarms(tmp_path, 60, 90)
    both = ReadLog([*traffic.logged, *judged.logged], [*traffic.found, *judged.found])
    alone, beside = (set_budget(log, AlarmTarget(), READER.thresholds, READER.faulty)["chat"] for log in (traffic, both))
    assert (beside.threshold, beside.basis, beside.responses) == (alone.threshold, "labels", 120)
    assert (alone.judged, beside.judged) == (0, 96)


def test_judged_alarms_can_ask_for_a_higher_threshold(tmp_path: Path) -> None:
    log = judged_alarms(tmp_path, 60, 90)  # the clear ones are right in 90 of 96 cases
    found = set_budget(log, AlarmTarget(2, 90), READER.thresholds, READER.faulty)["chat"]
    assert (found.threshold, found.judged, found.right) == (1.0, 96, 90)
    missed = set_budget(log, AlarmTarget(2, 99), READER.thresholds, READER.faulty)["chat"]
    assert missed.threshold == 0.5
    assert "no 50 judged alarms have the precision of 99 %" in table_of({"chat": missed}, AlarmTarget(2, 99))


def test_the_file_is_read_again(tmp_path: Path) -> None:
    found = set_budget(log_of(tmp_path, labels=True), AlarmTarget(), READER.thresholds, READER.faulty)
    write_budget(tmp_path / "alarms.json", 2.0, found)
    read = read_budget(tmp_path / "alarms.json", READER.thresholds)
    assert read.settings == {setting: each.threshold for setting, each in found.items()}
    assert read.labels == READER.thresholds.labels


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="grice calibrate monitor"):
        read_budget(tmp_path / "none.json", READER.thresholds)
    (tmp_path / "other.json").write_text(json.dumps({"thresholds": {"chat": 0.5}}), encoding="utf-8")
    with pytest.raises(InputError, match="chat, task, assistant"):
        read_budget(tmp_path / "other.json", READER.thresholds)
    with pytest.raises(InputError, match="line 1, bad"):
        read_log(write_lines(tmp_path / "log.jsonl", [response_item(0, "Grey.", bad="no")]))
    with pytest.raises(InputError, match="0 to 100"):
        AlarmTarget(-1)
    with pytest.raises(InputError, match="precision: got 101"):
        AlarmTarget(2, 101)
    with pytest.raises(InputError, match=r"prevalence: got 101; allowed: 0 to 100 of 100 responses.*labelled"):
        AlarmTarget(2, prevalence=101)
    with pytest.raises(InputError, match="line 1, from: got 'rumours'; allowed: alarm"):
        read_log(write_lines(tmp_path / "log.jsonl", [response_item(0, "Grey.", **{"from": "rumours"})]))


def test_the_command_needs_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "monitor"]) == 2
    assert "--log" in capsys.readouterr().err


def test_the_command_tells_what_to_expect_at_the_prevalence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_lines(tmp_path / "log.jsonl", [response_item(place, "The roof is grey.") for place in range(2)])
    command = ["calibrate", "monitor", "--log", str(log), "--out", str(tmp_path / "alarms.json"), "--prevalence"]
    assert main([*command, "3", "--json"]) == 0
    task = json.loads(capsys.readouterr().out)["settings"]["task"]
    assert (task["prevalence"], task["prevalence_by"]) == (3.0, "you")
    assert [each["prevalence"] for each in task["expected"]] == [3, 1, 5, 20]
    assert 0 < task["expected"][0]["precision"] < 1
    assert main([*command, "many"]) == 2
    assert "prevalence: got 'many'; allowed: 0 to 100 of 100 responses" in capsys.readouterr().err


def test_the_monitor_reports_relations_and_a_reader_that_breaks() -> None:
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=READER)
    history = (Turn("user", "What colour?"), Turn("bot", "Green."), Turn("user", "And the roof?"))
    asked = [Dialogue((*history, Turn("bot", text))) for text in (f"All {WRONG}.", "The roof is broken.")]
    wrong, broken, given = monitor.predict([*asked, RelationQuestion(asked[0], documents=("The shed is green.",), setting="task")])
    assert wrong.relations is not None
    assert wrong.relations.alarm
    assert wrong.relations.sentences[0].support == "no evidence"
    assert broken.relations is None
    assert broken.behaviors is not None
    assert [failure.error for failure in broken.failures] == ["RuntimeError"]
    assert given.relations is not None
    assert given.relations.setting == "task"
    assert given.relations.sentences[0].support == "not found"
