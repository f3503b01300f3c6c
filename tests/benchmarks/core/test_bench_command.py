"""The command line of `grice bench`, the run's description and the report."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from bench_fixtures import bench, write_data

from grice.benchmarks.core import registry, report, runner
from grice.benchmarks.core.benchmark import Benchmark, Options, Sheet, opened
from grice.benchmarks.core.results import Published, Report, Result, Table
from grice.benchmarks.stats.metrics import mean
from grice.models.errors import DataNotFound, InputError, ModelNotFound


def scored(options: Options) -> Sheet:
    sheet = Sheet("toy", ["a", "b"], options.seed)
    sheet.add("sorting", "ours", "accuracy", mean([1.0, 0.0]))
    sheet.add_unscored("sorting", "theirs", ("accuracy",), "it is not here")
    sheet.tables.append(Table("Shares", ("kind", "share"), (("left", 12.5),)))
    sheet.published = (Published("sorting", "Ancient", "accuracy", 0.25, 99, "Some Paper, Table 1"),)
    return sheet


TOY = Benchmark("toy", "a toy", ("ours", "theirs"), ("ours", "theirs"), (), ("beams",), scored)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def toy_report(tmp_path: Path) -> Report:
    return runner.run(TOY, Options(tmp_path), "grice bench toy")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "benchmark: got 'nope'; allowed: abceval, direct, "),
        (["direct", "--system", "copy", "magic"], "system of benchmark direct: got 'magic'; allowed: grice, grice-fp32, copy"),
        (["direct", "--split", "mine"], "split: got 'mine'; allowed: ours, all"),
        (["direct", "--limit", "0"], "limit: got 0; allowed: 1 to"),
        (["direct", "--seed", "-1"], "seed: got -1; allowed: 0 to"),
        (["direct", "--beam", "99"], "beams: got 99; allowed: 1 to 16"),
        (["abceval", "--weights", "mine"], "weights: got 'mine'; allowed: folds, shipped"),
        (["abceval", "--llm-window", "0"], "llm_window: got 0; allowed: 1 to"),
        (["abceval", "--system", "openai:"], "system of benchmark abceval: got 'openai:'; allowed: grice, human"),
        (["direct", "--llm-pairing"], "option llm_pairing: got True; allowed: benchmark direct has only beams"),
        (["speed", "--threads", "0"], "threads: got 0; allowed: 1 to 64"),
        (["direct", "--rounds", "9"], "option rounds: got 9; allowed: benchmark direct has only beams, threads"),
        (
            ["direct", "--out", "no/such/folder/x.json"],
            "--out: got 'no/such/folder/x.json'; allowed: a file in a folder that exists",
        ),
        (["direct", "--markdown", "."], "--markdown: got '.'; allowed: a file"),
    ],
)
def test_mistakes_say_what_is_allowed(data: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError) as raised:
        bench(*arguments, "--data-dir", str(data))
    assert message in str(raised.value)


def test_without_a_data_folder_it_says_how_to_give_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRICE_DATA_DIR", raising=False)
    with pytest.raises(DataNotFound, match="--data-dir"):
        bench("direct", "--system", "copy")


def test_systems_may_be_listed_or_repeated(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench("direct", "--data-dir", str(data), "--system", "copy", "--system", "original")
    printed = capsys.readouterr().out
    assert "copy" in printed
    assert "original" in printed
    assert "bag-of-words" not in printed


def test_a_family_of_systems_has_every_name_with_its_beginning() -> None:
    family = dataclasses.replace(TOY, systems=("ours", "openai:MODEL"))
    assert all(family.has_system(name) for name in ("ours", "openai:small", "openai:org/big:free"))
    assert not any(family.has_system(name) for name in ("openai", "openai:", "theirs", "theirs:small", "ours:small", ""))


@pytest.mark.parametrize("name", registry.MODULES)
def test_every_benchmark_is_registered_under_its_name(name: str) -> None:
    found = registry.find(name)
    assert found.name == name
    assert set(found.default_systems) <= set(found.systems)
    assert set(found.options) <= set(Options.__dataclass_fields__)


def test_the_help_needs_no_extra() -> None:
    code = (
        "import sys, grice.benchmarks.core.command;"
        "heavy = {'torch', 'sklearn', 'scipy', 'sacrebleu', 'transformers', 'ctranslate2'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr == ""


def test_results_and_unscored_rows(toy_report: Report) -> None:
    ours, theirs = toy_report.results
    assert ours == Result("toy", "sorting", "ours", "accuracy", 0.5, 0.0, 1.0, 2, 0)
    assert theirs == Result("toy", "sorting", "theirs", "accuracy", None, None, None, 0, 2)
    assert toy_report.run.reasons == {"sorting/theirs": "it is not here"}


def test_the_terminal_table(toy_report: Report) -> None:
    lines = report.text(toy_report).splitlines()
    assert lines[:6] == [
        "toy: sorting",
        "",
        "system              accuracy             n   unscored",
        "ours                0.500 [0.000, 1.00]  2   0",
        "theirs              not scored           0   2",
        "published: Ancient  0.250                99",
    ]
    assert "- not scored: sorting/theirs: it is not here" in lines
    assert "- published: Some Paper, Table 1" in lines


def test_markdown_tables_have_as_many_cells_in_every_row(toy_report: Report) -> None:
    lines = report.markdown(toy_report).splitlines()
    assert lines[0] == "# Benchmark toy"
    assert "`grice bench toy`" in lines
    assert "| left | 12.5 |" in lines
    first = [line for line in lines if line.startswith("|")][:5]
    assert {line.count("|") for line in first} == {5}


def test_a_file_without_numbers_that_json_does_not_have(toy_report: Report, tmp_path: Path) -> None:
    toy_report.write(tmp_path / "toy.json")
    assert "NaN" not in (tmp_path / "toy.json").read_text(encoding="utf-8")


def test_systems_that_cannot_be_loaded_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    def load(name: str) -> str:
        if name == "theirs":
            raise ModelNotFound(name, ())
        return name.upper()

    ready, reasons = opened(TOY.systems, Options(tmp_path), load)
    assert ready == {"ours": "OURS"}
    assert "theirs" in reasons["theirs"]
    with pytest.raises(ModelNotFound):
        opened(TOY.systems, Options(tmp_path, systems=("theirs",)), load)


def test_the_commit_is_that_of_the_source_tree(toy_report: Report) -> None:
    root = Path(runner.__file__).resolve().parents[2]
    if not (root / ".git").exists():
        assert toy_report.run.git is None
    else:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
        assert toy_report.run.git in (head, f"{head}+changes")
