"""A report as Markdown."""

from __future__ import annotations

from grice.benchmarks.core.results import Table
from grice.benchmarks.report.bars import extent
from grice.benchmarks.report.shown import Content, Section, ShownMetric, table_of

BLOCKS = 20


def markdown(content: Content) -> str:
    """The report; a bar is a row of blocks."""
    notes = "\n".join(f"- {_line(note)}" for note in content.notes)
    return "\n\n".join([f"# {_line(content.title)}", *map(_section, content.sections), *([notes] if notes else [])]) + "\n"


def _section(section: Section) -> str:
    parts = [f"## {_line(section.title)}", *map(_figure, section.figures), *map(_table, (*section.matrices, *section.tables))]
    return "\n\n".join(parts)


def _figure(figure: ShownMetric) -> str:
    """The table with a column more, in which the longest bar is the end of the axis."""
    _, high = extent(figure.bars)
    table = table_of(figure)
    blocks = ["" if bar.value is None else "█" * round(BLOCKS * max(0.0, bar.value) / high) for bar in figure.bars]
    rows = tuple((*row, drawn) for row, drawn in zip(table.rows, blocks, strict=True))
    return _table(Table(table.title, (*table.header, f"to {high:g}"), rows))


def _table(table: Table) -> str:
    lines = (table.header, ("---",) * len(table.header), *table.rows)
    piped = "\n".join(f"| {' | '.join(_line(str(cell)) for cell in line)} |" for line in lines)
    return f"### {_line(table.title)}\n\n{piped}"


def _line(text: str) -> str:
    """One line that is no markup."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
