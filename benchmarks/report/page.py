"""A report as one page of HTML that needs nothing else: no script, no file, no network."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from grice.benchmarks.core.results import Table
from grice.benchmarks.report.charts import Chart, Palette, difference_chart, reliability_chart, task_chart
from grice.benchmarks.report.markup import Markup, element
from grice.benchmarks.report.shown import Content, ShownTask
from grice.benchmarks.report.tables import difference_table, headlines, run_tables, summary, task_table
from grice.benchmarks.stats.reliability import named

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #57606a; --paper: #ffffff; --line: #d0d7de; --link: #0b63c4;
  --shade: 11, 99, 196; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #9da7b3; --paper: #0d1117; --line: #3a424c;
  --link: #58a6ff; --shade: 88, 166, 255; } }
body { margin: 0 auto; max-width: 78rem; padding: .5rem 1rem; font: .875rem/1.4 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 1rem 0 .25rem; border-bottom: 1px solid var(--line); }
p { margin: .25rem 0; color: var(--quiet); font-size: .8rem; }
a { color: var(--link); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: .5rem; align-items: start; }
.charts figure { margin: 0; }
figcaption { font-weight: 600; font-size: .75rem; }
.charts img { width: 100%; max-width: 26rem; height: auto; background: #ffffff; }
.summary { columns: 34rem 2; column-gap: 1.5rem; }
.summary .scroll { break-inside: avoid; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .75rem; margin: .25rem 0 .5rem; }
.summary table { font-size: .69rem; line-height: 1.2; width: 100%; }
.summary td { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 9.2rem; }
.summary th, .summary td { padding: .08rem .25rem; }
caption { text-align: left; font-weight: 600; padding: .1rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .1rem .35rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.facts td { overflow-wrap: anywhere; }
summary { cursor: pointer; font-weight: 600; }
ul { padding-left: 1.2rem; font-size: .8rem; }
@media print { body { max-width: none; } }
"""
LEGEND = (
    "● a run of these, ■ a replay of stored folds or published outputs, ▲ a language model, ┃ a floor (a constant or a rule), "
    "◇ a figure that a paper reports. Lines are 95 % intervals (bootstrap by dialogue). ↑ higher is better, ↓ lower is better. "
    "A system has one colour throughout; floors are grey."
)


def page(content: Content) -> str:
    """The page."""
    palette = Palette(content)
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", content.title),
        element("style", Markup(STYLE)),
    )
    tables = [*map(_matrix, content.matrices), *map(_table, content.tables)]
    main = element(
        "main",
        element("h1", content.title),
        element("p", LEGEND),
        element("div", *map(_table, summary(content)), class_="summary", id="summary"),
        *(_benchmark(content, name, tasks, palette) for name, tasks in content.benchmarks.items()),
        *(_differences(content, palette) if content.differences else []),
        element("h2", "Behind the figures"),
        *(_folded("Confusion matrices and tables of the runs", tables) if tables else []),
        *_folded("How the runs were made", [element("div", *map(_table, run_tables(content)), class_="facts")]),
        *_folded("Notes, and papers that are quoted", [element("ul", *(element("li", note) for note in content.notes))]),
    )
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


def _benchmark(content: Content, name: str, tasks: Sequence[ShownTask], palette: Palette) -> Markup:
    charts = [task_chart(task, palette) for task in tasks if not task.is_part]
    diagrams = content.reliabilities.get(name, ())
    for what in dict.fromkeys(named(table)[1] for table in diagrams):
        here = [table for table in diagrams if named(table)[1] == what]
        charts.append(reliability_chart(f"{name}: reliability, {what}", here, palette))
    figures = _folded(f"All figures of {name}", [_table(task_table(task)) for task in tasks])
    return element("section", element("h2", name), _charts(charts), *figures)


def _differences(content: Content, palette: Palette) -> Iterable[Markup]:
    yield element("h2", "Differences between runs")
    yield element(
        "p",
        "Of the run that is named first. Pairs: both runs are drawn over the same dialogues, so what is hard for both cancels "
        "out. A cross stands where rows differ, or draws are not stored, and there is no interval.",
    )
    names = dict.fromkeys(each.benchmark for each in content.differences)
    charts: list[Chart] = []
    for name in names:
        shown = headlines(content, name)
        for other, metric in dict.fromkeys((each.other, each.metric) for each in shown):
            rows = [each for each in shown if (each.other, each.metric) == (other, metric)]
            charts.append(difference_chart(f"{name}: {other} minus {rows[0].first}", rows, palette))
    yield _charts(charts)
    for name in names:
        found = [each for each in content.differences if each.benchmark == name]
        yield from _folded(f"All differences of {name}", [_table(difference_table(name, found))])


def _charts(charts: Iterable[Chart]) -> Markup:
    return element("div", *map(_image, charts), class_="charts")


def _image(chart: Chart) -> Markup:
    source = f"data:image/svg+xml;base64,{base64.b64encode(chart.svg).decode()}"
    image = Markup(element("img", alt=f"{chart.title}. {chart.words}", src=source).removesuffix("</img>"))
    return element("figure", element("figcaption", chart.title), image)


def _folded(title: str, parts: Sequence[Markup]) -> list[Markup]:
    return [element("details", element("summary", title), *parts)]


def _table(table: Table) -> Markup:
    rows = ([_cell(str(cell), isinstance(cell, (int, float))) for cell in row] for row in table.rows)
    return _drawn(table, rows)


def _matrix(table: Table) -> Markup:
    """Counts, each shaded by its share of the row."""
    return _drawn(table, ([element("th", str(label), scope="row"), *_shaded(counts)] for label, *counts in table.rows))


def _shaded(counts: Iterable[str | int | float]) -> list[Markup]:
    numbers = [count if isinstance(count, (int, float)) else 0 for count in counts]
    total = sum(numbers) or 1
    return [
        element("td", str(number), class_="number", style=f"background: rgba(var(--shade), {0.6 * number / total:.2f})")
        for number in numbers
    ]


def _drawn(table: Table, rows: Iterable[list[Markup]]) -> Markup:
    head = element("tr", *(element("th", name, scope="col") for name in table.header))
    body = element("tbody", *(element("tr", *row) for row in rows))
    drawn = element("table", element("caption", table.title), element("thead", head), body)
    return element("div", drawn, class_="scroll", tabindex=0, role="region", aria_label=table.title)


def _cell(text: str, is_number: bool) -> Markup:
    return element("td", text, class_="number") if is_number else element("td", text)
