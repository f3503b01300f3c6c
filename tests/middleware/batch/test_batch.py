"""`grice batch` in one process: what is written, what is set apart, and going on after a stop."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import batch_fixtures
import pyarrow
import pytest
from batch_fixtures import FATAL, dialogue_row, fake_scorer, read_lines, write_lines
from fake_models import FakeBehaviors
from pyarrow import parquet
from redis_process import eventually

from grice.middleware.batch import BatchJob
from grice.middleware.batch.ledger import BatchCounts
from grice.middleware.batch.one_process import run_here
from grice.middleware.batch.parts import cut, read
from grice.middleware.batch.scoring import Scorer
from grice.middleware.cli import main
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import PipelineSettings
from grice.models import load_directness_scorer
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.manifest import PRETRAINED
from grice.models.sentence_encoder.encoder import forget_vectors


def job_of(tmp_path: Path, **changes: Any) -> BatchJob:
    return BatchJob(**{"tasks": ("responses",), "out": tmp_path / "out", "part_rows": 10, **changes})


def run_file(tmp_path: Path, rows: Sequence[object], **changes: Any) -> BatchCounts:
    path = write_lines(tmp_path / "in" / "a.jsonl", rows)
    return run_here(job_of(tmp_path, **changes), [path], scorer=fake_scorer())


def test_each_row_has_a_line_with_what_was_found_in_each_turn(tmp_path: Path) -> None:
    rows = [dialogue_row(number) for number in range(25)]
    rows[3]["turns"][1]["text"] = "That is Red."
    counts = run_file(tmp_path, rows)
    assert (counts.files, counts.rows, counts.rejected, counts.scored, counts.failed) == (1, 25, 0, 25, {})
    lines = read_lines(tmp_path / "out" / "a.jsonl")
    assert [(line["row"], line["id"]) for line in lines] == [(number + 1, f"d{number}") for number in range(25)]
    assert [each["turn"] for each in lines[3]["responses"]] == [1, 3]
    assert [each["shown"] for each in lines[3]["responses"]] == [["Red"], []]
    assert sorted(os.listdir(tmp_path / "out")) == ["a.jsonl", "a.jsonl.done.json"]


def test_only_the_last_turn_is_looked_at_where_that_is_wanted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in" / "a.jsonl", [dialogue_row(0), dialogue_row(1, turns=3)])
    models = {"responses": fake_scorer()._models["responses"]}  # noqa: SLF001 - the same fake, looking elsewhere
    run_here(job_of(tmp_path, turns="last"), [path], scorer=Scorer(models, "last"))
    assert [[each["turn"] for each in line["responses"]] for line in read_lines(tmp_path / "out" / "a.jsonl")] == [[3], []]


def test_bad_rows_are_set_apart_with_reasons_and_take_no_other_with_them(tmp_path: Path) -> None:
    rows: list[Any] = [dialogue_row(number) for number in range(12)]
    rows[2] = "not json"
    rows[5]["turns"][3]["text"] = "Some poison."
    rows[7] = {"id": "d7", "turns": []}
    counts = run_file(tmp_path, rows)
    assert (counts.rows, counts.rejected) == (9, 3)
    assert [line["row"] for line in read_lines(tmp_path / "out" / "a.jsonl")] == [1, 2, 4, 5, 7, 9, 10, 11, 12]
    apart = read_lines(tmp_path / "out" / "a.jsonl.rejected.jsonl")
    assert [(line["row"], line.get("id")) for line in apart] == [(3, None), (6, "d5"), (8, "d7")]
    assert "not valid JSON" in apart[0]["reason"]
    assert apart[1]["reason"].startswith("responses, turn 3: RuntimeError")
    assert json.loads((tmp_path / "out" / "a.jsonl.done.json").read_text())["rejected"] == 3


def test_parquet_gives_parquet_with_the_same_results(tmp_path: Path) -> None:
    rows = [dialogue_row(number) for number in range(25)]
    run_file(tmp_path, rows)
    path = tmp_path / "in" / "b.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    run_here(job_of(tmp_path), [path], scorer=fake_scorer())
    table = parquet.read_table(tmp_path / "out" / "b.parquet").to_pylist()
    assert [{**row, "responses": json.loads(row["responses"])} for row in table] == read_lines(tmp_path / "out" / "a.jsonl")


class Stopped(FakeBehaviors):
    """Is stopped after so many batches."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.left = batches

    def predict(self, dialogues: Sequence[Dialogue]) -> Any:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().predict(dialogues)


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    paths = [
        write_lines(tmp_path / "in" / f"{name}.jsonl", [dialogue_row(number, 2) for number in range(35)]) for name in ("a", "b")
    ]
    stopping = Scorer({"responses": lambda asked: [_report(each) for each in model.predict(asked)]}, batch_size=5)
    model = Stopped(10)  # seven batches a file, two a part: the second file's second part is under way
    with pytest.raises(KeyboardInterrupt):
        run_here(job_of(tmp_path), paths, scorer=stopping)
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.jsonl")) == ["0000000.jsonl", "a.jsonl"]
    counts = run_here(job_of(tmp_path), paths, scorer=fake_scorer())
    assert (counts.files, counts.skipped, counts.rows, counts.scored) == (2, 1, 35, 25)
    for name in ("a.jsonl", "b.jsonl"):
        found = [line["row"] for line in read_lines(tmp_path / "out" / name)]
        assert found == list(range(1, 36))
    again = run_here(job_of(tmp_path), paths)  # nothing is left, so no model is loaded
    assert (again.files, again.skipped, again.scored) == (2, 2, 0)


