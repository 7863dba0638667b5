"""A result as a page: every number and formula in it comes from the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

from reports.html.drawn import inline
from reports.html.links import anchor
from reports.html.templating import render
from reports.results import Result, SimulationResult, SimulationRow, TheoremResult, from_json, to_json
from reports.text import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.sweep import SweepTable


@dataclass(frozen=True)
class Drawn:
    """A figure of the page; `claims`: the ids of those whose numbers it draws."""

    name: str
    anchor: str
    svg: Markup
    caption: str
    claims: Sequence[str] = ()


@dataclass(frozen=True)
class Size:
    """The rows of a simulation for one size of prompt."""

    title: str
    rows: Sequence[SimulationRow]

    @property
    def confidence(self) -> str:
        """The level of its intervals."""
        return f"{100 * self.rows[0].excess.confidence:g}%"

    @property
    def heavy(self) -> bool:
        """Whether there is a row whose mean rare prompts make up."""
        return any(row.heavy_tailed for row in self.rows)


def page(result: Result) -> bytes:
    """The page of a result, UTF-8, with everything that it needs inside.

    The same result gives the same bytes.
    """
    # A result in memory holds what a stored one does not: certified numbers as objects, NaN.
    stored = from_json(to_json(result))
    if isinstance(stored, SimulationResult):
        return render(
            "simulation.html.jinja",
            result=stored,
            commands=[stored.command] if stored.command else [],
            figures=list(_of_simulation(stored)),
            sizes=list(sizes(stored)),
        )
    theorems = summary.theorems(stored)
    commands = {tuple(theorem.command): theorem.command for theorem in theorems if theorem.command}
    return render(
        "report.html.jinja",
        result=stored,
        theorems=theorems,
        commands=list(commands.values()),
        figures=list(_of_theorems(theorems)),
    )


def sweep_page(title: str, tables: Sequence[SweepTable]) -> bytes:
    """The page of a sweep: for each of its commands the charts and the table."""
    from reports.sweep import drawn

    numbers = count(1)
    shown = [
        (table, [_chart(next(numbers), chart.title, drawn(chart)) for chart in table.charts if chart.points])
        for table in tables
    ]
    return render("sweep.html.jinja", title=title, tables=shown)


def _chart(number: int, title: str, figure: Figure) -> Drawn:
    name, place = f"Figure {number}", f"figure-{number}"
    return Drawn(name, place, inline(figure, place, title), title)


def _of_theorems(theorems: Sequence[TheoremResult]) -> Iterator[Drawn]:
    """The figures that the theorems have series for."""
    from reports.figures import plots

    for number, plot in enumerate(plots(theorems), 1):
        name, place = f"Figure {number}", f"figure-{anchor(plot.name)}"
        yield Drawn(name, place, inline(plot.draw(), place, name), plot.caption, plot.claims)


def _of_simulation(result: SimulationResult) -> Iterator[Drawn]:
    if result.rows:
        from reports.figures import SIMULATION_CAPTION, simulation

        name, place = "Figure 1", "figure-simulation"
        yield Drawn(name, place, inline(simulation(result), place, name), SIMULATION_CAPTION)


def sizes(result: SimulationResult) -> Iterator[Size]:
    """The rows of a simulation by the size of the prompt."""
    for (dims, context), rows in groupby(result.rows, lambda row: (tuple(row.dims), row.context)):
        yield Size(f"d = {' + '.join(map(str, dims))}, L = {context}", list(rows))
