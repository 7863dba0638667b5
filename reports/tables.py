"""The tables of a result: its numbers joined row by row, as the theorem declared them, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

import msgspec

from reports.layouts import TableColumn, TableLayout
from reports.results import RunResult, Series, TheoremResult
from reports.text.numbers import bounds, decimal, difference, is_fraction, middle, outward
from reports.text.summary import theorems

ENDS = ["lower", "upper"]
VALUE_DIGITS, MOST_DIGITS = 17, 60
Key = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of numbers: the values of the key columns, then a cell for each column.

    A cell is what a stored result has: null, a number, a word, or a dict with `lower` and `upper` (and
    `exact`, where it is rational); a text in `$` is a formula.  Without keys there is one row.
    """

    name: str
    heading: str
    note: str
    keys: list[str]
    columns: list[TableColumn]
    rows: list[tuple[Key, list[Any]]]


def of(result: TheoremResult) -> list[Table]:
    """The tables of which there are numbers; columns whose claim was not run are left out."""
    found = (_table(result, layout) for layout in result.tables)
    return [table for table in found if table is not None]


def _table(result: TheoremResult, layout: TableLayout) -> Table | None:
    found = [(column, dict(_cells(result, layout.rows, column))) for column in layout.columns]
    columns = [(column, cells) for column, cells in found if cells]
    if not columns:
        return None
    orders = [list(cells) for _, cells in columns]
    keys = orders[0] if all(order == orders[0] for order in orders) else sorted({*chain(*orders)}, key=_order)
    rows = [(key, [cells.get(key) for _, cells in columns]) for key in keys]
    shown = [column for column, _ in columns]
    return Table(layout.name, layout.heading, layout.note, layout.rows, shown, rows)


def _order(key: Key) -> list[tuple[bool, Any]]:
    """Numbers by size, before words."""
    return [(False, number) if (number := _number(text)) is not None else (True, text) for text in key]


def _number(text: str) -> Any:
    try:
        return decimal(text)
    except ValueError:
        return None


def _cells(result: TheoremResult, keys: Sequence[str], column: TableColumn) -> Iterator[tuple[Key, Any]]:
    """The numbers of one column by their row."""
    claims = [claim for claim in result.claims if claim.id == f"{result.theorem}.{column.claim}"]
    for claim in claims:
        values = msgspec.to_builtins(claim.values)
        taken_off = values.get(column.minus)
        if column.minus and taken_off is None:
            return
        if not keys:
            if column.source in values:
                yield (), _less(values[column.source], taken_off)
            return
        for record in _records(claim.series.get(column.source), values.get(column.source)):
            if all(str(record.get(name)) == value for name, value in column.where.items()):
                yield tuple(str(record[key]) for key in keys), _less(_cell(record, column.y), taken_off)


def _records(series: Series | None, value: Any) -> list[dict[str, Any]]:
    """A series or a list of records, row by row."""
    if series is not None:
        return [dict(zip(series.columns, msgspec.to_builtins(row), strict=True)) for row in series.rows]
    return value if isinstance(value, list) else []


def _cell(record: Mapping[str, Any], y: Sequence[str]) -> Any:
    if len(y) == 1:
        return record.get(y[0])
    ends = [record.get(name) for name in y or ENDS]
    if None in ends:
        return None
    exact = {"exact": record["exact"]} if not y and record.get("exact") else {}
    return {"lower": ends[0], "upper": ends[1], **exact}


def _less(cell: Any, taken_off: Any) -> Any:
    """The cell, less a number; outward."""
    if taken_off is None or cell is None:
        return cell
    lower, upper = difference(cell, taken_off)
    return {"lower": str(lower), "upper": str(upper)}


def to_csv(result: TheoremResult | RunResult) -> bytes:
    """Every number of every table in a line of its own, UTF-8; null is an empty cell.

    `value` is a decimal, the middle of an enclosure; `lower` and `upper` are rounded outward and hold it,
    where it is certain; `text` is what is no decimal: a rational number, a word, a formula.
    """
    tables = [(each.theorem, table) for each in theorems(result) for table in of(each)]
    keys = list(dict.fromkeys(key for _, table in tables for key in table.keys))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["theorem", "table", "claim", "quantity", *keys, "value", "lower", "upper", "text"])
    for theorem, table in tables:
        for key, cells in table.rows:
            at = dict(zip(table.keys, key, strict=True))
            for column, cell in zip(table.columns, cells, strict=True):
                if cell is not None:
                    place = [theorem, table.name, column.claim, column.quantity]
                    writer.writerow([*place, *(at.get(name) for name in keys), *_csv_cells(cell, column)])
    return text.getvalue().encode()


def _csv_cells(cell: Any, column: TableColumn) -> list[str | None]:
    """Value, lower, upper, text."""
    if isinstance(cell, bool):
        return [None, None, None, str(cell).lower()]
    if isinstance(cell, float):
        return [repr(cell), None, None, None]
    exact = cell.get("exact") if isinstance(cell, dict) else str(cell)
    try:
        number, ends = middle(cell), bounds(cell)
    except ValueError:
        return [None, None, None, str(cell)]
    if number is None or ends is None:
        return [None] * 4
    if column.rounded:
        return [str(number), None, None, None]
    lower, upper = outward(exact) if exact else ends
    return [
        _between(number, lower, upper),
        str(lower),
        str(upper),
        exact if exact and is_fraction(exact) else None,
    ]


def _between(number: Decimal, lower: Decimal, upper: Decimal) -> str:
    """The number in so many digits that it lies between its bounds, some 17 or more."""
    for digits in range(VALUE_DIGITS, MOST_DIGITS):
        text = f"{number:.{digits}g}"
        if lower <= Decimal(text) <= upper:
            return text
    return str(number)