def _report(found: Any) -> Any:
    from grice.middleware.monitor.reports import ResponseReport

    return ResponseReport(found)


def test_results_of_other_settings_or_inputs_are_not_taken_for_these(tmp_path: Path) -> None:
    run_file(tmp_path, [dialogue_row(0)])
    path = tmp_path / "in" / "a.jsonl"
    with pytest.raises(InputError, match="results of other settings"):
        run_here(job_of(tmp_path, batch_size=4), [path], scorer=fake_scorer())
    write_lines(path, [dialogue_row(0), dialogue_row(1)])
    with pytest.raises(InputError, match="another --out"):
        run_here(job_of(tmp_path), [path], scorer=fake_scorer())


def test_results_of_models_that_were_replaced_are_not_taken_for_these(tmp_path: Path) -> None:
    model, reader, alarms = tmp_path / "model", tmp_path / "reader", tmp_path / "alarms.json"
    shutil.copytree(PRETRAINED / "intentions", model)
    reader.mkdir()
    shutil.copy(PRETRAINED / "meaning" / "manifest.json", reader)
    alarms.write_text("{}")
    chosen = {
        "intentions_model": str(model),
        "pipeline": PipelineSettings(meaning_model=str(reader)),
        "monitor": MonitorSettings(threads=1, workers=1, alarm_settings=str(alarms)),
    }
    path = write_lines(tmp_path / "in" / "a.jsonl", [dialogue_row(0)])
    run_here(job_of(tmp_path, **chosen), [path], scorer=fake_scorer())
    for file in (model / "manifest.json", reader / "manifest.json", alarms):
        before = file.read_text()
        file.write_text(before + "\n")
        with pytest.raises(InputError, match="results of other settings or models"):
            run_here(job_of(tmp_path, **chosen), [path], scorer=fake_scorer())
        file.write_text(before)
        assert run_here(job_of(tmp_path, **chosen), [path], scorer=fake_scorer()).skipped == 1


def command(path: Path, out: Path, wait_s: float = 0.0) -> list[str]:
    return [sys.executable, batch_fixtures.__file__, str(path), str(out), str(wait_s)]


def test_a_row_that_ends_the_process_is_set_apart_and_the_others_are_not(tmp_path: Path) -> None:
    rows = [dialogue_row(number, 2) for number in range(12)]
    path = write_lines(tmp_path / "in" / "good.jsonl", rows[:4] + rows[5:])
    assert subprocess.run(command(path, tmp_path / "good"), check=False).returncode == 0
    rows[4]["turns"][1]["text"] = FATAL
    path = write_lines(tmp_path / "in" / "a.jsonl", rows)
    statuses = [subprocess.run(command(path, tmp_path / "out"), check=False).returncode for _ in range(5)]
    assert statuses == [9, 9, 9, 9, 0]
    assert [line["id"] for line in read_lines(tmp_path / "out" / "a.jsonl")] == [
        f"d{number}" for number in range(12) if number != 4
    ]
    (apart,) = read_lines(tmp_path / "out" / "a.jsonl.rejected.jsonl")
    assert (apart["row"], apart["reason"]) == (5, "the process that scored this row died, each time")
    assert sorted(os.listdir(tmp_path / "out")) == ["a.jsonl", "a.jsonl.done.json", "a.jsonl.rejected.jsonl"]


