"""The panel of the two-parameter loss over the (alpha, beta) plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reports.figures import data
from reports.figures.style import BLACK, BLUE, GREY, VERMILLION, Panel, plain, power_of_ten, show_legend
from reports.results import Series, TheoremResult
from reports.text.numbers import middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CRITICAL = "theorem_6_3.critical_point_enclosure"
FLOW = "theorem_6_3.flow_converges"
ESCAPE = "theorem_6_3.initialisation_matters"

# The loss grows without bound away from the origin; level sets above this log10 tell nothing.
HIGHEST = 2.0

_OUTCOMES: dict[str, dict[str, Any]] = {
    "converged": {"marker": "o", "facecolor": BLUE, "edgecolor": "none", "s": 4},
    "escaped": {"marker": "x", "color": VERMILLION, "s": 7, "linewidth": 0.6},
    "undecided": {"marker": "s", "facecolor": "none", "edgecolor": GREY, "s": 7, "linewidth": 0.6},
}


def plane_panel(results: Sequence[TheoremResult]) -> Panel | None:
    """Level sets of the loss, basin, orbits of the flow, orbits that escape, and the minimum."""
    plane = data.series(results, CRITICAL, "loss_plane")
    basin = data.series(results, FLOW, "basin")
    orbits = data.series(results, FLOW, "orbits")
    escaping = data.series(results, ESCAPE, "escaping_orbits")
    if all(table is None for table in (plane, basin, orbits, escaping)):
        return None

    def draw(axes: Axes) -> None:
        if plane is not None:
            _levels(axes, plane)
        if basin is not None:
            _basin(axes, basin)
        if orbits is not None:
            _orbits(axes, orbits, "flow orbit", color=BLACK, linestyle="-")
        if escaping is not None:
            _orbits(axes, escaping, "escaping orbit", color=VERMILLION, linestyle="--")
        for alpha, beta in _saddles(results):
            axes.plot(alpha, beta, "D", markerfacecolor="white", color=BLACK, label="saddle", zorder=5)
        for alpha, beta in _minimum(results):
            axes.plot(alpha, beta, "*", color=BLACK, markersize=10, label="minimum", zorder=5)
        if (found := depth(results)) is not None:
            axes.set_title(f"$T = {found}$")
        axes.set_xlabel(r"$\alpha$")
        axes.set_ylabel(r"$\beta$")
        plain(axes.xaxis)
        plain(axes.yaxis)
        show_legend(axes, loc="center left", bbox_to_anchor=(1.02, 0.5))

    return draw


def depth(results: Sequence[TheoremResult]) -> int | None:
    """The depth for which the plane was computed."""
    found = data.value(results, CRITICAL, "loss_plane_depth")
    return None if found is None else int(found)


def _levels(axes: Axes, plane: Series) -> None:
    """Level sets of log10 of the excess; a missing cell stays white."""
    import numpy as np

    alphas = sorted(set(data.floats(plane, "alpha")))
    betas = sorted(set(data.floats(plane, "beta")))
    heights = np.full((len(betas), len(alphas)), math.nan)
    columns = (data.floats(plane, name) for name in ("alpha", "beta", "log10_excess"))
    for alpha, beta, height in zip(*columns, strict=True):
        heights[betas.index(beta), alphas.index(alpha)] = height
    shown = np.ma.masked_invalid(heights)
    if not shown.count():
        return
    decades = _decades(float(shown.min()), min(float(shown.max()), HIGHEST))
    axes.contourf(alphas, betas, shown, levels=decades, cmap="Greys_r", alpha=0.35, extend="both")
    lines = axes.contour(alphas, betas, shown, levels=decades, colors=GREY, linewidths=0.5, linestyles="-")
    axes.clabel(lines, decades[::2], fmt=power_of_ten, fontsize=6)
    axes.set_xlim(alphas[0], alphas[-1])
    axes.set_ylim(betas[0], betas[-1])


def _decades(lowest: float, highest: float) -> list[float]:
    """Some six to twelve heights in [lowest, highest], powers of ten or halves of them."""
    step = 0.5 if highest - lowest < 5 else max(1.0, math.ceil((highest - lowest) / 12))
    first, last = math.ceil(lowest / step), math.floor(highest / step)
    return [step * k for k in range(first, last + 1)] if last > first else [lowest, highest]


def _basin(axes: Axes, basin: Series) -> None:
    alphas, betas = data.floats(basin, "alpha0"), data.floats(basin, "beta0")
    outcomes = data.column(basin, "outcome")
    for outcome, look in _OUTCOMES.items():
        starts = [(a, b) for a, b, found in zip(alphas, betas, outcomes, strict=True) if found == outcome]
        if starts:
            axes.scatter(*zip(*starts, strict=True), label=f"start: {outcome}", **look)


def _orbits(axes: Axes, orbits: Series, label: str, **look: Any) -> None:
    """One line a start, with an open circle where it begins."""
    starts = data.column(orbits, "start")
    alphas, betas = data.floats(orbits, "alpha"), data.floats(orbits, "beta")
    for index, start in enumerate(dict.fromkeys(starts)):
        line = [(a, b) for a, b, found in zip(alphas, betas, starts, strict=True) if found == start]
        axes.plot(*zip(*line, strict=True), **look, label=label if index == 0 else None)
        axes.plot(*line[0], "o", markerfacecolor="white", markeredgecolor=look["color"], zorder=4)


def _minimum(results: Sequence[TheoremResult]) -> list[tuple[float, float]]:
    """The enclosed minimum at the depth of the plane."""
    return _here(results, data.value(results, CRITICAL, "points") or [])


def _saddles(results: Sequence[TheoremResult]) -> list[tuple[float, float]]:
    """The other critical points at the depth of the plane."""
    points = data.value(results, CRITICAL, "critical_points") or []
    return _here(results, [point for point in points if point["kind"] == "saddle"])


def _here(results: Sequence[TheoremResult], points: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    here = [point for point in points if point["T"] == depth(results)]
    pairs = [(middle(point["alpha"]), middle(point["beta"])) for point in here]
    return [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
