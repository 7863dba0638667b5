"""Results of verification runs and everything they turn into; imports no other package of this project.

Results do not know how they are shown: what Python and a notebook show of them is attached here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reports.explained import Explained
from reports.results import ClaimResult, Result, RunResult, SimulationResult, TheoremResult
from reports.vocabulary import Certified

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["explain", "plot", "save"]


def plot(result: Result | Sequence[TheoremResult], name: str | None = None) -> Figure:
    """A figure of a result, or of the results of several theorems together; a notebook shows it.

    name: which; without it the first.  `reports.figures.plots` lists them.
    Raises NoDataError, a ValueError that names those there are, for one without data.
    """
    from reports import figures
    from reports.figures.data import NoDataError
    from reports.text.summary import theorems

    _refuse_a_part(result)
    if isinstance(result, SimulationResult):
        return figures.simulation(result)
    results = theorems(result) if isinstance(result, TheoremResult | RunResult) else result
    known = [plot.name for plot in figures.plots(results)]
    if name not in known and (name is not None or not known):
        raise NoDataError(f"no figure {name!r}; there are: {', '.join(known) or 'none'}")
    return figures.draw(results, known[0] if name is None else name)


def explain(result: TheoremResult | RunResult | ClaimResult) -> Explained:
    """What a result says and why: printed as `explain` prints a theorem, typeset in a notebook.

    Raises TypeError for what is neither.
    """
    if not isinstance(result, TheoremResult | RunResult | ClaimResult):
        raise TypeError(f"{type(result).__name__} is no result of a theorem: there is nothing to explain")
    return Explained(result)


def save(result: Result, path: str | os.PathLike[str], *, style: str = "full") -> Path:
    """Write a result: `.json`, which `reports.results.from_json` reads, `.csv`, or a report of any kind.

    style: of a report: `full`, `short`, or for `.tex` also `fragment`.
    Returns where it went, which is beside the path if there is no LaTeX for a PDF, and warns of that.
    Raises OutputError if it cannot be written, or not in this style.
    """
    import warnings

    from reports.files import OutputError, write_whole
    from reports.results import to_json
    from reports.write import STYLES, suffix_of, write_report

    _refuse_a_part(result)
    if style not in STYLES:
        raise OutputError(f"no style {style!r}; one of {', '.join(STYLES)}")
    if (suffix := suffix_of(path)) in {".json", ".csv"}:
        write_whole(path, to_json(result) if suffix == ".json" else _csv(result))
        return Path(path)
    written = write_report(result, path, style)
    if written.message:
        warnings.warn(written.message, stacklevel=2)
    return written.paths[0]


def _refuse_a_part(result: object) -> None:
    if isinstance(result, ClaimResult):
        raise TypeError(f"{result.id} is a part of a result; give the whole")


def _csv(result: Result) -> bytes:
    from reports import simulation, tables

    return simulation.to_csv(result) if isinstance(result, SimulationResult) else tables.to_csv(result)


def _repr(value: object) -> str:
    from reports.text.brief import brief

    return brief(value)


def _format(number: Certified, format: str) -> str:
    from reports.text.brief import formatted

    return formatted(number, format)


def _html(result: Result | ClaimResult) -> str:
    from reports.html.notebook import fragment

    return fragment(result)


def _latex(result: TheoremResult | RunResult) -> str:
    from reports.latex.templating import notebook_latex

    return notebook_latex(result)


_SHOWN: dict[type, dict[str, Callable[..., str]]] = {
    Certified: {"__repr__": _repr, "__format__": _format},
    ClaimResult: {"__repr__": _repr, "_repr_html_": _html},
    SimulationResult: {"__repr__": _repr, "_repr_html_": _html},
    TheoremResult: {"__repr__": _repr, "_repr_html_": _html, "_repr_latex_": _latex},
    RunResult: {"__repr__": _repr, "_repr_html_": _html, "_repr_latex_": _latex},
}
for _kind, _hooks in _SHOWN.items():
    for _name, _hook in _hooks.items():
        setattr(_kind, _name, _hook)
