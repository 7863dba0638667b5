"""The numbers of a result by their names, and sweeps as tables of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from proofs_check.sweeps.store import Row
from reports.results import RunResult, SimulationResult, from_json
from reports.text.numbers import bounds

ENDS = ("lower", "upper"), ("low", "high")
FIXED = ("sweep", "position", "command")
FOUND = ("state", "verdict", "code", "error")
INDEX = "T"
"""What tables of values are counted by: `alpha_T[T=2]`."""


def quantities(data: bytes) -> dict[str, Any]:
    """Of a stored result: numbers, texts, and bounded numbers as mappings; by `claim.value`.

    A simulation's are `model[d=3+2, L=50, T=8].excess`, `.median` and `.theory`.
    """
    if not data:
        return {}
    result = from_json(data)
    if isinstance(result, SimulationResult):
        return dict(_simulated(result))
    theorems = result.theorems if isinstance(result, RunResult) else [result]
    claims = [claim for theorem in theorems for claim in theorem.claims]
    return dict(item for claim in claims for item in _flat(claim.id.partition(".")[2], claim.values))


def _simulated(result: SimulationResult) -> Iterator[tuple[str, Any]]:
    for row in result.rows:
        depth = "" if row.depth is None else f", T={row.depth}"
        name = f"{row.model}[d={'+'.join(map(str, row.dims))}, L={row.context}{depth}]"
        yield f"{name}.excess", msgspec.to_builtins(row.excess)
        yield f"{name}.median", row.median
        yield f"{name}.theory", row.theory


def is_bounded(value: Any) -> bool:
    """Whether it is a mapping with two ends."""
    return isinstance(value, dict) and any(low in value and high in value for low, high in ENDS)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if is_bounded(value) or not isinstance(value, dict | list):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(f"{name}.{key}", item)
    else:
        for place, item in enumerate(value):
            counted = isinstance(item, dict) and INDEX in item
            label = f"{INDEX}={item[INDEX]}" if counted else str(place)
            kept = {key: part for key, part in item.items() if key != INDEX} if counted else item
            yield from _flat(f"{name}[{label}]", kept)


def ends(value: Any) -> tuple[Any, Any] | None:
    """The bounds of a quantity as decimals, equal ones for a plain number; None for what is no number."""
    if isinstance(value, bool) or (isinstance(value, dict) and not is_bounded(value)):
        return None
    try:
        return bounds(value)
    except ValueError:
        return None


def to_json(rows: Iterable[Row]) -> bytes:
    """The table as JSON: a list of tasks.  Times are left out: the table of a sweep is the same each time."""
    table = [
        {
            **_fixed(row),
            "options": row.options,
            **_found(row),
            "quantities": quantities(row.outcome.result) if row.outcome else {},
        }
        for row in rows
    ]
    return msgspec.json.format(msgspec.json.encode(table), indent=1) + b"\n"


def to_csv(rows: Sequence[Row]) -> bytes:
    """The table as CSV: a line a task, a column an option or quantity, two for one with bounds."""
    flat = [{**_fixed(row), **row.options, **_found(row), **_cells(row)} for row in rows]
    options = dict.fromkeys(name for row in rows for name in row.options)
    columns = dict.fromkeys([*FIXED, *options, *FOUND, *(name for line in flat for name in line)])
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue().encode()


def _fixed(row: Row) -> dict[str, Any]:
    return {"sweep": row.sweep, "position": row.position, "command": row.command}


def _found(row: Row) -> dict[str, Any]:
    made = row.outcome
    known = (None, None, None) if made is None else (made.verdict or None, made.code, made.error or None)
    return dict(zip(FOUND, (row.state, *known), strict=True))


def _cells(row: Row) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, value in quantities(row.outcome.result).items() if row.outcome else ():
        if is_bounded(value):
            low, high = next(pair for pair in ENDS if pair[0] in value)
            cells |= {f"{name}.{low}": value[low], f"{name}.{high}": value[high]}
            if "mean" in value:
                cells[f"{name}.mean"] = value["mean"]
        else:
            cells[name] = value
    return cells
