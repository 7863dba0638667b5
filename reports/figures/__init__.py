"""The figures of a report, each a function from results to a Matplotlib `Figure`.

A theorem declares what is drawn of its series, and its result carries that; here is only how.
Quantities that fall below the range of a float are drawn by their log10.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from reports.figures.declared import Plot, draw, plots
from reports.figures.simulation import simulation_legend, simulation_panel
from reports.figures.style import compose, style
from reports.results import SimulationResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SIMULATION_CAPTION", "Plot", "draw", "plots", "simulation", "to_pdf", "to_png", "to_svg"]

MAX_PANELS = 6


def simulation(result: SimulationResult) -> Figure:
    """Simulated excess risk with its intervals on the theory's curves; a panel for each size of prompt."""
    sizes = list(dict.fromkeys((tuple(row.dims), row.context) for row in result.rows))
    figure = compose([simulation_panel(result.rows, *size) for size in sizes[:MAX_PANELS]])
    with style():
        entries = simulation_legend(result.rows)
        figure.legend(handles=entries, loc="outside lower center", ncols=len(entries[:3]))
    return figure


SIMULATION_CAPTION = (
    r"Simulated excess risk with its confidence intervals (markers; open ones the median, where the "
    r"mean is heavy-tailed) and the theory's value (lines), "
    r"per unit $\mathbb{E}\zeta^2$, for each size of prompt. A model without depth is a level: its mean with "
    "the interval as a band, or the median without."
)


def to_pdf(figure: Figure) -> bytes:
    """The figure as a vector PDF; the same figure gives the same bytes."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})


def to_png(figure: Figure) -> bytes:
    """The figure at 200 dots an inch; the same figure gives the same bytes."""
    return _saved(figure, "png", {"Software": None})


def to_svg(figure: Figure) -> bytes:
    """The figure as SVG, its letters as curves; the same figure gives the same bytes."""
    return _saved(figure, "svg", {"Date": None, "Creator": None, "Format": None, "Type": None})


def _saved(figure: Figure, format: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=format, metadata=metadata, dpi=200)
    return buffer.getvalue()
