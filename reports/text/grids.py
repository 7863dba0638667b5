"""The values of a claim as grids of raw values, for whoever prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_ROWS = 40
MISSING = ""
"""What stands where a record lacks a key; null is a value."""
_ENDS = ("lower", "upper", "exact")


@dataclass(frozen=True)
class Grid:
    """Records under their keys, one a row, how many are not shown, and what the list is called."""

    keys: list[str]
    rows: list[list[Any]]
    left_out: int = 0
    name: str = ""


def grids(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[Grid]]:
    """The single values, and a grid for each list of records."""
    lists = {key: value for key, value in values.items() if _is_records(value)}
    single = {key: value for key, value in values.items() if key not in lists}
    return single, [_grid(key, value) for key, value in lists.items() if value]


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _grid(name: str, records: Sequence[Mapping[str, Any]]) -> Grid:
    """A record with `lower` and `upper` of its own is an enclosure named `name`."""
    rows = [_flat(name, record) for record in records[:MAX_ROWS]]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[row.get(key, MISSING) for key in keys] for row in rows]
    return Grid(keys, cells, len(records) - len(rows), name)


def _flat(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in record.items() if key not in _ENDS}
    ends = {key: record[key] for key in _ENDS if key in record}
    return rest | {name: ends} if {"lower", "upper"} <= ends.keys() else dict(record)
