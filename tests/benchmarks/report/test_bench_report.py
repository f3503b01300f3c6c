"""`grice report`: the page and the Markdown of invented runs, read back."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import PHONE, browsing
from llm_run_fixtures import asked, even, number_of
from openai_server import chat, openai_server

from grice.benchmarks.core.results import Published, Report, Result, Run, Table
from grice.benchmarks.report.bars import extent
from grice.benchmarks.report.content import content_of, read_inputs
from grice.benchmarks.report.markdown import markdown
from grice.benchmarks.report.page import page
from grice.benchmarks.report.shown import Bar
from grice.benchmarks.stats.confusion import confusion
from grice.middleware.cli import main
from grice.models.errors import DataCorrupt, DataNotFound, InputError

EVIL = "<script>alert('&')</script>"
VOID = {"meta"}


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
        if tag not in VOID:
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
        ),
        reasons={"rain/lost": "no weights"},
        notes=("it rained",),
    ),
    (result("ours", 75.25, 70.5, 80.0), result(EVIL, 40.0), result("lost", None)),
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


def test_the_command_writes_both_files(written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "report"
    assert main(["report", str(written), "--out", str(out)]) == 0
    assert capsys.readouterr().out.split() == [str(out / "report.html"), str(out / "report.md")]
    assert "75.25" in (out / "report.html").read_text(encoding="utf-8")
    assert "75.25" in (out / "report.md").read_text(encoding="utf-8")


def test_every_figure_is_in_the_plot_and_in_the_table_beside_it(written: Path) -> None:
    found = shown(written)
    rows = rows_of(found)
    assert ["ours", "75.25", "70.50 to 80.00", "50", "2"] in rows
    assert [EVIL, "40.00", "–", "50", "2"] in rows
    assert ["lost", "not scored: no weights", "–", "0", "52"] in rows
    assert ["published: frogs", "62.50", "–", "400", "–"] in rows
    ((_, description),) = found.all("desc")
    assert "ours: 75.25 [70.50 to 80.00]; " in description
    assert "lost: not scored; published: frogs: 62.50" in description
    widths = [float(str(attributes["width"])) for attributes, _ in found.all("rect")]
    assert [width / widths[0] for width in widths] == pytest.approx([1, 40 / 75.25, 62.5 / 75.25], rel=1e-3)
    assert len(found.all("rect", class_="bar published")) == 1
    ((interval, _),) = found.all("path", class_="interval")
    left, right = (float(end) for end in re.findall(r"[MH]([\d.]+)", str(interval["d"]))[:2])
    assert (right - left) / widths[0] == pytest.approx(9.5 / 75.25, rel=1e-3)


def test_the_page_needs_nothing_else_and_holds_no_foreign_markup(written: Path) -> None:
    text = page(content_of(read_inputs([written])))
    found = Page(text)
    assert not found.all("script")
    assert not {"src", "srcset"} & {name for _, attributes, _ in found.elements for name in attributes}
    assert all(str(attributes["href"]).startswith("#") for attributes, _ in found.all("a"))
    assert "url(" not in text
    assert "@import" not in text


def test_every_plot_has_a_name_and_a_description(written: Path) -> None:
    found = shown(written)
    ids = [str(attributes["id"]) for _, attributes, _ in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    plots = found.all("svg")
    assert len(plots) == len(found.all("figure")) == 1
    assert all({attributes["aria-labelledby"], attributes["aria-describedby"]} <= set(ids) for attributes, _ in plots)
    assert [text for _, text in found.all("title")] == ["Grice: weather", "weather, rain: accuracy"]
    assert {str(attributes["href"]) for attributes, _ in found.all("a")} <= {f"#{each}" for each in ids}


def test_matrices_and_tables_of_runs_are_shown(written: Path) -> None:
    rows = rows_of(shown(written))
    assert ["gold \\ predicted", "dry", "wet", "(no prediction)"] in rows
    assert ["dry", "0", "1", "1"] in rows
    assert ["wet", "0", "1", "0"] in rows
    assert ["Monday", "0.25"] in rows
    assert [str(Path(written)), "data weather/days.csv", "a" * 64] in rows
    cells = shown(written).all("td", style="background: rgba(var(--shade), 0.60)")
    assert [text for _, text in cells] == ["1"]


def test_the_same_task_of_two_files_is_one_plot(written: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    results = (result("ours", 10.0), result("theirs", 20.0), result("ours", 0.5, metric="speed"))
    dataclasses.replace(REPORT, results=results).write(other)
    found = shown(written, other)
    assert [text for _, text in found.all("figcaption")] == ["weather, rain: accuracy", "weather, rain: speed"]
    names = [row[0] for row in rows_of(found) if len(row) == 5]
    assert f"ours ({written})" in names
    assert f"ours ({other})" in names
    assert names.count("published: frogs") == 1
    assert "theirs" in names


def test_markdown_has_the_same_figures(written: Path) -> None:
    text = markdown(content_of(read_inputs([written])))
    assert f"| ours | 75.25 | 70.50 to 80.00 | 50 | 2 | {'█' * 15} |" in text
    assert "| published: frogs | 62.50 | – | 400 | – | " in text
    assert "| &lt;script>alert('&')&lt;/script> | 40.00 |" in text
    assert "| gold \\\\ predicted | dry | wet | (no prediction) |" in text
    assert "| day | share \\| of rain |" in text
    assert "- published: Toad 1999, Table 1\n" in text


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
    (match,) = (row for row in rows if row[0] == "m" and len(row) == 5)
    assert match[1] == f"{100 * 7 / 9:.2f}"
    assert match[3:] == ["9", "3"]
    assert ["no", "3", "2", "1"] in rows
    assert ["yes", "0", "4", "2"] in rows
    assert ["even", "m", "12", "12", "0", "240", "60", "0.00036", "0.00036", "2", "1"] in rows
    assert [str(asked_folder / "even--m"), "about prompt", "1" * 64] in rows


def test_two_runs_of_one_model_are_told_apart_by_their_folders(asked_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(asked_folder / "even--m", other)
    names = [row[0] for row in rows_of(shown(asked_folder, other)) if len(row) == 5]
    assert names == ["system", f"m ({asked_folder / 'even--m'})", f"m ({other})"]


def test_a_run_without_one_readable_answer_is_not_scored(tmp_path: Path) -> None:
    with openai_server([chat("perhaps")]) as server:
        asked(server.url, tmp_path, [0], llm_out=tmp_path)
    assert ["m", "not scored", "–", "0", "1"] in rows_of(shown(tmp_path))


def test_samples_that_are_no_labels_give_neither(asked_folder: Path) -> None:
    folder = asked_folder / "even--m"
    run = read_inputs([folder]).llm_runs[str(folder)]
    lists = dataclasses.replace(run, samples=tuple(dataclasses.replace(each, gold=["yes"]) for each in run.samples))
    content = content_of(dataclasses.replace(read_inputs([folder]), llm_runs={"x": lists}))
    assert [section.title for section in content.sections] == ["Language models", "How the runs were made"]
    assert content.sections[0].figures == ()


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([62.5], (0, 100)),
        ([0.6], (0, 1)),
        ([0.2], (0, 0.2)),
        ([12.0], (0, 20)),
        ([-0.3, 0.7], (-0.5, 1)),
        ([1634.0], (0, 2000)),
        ([], (0, 1)),
    ],
)
def test_axes_end_at_round_numbers(values: list[float], ends: tuple[float, float]) -> None:
    assert extent([Bar("s", value, None, None, 1, 0) for value in values]) == pytest.approx(ends)


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
        assert images[0]["name"]["value"] == "weather, rain: accuracy"
        assert images[0]["description"]["value"].startswith("Bars with 95 % intervals. ours: 75.25")
