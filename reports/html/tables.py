"""Tables of a page: those that a theorem declares, and the values of a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from reports.html.mathematics import marked
from reports.html.values import PLACES, digits, named, number
from reports.results import TheoremResult
from reports.tables import Table as Declared
from reports.tables import of
from reports.text.grids import MAX_ROWS, grids
from reports.text.numbers import decimal, rounded_digits

# With more columns than these, numbers have fewer digits.
ROOMY, NARROW_PLACES, ROUNDED_PLACES = 2, 10, 9


@dataclass(frozen=True)
class Table:
    """Cells in HTML, how many rows are not shown; of a declared table its heading and what to know of it."""

    columns: list[Markup]
    rows: list[list[Markup]]
    left_out: int = 0
    heading: str = ""
    notes: Sequence[Markup] = ()


def tables(values: Mapping[str, Any]) -> list[Table]:
    """A table of the single numbers, then one for each list of records."""
    single, lists = grids(values)
    rows = [[named(key), number(value)] for key, value in single.items()]
    first = [Table([Markup("quantity"), Markup("value")], rows)] if rows else []
    return first + [
        Table([named(key) for key in grid.keys], [list(map(number, row)) for row in grid.rows], grid.left_out)
        for grid in lists
    ]


def declared(result: TheoremResult) -> list[Table]:
    """The tables that the theorem declares, of the numbers that one came for."""
    return [_keyed(table) if table.keys else _single(table) for table in of(result)]


def _keyed(table: Declared) -> Table:
    places = PLACES if len(table.columns) <= ROOMY else NARROW_PLACES
    rows = [[*map(number, key), *_cells(table, cells, places)] for key, cells in table.rows[:MAX_ROWS]]
    notes = [f"{column.label}: {column.note}" for column in table.columns if column.note]
    return Table(
        [*map(named, table.keys), *(marked(column.label) for column in table.columns)],
        rows,
        len(table.rows) - len(rows),
        marked(table.heading),
        [marked(note) for note in [*notes, table.note] if note],
    )


def _single(table: Declared) -> Table:
    """A row for each number: its letter, its value, what it is where that is said of any."""
    ((_, cells),) = table.rows
    width = 3 if any(column.note for column in table.columns) else 2
    rows = [
        [marked(column.label), shown, marked(column.note)][:width]
        for column, shown in zip(table.columns, _cells(table, cells, PLACES), strict=True)
    ]
    names = [Markup(name) for name in ("quantity", "value", "what it is")]
    notes = [marked(table.note)] if table.note else []
    return Table(names[:width], rows, 0, marked(table.heading), notes)


def _cells(table: Declared, cells: Sequence[Any], places: int) -> list[Markup]:
    return [
        digits(rounded_digits(found, ROUNDED_PLACES))
        if column.rounded and (found := decimal(cell)) is not None
        else number(cell, places)
        for cell, column in zip(cells, table.columns, strict=True)
    ]
