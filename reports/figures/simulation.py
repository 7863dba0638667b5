"""The panels of a simulation: one for each size of prompt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reports.figures.style import CURVES, Panel, depth_axis
from reports.results import Sampled, SimulationRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


def simulation_panel(rows: Sequence[SimulationRow], dims: tuple[int, ...], context: int) -> Panel:
    """Simulated excess with its intervals, on the theory's curves, for one size of prompt."""
    here = [row for row in rows if tuple(row.dims) == dims and row.context == context]

    def draw(axes: Axes) -> None:
        axes.set_yscale("log", nonpositive="clip")
        for model in dict.fromkeys(row.model for row in here):
            _simulated_model(axes, model, [row for row in here if row.model == model])
        axes.set_title(f"$d = {' + '.join(map(str, dims))}$, $L = {context}$")
        axes.set_ylabel("excess risk")
        depth_axis(axes, powers=True)

    return draw


def simulation_legend(rows: Sequence[SimulationRow]) -> list[Line2D]:
    """An entry for each model: its marker, if it has depth, on its line."""
    from matplotlib.lines import Line2D

    deep = {row.model for row in rows if row.depth is not None}
    looks = {model: _look(model) for model in dict.fromkeys(row.model for row in rows)}
    return [
        Line2D([], [], **(look if model in deep else look | {"marker": "none"}))
        for model, look in looks.items()
    ]


def _look(model: str) -> dict[str, Any]:
    # A dollar sign is no mathematics in a name.
    return CURVES.get(model, {"label": model.replace("_", " ").replace("$", r"\$"), "marker": "."})


def _simulated_model(axes: Axes, model: str, rows: Sequence[SimulationRow]) -> None:
    """Markers with intervals and the theory's line; a model without depth is a level with a band.

    Where the mean is heavy-tailed an open marker, or a level without a band, shows the median.
    """
    look = _look(model)
    line = {key: value for key, value in look.items() if key in {"color", "linestyle"}}
    for row in rows:
        if row.depth is not None:
            continue
        if not row.heavy_tailed and (interval := _interval(row.excess)):
            axes.axhline(interval[1], **line, label=look["label"])
            axes.axhspan(interval[0], interval[2], color=look.get("color"), alpha=0.15, linewidth=0)
        elif row.median is not None:
            axes.axhline(row.median, **line, label=look["label"])
    deep = [
        (row.depth, interval)
        for row in rows
        if row.depth is not None and not row.heavy_tailed and (interval := _interval(row.excess))
    ]
    medians = [
        (row.depth, row.median)
        for row in rows
        if row.depth is not None and row.heavy_tailed and row.median is not None
    ]
    if medians:
        open_look = look | {"linestyle": "none", "fillstyle": "none", "label": "_"}
        axes.plot(*zip(*medians, strict=True), **open_look)
    if deep:
        depths, intervals = [depth for depth, _ in deep], [interval for _, interval in deep]
        errors = [[mean - low for low, mean, _ in intervals], [high - mean for _, mean, high in intervals]]
        axes.errorbar(
            depths, [mean for _, mean, _ in intervals], errors, capsize=2, **(look | {"linestyle": "none"})
        )
    theory = [(row.depth, row.theory) for row in rows if row.depth is not None and row.theory is not None]
    if theory:
        axes.plot(*zip(*theory, strict=True), **line)


def _interval(excess: Sampled) -> tuple[float, float, float] | None:
    """(low, mean, high); None where it overflowed."""
    low, mean, high = excess.low, excess.mean, excess.high
    if low is None or mean is None or high is None or not math.isfinite(low + mean + high):
        return None
    return low, mean, high
