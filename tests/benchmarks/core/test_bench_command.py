"""The command line of `grice bench`, the run's description and the report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench_fixtures import bench, write_data

from grice.benchmarks.core import benchmark, report, runner
from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.options import Options, Threaded
from grice.benchmarks.core.results import Published, Report, Result, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.stats.metrics import mean
from grice.models.errors import DataNotFound, InputError, ModelNotFound


def scored(options: Options) -> Sheet:
    sheet = Sheet("toy", ["a", "b"], options.seed)
    sheet.add("sorting", "ours", "accuracy", mean([1.0, 0.0]))
    sheet.add_unscored("sorting", "theirs", ("accuracy",), "it is not here")
    sheet.tables.append(Table("Shares", ("kind", "share"), (("left", 12.5),)))
    sheet.published = (Published("sorting", "Ancient", "accuracy", 0.25, 99, "Some Paper, Table 1"),)
    return sheet


def shout(given: str, name: str) -> str:
    if name == "theirs":
        raise ModelNotFound(name, ())
    return f"{given} {name}".upper()


SYSTEMS = Systems(
    "toy",
    System("ours", "ours", "ours", shout),
    System("theirs", "theirs", "rival", shout),
    llm("openai", "a language model", shout),
)
TOY = Benchmark("toy", Threaded, SYSTEMS, (), scored)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def toy_report(tmp_path: Path) -> Report:
    return runner.run(TOY, Threaded(tmp_path), "grice bench toy")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["direct", "--system", "copy", "magic"], "system of benchmark direct: got 'magic'; allowed: grice, grice-fp32, copy"),
        (["direct", "--split", "mine"], "split: got 'mine'; allowed: ours, all"),
        (["direct", "--limit", "0"], "limit: got 0; allowed: 1 to"),
        (["direct", "--seed", "-1"], "seed: got -1; allowed: 0 to"),
        (["direct", "--beam", "99"], "beams: got 99; allowed: 1 to 16"),
        (["abceval", "--weights", "mine"], "weights: got 'mine'; allowed: folds, shipped"),
        (["abceval", "--llm-window", "0"], "llm_window: got 0; allowed: 1 to"),
        (["abceval", "--system", "openai:"], "system of benchmark abceval: got 'openai:'; allowed: grice, human"),
        (["speed", "--threads", "0"], "threads: got 0; allowed: 1 to 64"),
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "invalid choice: 'nope'"),
        (["direct", "--llm-pairing"], "--llm-pairing"),
        (["direct", "--rounds", "9"], "--rounds"),
    ],
)
def test_what_a_benchmark_does_not_take_is_refused(
    data: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bench(*arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        (
            "rectom",
            ("--mind NAME|DIR", "--llm-rpm N", "--weights folds|shipped", "openai-cot:MODEL"),
            ("--beam", "--rounds", "--behaviors"),
        ),
        ("direct", ("--beam N", "(default: 1)", "--rewriter NAME|DIR", "bag-of-words"), ("--mind", "--llm-url", "--weights")),
        ("speed", ("--rounds N", "(default: 3)", "(default: shipped)"), ("--llm-url", "--beam", "--rasa-python")),
    ],
)
def test_the_help_shows_what_the_benchmark_takes_and_nothing_else(
    name: str, has: Sequence[str], has_not: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bench(name, "--help")
    printed = capsys.readouterr().out
    assert [each for each in (*has, "--data-dir DIR", "--seed N") if each not in printed] == []
    assert [each for each in has_not if each in printed] == []


def test_a_family_of_systems_has_every_name_with_its_beginning() -> None:
    assert all(SYSTEMS.has(name) for name in ("ours", "openai:small", "openai:org/big:free"))
    assert not any(SYSTEMS.has(name) for name in ("openai", "openai:", "theirs:small", "ours:small", ""))
    assert SYSTEMS.find("openai:org/big:free").build("say", "openai:org/big:free") == "SAY ORG/BIG:FREE"
    with pytest.raises(InputError, match="system of benchmark toy: got 'mine'; allowed: ours, theirs, openai:MODEL"):
        SYSTEMS.find("mine")


@pytest.mark.parametrize("name", benchmark.BENCHMARKS)
def test_every_benchmark_is_registered_under_its_name(name: str, tmp_path: Path) -> None:
    found = benchmark.find(name)
    assert found.name == name
    assert set(found.systems.defaults) <= set(found.systems.names)
    assert len(set(found.systems.names)) == len(found.systems.names)
    assert found.options(tmp_path).data_dir == tmp_path


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


def test_systems_that_cannot_be_built_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    ready, reasons = SYSTEMS.build(Options(tmp_path), "we are")
    assert ready == {"ours": "WE ARE OURS"}
    assert "theirs" in reasons["theirs"]
    with pytest.raises(ModelNotFound):
        SYSTEMS.build(Options(tmp_path, systems=("theirs",)), "")


def test_the_commit_is_that_of_the_source_tree(toy_report: Report) -> None:
    root = Path(runner.__file__).resolve().parents[2]
    if not (root / ".git").exists():
        assert toy_report.run.git is None
    else:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
        assert toy_report.run.git in (head, f"{head}+changes")
