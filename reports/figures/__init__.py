"""The figures of a report, each a function from results to a Matplotlib `Figure`.

They take results of theorems in any order, draw what these have series for, and
raise NoDataError if that is nothing.  Quantities that fall below the range of a
float are drawn by their log10.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.figures import loss_plane as plane
from reports.figures import panels
from reports.figures.data import series
from reports.figures.style import Panel, compose, style
from reports.results import SimulationResult, TheoremResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Up to this depth the architectures can be told apart on one axis; beyond it they have a panel of their own.
SHALLOW = 16
MAX_PANELS = 6


def minimiser(results: Sequence[TheoremResult]) -> Figure:
    """alpha_T against depth with its enclosure and limits; its distance to alpha* with the rate."""
    return compose(_present(panels.weight_panel(results), panels.distance_panel(results)))


def excess(results: Sequence[TheoremResult]) -> Figure:
    """Excess risk against depth by architecture, on a log axis: shallow stacks, and all of them."""
    deepest = max((max(points.x) for points in panels.excess_curves(results).values()), default=0.0)
    limits = [SHALLOW, math.inf] if deepest > SHALLOW else [math.inf]
    drawn = [panels.excess_panel(results, limit, legend=limit == limits[0]) for limit in limits]
    return compose(_present(*drawn))


def residuals(results: Sequence[TheoremResult]) -> Figure:
    """The residual polynomials of tied weights and of one a layer: why depth does better without ties."""
    return compose(panels.residual_panels(results))


def loss_plane(results: Sequence[TheoremResult]) -> Figure:
    """The two-parameter loss over (alpha, beta): level sets, orbits, minimum, basin, escapes."""
    return compose(_present(plane.plane_panel(results)), height=3.9)


def gap_family(results: Sequence[TheoremResult]) -> Figure:
    """The gap of LSA over the Bayes risk along a family of laws."""
    return compose(_present(panels.gap_panel(results)))


def simulation(result: SimulationResult) -> Figure:
    """Simulated excess risk with its intervals on the theory's curves; a panel for each size of prompt."""
    sizes = list(dict.fromkeys((tuple(row.dims), row.context) for row in result.rows))
    figure = compose([panels.simulation_panel(result.rows, *size) for size in sizes[:MAX_PANELS]])
    with style():
        entries = panels.simulation_legend(result.rows)
        figure.legend(handles=entries, loc="outside lower center", ncols=len(entries[:3]))
    return figure


@dataclass(frozen=True)
class Source:
    """A series that a figure draws, and what there is to see of it (LaTeX)."""

    claim: str
    series: str
    caption: str


@dataclass(frozen=True)
class Plot:
    """A figure of the report; it belongs to the theorem of the first source that is there."""

    name: str
    draw: Callable[[Sequence[TheoremResult]], Figure]
    caption: str
    sources: tuple[Source, ...]

    def present(self, results: Sequence[TheoremResult]) -> list[Source]:
        """The sources that the results have; without any there is no figure."""
        return [source for source in self.sources if series(results, source.claim, source.series) is not None]


PLOTS = (
    Plot(
        "minimiser",
        minimiser,
        "The one-parameter model against depth.",
        (
            Source(
                panels.MINIMISER,
                "alpha_T",
                r"The minimiser $\alpha_T$ (enclosures narrower than the markers) with $\alpha^*$ (dashed) "
                r"and what its formula gives for the unsquared norm (dotted); its distance to $\alpha^*$ on "
                r"logarithmic axes.",
            ),
            Source(
                panels.RATE, "rate", r"The distance lies on its first-order rate (dashed) at large depth."
            ),
        ),
    ),
    Plot(
        "excess",
        excess,
        r"Excess over the Bayes risk against depth, per unit $\mathbb{E}\zeta^2$, on a logarithmic axis. "
        "The dotted level, where that theorem was run, is the best single-layer LSA.",
        (
            Source(
                panels.ONE_PARAMETER,
                "excess",
                "One parameter (circles): below the bound (thin line) at every depth.",
            ),
            Source(panels.TWO_PARAMETER, "excess", "Two parameters (squares): never above one parameter."),
            Source(
                panels.LAYERWISE, "excess", "A weight for each layer (stars): the least that depth can do."
            ),
            Source(panels.NO_SKIP, "floor", "Without the skip connection, from $F^0 = X$: triangles."),
        ),
    ),
    Plot(
        "residuals",
        residuals,
        r"The residual $r(\lambda) = 1 - \lambda p_T(\lambda)$ at the best weights, in modulus.",
        (
            Source(
                panels.RESIDUALS,
                "residual",
                r"Tied weights have one zero of order $T$; weights of their own have $T$ zeros inside the "
                r"support, which begins at the dotted line.",
            ),
        ),
    ),
    Plot(
        "loss-plane",
        loss_plane,
        r"The two-parameter model over the $(\alpha, \beta)$ plane.",
        (
            Source(
                plane.CRITICAL,
                "loss_plane",
                "Level sets of the excess, its minimum (star) and saddle (diamond).",
            ),
            Source(plane.FLOW, "basin", "Starts of the flow by where it ends (dots, crosses, squares)."),
            Source(plane.FLOW, "orbits", "Orbits of the gradient flow (solid) from the open circles."),
            Source(plane.ESCAPE, "escaping_orbits", "Dashed orbits never reach the minimum."),
        ),
    ),
    Plot(
        "gap-family",
        gap_family,
        "The best LSA risk less the Bayes risk along a family of laws.",
        (
            Source(
                panels.GAP_FAMILY,
                "gap_family",
                "Zero where the norm is constant, positive elsewhere; no growth is claimed.",
            ),
        ),
    ),
)
SIMULATION_CAPTION = (
    r"Simulated excess risk with its confidence intervals (markers; open ones the median, where the "
    r"mean is heavy-tailed) and the theory's value (lines), "
    r"per unit $\mathbb{E}\zeta^2$, for each size of prompt. A model without depth is a level."
)


def to_pdf(figure: Figure) -> bytes:
    """The figure as a vector PDF; the same figure gives the same bytes."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})


def to_png(figure: Figure) -> bytes:
    """The figure at 200 dots an inch; the same figure gives the same bytes."""
    return _saved(figure, "png", {"Software": None})


def _saved(figure: Figure, format: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=format, metadata=metadata, dpi=200)
    return buffer.getvalue()


def _present(*found: Panel | None) -> list[Panel]:
    return [panel for panel in found if panel is not None]
