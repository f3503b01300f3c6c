"""`grice report`: page, Markdown, LaTeX and CSV of invented runs, read back."""

from __future__ import annotations

import base64
import csv
import dataclasses
import io
import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import PHONE, browsing
from llm_run_fixtures import asked, even, number_of
from openai_server import chat, openai_server

from grice.benchmarks.core.results import Published, Report, Result, Run, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.report.content import content_of
from grice.benchmarks.report.files import differences_csv, figures_csv, latex, markdown
from grice.benchmarks.report.inputs import labels, read_inputs, without_folders
from grice.benchmarks.report.page import page
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.confusion import confusion
from grice.benchmarks.stats.reliability import reliability
from grice.middleware.cli import main
from grice.models.errors import DataCorrupt, DataNotFound, InputError

EVIL = "<script>alert('&')</script>"
VOID = {"meta", "img"}
SCREEN = (1280, 800)
SVG = "{http://www.w3.org/2000/svg}"


class Page(HTMLParser):
    """A page's elements with their text; fails where an element is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.elements: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            self.elements.append((tag, dict(attrs), ""))
        else:
            self.open.append((tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        name, attributes, text = self.open.pop()
        assert name == tag
        self.elements.append((tag, attributes, "".join(text)))

    def handle_data(self, data: str) -> None:
        for _, _, text in self.open:
            text.append(data)

    def all(self, tag: str, **attributes: str) -> list[tuple[dict[str, str | None], str]]:
        return [
            (found, text)
            for name, found, text in self.elements
            if name == tag and all(found.get(key.rstrip("_")) == value for key, value in attributes.items())
        ]


def run_of(**changes: Any) -> Run:
    facts: dict[str, Any] = {
        "benchmark": "weather",
        "command": "grice bench weather",
        "split": "ours",
        "part": "our test part",
        "seed": 3,
        "limit": None,
        "n": 50,
        "started": "2030-01-01",
        "seconds": 1.0,
        "git": None,
        "data": {"weather/days.csv": "a" * 64},
        "models": {},
        "versions": {"python": "3.11"},
        "options": {},
        "kinds": {"ours": "ours", "lost": "rival", "always": "floor"},
    }
    return Run(**{**facts, **changes})


def result(
    system: str, value: float | None, low: float | None = None, high: float | None = None, metric: str = "accuracy"
) -> Result:
    n, unscored = (50, 2) if value is not None else (0, 52)
    return Result("weather", "rain", system, metric, value, low, high, n, unscored)


REPORT = Report(
    run_of(
        published=(Published("rain", "frogs", "accuracy", 62.5, 400, "Toad 1999, Table 1"),),
        tables=(
            confusion("rain: confusion of ours", ["wet", "dry", "dry"], ["wet", "wet", None]),
            Table("Days", ("day", "share | of rain"), (("Monday", 0.25),)),
            reliability("ours", "it rains", [0.1, 0.15, 0.9, 0.9], [0, 0, 1, 0]),
        ),
        reasons={"rain/lost": "no weights"},
        notes=("it rained",),
    ),
    (result("ours", 75.25, 70.5, 80.0), result("always", 50.0), result(EVIL, 40.0), result("lost", None)),
)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "weather.json"
    REPORT.write(path)
    return path


def shown(*paths: Path) -> Page:
    return Page(page(content_of(read_inputs(paths))))


def rows_of(found: Page) -> list[list[str]]:
    """The cells of all rows of all tables, in order."""
    rows: list[list[str]] = []
    cells: list[str] = []
    for tag, _, text in found.elements:
        if tag in ("td", "th"):
            cells.append(text)
        elif tag == "tr":
            rows.append(cells)
            cells = []
    return rows


def test_a_report_is_read_back_as_it_was_written(written: Path) -> None:
    assert Report.read(written) == REPORT


FILES = ("report.html", "report.md", "report.tex", "figures.csv", "differences.csv")


def test_the_command_writes_all_files(written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "report"
    assert main(["report", str(written), "--out", str(out)]) == 0
    assert capsys.readouterr().out.split() == [str(out / name) for name in FILES]
    assert all("75.25" in (out / name).read_text(encoding="utf-8") for name in FILES[:4])


def test_the_summary_comes_first_and_has_ours_the_best_floor_and_the_best_paper(written: Path) -> None:
    found = shown(written)
    assert rows_of(found)[:2] == [
        ["task", "ours", "best floor", "best paper"],
        ["rain", "75.25 [70.50, 80.00] ours", "50.00 always", "62.50 frogs"],
    ]
    assert found.all("caption")[0][1] == "weather, accuracy ↑, n = 50"
    names = [tag for tag, attributes, _ in found.elements if tag in ("img", "table")]
    assert names[:2] == ["table", "img"]


def test_every_figure_is_in_the_chart_and_in_the_table_of_its_task(written: Path) -> None:
    found = shown(written)
    rows = rows_of(found)
    assert ["● ours", "75.25 [70.50 to 80.00]", "50", "2"] in rows
    assert [f"● {EVIL}", "40.00", "50", "2"] in rows
    assert ["┃ always", "50.00", "50", "2"] in rows
    assert ["● lost", "not scored: no weights", "0", "52"] in rows
    assert ["◇ frogs (paper)", "62.50", "400", "–"] in rows
    words = str(found.all("img")[0][0]["alt"])
    assert words.startswith("weather: rain. accuracy, with 95 % intervals. ours: 75.25 [70.50 to 80.00]; ")
    assert "lost: not scored; always: 50.00; frogs (paper): 62.50" in words


def drawings(found: Page) -> list[ElementTree.Element]:
    """The charts, as they are in the page."""
    sources = [str(attributes["src"]) for attributes, _ in found.all("img")]
    return [ElementTree.fromstring(base64.b64decode(source.partition(",")[2])) for source in sources]


def test_a_chart_says_which_way_is_better_and_where_each_figure_comes_from(written: Path) -> None:
    texts = ["".join(each.itertext()) for each in drawings(shown(written))[0].iter(f"{SVG}text")]
    assert "accuracy (higher is better →)" in texts
    assert [text for text in texts if text[0] in "●┃◇"] == [
        "● ours  75.25",
        f"● {EVIL}  40.00",
        "● lost",
        "┃ always  50.00",
        "◇ frogs  62.50",
    ]
    assert "not scored" in texts


def test_a_replay_is_marked_as_one(written: Path) -> None:
    run = run_of(kinds={"ours": "ours", "always": "floor"}, options={"folds_sha256": "c" * 64})
    dataclasses.replace(REPORT, run=run).write(written)
    found = shown(written)
    assert ["■ ours", "75.25 [70.50 to 80.00]", "50", "2"] in rows_of(found)
    assert "■ ours  75.25" in ["".join(each.itertext()) for each in drawings(found)[0].iter(f"{SVG}text")]
    row = next(csv.DictReader(io.StringIO(figures_csv(content_of(read_inputs([written]))))))
    assert (row["system"], row["origin"]) == ("ours", "stored folds")


def colours(chart: ElementTree.Element) -> list[str]:
    return [found for each in chart.iter() for found in re.findall(r"stroke: (#[0-9a-f]{6})", each.get("style", ""))]


def test_a_system_has_the_same_colour_in_every_chart_and_floors_are_grey(written: Path, tmp_path: Path) -> None:
    other = tmp_path / "snow.json"
    reordered = (result("always", 1.0), result("lost", 2.0), dataclasses.replace(result("ours", 3.0), task="snow"))
    dataclasses.replace(REPORT, results=reordered).write(other)
    rain, snow = (colours(each) for each in (drawings(shown(written, other))[0], drawings(shown(written, other))[1]))
    blue, grey = "#0072b2", "#8c8c8c"
    assert blue in rain
    assert grey in rain
    assert blue in snow
    assert grey not in snow


def test_reliability_is_a_curve(written: Path) -> None:
    curve = shown(written).all("img")[1][0]
    assert "reliability, it rains" in str(curve["alt"])
    assert "ours: 0.125 means 0.0 of 2 rows; 0.9 means 0.5 of 2 rows." in str(curve["alt"])
    assert "mean score" in ["".join(each.itertext()) for each in drawings(shown(written))[1].iter(f"{SVG}text")]


def test_the_page_needs_nothing_else_and_holds_no_foreign_markup(written: Path) -> None:
    text = page(content_of(read_inputs([written])))
    found = Page(text)
    assert not found.all("script")
    assert all(str(attributes["src"]).startswith("data:image/svg+xml;base64,") for attributes, _ in found.all("img"))
    assert not {"srcset", "href"} & {name for _, attributes, _ in found.elements for name in attributes}
    assert "url(" not in text
    assert "@import" not in text
    inside = "".join(ElementTree.tostring(each, "unicode") for each in drawings(found))
    assert "alert('&amp;')" in inside
    assert "<script" not in inside.replace("&lt;script", "")


def test_matrices_and_tables_of_runs_are_folded_away(written: Path) -> None:
    found = shown(written)
    rows = rows_of(found)
    assert ["gold \\ predicted", "dry", "wet", "(no prediction)"] in rows
    assert ["dry", "0", "1", "1"] in rows
    assert ["wet", "0", "1", "0"] in rows
    assert ["Monday", "0.25"] in rows
    assert ["data weather/days.csv", "a" * 64] in rows
    folded = " ".join(text for _, text in found.all("details"))
    assert all(text in folded for text in ("a" * 64, "Monday", "gold \\ predicted", "it rained", "Toad 1999"))
    cells = found.all("td", style="background: rgba(var(--shade), 0.60)")
    assert [text for _, text in cells] == ["1"]


def test_the_same_task_of_two_files_is_one_chart(written: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    results = (result("ours", 10.0), result("theirs", 20.0), result("ours", 0.5, metric="speed"))
    dataclasses.replace(REPORT, results=results).write(other)
    found = shown(written, other)
    titles = [text for _, text in found.all("figcaption")]
    assert titles == ["weather: rain", "weather: reliability, it rains", "weather: other minus weather"]
    systems = [row[0] for row in rows_of(found)]
    assert "● ours · weather" in systems
    assert "● ours · other" in systems
    assert systems.count("◇ frogs (paper)") == 1
    assert "● theirs" in systems


def sheet_of(right: list[int], groups: str = "aabbccddeeffgghh") -> Report:
    sheet = Sheet("weather", list(groups), seed=3)
    sheet.add("rain", "ours", "accuracy", metrics.mean(right, 100))
    return Report(run_of(), tuple(sheet.results), sheet.draws)


BEFORE = [0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1]
"""As hard for everybody: dialogue by dialogue, a later run is right where this one is, and once more in every dialogue but one."""
AFTER = [1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1]


def test_two_runs_over_the_same_rows_are_compared_in_pairs(tmp_path: Path) -> None:
    for name, right in (("before", BEFORE), ("after", AFTER)):
        sheet_of(right).write(tmp_path / f"{name}.json")
    content = content_of(read_inputs([tmp_path / "before.json", tmp_path / "after.json"]))
    (found,) = content.differences
    (before,), (after,) = sheet_of(BEFORE).results, sheet_of(AFTER).results
    assert found.value == pytest.approx(100 * (sum(AFTER) - sum(BEFORE)) / 16)
    draws = np.random.default_rng(3).multinomial(8, np.full(8, 1 / 8), size=1000)
    gains = np.array([sum(AFTER[k : k + 2]) - sum(BEFORE[k : k + 2]) for k in range(0, 16, 2)])
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(100 * draws @ gains / 16, (2.5, 97.5))), abs=1e-4)
    assert before.high is not None
    assert after.low is not None
    assert found.low is not None
    assert found.low > 0 > after.low - before.high  # the pairs tell the two apart, their own intervals do not
    row = [row for row in rows_of(Page(page(content))) if row[0] == "rain" and row[-1] == "yes"]
    assert row[0][3:6] == ["before", "after", f"{found.value:+.2f}"]
    (line,) = csv.DictReader(io.StringIO(differences_csv(content)))
    assert float(line["low"]) == found.low


@pytest.mark.parametrize("change", [{"groups": "aabbccddeeffgghi"}, {"data": {"weather/days.csv": "b" * 64}}])
def test_runs_over_other_rows_are_not_paired(tmp_path: Path, change: dict[str, Any]) -> None:
    sheet_of(BEFORE).write(tmp_path / "before.json")
    other = sheet_of(AFTER, change.get("groups", "aabbccddeeffgghh"))
    data = change.get("data", other.run.data)
    dataclasses.replace(other, run=dataclasses.replace(other.run, data=data)).write(tmp_path / "after.json")
    content = content_of(read_inputs([tmp_path / "before.json", tmp_path / "after.json"]))
    assert [(each.low, each.high) for each in content.differences] == [(None, None)]
    assert "not paired" in page(content)


def test_no_path_of_the_machine_is_shown(tmp_path: Path) -> None:
    home = tmp_path / "home of anna"
    home.mkdir()
    command = f"grice bench weather --data-dir {tmp_path}/data --out '{home}/x.json' --items '{home}/days.jsonl' --limit 5"
    run = run_of(
        command=command,
        options={"items": f"{home}/days.jsonl", "llm_url": "http://127.0.0.1:8000/v1"},
        reasons={"rain/lost": f"no weights in {tmp_path}/weights: read /v1/models"},
        notes=(f"left out {tmp_path}/snow.csv, and/or 3/4 of it",),
        tables=(Table("Files", ("file",), ((f"{tmp_path}/hail.csv",),)),),
    )
    dataclasses.replace(REPORT, run=run).write(home / "weather.json")
    content = content_of(read_inputs([home / "weather.json"]))
    for text in (page(content), markdown(content), latex(content), figures_csv(content)):
        assert str(tmp_path) not in text
        assert "anna" not in text
    rows = dict(content.runs[0].facts)
    assert rows["command"].endswith("--items days.jsonl --limit 5")
    assert rows["options llm_url"] == "http://127.0.0.1:8000/v1"
    assert content.notes[0] == "left out snow.csv, and/or 3/4 of it"
    assert content.tasks[0].figures[3].why == "no weights in weights: read /v1/models"


def test_runs_are_called_by_as_much_of_their_path_as_tells_them_apart() -> None:
    paths = [Path("/a/monday/run.json"), Path("/a/tuesday/run.json"), Path("/a/tuesday/other.json")]
    assert list(labels(paths).values()) == ["monday/run", "tuesday/run", "other"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("--out /home/me/x.json", "--out x.json"),
        (r"C:\Users\me\x.json is lost", "x.json is lost"),
        ("~/data/x, and /tmp/y)", "x, and y)"),
        ("models/pretrained/x and 1/2", "models/pretrained/x and 1/2"),
        ("https://example.com/a/b", "https://example.com/a/b"),
    ],
)
def test_of_absolute_paths_the_last_name_stays(text: str, said: str) -> None:
    assert without_folders(text) == said


def test_markdown_has_the_same_figures(written: Path) -> None:
    text = markdown(content_of(read_inputs([written])))
    assert "| ● ours | 75.25 [70.50 to 80.00] | 50 | 2 |" in text
    assert "| ◇ frogs (paper) | 62.50 | 400 | – |" in text
    assert "| ● &lt;script>alert('&')&lt;/script> | 40.00 |" in text
    assert "| gold \\\\ predicted | dry | wet | (no prediction) |" in text
    assert "| day | share \\| of rain |" in text
    assert "- published: Toad 1999, Table 1\n" in text


def test_latex_has_the_same_figures_and_is_balanced(written: Path) -> None:
    text = latex(content_of(read_inputs([written])))
    assert r"$\bullet$ ours & 75.25 [70.50 to 80.00] & 50 & 2 \\" in text
    assert r"\textless{}script\textgreater{}alert('\&')" in text
    assert r"accuracy $\uparrow$" in text
    for name in ("table", "tabular"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}") == 2
    for head, body in re.findall(r"\\begin{tabular}{([lr]+)}\n(.*?)\\end", text, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert {len(re.split(r"(?<!\\)&", row)) for row in rows} == {len(head)}


def test_csv_has_a_row_a_figure(written: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(figures_csv(content_of(read_inputs([written]))))))
    assert [(row["system"], row["kind"], row["origin"], row["better"], row["value"], row["low"]) for row in rows] == [
        ("ours", "ours", "live", "higher", "75.25", "70.5"),
        ("always", "floor", "floor", "higher", "50.0", ""),
        (EVIL, "ours", "not stated", "higher", "40.0", ""),
        ("lost", "rival", "live", "higher", "", ""),
        ("frogs", "paper", "paper", "higher", "62.5", ""),
    ]


@pytest.fixture
def asked_folder(tmp_path: Path) -> Path:
    """Twelve questions: 0 and 5 cannot be read, 10 is refused, 3 and 9 are wrong."""
    texts = {0: "perhaps", 5: "perhaps", 3: "yes", 9: "yes", 10: ""}
    with openai_server(lambda request: chat(texts.get(number_of(request), even(request)))) as server:
        asked(server.url, tmp_path, range(12), llm_out=tmp_path / "llm")
    return tmp_path / "llm"


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_samples_give_exact_matches_a_matrix_and_what_was_asked(asked_folder: Path) -> None:
    rows = rows_of(shown(asked_folder))
    (match,) = (row for row in rows if row[0] == "▲ m")
    assert match[1].startswith(f"{100 * 7 / 9:.2f} [")
    assert match[2:] == ["9", "3"]
    assert ["no", "3", "2", "1"] in rows
    assert ["yes", "0", "4", "2"] in rows
    assert ["even", "m", "12", "12", "0", "240", "60", "0.00036", "0.00036", "2", "1"] in rows
    assert ["about prompt", "1" * 64] in rows


def test_two_runs_of_one_model_are_told_apart_by_their_folders(asked_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(asked_folder / "even--m", other)
    names = [row[0] for row in rows_of(shown(asked_folder, other)) if row[0].startswith("▲")]
    assert names == ["▲ m · even--m", "▲ m · other"]


def test_a_run_without_one_readable_answer_is_not_scored(tmp_path: Path) -> None:
    with openai_server([chat("perhaps")]) as server:
        asked(server.url, tmp_path, [0], llm_out=tmp_path)
    assert ["▲ m", "not scored", "0", "1"] in rows_of(shown(tmp_path))


def test_samples_that_are_no_labels_give_neither(asked_folder: Path) -> None:
    folder = asked_folder / "even--m"
    run = read_inputs([folder]).llm_runs["even--m"]
    lists = dataclasses.replace(run, samples=tuple(dataclasses.replace(each, gold=["yes"]) for each in run.samples))
    content = content_of(dataclasses.replace(read_inputs([folder]), llm_runs={"x": lists}))
    assert (content.tasks, content.matrices) == ((), ())
    assert [table.title for table in content.tables] == ["Questions, tokens and cost"]


@pytest.mark.parametrize(
    "change",
    [
        lambda content: [],
        lambda content: {"run": content["run"]},
        lambda content: {**content, "results": [{"task": "x"}]},
        lambda content: {**content, "results": [{**content["results"][0], "value": "much"}]},
        lambda content: {**content, "run": {**content["run"], "tables": [{}]}},
        lambda content: {**content, "run": {"benchmark": "x"}},
        lambda content: {**content, "run": {**content["run"], "reasons": ["no weights"]}},
    ],
)
def test_a_file_of_something_else_is_refused(written: Path, change: Any) -> None:
    written.write_text(json.dumps(change(json.loads(written.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(DataCorrupt, match=r"weather\.json: not what `grice bench --out` writes"):
        read_inputs([written])


def test_what_is_not_there_is_said(tmp_path: Path, written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataNotFound, match=r"nowhere\.json: No such file"):
        read_inputs([tmp_path / "nowhere.json"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"allowed: a file of `grice bench --out`"):
        read_inputs([tmp_path / "empty"])
    assert main(["report", str(written), "--out", str(written)]) == 2
    assert "--out: got" in capsys.readouterr().err


def test_a_real_browser_shows_it_on_a_phone_in_the_dark(written: Path, asked_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(content_of(read_inputs([written, asked_folder]))), encoding="utf-8")
    with browsing() as browser:
        browser.open(path.as_uri(), PHONE, "dark")
        assert browser.problems() == []
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
        assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
        images = [node for node in browser.tree() if node["role"]["value"] in ("image", "img")]
        assert images[0]["name"]["value"].startswith("weather: rain. accuracy, with 95 % intervals. ours: 75.25")
        assert browser.run("return [...document.images].every(each => each.complete && each.naturalWidth > 100)")


FIVE = {"abceval": 10, "rectom": 10, "persuasion": 4, "direct": 3, "nlu": 3}
"""Benchmarks with as many tasks as they have."""


def five_runs(folder: Path) -> list[Path]:
    """Five runs as big as real ones: four systems of ours and floors, and a dozen of a paper's rows a task."""
    paths = []
    for name, count in FIVE.items():
        tasks = [f"task-number-{place}-of-them" for place in range(count)]
        systems = {"grice": "ours", "other-system": "replay", "majority": "floor", "random": "floor"}
        results = tuple(
            Result(name, task, system, metric, 40.0 + place, 35.0, 60.0, 1600)
            for task in tasks
            for place, system in enumerate(systems)
            for metric in ("accuracy", "f1_pos", "f1_neg", "precision")
        )
        published = tuple(
            Published(task, f"Language Model {place}+CoT", "accuracy", 50.0 + place, 1600, "A paper")
            for task in tasks
            for place in range(12)
        )
        paths.append(folder / f"{name}.json")
        Report(run_of(benchmark=name, kinds=systems, published=published), results).write(paths[-1])
    return paths


def test_five_runs_are_at_most_eight_screens_and_the_summary_is_on_the_first(tmp_path: Path) -> None:
    assert main(["report", *map(str, five_runs(tmp_path)), "--out", str(tmp_path / "out")]) == 0
    with browsing() as browser:
        browser.open((tmp_path / "out" / "report.html").as_uri(), SCREEN)
        assert browser.run("return document.documentElement.scrollHeight") <= 8 * SCREEN[1]
        assert browser.run("return document.getElementById('summary').getBoundingClientRect().bottom") <= SCREEN[1]
        assert browser.run("return document.querySelectorAll('#summary tbody tr').length") == sum(FIVE.values())
        browser.picture("report")
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
