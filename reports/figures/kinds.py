"""How each kind of part of a figure is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reports.figures import data
from reports.figures.data import Points
from reports.figures.style import BLACK, CURVES, GREY, POINTS, enclosures, level, power_of_ten
from reports.results import FigurePart, Series, TheoremResult
from reports.text.numbers import bounds, log10, middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A loss grows without bound; level sets above this log10 tell nothing.
HIGHEST = 2.0
# A level set that holds no more of the grid has no shape.
DIP = 0.025
# Level sets are drawn on a grid so many times as fine.
BETWEEN = 4
# Places that are tried for the label of a level set.
MOST_TRIED = 300


def table_of(results: Sequence[TheoremResult], part: FigurePart) -> Series | None:
    """The rows that the part draws; None if there are none."""
    table = data.series(results, part.claim, part.series)
    if table is None or not part.only:
        return table
    cells = data.column(table, part.each)
    return Series(
        table.columns, [row for row, cell in zip(table.rows, cells, strict=True) if str(cell) == part.only]
    )


def points(results: Sequence[TheoremResult], part: FigurePart) -> Points:
    """What `lines` and `intervals` draw, less what is taken off; log10 of it on a log axis."""
    table = table_of(results, part)
    if table is None:
        return Points([], [], [], [])
    minus = bounds(data.value(results, part.claim, part.minus)) if part.minus else (Decimal(0),)
    if minus is None:
        return Points([], [], [], [])
    place = data.magnitudes if part.scale == "log" else data.enclosed
    return place(table, part.x, part.y[0], part.y[-1], minus[0])


def height(results: Sequence[TheoremResult], part: FigurePart) -> float | None:
    """Where a `level` lies; None where the value is missing or not positive on a log axis."""
    found = middle(data.value(results, part.claim, part.y[0]))
    if found is None or (part.scale == "log" and found <= 0):
        return None
    return log10(found) if part.scale == "log" else float(found)


def look(part: FigurePart) -> dict[str, Any]:
    """How the part's quantity looks, with its own label if it has one."""
    named = CURVES.get(part.curve, {"marker": "."} if part.kind == "intervals" else {})
    return named | ({"label": part.label} if part.label else {})


def draw(axes: Axes, results: Sequence[TheoremResult], part: FigurePart, limit: float) -> None:
    """The part, up to x = `limit`."""
    if part.kind == "level":
        _level(axes, results, part)
    elif part.kind in {"lines", "intervals"}:
        found, shown = points(results, part).up_to(limit), look(part)
        if part.kind == "lines":
            axes.plot(found.x, found.y, **shown | ({"marker": "none"} if part.each else {}))
        else:
            enclosures(axes, found, shown)
    else:
        table = table_of(results, part)
        if table is not None:
            (_heatmap if part.kind == "heatmap" else _plane)(axes, table, part)


def _level(axes: Axes, results: Sequence[TheoremResult], part: FigurePart) -> None:
    """A horizontal line: in the legend where its quantity has a name there, else with its label beside it."""
    at, shown = height(results, part), look(part)
    if at is None:
        return
    if "label" in CURVES.get(part.curve, {}):
        axes.axhline(at, **(shown | {"marker": "none"}))
    else:
        level(axes, at, shown.pop("label", ""), **shown)


