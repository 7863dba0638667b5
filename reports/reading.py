"""How a result is read in Python: by name, its values as numbers, its tables as rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from reports.vocabulary import Certified, Sampled, rational

_NUMBER = re.compile(r"[+-]?\d+(?:/0*[1-9]\d*|(?:\.\d+)?(?:[eE][+-]?\d+)?)", re.ASCII)


class ResultKeyError(KeyError):
    """A name that stands for nothing in a result, or for several things; the message is one line."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown(thing: str, name: object, known: Iterable[str]) -> ResultKeyError:
    """The error that names what is nearest."""
    return ResultKeyError(f"no {thing} {name!r} in this result; {nearest(str(name), known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """What may have been meant by a name: the one nearest to it, else all that there are."""
    from difflib import get_close_matches

    known = list(dict.fromkeys(known))
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known) or 'none'}"


def as_numbers(value: Any) -> Any:
    """A value as a result records it, with its numbers in place of their texts.

    Decimals and quotients become Fractions, pairs of ends Certified (`enclosure` in a row that has them
    among other things), means Sampled; what is no number stays as it is.

    >>> as_numbers({"T": 8, "lower": "0.28", "upper": "0.29", "outcome": "converged"})
    {'T': 8, 'enclosure': 0.285 ± 0.005, 'outcome': 'converged'}
    """
    if isinstance(value, str):
        return rational(value) if _NUMBER.fullmatch(value) else value
    if isinstance(value, list):
        return [as_numbers(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == set(Sampled.__struct_fields__):
        return Sampled(**value)
    ends = {key: value[key] for key in Certified.__struct_fields__ if key in value}
    if not {"lower", "upper"} <= ends.keys() or None in ends.values():
        return {key: as_numbers(item) for key, item in value.items()}
    if ends == value:
        return Certified(**value)
    row: dict[str, Any] = {}
    for key, item in value.items():
        row |= {"enclosure": Certified(**ends)} if key in ends else {key: as_numbers(item)}
    return row


def as_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Recorded rows as data frames take them: texts become floats in a column that has nothing but numbers.

    Ends, in columns named `lower` or `upper`, are rounded outward, other numbers to the nearest float; a
    certified number in a cell becomes two columns.

    >>> as_rows([{"T": 1, "gap": {"lower": "0.1", "upper": "0.1"}, "kind": "saddle"}])
    [{'T': 1, 'gap_lower': 0.09999999999999999, 'gap_upper': 0.1, 'kind': 'saddle'}]
    """
    flat = [_flattened(row) for row in rows]
    words = {
        key
        for row in flat
        for key, cell in row.items()
        if isinstance(cell, str) and not _NUMBER.fullmatch(cell)
    }
    return [{key: cell if key in words else _float(cell, key) for key, cell in row.items()} for row in flat]


def _flattened(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, cell in row.items():
        if isinstance(cell, dict) and {"lower", "upper"} <= cell.keys():
            exact = cell.get("exact")
            found |= {f"{key}_lower": exact or cell["lower"], f"{key}_upper": exact or cell["upper"]}
        else:
            found[key] = cell
    return found


def _float(cell: Any, column: str) -> Any:
    """The text of a number as a float, rounded as the column's name says, in lists too; else the cell."""
    if isinstance(cell, list):
        return [_float(item, column) for item in cell]
    if isinstance(cell, dict):
        return {key: _float(item, key) for key, item in cell.items()}
    if not isinstance(cell, str) or not _NUMBER.fullmatch(cell):
        return cell
    number = rational(cell)
    try:
        nearest = float(number)
    except OverflowError:
        nearest = math.inf if number > 0 else -math.inf
    if column.endswith("lower") and nearest > number:
        return math.nextafter(nearest, -math.inf)
    if column.endswith("upper") and nearest < number:
        return math.nextafter(nearest, math.inf)
    return nearest