def test_a_process_that_is_killed_loses_and_doubles_nothing(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in" / "a.jsonl", [dialogue_row(number, 2) for number in range(60)])
    with subprocess.Popen(command(path, tmp_path / "out", wait_s=0.05)) as process:
        eventually(lambda: len(list((tmp_path / "out").rglob("*.jsonl"))) >= 2, 60)
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "out" / "a.jsonl").exists()
    told = json.loads(subprocess.run(command(path, tmp_path / "out"), check=True, capture_output=True).stdout)
    assert (told["rows"], 0 < told["scored"] <= 40) == (60, True)
    assert [line["row"] for line in read_lines(tmp_path / "out" / "a.jsonl")] == list(range(1, 61))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    grown = {}
    for count in (200, 8000):
        path = write_lines(tmp_path / "in" / f"{count}.jsonl", [dialogue_row(number, 2) for number in range(count)])
        told = json.loads(subprocess.run(command(path, tmp_path / "out"), check=True, capture_output=True).stdout)
        assert told["rows"] == count
        grown[count] = told["grown_kb"]
    size_kb = (tmp_path / "out" / "8000.jsonl").stat().st_size // 1024
    assert grown[8000] - grown[200] < size_kb / 2, (grown, size_kb)


def test_the_command_scores_with_the_shipped_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(tmp_path / "in" / "a.jsonl", [dialogue_row(0), "not json"])
    (tmp_path / "in" / "b.parquet").write_text("nonsense")
    arguments = ["batch", "--in", str(tmp_path / "in" / "*"), "--out", str(tmp_path / "out"), "--task", "directness"]
    assert main(arguments) == 1
    (line,) = read_lines(tmp_path / "out" / "a.jsonl")
    expected = load_directness_scorer().predict([Dialogue.of("turn 0 of dialogue 0")])[0].score
    assert line["directness"][0]["score"] == pytest.approx(expected, abs=1e-6)
    told = capsys.readouterr().err
    assert "batch: 1 of 2 files, 1 rows, 1 set apart" in told
    assert "b.parquet: no readable Parquet" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--in", "nothing/*.jsonl"], "--in: got 'nothing/*.jsonl'; allowed: a file that is there"),
        (["--part-rows", "0"], "part_rows: got 0; allowed: 1 to 100000"),
        (["--batch-size", "9999"], "batch_size: got 9999; allowed: 1 to 1024"),
        (["--out", "IN"], "allowed: another folder than that of the inputs"),
        (["--in", "IN/c.txt"], "files that end in .jsonl, .parquet"),
        (["--in", "IN/a.jsonl", "IN/deeper/a.jsonl"], "files of different names"),
    ],
)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    for name in ("in/a.jsonl", "in/deeper/a.jsonl", "in/c.txt"):
        write_lines(tmp_path / name, [dialogue_row(0)])
    placed = [each.replace("IN", str(tmp_path / "in")) for each in arguments]
    given = ["--in", str(tmp_path / "in" / "a.jsonl"), "--out", str(tmp_path / "out"), "--task", "directness", *placed]
    assert main(["batch", *given]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("package", "line"), [("pyarrow", "grice[batch]"), ("ray", "grice[ray]")])
def test_a_missing_package_is_named_with_its_install_line(tmp_path: Path, package: str, line: str) -> None:
    path = write_lines(tmp_path / "in" / "a.parquet", [])
    more = ["--ray", "local"] if package == "ray" else []
    given = ["batch", "--in", str(path), "--out", str(tmp_path / "out"), "--task", "directness", *more]
    program = f"import sys; sys.modules[{package!r}] = None; from grice.middleware.cli import main; sys.exit(main({given!r}))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"{package} is not installed; run: pip install '{line}'" in told.stderr


def test_digits_do_not_depend_on_what_was_scored_before(tmp_path: Path) -> None:
    """Models remember vectors of texts, and a vector's last digits depend on the texts that it was made with."""
    texts = ["No thanks.", "I would like a hotel in the north, please.", "Which day?", "Sure.", "It is rather cold in here."]
    others = [{"text": text, "history": [{"speaker": "bot", "text": f"{text} And {text.lower()}"}]} for text in texts]
    rows = [{"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "Sure."}]} for text in texts]
    parts = [
        cut(write_lines(tmp_path / f"{name}.jsonl", each), 10, "f")[0]
        for name, each in (("a", rows), ("b", others), ("c", rows[::-1] + others))
    ]
    scorer = Scorer.load(job_of(tmp_path, tasks=("intentions", "responses")))
    forget_vectors()
    alone = scorer.score(read(parts[0]))
    forget_vectors()
    scorer.score(read(parts[1]))
    scorer.score(read(parts[2]))
    assert scorer.score(read(parts[0])) == alone
