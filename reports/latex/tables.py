"""The values of a claim, and the rows of a simulation, as tables of LaTeX cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.latex.text import OVERFLOW, TABLE_PLACES, escape, number, symbol
from reports.results import SimulationRow

MAX_ROWS = 40
# In a table with more columns than this, numbers have fewer digits.
ROOMY_COLUMNS = 3
NARROW_PLACES = 9
_ENDS = ("lower", "upper", "exact")


@dataclass(frozen=True)
class Table:
    """Cells in LaTeX, and how many rows are not shown."""

    columns: list[str]
    rows: list[list[str]]
    left_out: int = 0


def tables(values: Mapping[str, Any]) -> list[Table]:
    """A table of the single numbers, then one for each list of records."""
    lists = {key: value for key, value in values.items() if _is_records(value)}
    single = [[symbol(key), number(value)] for key, value in values.items() if key not in lists]
    first = [Table(["quantity", "value"], single)] if single else []
    return first + [_records(key, value) for key, value in lists.items() if value]


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


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _records(name: str, records: Sequence[Mapping[str, Any]]) -> Table:
    """One column a key; a record with `lower` and `upper` of its own is an enclosure named `name`."""
    rows = [_flat(name, record) for record in records[:MAX_ROWS]]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    places = TABLE_PLACES if len(keys) <= ROOMY_COLUMNS else NARROW_PLACES
    cells = [[number(row[key], places) if key in row else "" for key in keys] for row in rows]
    return Table([symbol(key) for key in keys], cells, max(0, len(records) - MAX_ROWS))


def _flat(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in record.items() if key not in _ENDS}
    ends = {key: record[key] for key in _ENDS if key in record}
    return rest | {name: ends} if {"lower", "upper"} <= ends.keys() else dict(record)