def _heatmap(axes: Axes, table: Series, part: FigurePart) -> None:
    """Level sets of log10 of a quantity over the plane; a missing cell stays white."""
    import numpy as np

    across, up = sorted(set(data.floats(table, part.x))), sorted(set(data.floats(table, part.y[0])))
    heights = np.full((len(up), len(across)), math.nan)
    columns = (data.floats(table, name) for name in (part.x, *part.y))
    for x, y, found in zip(*columns, strict=True):
        heights[up.index(y), across.index(x)] = found
    if not np.isfinite(heights).any():
        return
    shown = np.ma.masked_invalid(_smooth(_smooth(heights).T).T)
    at = _decades(*_seen(heights))
    finer = [np.linspace(ends[0], ends[-1], (len(ends) - 1) * BETWEEN + 1) for ends in (across, up)]
    axes.contourf(*finer, shown, levels=at, cmap="Greys_r", alpha=0.35, extend="both")
    lines = axes.contour(*finer, shown, levels=at, colors=GREY, linewidths=0.5, linestyles="-")
    axes.set_xlim(across[0], across[-1])
    axes.set_ylim(up[0], up[-1])
    places = _roomy(lines.allsegs, (across[0], up[0]), (across[-1], up[-1]))
    axes.clabel(lines, fmt=power_of_ten, fontsize=7, colors=BLACK, inline_spacing=2, manual=places)


def _roomy(
    level_sets: Sequence[Any], low: Sequence[float], high: Sequence[float]
) -> list[tuple[float, float]]:
    """On every second level set, from the highest down, the point farthest from the others and the frame."""
    import numpy as np

    origin, size = np.array(low), np.array(high) - np.array(low)
    sets = [np.vstack([np.empty((0, 2)), *parts]) for parts in level_sets]
    sets = [(points[:: len(points) // MOST_TRIED + 1] - origin) / size for points in sets]
    found = []
    for index in range(len(sets) - 1, -1, -2):
        here, others = sets[index], np.vstack([np.empty((0, 2)), *sets[:index], *sets[index + 1 :]])
        if len(here):
            room = np.minimum(here, 1 - here).min(axis=1) / 2
            if len(others):
                away = np.linalg.norm(here[:, None] - others[None], axis=2).min(axis=1)
                room = np.minimum(room, away)
            found.append(tuple(here[room.argmax()] * size + origin))
    return found


def _seen(heights: Any) -> tuple[float, float]:
    """From which height to which the grid can tell level sets: a narrow dip is left to its mark."""
    import numpy as np

    found = np.sort(heights[np.isfinite(heights)])
    return float(found[int(DIP * (len(found) - 1))]), min(float(found[-1]), HIGHEST)


def _smooth(rows: Any) -> Any:
    """Each row on a finer grid, by the cubic through four neighbours (Catmull and Rom's)."""
    import numpy as np

    if rows.shape[1] < 2:
        return rows
    ends = 2 * rows[:, :1] - rows[:, 1:2], 2 * rows[:, -1:] - rows[:, -2:-1]
    p = np.hstack([ends[0], rows, ends[1]])
    a, b, c, d = (p[:, k : p.shape[1] - 3 + k, None] for k in range(4))
    t = np.arange(BETWEEN) / BETWEEN
    curve = b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    return np.hstack([curve.reshape(len(rows), -1), rows[:, -1:]])


def _decades(lowest: float, highest: float) -> list[float]:
    """Some six to twelve heights in [lowest, highest], powers of ten or halves of them."""
    step = 0.5 if highest - lowest < 5 else max(1.0, math.ceil((highest - lowest) / 12))
    first, last = math.ceil(lowest / step), math.floor(highest / step)
    return [step * k for k in range(first, last + 1)] if last > first else [lowest, highest]


def _plane(axes: Axes, table: Series, part: FigurePart) -> None:
    """Points by their kind, or orbits, each with an open circle where it begins."""
    kinds = data.column(table, part.by)
    at = list(zip(data.floats(table, part.x), data.floats(table, part.y[0]), strict=True))
    for index, kind in enumerate(dict.fromkeys(kinds)):
        here = [place for place, found in zip(at, kinds, strict=True) if found == kind]
        if kind in POINTS:
            axes.scatter(*zip(*here, strict=True), label=f"{part.label} {kind}".strip(), **POINTS[kind])
            continue
        shown = look(part) | ({} if index == 0 else {"label": None})
        (drawn,) = axes.plot(*zip(*here, strict=True), **shown)
        axes.plot(*here[0], "o", markerfacecolor="white", markeredgecolor=drawn.get_color(), zorder=4)
