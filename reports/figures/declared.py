"""Figures as the theorems declare them: parts of one figure, whoever declares them, drawn together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from reports.figures import data, kinds
from reports.figures.style import (
    CURVES,
    Panel,
    compose,
    decades,
    depth_axis,
    plain,
    show_legend,
    whole_numbers,
)
from reports.results import FigurePart, TheoremResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CURVED = ("lines", "intervals")
MAPPED = ("heatmap", "plane")


@dataclass(frozen=True)
class Plot:
    """A figure of a report: its name, and the parts that the results have data for."""

    name: str
    results: Sequence[TheoremResult]
    parts: Sequence[FigurePart]

    @property
    def caption(self) -> str:
        """What there is to see, in LaTeX: of the figure as a whole, then of each part."""
        headings = [part.heading for part in self.parts if part.heading][:1]
        return " ".join(dict.fromkeys([*headings, *(part.caption for part in self.parts if part.caption)]))

    @property
    def claims(self) -> list[str]:
        """The ids of the claims whose series are drawn."""
        return list(dict.fromkeys(part.claim for part in self.parts if part.kind != "level"))

    def draw(self) -> Figure:
        """The figure."""
        return draw(self.results, self.name)


def plots(results: Sequence[TheoremResult]) -> list[Plot]:
    """The figures that the results declare and have data for, in the order of their first parts."""
    declared = [part for result in results for part in result.figures]
    found = {name: _present(results, name) for name in dict.fromkeys(part.figure for part in declared)}
    return [
        Plot(name, results, [part for panel in panels for part in panel])
        for name, panels in found.items()
        if panels
    ]


def draw(results: Sequence[TheoremResult], name: str) -> Figure:
    """The figure of this name.  Raises NoDataError if the results have no data for it."""
    drawn: list[Panel] = []
    explained: list[list[str]] = []
    for parts in _present(results, name):
        drawn += [_panel(results, parts, limit, explained) for limit in _limits(results, parts)]
    mapped = any(part.kind in MAPPED for panel in _present(results, name) for part in panel)
    return compose(drawn, 3.7 if mapped else 2.4)


def _present(results: Sequence[TheoremResult], name: str) -> list[list[FigurePart]]:
    """The panels of a figure: the parts of each that there are data for, one for each quantity."""
    written = [part for result in results for part in result.figures if part.figure == name]
    declared = [each for part in written for each in _spread(results, part)]
    panels = []
    for panel in dict.fromkeys(part.panel for part in declared):
        parts = _fullest(results, [part for part in declared if part.panel == panel])
        if any(part.kind != "level" for part in parts):
            panels.append(parts)
    return panels


def _spread(results: Sequence[TheoremResult], part: FigurePart) -> list[FigurePart]:
    """The part, or one for each value of the column that it is spread over."""
    table = data.series(results, part.claim, part.series) if part.each else None
    if table is None:
        return [part]
    values = dict.fromkeys(map(str, data.column(table, part.each)))
    return [
        msgspec.structs.replace(
            part, only=value, panel=f"{part.panel}{part.each}{value}", title=f"${part.each} = {value}$"
        )
        for value in values
    ]


def _fullest(results: Sequence[TheoremResult], parts: Sequence[FigurePart]) -> list[FigurePart]:
    """The parts with data; of those that draw one quantity the one with the most points."""
    sizes = {index: _size(results, part) for index, part in enumerate(parts)}
    kept = []
    for index, part in enumerate(parts):
        rivals = [i for i, other in enumerate(parts) if other.curve == part.curve and other.kind == part.kind]
        best = max(rivals, key=lambda i: (sizes[i], -i)) if part.curve and part.kind in CURVED else index
        if sizes[index] and best == index:
            kept.append(part)
    return kept


def _size(results: Sequence[TheoremResult], part: FigurePart) -> int:
    """How much of a part can be drawn; 0 for nothing."""
    if part.kind == "level":
        return int(kinds.height(results, part) is not None)
    if part.kind in CURVED:
        return len(kinds.points(results, part).x)
    table = data.series(results, part.claim, part.series)
    return 0 if table is None else len(table.rows)


def _limits(results: Sequence[TheoremResult], parts: Sequence[FigurePart]) -> list[float]:
    """Up to which x the panel is shown, and shown again."""
    zooms = [part.zoom for part in parts if part.zoom is not None]
    reached = [max(_places(results, part)) for part in parts if part.kind in CURVED]
    return [min(zooms), math.inf] if zooms and reached and max(reached) > min(zooms) else [math.inf]


def _panel(
    results: Sequence[TheoremResult], parts: Sequence[FigurePart], limit: float, explained: list[list[str]]
) -> Panel:
    """A panel with a legend, unless one of those `explained` before says the same."""

    def draw(axes: Axes) -> None:
        for part in parts:
            kinds.draw(axes, results, part, limit)
        _axes(axes, results, parts)
        labels = axes.get_legend_handles_labels()[1]
        if any(part.kind in MAPPED for part in parts):
            show_legend(axes, loc="center left", bbox_to_anchor=(1.02, 0.5))
        elif labels not in explained and len(labels) > 1:
            show_legend(axes)
        explained.append(labels)

    return draw


def _axes(axes: Axes, results: Sequence[TheoremResult], parts: Sequence[FigurePart]) -> None:
    """Scales and names: those of the first part that is no level; what it leaves unsaid, of the others."""
    first = next(part for part in parts if part.kind != "level")
    if first.scale == "log":
        decades(axes)
    else:
        plain(axes.yaxis)
    if first.x == "T":
        depth_axis(axes, powers=first.x_scale == "log")
    else:
        if first.x_scale == "log":
            axes.set_xscale("log")
        if first.kind in CURVED and all(x.is_integer() for part in parts for x in _places(results, part)):
            whole_numbers(axes.xaxis)
        plain(axes.xaxis)
        axes.set_xlabel(_said(parts, "x_label") or first.x.replace("_", " "))
    axes.set_ylabel(_said(parts, "y_label"))
    if any(part.kind == "level" and "label" not in CURVES.get(part.curve, {}) for part in parts):
        axes.margins(y=0.15)
    for part in parts:
        if part.title:
            found = next(data.claims(results, part.claim), None)
            axes.set_title(part.title.format_map({} if found is None else found.values))
            break


def _places(results: Sequence[TheoremResult], part: FigurePart) -> list[float]:
    """The x of what is drawn of a part; none of a level, which lies at any."""
    return kinds.points(results, part).x if part.kind in CURVED else []


def _said(parts: Sequence[FigurePart], key: str) -> str:
    return next((getattr(part, key) for part in parts if getattr(part, key)), "")
