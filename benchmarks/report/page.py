"""A report as one page of HTML that needs nothing else: no script, no file, no network."""

from __future__ import annotations

from collections.abc import Iterable

from grice.benchmarks.core.results import Table
from grice.benchmarks.report.bars import plot
from grice.benchmarks.report.markup import Markup, element
from grice.benchmarks.report.shown import Content, Section, table_of

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #57606a; --paper: #ffffff; --line: #d0d7de; --ours: #0b63c4;
  --theirs: #8a5a00; --shade: 11, 99, 196; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #9da7b3; --paper: #0d1117; --line: #3a424c;
  --ours: #58a6ff; --theirs: #e3a13b; --shade: 88, 166, 255; } }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
a { color: var(--ours); }
figure { margin: 0 0 2rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 2rem;
  align-items: start; }
figcaption { grid-column: 1 / -1; font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; margin: .5rem 0 1rem; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; overflow-wrap: anywhere; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; max-width: 36rem; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); }
svg .value { text-anchor: end; }
svg .tick { fill: var(--quiet); }
svg .bar { fill: var(--ours); }
svg .published { fill: none; stroke: var(--theirs); stroke-width: 2; stroke-dasharray: 4 2; }
svg .interval { fill: none; stroke: var(--ink); stroke-width: 1.5; }
svg .grid { stroke: var(--line); }
"""
LEGEND = (
    "A filled bar is a figure of these runs, its whisker the 95 % interval (bootstrap by dialogue); "
    "a dashed one is a figure that a paper reports. In confusion matrices, a cell is shaded by its share of the row."
)


def page(content: Content) -> str:
    """The page."""
    links = [element("li", element("a", section.title, href=f"#s{place}")) for place, section in enumerate(content.sections)]
    sections = [_section(section, f"s{place}") for place, section in enumerate(content.sections)]
    notes = element("ul", *(element("li", note) for note in content.notes))
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", content.title),
        element("style", Markup(STYLE)),
    )
    main = element("main", element("h1", content.title), element("p", LEGEND), element("ul", *links), *sections, notes)
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


def _section(section: Section, name: str) -> Markup:
    figures = [
        element(
            "figure",
            element("figcaption", figure.title),
            plot(figure, f"{name}-{place}"),
            _table(table_of(figure), with_caption=False),
        )
        for place, figure in enumerate(section.figures)
    ]
    matrices = [_matrix(table) for table in section.matrices]
    return element("section", element("h2", section.title), *figures, *matrices, *map(_table, section.tables), id=name)


def _table(table: Table, with_caption: bool = True) -> Markup:
    rows = ([_cell(str(cell), isinstance(cell, (int, float))) for cell in row] for row in table.rows)
    return _drawn(table, rows, with_caption)


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


def _drawn(table: Table, rows: Iterable[list[Markup]], with_caption: bool = True) -> Markup:
    caption = [element("caption", table.title)] if with_caption else []
    head = element("tr", *(element("th", name, scope="col") for name in table.header))
    drawn = element("table", *caption, element("thead", head), element("tbody", *(element("tr", *row) for row in rows)))
    return element("div", drawn, class_="scroll", tabindex=0, role="region", aria_label=table.title)


def _cell(text: str, is_number: bool) -> Markup:
    return element("td", text, class_="number") if is_number else element("td", text)
