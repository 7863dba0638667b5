"""What is shown of a store: for each sweep and command a table, and charts of the values asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from proofs_check.engine.context import UsageError
from proofs_check.sweeps.quantities import ends, quantities
from proofs_check.sweeps.store import Row
from reports.sweep import Chart, SweepTable
from reports.text.numbers import certain_digits, middle

MOST_CHARTS = 4
"""Values that are drawn where none was asked for."""
PLACES = 6


def tables(rows: Sequence[Row], wanted: Sequence[str], over: str | None) -> Iterator[SweepTable]:
    """The tables of the rows.  Raises UsageError for a value or an option that none of them has."""
    groups = [list(group) for _, group in groupby(rows, lambda row: (row.sweep, row.command))]
    shown = [_Group(group) for group in groups]
    for name in wanted:
        if not any(name in group.names for group in shown):
            known = ", ".join(list(dict.fromkeys(name for group in shown for name in group.numbers))[:12])
            raise UsageError(f"--value {name[:60]!a}: no such value; one of {known or 'none'}")
    axes = tuple(part.strip().replace("-", "_") for part in over.split(",")) if over else ()
    for axis in axes:
        if len(axes) > 2 or not any(axis in group.varying for group in shown):
            known = ", ".join(dict.fromkeys(name for group in shown for name in group.varying))
            raise UsageError(f"--over {over!a}: one option or two that vary: {known or 'none does'}")
    for group in shown:
        yield group.table(wanted, axes)


class _Group:
    """The tasks of one command in a sweep."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.values = [quantities(row.outcome.result) if row.outcome else {} for row in rows]
        options = dict.fromkeys(name for row in rows for name in row.options)
        self.options = list(options)
        self.varying = [name for name in options if len({row.options.get(name) for row in rows}) > 1]

    @property
    def names(self) -> list[str]:
        """Of the values there are."""
        return list(dict.fromkeys(name for values in self.values for name in values))

    @property
    def numbers(self) -> list[str]:
        """Of those that are numbers and differ from task to task."""
        return [
            name
            for name in self.names
            if len({_text(values.get(name)) for values in self.values}) > 1
            and any(ends(values.get(name)) for values in self.values)
        ]

    def table(self, wanted: Sequence[str], axes: tuple[str, ...]) -> SweepTable:
        """The table, with charts over the options named, or the first two that vary."""
        drawn = [name for name in wanted if name in self.names] or self.numbers[:MOST_CHARTS]
        over = tuple(axis for axis in axes if axis in self.varying) or tuple(self.varying[:2])
        fixed = [f"{name} {self.rows[0].options[name]}" for name in self.options if name not in self.varying]
        body = [
            [row.options.get(name, "") for name in self.varying]
            + [_state(row)]
            + [_text(values.get(name)) for name in drawn]
            for row, values in zip(self.rows, self.values, strict=True)
        ]
        return SweepTable(
            f"{self.rows[0].sweep}: {self.rows[0].command}",
            ", ".join([f"{len(self.rows)} tasks", *fixed]),
            [*self.varying, "verdict", *drawn],
            body,
            [chart for name in drawn if over for chart in self.charts(name, over)],
        )

    def charts(self, name: str, over: tuple[str, ...]) -> Iterator[Chart]:
        """Of a value: lines over one option, or a heat map over two for each choice of the others."""
        others = [option for option in self.varying if option not in over]
        points: dict[str, list[tuple[str, str, Decimal]]] = {}
        for row, values in zip(self.rows, self.values, strict=True):
            if ends(values.get(name)) is None or (height := middle(values[name])) is None:
                continue
            place = [row.options.get(option, "") for option in over]
            rest = ", ".join(f"{option} {row.options.get(option, '')}" for option in others)
            chart, line = ("", rest) if len(over) == 1 else (rest, place[1])
            points.setdefault(chart, []).append((place[0], line, height))
        for rest, found in points.items():
            yield Chart(f"{name}; {rest}" if rest else name, over, found)


def _state(row: Row) -> str:
    made = row.outcome
    if made is None:
        return row.state
    return f"failed: {made.error}" if made.error else made.verdict.replace("_", " ") or row.state


def _text(value: Any) -> str:
    bounds = ends(value)
    if bounds is None:
        return "" if value is None else str(value)
    return certain_digits(*bounds, places=PLACES).plain
