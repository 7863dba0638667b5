"""The values of a claim, and the rows of a simulation, as tables of LaTeX cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import reports.tables
from reports.figures.style import CURVES
from reports.latex.display import width
from reports.latex.text import OVERFLOW, equation, escape, number, prose, symbol
from reports.results import ClaimResult, SimulationRow, TheoremResult
from reports.text.grids import MISSING, Grid, grids
from reports.text.summary import short_id

# Digits of a number in a line of text, and in a table: the most with which it is no wider than a line.
LINE_PLACES = 32
TABLE_PLACES = (40, 30, 24, 20, 17, 15, 13, 11, 9)
LINE = 92
BETWEEN = 2
# A narrow table with more rows than this is set in two halves side by side.
ONE_COLUMN = 12
_SAID = {"balanced": ("the first-order term is 0", "the first-order term is not 0")}


@dataclass(frozen=True)
class Table:
    """Cells in LaTeX, how many rows are not shown, the title, and what to know of it."""

    columns: list[str]
    rows: list[list[str]]
    left_out: int = 0
    title: str = ""
    note: str = ""

    @property
    def halves(self) -> list[list[list[str]]]:
        """The rows, in two parts if they can stand side by side."""
        if len(self.rows) <= ONE_COLUMN or 2 * (self.width + BETWEEN) > LINE:
            return [self.rows]
        half = -(-len(self.rows) // 2)
        return [self.rows[:half], self.rows[half:]]

    @property
    def width(self) -> int:
        """About how many characters wide it is."""
        widest = [max(map(_width, column)) for column in zip(self.columns, *self.rows, strict=True)]
        return sum(widest) + BETWEEN * len(widest)


def numbers(values: Mapping[str, Any]) -> list[str]:
    """The single values as formulas or in words; what is null or empty is left out."""
    single, _ = grids(values)
    return [_said(key, value) for key, value in single.items() if value is not None and value != []]


def tables(claim: ClaimResult, theorem: TheoremResult) -> list[Table]:
    """A table for each list of records of a claim that is not in the theorem's own tables."""
    shown = {(column.claim, column.source) for layout in theorem.tables for column in layout.columns}
    lists = grids(claim.values)[1]
    return [_table(grid) for grid in lists if (short_id(claim.id), grid.name) not in shown]


def declared(theorem: TheoremResult, most: int | None = None) -> list[Table]:
    """The theorem's own tables, of no more than `most` rows."""
    return [_declared(table, most) for table in reports.tables.of(theorem)]


def _declared(table: reports.tables.Table, most: int | None) -> Table:
    labels = [prose(column.label) for column in table.columns]
    if not table.keys:
        notes = [prose(column.note) for column in table.columns]
        cells = [cell for _, row in table.rows for cell in row]
        shown = 3 if any(notes) else 2
        found = [[*row][:shown] for row in zip(labels, map(_cell, cells), notes, strict=True)]
        return Table(["number", "value", "what it is"][:shown], found, 0, prose(table.heading))
    # To say that one row is left out takes as much room as the row.
    cut = most if most is not None and len(table.rows) > most + 2 else None
    rows = [[*key, *row] for key, row in table.rows[:cut]]
    left_out = len(table.rows) - len(rows)
    columns = [*map(symbol, table.keys), *labels]
    notes = [
        f"{label}: {prose(column.note)}"
        for label, column in zip(labels, table.columns, strict=True)
        if column.note
    ]
    note = "; ".join([*notes, *filter(None, [prose(table.note)])])
    return _fitting(columns, rows, left_out, prose(table.heading), note)


def _said(key: str, value: Any) -> str:
    name = symbol(key)
    if isinstance(value, bool):
        yes, no = _SAID.get(key, (name, f"not: {name}"))
        return yes if value else no
    return equation(name, _cell(value))


@dataclass(frozen=True)
class Size:
    """The rows of a simulation at one size of prompt: model, depth, mean, interval, median, theory."""

    title: str
    rows: list[list[str]]


def simulation_sizes(rows: Sequence[SimulationRow]) -> list[Size]:
    """The rows by the size of their prompts."""
    sizes = groupby(rows, lambda row: (tuple(row.dims), row.context))
    return [
        Size(f"$d = {' + '.join(map(str, dims))}$, $L = {context}$", [_simulated(row) for row in found])
        for (dims, context), found in sizes
    ]


def _simulated(row: SimulationRow) -> list[str]:
    """Without an interval where rare prompts make up the mean."""
    ends = [row.excess.low, row.excess.high]
    interval = f"[{', '.join(map(_sampled, ends))}]" if row.overflowed or None not in ends else "---"
    return [
        prose(CURVES[row.model]["label"]) if row.model in CURVES else escape(row.model.replace("_", " ")),
        "" if row.depth is None else str(row.depth),
        _sampled(row.excess.mean) + _marks(row),
        interval,
        _sampled(row.median),
        "" if row.theory is None else number(row.theory),
    ]


def _marks(row: SimulationRow) -> str:
    marks = ("*" if row.heavy_tailed else "") + (r"\textdagger" if row.rounded else "")
    return rf"\rlap{{{marks}}}" if marks else ""


def _sampled(value: float | None) -> str:
    return OVERFLOW if value is None else number(value)


def _table(grid: Grid) -> Table:
    return _fitting(list(map(symbol, grid.keys)), grid.rows, grid.left_out, symbol(grid.name))


def _fitting(columns: list[str], rows: list[list[Any]], left_out: int, title: str, note: str = "") -> Table:
    """The table with as many digits as have room."""
    for places in TABLE_PLACES:
        made = Table(columns, [[_cell(cell, places) for cell in row] for row in rows], left_out, title, note)
        if made.width <= LINE:
            break
    return made


def _cell(cell: Any, places: int = LINE_PLACES) -> str:
    if cell is MISSING:
        return ""
    return prose(cell) if isinstance(cell, str) and "$" in cell else number(cell, places)


def _width(cell: str) -> int:
    return width(cell.replace("$", ""))
