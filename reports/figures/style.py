"""How the figures look: readable in black and white, and by the colour-blind (Okabe and Ito's palette)."""

from __future__ import annotations

import logging
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from reports.figures.data import NoDataError, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

Panel = Callable[["Axes"], None]

# Width of the report's text, in inches.
TEXT_WIDTH = 6.3

RC: dict[Any, Any] = {
    # Computer Modern; what it lacks, the minus sign for one, is of the next.
    "font.family": ["cmr10", "STIXGeneral"],
    "mathtext.fontset": "cm",
    "axes.formatter.use_mathtext": True,
    "axes.unicode_minus": True,
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.direction": "out",
    "ytick.direction": "out",
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    # Type 3 fonts are refused by some venues.
    "pdf.fonttype": 42,
    "svg.hashsalt": "the same ids each time",
}

BLACK, GREY = "#000000", "#777777"
BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
ORANGE, PURPLE, SKY = "#E69F00", "#CC79A7", "#56B4E9"
INDIGO = "#332288"

# How a quantity looks in every figure, by the name that a part of a figure gives it.
CURVES: dict[str, dict[str, Any]] = {
    "lsa": {"color": BLACK, "linestyle": ":", "marker": "D", "label": "single-layer LSA"},
    "one_parameter": {"color": BLUE, "linestyle": "-", "marker": "o", "label": "LCA, one parameter"},
    "two_parameter": {"color": VERMILLION, "linestyle": "--", "marker": "s", "label": "LCA, two parameters"},
    "layerwise": {
        "color": INDIGO,
        "linestyle": (0, (5, 1, 1, 1)),
        "marker": "*",
        "label": "LCA, a weight a layer",
    },
    "no_skip": {"color": GREEN, "linestyle": "-.", "marker": "^", "label": "no skip, $F^0 = X$"},
    "least_squares": {"color": PURPLE, "linestyle": (0, (6, 2)), "marker": "v", "label": "least squares"},
    "sample_mean": {"color": ORANGE, "linestyle": (0, (1, 3)), "marker": "P", "label": "sample mean"},
    "softmax": {"color": SKY, "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "X", "label": "softmax"},
    "bound": {"color": GREY, "linestyle": "-", "linewidth": 0.8},
    "limit": {"color": BLACK, "linestyle": "--"},
    "false_limit": {"color": VERMILLION, "linestyle": ":"},
    "first_order": {"color": BLACK, "linestyle": "--"},
    "gap": {"color": BLACK, "linestyle": "-", "marker": "D"},
    "distance": {"color": BLUE, "linestyle": "none", "marker": "o"},
    "orbit": {"color": BLACK, "linestyle": "-"},
    "escaping_orbit": {"color": VERMILLION, "linestyle": "--"},
}

# How the points of a plane look, by the word that tells them apart.
POINTS: dict[str, dict[str, Any]] = {
    "converged": {"marker": "o", "facecolor": BLUE, "edgecolor": "none", "s": 4},
    "escaped": {"marker": "x", "color": VERMILLION, "s": 7, "linewidth": 0.6},
    "undecided": {"marker": "s", "facecolor": "none", "edgecolor": GREY, "s": 7, "linewidth": 0.6},
    "saddle": {"marker": "D", "facecolor": "white", "edgecolor": BLACK, "s": 16, "zorder": 5},
    "minimum": {"marker": "*", "facecolor": BLACK, "edgecolor": BLACK, "s": 100, "zorder": 5},
}


@contextmanager
def style() -> Iterator[None]:
    """Matplotlib's settings for the figures, all of them, whatever the user's are; only inside the block."""
    with _quiet():
        matplotlib = _loaded()
        ours = {
            name: value
            for name, value in matplotlib.rcParamsDefault.items()
            # Which window system pictures are shown on is not ours, and these draw on none.
            if "backend" not in name
        }
        with matplotlib.rc_context():
            dict.update(matplotlib.rcParams, ours)
            matplotlib.rcParams.update(RC)
            yield


def _loaded() -> Any:
    """Matplotlib, though `MPLBACKEND` name a backend that it does not know, at which its import would end."""
    if (found := sys.modules.get("matplotlib")) is not None:
        return found
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib
    finally:
        if backend is not None:
            os.environ["MPLBACKEND"] = backend
    if backend:
        with suppress(ValueError):
            matplotlib.rcParams["backend"] = backend
    return matplotlib


@contextmanager
def _quiet() -> Iterator[None]:
    """Matplotlib's log, of caches and the user's settings, and that of its fonts are no output of ours."""
    logs = [logging.getLogger(name) for name in ("matplotlib", "fontTools")]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def plain(axis: Axis) -> None:
    """Tick labels that need no mathematical typesetting, which is slow; with equally many decimals."""
    from matplotlib.ticker import FuncFormatter

    def label(at: float, _: int | None) -> str:
        ticks = [f"{tick:g}" for tick in axis.get_majorticklocs()]
        if any("e" in tick for tick in ticks) or axis.get_scale() == "log":
            return minus(f"{at:g}")
        places = max((len(tick.partition(".")[2]) for tick in ticks), default=0)
        return minus(f"{at:.{places}f}")

    axis.set_major_formatter(FuncFormatter(label))


def minus(text: str) -> str:
    """A number with the sign that is no hyphen."""
    return text.replace("-", "\N{MINUS SIGN}")


def decades(axes: Axes) -> None:
    """Label a y axis that shows log10 of a quantity by the quantity, at six places at most."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda height, _: power_of_ten(height)))


def power_of_ten(height: float) -> str:
    """Mathtext of ten to the power `height`."""
    exponent = math.floor(height + 1e-9)
    mantissa = f"{10 ** (height - exponent):.1f}"
    return rf"$10^{{{exponent}}}$" if mantissa == "1.0" else rf"${mantissa} \times 10^{{{exponent}}}$"


def depth_axis(axes: Axes, *, powers: bool) -> None:
    """Name the x axis as the depth; `powers`: on a base-2 logarithmic scale."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xlabel("depth $T$")
    if powers:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(LogLocator(base=2, numticks=8))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        whole_numbers(axes.xaxis)
    plain(axes.xaxis)


def whole_numbers(axis: Axis) -> None:
    """Ticks of a linear axis at whole numbers alone, some eight of them."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=8, integer=True, steps=[1, 2, 4, 5, 10]))


def enclosures(axes: Axes, points: Points, look: Mapping[str, Any]) -> None:
    """Points with their intervals, which are seldom wide enough to be seen."""
    axes.errorbar(points.x, points.y, points.errors, capsize=2, **look)


def show_legend(axes: Axes, **where: Any) -> None:
    """A legend that shows markers without the bars of their intervals."""
    from matplotlib.container import ErrorbarContainer

    handles, labels = axes.get_legend_handles_labels()
    shown = [handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle for handle in handles]
    axes.legend(shown, labels, **where)


def level(axes: Axes, height: float, text: str, **look: Any) -> None:
    """A horizontal line with its name above its left end."""
    axes.axhline(height, **look)
    place = ("axes fraction", "data")
    axes.annotate(text, (0.02, height), (0, 2), xycoords=place, textcoords="offset points")


def compose(panels: Sequence[Panel], height: float = 2.4) -> Figure:
    """A figure of the panels, two in a row.  Raises NoDataError if there are none."""
    if not panels:
        raise NoDataError("the results hold no series for this figure")
    rows, columns = math.ceil(len(panels) / 2), min(2, len(panels))
    with style():
        from reports.figures.drawn import Drawn

        width = TEXT_WIDTH if columns == 2 else 0.7 * TEXT_WIDTH
        figure = Drawn(style, figsize=(width, height * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).flatten()
        for axes, panel in zip(grid, panels, strict=False):
            panel(axes)
        for axes in grid[len(panels) :]:
            axes.remove()
    return figure
