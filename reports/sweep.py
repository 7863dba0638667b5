"""What is shown of a sweep: its table, heat maps over two options, lines over one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from reports.figures.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, compose
from reports.text.numbers import decimal, log10

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY)
MARKERS = "osD^vPX"
FONT = "DejaVu Sans"
"""That of the other figures has no braces, quotes or underscores."""
SHORT_NAME = 26
"""Two lines' names up to so many characters stand side by side."""
DECADES = 3
"""Positive values over more decades than this are drawn by their log10."""


@dataclass(frozen=True)
class Chart:
    """A value over one option, a line for each of the others' values; over two, a heat map.

    points: (value of the first option, of the second or of the others, the number to draw).
    """

    title: str
    over: tuple[str, ...]
    points: list[tuple[str, str, Decimal]]

    @property
    def logarithmic(self) -> bool:
        """Whether it is drawn by its log10."""
        heights = [abs(height) for _, _, height in self.points]
        if any(height <= 0 for _, _, height in self.points):
            return False
        return log10(max(heights)) - log10(min(heights)) > DECADES

    def height(self, value: Decimal) -> float:
        """What is drawn of a number."""
        return log10(value) if self.logarithmic else float(value)


@dataclass(frozen=True)
class SweepTable:
    """What is shown of the tasks of one command."""

    title: str
    note: str
    columns: list[str]
    rows: list[list[str]]
    charts: list[Chart]


def drawn(chart: Chart) -> Figure:
    """Lines, or a heat map."""
    draw = _heat_map if len(chart.over) == 2 else _lines
    return compose([lambda axes: draw(axes, chart)], height=3.2)


def plain_text(text: str) -> str:
    """Text in a figure: a dollar sign is no mathematics."""
    return text.replace("$", r"\$")


def _axis(values: Sequence[str]) -> tuple[list[float], bool]:
    """Where values lie on an axis, and whether that is by their size."""
    try:
        numbers = [decimal(value) for value in values]
    except ValueError:
        return list(map(float, range(len(values)))), False
    if any(number is None for number in numbers):
        return list(map(float, range(len(values)))), False
    return [float(number) for number in numbers if number is not None], True


def _lines(axes: Axes, chart: Chart) -> None:
    first = list(dict.fromkeys(x for x, _, _ in chart.points))
    places, by_size = _axis(first)
    where = dict(zip(first, places, strict=True))
    for number, name in enumerate(dict.fromkeys(other for _, other, _ in chart.points)):
        line = sorted((where[x], chart.height(height)) for x, other, height in chart.points if other == name)
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        places_x, heights = [x for x, _ in line], [y for _, y in line]
        axes.plot(places_x, heights, label=plain_text(name), color=colour, marker=marker)
    if by_size and min(places) > 0 and max(places) > 10 * min(places):
        axes.set_xscale("log")
    elif not by_size:
        axes.set_xticks(places, [plain_text(x) for x in first], rotation=20, ha="right")
    axes.set_xlabel(plain_text(chart.over[0]), fontfamily=FONT)
    axes.set_ylabel(_named(chart), fontfamily=FONT)
    axes.tick_params(labelfontfamily=FONT)
    if any(other for _, other, _ in chart.points):
        widest = max(len(other) for _, other, _ in chart.points)
        beside = 2 if widest <= SHORT_NAME else 1
        axes.figure.legend(prop={"family": FONT, "size": 8}, loc="outside lower center", ncols=beside)


def _heat_map(axes: Axes, chart: Chart) -> None:
    first = list(dict.fromkeys(x for x, _, _ in chart.points))
    second = list(dict.fromkeys(y for _, y, _ in chart.points))
    cells = [[math.nan] * len(first) for _ in second]
    for x, y, height in chart.points:
        cells[second.index(y)][first.index(x)] = chart.height(height)
    image = axes.imshow(cells, aspect="auto", cmap="cividis", origin="lower")
    axes.set_xticks(range(len(first)), [plain_text(x) for x in first], rotation=20, ha="right")
    axes.set_yticks(range(len(second)), [plain_text(y) for y in second])
    axes.set_xlabel(plain_text(chart.over[0]), fontfamily=FONT)
    axes.set_ylabel(plain_text(chart.over[1]), fontfamily=FONT)
    axes.tick_params(labelfontfamily=FONT)
    axes.figure.colorbar(image, ax=axes).set_label(_named(chart), fontfamily=FONT)


def _named(chart: Chart) -> str:
    return f"log10 of {plain_text(chart.title)}" if chart.logarithmic else plain_text(chart.title)
