"""A result as a LaTeX document with figures: every number and formula in it comes from the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.latex.references import REFERENCES, references
from reports.latex.repeats import Repeats
from reports.latex.templating import render
from reports.results import Result, SimulationResult, TheoremResult, from_json, to_json
from reports.text import summary

# What a fragment needs of the document that it is included in.
PACKAGES = (
    "[T1]{fontenc}",
    "{amsmath,amssymb}",
    "{array,booktabs,longtable}",
    "{graphicx}",
    "{hyperref}",
)


@dataclass(frozen=True)
class Report:
    """A LaTeX document and the PDF figures that it includes, by their paths beside it."""

    tex: str
    figures: Mapping[str, bytes]


@dataclass(frozen=True)
class Included:
    """A figure of the document; `claims` are the ids of what it draws."""

    path: str
    label: str
    caption: str
    claims: Sequence[str] = ()


def report(result: Result, folder: str = "figures", style: str = "full") -> Report:
    r"""The document for a result, its figures as files in `folder` (a name that LaTeX takes as it is).

    style: `full`; `short`, which has statements, numbers and figures; or `fragment`, the same for `\input`.
    The same result gives the same text and the same figures, byte for byte.
    """
    # A result in memory holds what a stored one does not: certified numbers as objects, NaN.
    stored = from_json(to_json(result))
    given: dict[str, Any] = {"result": stored, "style": style, "folder": folder, "packages": PACKAGES}
    if isinstance(stored, SimulationResult):
        included, figures = _simulation_figures(stored, folder)
        whole = "simulation.tex.jinja"
        given |= {"theorems": [], "references": REFERENCES[:1]}
    else:
        theorems = summary.theorems(stored)
        included, figures = _figures(theorems, folder)
        whole = "report.tex.jinja"
        given |= {
            "theorems": theorems,
            "ids": {claim.id for theorem in theorems for claim in theorem.claims},
            "repeats": Repeats(),
            "references": references(to_json(result).decode()),
        }
    template = "fragment.tex.jinja" if style == "fragment" else whole
    return Report(render(template, figures=included, **given), figures)


def _figures(theorems: Sequence[TheoremResult], folder: str) -> tuple[list[Included], dict[str, bytes]]:
    """The figures that the theorems have series for."""
    from reports.figures import plots, to_pdf

    included, files = [], {}
    for plot in plots(theorems):
        path = f"{folder}/{plot.name}.pdf"
        files[path] = to_pdf(plot.draw())
        included.append(Included(path, f"fig:{plot.name}", plot.caption, plot.claims))
    return included, files


def _simulation_figures(result: SimulationResult, folder: str) -> tuple[list[Included], dict[str, bytes]]:
    if not result.rows:
        return [], {}
    from reports.figures import SIMULATION_CAPTION, simulation, to_pdf

    path = f"{folder}/simulation.pdf"
    return [Included(path, "fig:simulation", SIMULATION_CAPTION)], {path: to_pdf(simulation(result))}
