"""The values of a claim, and the rows of a simulation, as tables of LaTeX cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.latex.text import OVERFLOW, TABLE_PLACES, escape, number, symbol
from reports.results import SimulationRow
from reports.text.grids import MISSING, Grid, grids

# In a table with more columns than this, numbers have fewer digits.
ROOMY_COLUMNS = 3
NARROW_PLACES = 9


@dataclass(frozen=True)
class Table:
    """Cells in LaTeX, and how many rows are not shown."""

    columns: list[str]
    rows: list[list[str]]
    left_out: int = 0


def tables(values: Mapping[str, Any]) -> list[Table]:
    """A table of the single numbers, then one for each list of records."""
    single, lists = grids(values)
    rows = [[symbol(key), number(value)] for key, value in single.items()]
    first = [Table(["quantity", "value"], rows)] if rows else []
    return first + [_table(grid) for grid in lists]


def simulation_rows(rows: Sequence[SimulationRow]) -> list[list[str]]:
    """Model, dims, context, depth, mean, interval, median, theory."""
    return [
        [
            escape(row.model.replace("_", " ")),
            ", ".join(map(str, row.dims)),
            str(row.context),
            "" if row.depth is None else str(row.depth),
            _sampled(row.excess.mean) + _marks(row),
            f"[{_sampled(row.excess.low)}, {_sampled(row.excess.high)}]",
            _sampled(row.median),
            "" if row.theory is None else number(row.theory),
        ]
        for row in rows
    ]


def _marks(row: SimulationRow) -> str:
    marks = ("*" if row.heavy_tailed else "") + (r"\textdagger" if row.rounded else "")
    return rf"\rlap{{{marks}}}" if marks else ""


def _sampled(value: float | None) -> str:
    return OVERFLOW if value is None else number(value)


def _table(grid: Grid) -> Table:
    places = TABLE_PLACES if len(grid.keys) <= ROOMY_COLUMNS else NARROW_PLACES
    cells = [["" if cell is MISSING else number(cell, places) for cell in row] for row in grid.rows]
    return Table([symbol(key) for key in grid.keys], cells, grid.left_out)
