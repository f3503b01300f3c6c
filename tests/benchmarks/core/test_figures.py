"""README, pages of docs/ and model cards quote `figures.json`, and `figures.json` is of the weights and folds at hand."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from bench_fixtures import bench
from data_fixtures import needs_released_data
from rectom_fixtures import write_rectom

from grice.benchmarks.core.benchmark import BENCHMARKS, find
from grice.benchmarks.core.figures import EARLIER, STORED, Figure, Figures, FiguresRun, repeatable, slug, weights_of
from grice.benchmarks.core.quotes import expand, requote, unmarked
from grice.models.errors import DataCorrupt, InputError
from grice.models.export.quality import TOLERANCE
from grice.models.manifest import PRETRAINED, read_manifest, sha256, shipped

ROOT = Path(__file__).parents[3]
README = ROOT / "README.md"
CARDS = sorted(PRETRAINED.glob("*/README.md"))
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
OF_FIGURES = [README, ROOT / "docs" / "figures.md", *sorted((ROOT / "docs" / "capabilities").glob("*.md"))]
"""Pages whose every figure is one of ours."""
NO_FIGURE = re.compile(
    r"```.*?^```|`[^`\n]*`|(?:Rasa|Python|version|MultiWOZ|ChatGPT|GPT)[ -][\d.]+|Apache-2\.0|95 %", re.DOTALL | re.MULTILINE
)
FIGURES = Figures.read()
REPLAYED = ("abceval", "persuasion", "rectom")
FOLDS = {**{name: name for name in REPLAYED}, "agreement": "persuasion"}

TOY_FIGURES = {
    "ours/rain/accuracy": Figure(71.25, 65.5, 80.0, 1200),
    "ours/sun/accuracy": Figure(0.5),
    "ours/rain/change": Figure(-2.5),
}
TOY = Figures({"toy": FiguresRun("grice bench toy", "all", "2030-01-01", {}, None, {"ours": "live"}, TOY_FIGURES)})
RAIN = "toy/ours/rain/accuracy"


@pytest.mark.parametrize("path", [*PAGES, *CARDS], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_marked_figure_is_that_of_the_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert requote(text, FIGURES).splitlines() == text.splitlines()


@pytest.mark.parametrize("path", OF_FIGURES, ids=lambda path: path.name)
def test_no_figure_is_typed(path: Path) -> None:
    text = NO_FIGURE.sub("", unmarked(path.read_text(encoding="utf-8")))
    assert [line for line in text.splitlines() if re.search(r"\d\.\d|\d %", line)] == []


def test_tables_of_cards_are_marked() -> None:
    tables = [
        line for card in CARDS for line in unmarked(card.read_text(encoding="utf-8")).splitlines() if line.strip().startswith("|")
    ]
    assert tables == []


MEASURED = [name for name in shipped() if "tolerance" in read_manifest(name).metrics]


@pytest.mark.parametrize("name", MEASURED)
def test_shipped_precisions_are_within_their_tolerance(name: str) -> None:
    manifest = read_manifest(name)
    metrics = manifest.metrics
    assert manifest.precisions
    assert {precision for precision in manifest.precisions if metrics[precision] < metrics["fp32"] - metrics["tolerance"]} == set()


@pytest.mark.parametrize("name", MEASURED)
def test_cards_say_the_figures_of_the_manifest(name: str) -> None:
    manifest = read_manifest(name)
    card = " ".join((PRETRAINED / name / "README.md").read_text(encoding="utf-8").split())
    said = re.findall(r"\d+\.\d+", card.partition("int8 against fp32")[2].partition("tolerance")[0])
    for precision in manifest.precisions:
        value = manifest.metrics[precision]
        assert any(abs(float(number) - value) <= 0.5001 * 10 ** -len(number.partition(".")[2]) for number in said), precision
    assert manifest.metrics["tolerance"] == TOLERANCE[manifest.metrics["metric"]]
    assert f"tolerance {manifest.metrics['tolerance']}" in card


@pytest.mark.parametrize("name", FIGURES.runs)
def test_figures_are_of_the_weights_and_folds_at_hand(name: str) -> None:
    run = FIGURES.runs[name]
    assert set(run.sources) >= {key.partition("/")[0] for key in run.figures}
    for model in run.weights:
        assert run.weights[model] == weights_of(model)[model], model
    if STORED in run.sources.values():
        assert run.folds == sha256(ROOT / "benchmarks" / FOLDS[name] / "folds.json")
    assert run.weights or set(run.sources.values()) == {EARLIER}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", run.date)
    assert run.command
    assert run.part


@needs_released_data
@pytest.mark.parametrize("name", REPLAYED)
def test_a_run_gives_the_figures_that_are_quoted(name: str, tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    assert bench(name, "--data-dir", os.environ["GRICE_DATA_DIR"], "--figures", str(path)) == 0
    found, kept = Figures.read(path).runs[name], FIGURES.runs[name]
    assert (found.part, found.weights, found.folds, found.sources) == (kept.part, kept.weights, kept.folds, kept.sources)
    assert set(found.figures) == set(kept.figures)
    for key, figure in found.figures.items():
        assert vars(figure) == pytest.approx(vars(kept.figures[key]), rel=1e-6), key


def test_a_run_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    data, path = write_rectom(tmp_path), tmp_path / "figures.json"
    TOY.write(path)
    assert Figures.read(path).runs == TOY.runs
    assert bench("rectom", "--data-dir", str(data), "--limit", "2", "--figures", str(path)) == 0
    found = Figures.read(path)
    assert set(found.runs) == {"toy", "rectom"}
    assert found.runs["rectom"].sources == dict.fromkeys(("majority", "majority-option", "random"), "floor") | {"grice": "live"}
    assert found.find("rectom/majority/belief/accuracy").n == 2
    with pytest.raises(InputError, match=r"--figures: got '--system majority'; allowed: a run of all systems"):
        bench("rectom", "--data-dir", str(data), "--system", "majority", "--figures", str(path))
    path.write_text(json.dumps({"toy": {}}))
    with pytest.raises(DataCorrupt, match="no figures"):
        Figures.read(path)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_keys_of_a_benchmark_are_plain(name: str) -> None:
    assert all(slug(system) == system for system in find(name).systems.names)
    assert slug("GPT-3.5, 3-shot") == "GPT-3.5-3-shot"


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        (RAIN, "it rains 70.0 % of days", "it rains 71.3 % of days"),
        (RAIN, "| rain | **1.25 [1, 2.0]** (9) |", "| rain | **71.25 [66, 80.0]** (1,200) |"),
        (RAIN, "7 % [1, 2] of days", "71 % [66, 80] of days"),
        (f"n:{RAIN} {{low:,high:}}{RAIN}", "n 3, from 1.0 to 2.0", "n 1,200, from 65.5 to 80.0"),
        ("20 toy/ours/{rain,sun}/accuracy", "after 10 days of int8: 1.0 / 1.0", "after 20 days of int8: 71.3 / 0.5"),
        ("toy/ours/rain/change", "GPT-4 and F1: −1.0", "GPT-4 and F1: −2.5"),
    ],
)
def test_numbers_are_put_where_they_are_marked(keys: str, before: str, after: str) -> None:
    text = "<!-- figures {} -->\n\n{}\nnext\n\nAnother 1.0 stays.\n"
    assert requote(text.format(keys, before), TOY) == text.format(keys, after)
    assert "Another 1.0 stays." in unmarked(text.format(keys, before))
    assert before not in unmarked(text.format(keys, before))


@pytest.mark.parametrize(
    ("keys", "text", "error", "message"),
    [
        (RAIN, "1.0 and 2.0", DataCorrupt, "2.0 is not named by the mark"),
        (f"{RAIN} 5", "1.0", DataCorrupt, "the mark goes on with 5"),
        ("toy/ours/sun/accuracy", "1.0 [0.1, 0.2]", DataCorrupt, "has no interval"),
        ("toy/ours/snow/accuracy", "1.0", InputError, "figure: got 'toy/ours/snow/accuracy'; allowed: ours/rain/accuracy"),
        ("rectom/paper:Frog/belief/accuracy", "1.0", InputError, "allowed: rectom/paper:"),
    ],
)
def test_a_mark_that_does_not_fit_is_an_error(keys: str, text: str, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        requote(f"<!-- figures {keys} -->\n\n{text}\n", TOY)


def test_braces_stand_for_several_keys() -> None:
    assert list(expand("{a,b}/x/{1,2}")) == ["a/x/1", "a/x/2", "b/x/1", "b/x/2"]


def test_a_command_that_is_kept_names_no_file_of_this_machine() -> None:
    line = "grice bench toy --readings /a/kept.jsonl --limit 9 --data-dir /a/data --figures /a/figures.json"
    assert repeatable(line) == "grice bench toy --limit 9"
    assert [run.command for run in FIGURES.runs.values() if re.search(r" /\w", run.command)] == []
