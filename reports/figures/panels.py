"""The panels that figures are composed of: each draws one series of the results, or is None without it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reports.figures import data
from reports.figures.data import Points
from reports.figures.style import (
    BLACK,
    GREY,
    MODELS,
    VERMILLION,
    Panel,
    decades,
    depth_axis,
    enclosures,
    level,
    plain,
    show_legend,
)
from reports.results import Sampled, Series, SimulationRow, TheoremResult
from reports.text.numbers import bounds, log10, middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

LSA = "theorem_4_1.gap_positive"
GAP_FAMILY = "theorem_4_1.gap_family"
MINIMISER = "theorem_6_2.minimiser_enclosure"
ONE_PARAMETER = "theorem_6_2.bayes_optimal"
TWO_PARAMETER = "theorem_6_3.critical_point_enclosure"
LAYERWISE = "layerwise.best_depth_T"
RESIDUALS = "layerwise.reciprocal_gauss_nodes"
RATE = "depth_minimax.rate"
NO_SKIP = "skip_ablation.floor_with_initial_embedding"

_LIMITS = (
    ("alpha_star", r"$\alpha^{\ast}$", {"color": BLACK, "linestyle": "--"}),
    ("alpha_unsquared", r"$\alpha^{\ast}$ of the unsquared norm", {"color": VERMILLION, "linestyle": ":"}),
)


def weight_panel(results: Sequence[TheoremResult]) -> Panel | None:
    """alpha_T with its enclosure, alpha*, and the value that the unsquared norm would give."""
    table = data.series(results, MINIMISER, "alpha_T")
    if table is None:
        return None

    def draw(axes: Axes) -> None:
        enclosures(axes, data.enclosed(table, "T", "lower", "upper"), MODELS["one_parameter"])
        for key, text, look in _LIMITS:
            height = middle(data.value(results, MINIMISER, key))
            if height is not None:
                level(axes, float(height), text, **look)
        axes.margins(y=0.15)
        axes.set_ylabel(r"$\alpha_T$")
        plain(axes.yaxis)
        depth_axis(axes, powers=True)

    return draw


def distance_panel(results: Sequence[TheoremResult]) -> Panel | None:
    """log10 |alpha_T - alpha*| with the first-order rate; without that series, from the enclosures."""
    rate = data.series(results, RATE, "rate")
    table = data.series(results, MINIMISER, "alpha_T")
    limit = bounds(data.value(results, MINIMISER, "alpha_star"))
    if rate is not None:
        points = data.magnitudes(rate, "T", "distance_lower", "distance_upper")
    elif table is not None and limit is not None:
        points = data.magnitudes(table, "T", "lower", "upper", minus=limit[0])
    else:
        return None
    if not points.x:
        return None

    def draw(axes: Axes) -> None:
        look = MODELS["one_parameter"] | {"linestyle": "none", "label": r"$|\alpha_T - \alpha^{\ast}|$"}
        enclosures(axes, points, look)
        if rate is not None:
            line = data.magnitudes(rate, "T", "first_order", "first_order")
            axes.plot(line.x, line.y, color=BLACK, linestyle="--", label="first order")
        axes.set_ylabel(r"$|\alpha_T - \alpha^{\ast}|$")
        decades(axes)
        depth_axis(axes, powers=True)
        show_legend(axes)

    return draw


def excess_curves(results: Sequence[TheoremResult]) -> dict[str, Points]:
    """log10 of the excess against depth, by architecture."""
    sources = {
        "one_parameter": (ONE_PARAMETER, "excess", "lower", "upper"),
        "two_parameter": (TWO_PARAMETER, "excess", "lower", "upper"),
        "layerwise": (LAYERWISE, "excess", "lower", "upper"),
        "no_skip": (NO_SKIP, "floor", "lower", "upper"),
    }
    if data.series(results, ONE_PARAMETER, "excess") is None:
        sources["one_parameter"] = (NO_SKIP, "floor", "with_skip", "with_skip")
    curves = {}
    for model, (id, name, lower, upper) in sources.items():
        table = data.series(results, id, name)
        points = data.magnitudes(table, "T", lower, upper) if table is not None else None
        if points is not None and points.x:
            curves[model] = points
    return curves


def excess_panel(results: Sequence[TheoremResult], deepest: float, legend: bool) -> Panel | None:
    """The curves of :func:`excess_curves` up to a depth, and the gap of LSA as a level."""
    curves = {model: points.up_to(deepest) for model, points in excess_curves(results).items()}
    if not any(points.x for points in curves.values()):
        return None
    gap = middle(data.value(results, LSA, "gap"))
    bound = _bound(results, deepest)

    def draw(axes: Axes) -> None:
        if gap is not None and gap > 0:
            axes.axhline(log10(gap), **(MODELS["lsa"] | {"marker": "none"}))
        for model, points in curves.items():
            enclosures(axes, points, MODELS[model])
        if bound is not None:
            axes.plot(
                bound.x, bound.y, color=GREY, linewidth=0.8, label=r"$\mathbb{E}[s/\lambda]\,\kappa^{2T}$"
            )
        axes.set_ylabel("excess risk")
        decades(axes)
        depth_axis(axes, powers=False)
        if legend:
            show_legend(axes)

    return draw


def residual_panels(results: Sequence[TheoremResult]) -> list[Panel]:
    """log10 |r| over [0, l2], of tied weights and of one a layer: a panel for each depth."""
    table = data.series(results, RESIDUALS, "residual")
    if table is None:
        return []
    depths = list(dict.fromkeys(data.column(table, "T")))
    return [_residual_panel(table, depth) for depth in depths]


def _residual_panel(table: Series, depth: int) -> Panel:
    rows = [row for row in table.rows if row[0] == depth]
    within = Series(table.columns, rows)
    first = data.column(within, "first")[0]

    def draw(axes: Axes) -> None:
        for model in ("one_parameter", "layerwise"):
            curve = data.magnitudes(within, "lam", model, model)
            axes.plot(curve.x, curve.y, **(MODELS[model] | {"marker": "none"}))
        axes.axvline(first, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_xlabel(r"$\lambda$")
        axes.set_ylabel(r"$|r(\lambda)|$")
        axes.set_title(f"$T = {depth}$")
        decades(axes)
        plain(axes.xaxis)
        show_legend(axes)

    return draw


def _bound(results: Sequence[TheoremResult], deepest: float) -> Points | None:
    """log10 of the bound on the one-parameter excess."""
    table = data.series(results, ONE_PARAMETER, "excess")
    if table is None or "bound" not in table.columns:
        return None
    return data.magnitudes(table, "T", "bound", "bound").up_to(deepest)


def gap_panel(results: Sequence[TheoremResult]) -> Panel | None:
    """The gap of LSA along a family of laws that starts at a constant norm."""
    table = data.series(results, GAP_FAMILY, "gap_family")
    if table is None:
        return None

    def draw(axes: Axes) -> None:
        points = data.enclosed(table, "parameter", "gap_lower", "gap_upper")
        axes.axhline(0, color=GREY, linewidth=0.6)
        enclosures(axes, points, MODELS["lsa"] | {"linestyle": "-"})
        axes.set_xlabel("parameter of the family (0: constant norm)")
        axes.set_ylabel("LSA risk $-$ Bayes risk")
        plain(axes.xaxis)
        plain(axes.yaxis)

    return draw


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
    return MODELS.get(model, {"label": model.replace("_", " "), "marker": "."})


def _simulated_model(axes: Axes, model: str, rows: Sequence[SimulationRow]) -> None:
    """Markers with intervals and the theory's line; a model without depth is a level with a band.

    Where the mean is heavy-tailed an open marker shows the median.
    """
    look = _look(model)
    line = {key: value for key, value in look.items() if key in {"color", "linestyle"}}
    for row in rows:
        if row.depth is None and (interval := _interval(row.excess)):
            axes.axhline(interval[1], **line, label=look["label"])
            axes.axhspan(interval[0], interval[2], color=look.get("color"), alpha=0.15, linewidth=0)
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
