"""A plot of bars with their intervals, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from grice.benchmarks.report.markup import Markup, element
from grice.benchmarks.report.shown import Bar, ShownMetric, value_text

WIDTH = 480
ROW = 40
MARGIN = 8
LABEL_Y, BAR_Y, BAR_HEIGHT = 14, 20, 12
AXIS_HEIGHT = 24
LONGEST_LABEL = 46
STEPS = (1, 2, 2.5, 5, 10)
PERCENT, FRACTION = 100.0, 1.0


def plot(figure: ShownMetric, name: str) -> Markup:
    """The plot; `name` is unique in the page. Its description says all figures in words."""
    low, high = extent(figure.bars)
    scale = (WIDTH - 2 * MARGIN) / (high - low)

    def x(value: float) -> float:
        return round(MARGIN + (value - low) * scale, 2)

    height = ROW * len(figure.bars) + AXIS_HEIGHT
    described = "; ".join(f"{bar.system}: {value_text(bar)}" for bar in figure.bars)
    rows = [element("g", *_row(bar, x), transform=f"translate(0 {ROW * place})") for place, bar in enumerate(figure.bars)]
    ticks = [_tick(value, x(value), height) for value in (low, (low + high) / 2, high)]
    return element(
        "svg",
        element("title", figure.title, id=f"{name}-title"),
        element("desc", f"Bars with 95 % intervals. {described}.", id=f"{name}-desc"),
        *ticks,
        *rows,
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-desc",
        view_box=f"0 0 {WIDTH} {height}",
        xmlns="http://www.w3.org/2000/svg",
    )


def extent(bars: Sequence[Bar]) -> tuple[float, float]:
    """The ends of the axis: from 0, or below it where a figure is, to a round number that holds all figures and intervals."""
    values = [value for bar in bars for value in (bar.value, bar.low, bar.high) if value is not None]
    return 0.0 - _round_up(-min(values, default=0.0)), _round_up(max(values, default=0.0)) or FRACTION


def _round_up(value: float) -> float:
    """The next round number; the whole scale for what looks like a fraction or a percentage."""
    if value <= 0:
        return 0.0
    if FRACTION / 2 < value <= FRACTION or PERCENT / 2 < value <= PERCENT:
        return FRACTION if value <= FRACTION else PERCENT
    power = 10.0 ** math.floor(math.log10(value))
    return min(step * power for step in STEPS if value <= step * power * (1 + 1e-9))


def _row(bar: Bar, x: Callable[[float], float]) -> list[Markup]:
    label = bar.system if len(bar.system) <= LONGEST_LABEL else f"{bar.system[: LONGEST_LABEL - 1]}…"
    parts = [
        element("text", label, x=MARGIN, y=LABEL_Y, class_="label"),
        element("text", value_text(bar), x=WIDTH - MARGIN, y=LABEL_Y, class_="value"),
    ]
    if bar.value is None:
        return parts
    start, end = sorted((x(0.0), x(bar.value)))
    kind = "bar published" if bar.is_published else "bar"
    parts.append(element("rect", x=start, y=BAR_Y, width=round(end - start, 2), height=BAR_HEIGHT, class_=kind))
    if bar.low is not None and bar.high is not None:
        middle, half = BAR_Y + BAR_HEIGHT / 2, BAR_HEIGHT / 2 - 2
        left, right = x(bar.low), x(bar.high)
        path = f"M{left} {middle}H{right}M{left} {middle - half}v{2 * half}M{right} {middle - half}v{2 * half}"
        parts.append(element("path", d=path, class_="interval"))
    return parts


def _tick(value: float, x: float, height: int) -> Markup:
    anchor = "start" if x < WIDTH / 3 else "end" if x > 2 * WIDTH / 3 else "middle"
    line = element("line", x1=x, x2=x, y1=0, y2=height - AXIS_HEIGHT + 6, class_="grid")
    return Markup(line + element("text", f"{value:g}", x=x, y=height - 4, class_="tick", text_anchor=anchor))
