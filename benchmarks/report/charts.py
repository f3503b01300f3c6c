"""Charts by matplotlib, as SVG that stands alone."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grice.benchmarks.core.report import NOT_SCORED, figure, interval
from grice.benchmarks.core.results import Table
from grice.benchmarks.report.shown import FLOOR, IN_PAPER, ORIGINS, PAPER, Content, Difference, ShownFigure, ShownTask
from grice.benchmarks.stats.directions import better
from grice.benchmarks.stats.reliability import named

COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#e69f00",
    "#6a3d9a",
    "#b15928",
    "#17becf",
    "#e31a1c",
    "#33a02c",
    "#7f5f00",
    "#a6761d",
    "#386cb0",
    "#bf5b17",
    "#1b9e77",
    "#e7298a",
    "#66a61e",
    "#7570b3",
    "#8c564b",
)
"""The first six are Okabe and Ito's (2008), which people tell apart whatever their colour vision."""
GREY = "#8c8c8c"
DASHES = ("-", ":", "-.", "--")
"""Of reliability curves: runs of one system have one colour."""
MARKERS = {"stored folds": "s", "published outputs": "s", "language model": "^", "floor": "|", "paper": "D"}
DIRECTIONS = {"higher": "{} (higher is better →)", "lower": "{} (← lower is better)", "neither": "{} (no direction is better)"}
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "grice",
    "font.family": "DejaVu Sans",
    "font.size": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
WIDTH, ROW, REST = 3.1, 0.152, 0.45
"""Inches: of a chart, of a row, and what a chart is high beside its rows."""
LONGEST_LABEL = 30


@dataclass(frozen=True)
class Chart:
    """A chart, and what it says, in words."""

    title: str
    svg: bytes
    words: str


class Palette:
    """The same colour for a system throughout; floors are grey."""

    def __init__(self, content: Content) -> None:
        coloured = (each.system for task in content.tasks for each in task.figures if each.kind not in (FLOOR, PAPER))
        papers = (each.system for task in content.tasks for each in task.figures if each.kind == PAPER)
        floors = {each.system for task in content.tasks for each in task.figures if each.kind == FLOOR}
        names = (name for name in dict.fromkeys([*coloured, *papers]) if name not in floors)
        self._colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}

    def of(self, system: str) -> str:
        """Its colour."""
        return self._colours.get(system, GREY)


def task_chart(task: ShownTask, palette: Palette) -> Chart:
    """The figures of a task's headline metric, each with its interval."""
    figures, metric = task.of(task.headline), task.headline
    with _drawing(len(figures), task.title) as (axes, save):
        for place, each in enumerate(figures):
            _point(axes, place, each, palette.of(each.system))
        axes.set_yticks(range(len(figures)), [_label(each) for each in figures], parse_math=False)
        axes.set_ylim(len(figures) - 0.4, -0.6)
        axes.set_xlabel(DIRECTIONS[better(metric)].format(metric), loc="right")
    said = "; ".join(f"{each.label}: {interval(each, between=' to ')}" for each in figures)
    return Chart(task.title, save(), f"{metric}, with 95 % intervals. {said}.")


def difference_chart(title: str, found: Sequence[Difference], palette: Palette) -> Chart:
    """How much another run differs from the first one in one metric, each with the interval of the pairs."""
    metric = found[0].metric
    with _drawing(len(found), title) as (axes, save):
        axes.axvline(0, color="black", linewidth=0.6)
        for place, each in enumerate(found):
            colour = palette.of(each.system)
            axes.plot(each.value, place, "o" if each.paired else "x", color=colour, markersize=4)
            if each.low is not None and each.high is not None:
                axes.hlines(place, each.low, each.high, color=colour, linewidth=1.2)
        texts = [f"{_short(f'{each.task} · {each.system}')}  {each.value:+.2f}" for each in found]
        axes.set_yticks(range(len(found)), texts, parse_math=False)
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_xlabel(DIRECTIONS[better(metric)].format(f"change of {metric}"), loc="right")
    said = "; ".join(f"{each.task}, {each.system}: {each.value:+.2f}" for each in found)
    return Chart(title, save(), f"Differences, with paired 95 % intervals. {said}.")


def reliability_chart(title: str, diagrams: Sequence[Table], palette: Palette) -> Chart:
    """A curve a system; on the diagonal, scores are what happens."""
    with _drawing(10, title) as (axes, save):
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--")
        for number, table in enumerate(diagrams):
            name, _ = named(table)
            means, shares = [[float(row[column]) for row in table.rows] for column in (2, 3)]
            colour = palette.of(name.partition(" · ")[0])
            axes.plot(means, shares, DASHES[number % len(DASHES)], marker="o", markersize=3, color=colour, label=name)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xlabel("mean score")
        axes.set_ylabel("share true (the diagonal is better)")
        axes.legend(frameon=False, fontsize=6)
    said = " ".join(
        f"{named(table)[0]}: {'; '.join(f'{row[2]} means {row[3]} of {row[1]} rows' for row in table.rows)}." for table in diagrams
    )
    return Chart(title, save(), f"Reliability curves. {said}")


@contextmanager
def _drawing(rows: int, title: str) -> Iterator[tuple[Axes, Callable[[], bytes]]]:
    """An empty chart of that many rows, and what makes SVG of it."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's own fonts draw the text
        drawn = Figure((WIDTH, REST + ROW * max(rows, 2)), layout="constrained")
        axes = drawn.subplots()
        axes.grid(axis="x", color="#e3e3e3", linewidth=0.5)
        axes.set_axisbelow(True)

        def save() -> bytes:
            with matplotlib.rc_context(STYLE), warnings.catch_warnings():  # type: ignore[arg-type]
                warnings.filterwarnings("ignore", "Glyph .* missing")
                file = io.BytesIO()
                drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
                return file.getvalue()

        yield axes, save


def _point(axes: Axes, place: int, each: ShownFigure, colour: str) -> None:
    if each.value is None:
        axes.text(0.02, place, NOT_SCORED, transform=axes.get_yaxis_transform(), va="center", color=GREY, style="italic")
        return
    if each.low is not None and each.high is not None:
        axes.hlines(place, each.low, each.high, color=colour, linewidth=1.2)
    marker, is_hollow = MARKERS.get(each.origin, "o"), each.kind == PAPER
    size = 8 if marker == "|" else 4
    face = "white" if is_hollow else colour
    axes.plot(
        each.value, place, marker, color=colour, markersize=size, markerfacecolor=face, markeredgewidth=1.4 if size == 8 else 1
    )


def _label(each: ShownFigure) -> str:
    value = "" if each.value is None else f"  {figure(each.value)}"
    return f"{ORIGINS[each.origin]} {_short(each.label.removesuffix(IN_PAPER))}{value}"


def _short(text: str, longest: int = LONGEST_LABEL) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
