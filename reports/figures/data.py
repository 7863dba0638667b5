"""The numbers behind the figures: series of a result as columns that can be drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from reports.results import ClaimResult, Series, TheoremResult
from reports.text.numbers import log10, middle


class NoDataError(ValueError):
    """The results hold no series for this figure."""


@dataclass(frozen=True)
class Points:
    """Points to draw with an interval at each: arrays of equal length, `lower <= y <= upper`."""

    x: list[float]
    y: list[float]
    lower: list[float]
    upper: list[float]

    @property
    def errors(self) -> list[list[float]]:
        """Lengths of the bars below and above, as Matplotlib's `errorbar` takes them."""
        below = [y - low for y, low in zip(self.y, self.lower, strict=True)]
        return [below, [high - y for y, high in zip(self.y, self.upper, strict=True)]]

    def up_to(self, limit: float) -> Points:
        """The points with x <= limit."""
        kept = [i for i, x in enumerate(self.x) if x <= limit]
        return Points(*([values[i] for i in kept] for values in (self.x, self.y, self.lower, self.upper)))


def claims(results: Sequence[TheoremResult], id: str) -> Iterator[ClaimResult]:
    """The claims with this full id, in the order of the results."""
    for result in results:
        yield from (claim for claim in result.claims if claim.id == id)


def series(results: Sequence[TheoremResult], id: str, name: str) -> Series | None:
    """The first series of this name in the claim `id` that has rows; None if there is none."""
    found = (claim.series.get(name) for claim in claims(results, id))
    return next((table for table in found if table is not None and table.rows), None)


def value(results: Sequence[TheoremResult], id: str, key: str) -> Any:
    """A value of the claim `id`, as it is in a stored result; None if there is none."""
    found = (claim.values[key] for claim in claims(results, id) if key in claim.values)
    return msgspec.to_builtins(next(found, None))


def column(table: Series, name: str) -> list[Any]:
    """The cells of one column.  Raises NoDataError if the series lacks it."""
    if name not in table.columns:
        raise NoDataError(f"a series without the column {name}: {', '.join(table.columns)}")
    index = table.columns.index(name)
    return [row[index] for row in table.rows]


def numbers(table: Series, name: str) -> list[Decimal | None]:
    """One column as decimals, the middle of an enclosure; None where it overflowed."""
    return [middle(msgspec.to_builtins(cell)) for cell in column(table, name)]


def floats(table: Series, name: str) -> list[float]:
    """One column as floats; NaN for null."""
    return [math.nan if number is None else float(number) for number in numbers(table, name)]


def enclosed(table: Series, x: str, lower: str, upper: str, minus: Decimal = Decimal(0)) -> Points:
    """Enclosures, less a constant, on a linear axis; rows with a null are left out."""
    rows = [
        (float(at), float(low - minus), float(high - minus))
        for at, low, high in _complete(table, x, lower, upper)
    ]
    return Points(
        [row[0] for row in rows],
        [(low + high) / 2 for _, low, high in rows],
        [low for _, low, _ in rows],
        [high for _, _, high in rows],
    )


def magnitudes(table: Series, x: str, lower: str, upper: str, minus: Decimal = Decimal(0)) -> Points:
    """log10 |number - minus| of enclosures that do not hold `minus`; the others have no magnitude to draw."""
    rows = []
    for at, low, high in _complete(table, x, lower, upper):
        near, far = sorted((low - minus, high - minus), key=abs)
        if near.is_signed() == far.is_signed() and not near.is_zero():
            rows.append((float(at), (log10(near) + log10(far)) / 2, log10(near), log10(far)))
    return Points(*([row[i] for row in rows] for i in range(4)))


def _complete(table: Series, *names: str) -> list[tuple[Decimal, ...]]:
    rows = zip(*(numbers(table, name) for name in names), strict=True)
    return [tuple(cell for cell in row if cell is not None) for row in rows if None not in row]
