"""Numbers of a result: enclosed between two decimals, or sampled."""

from __future__ import annotations

import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import msgspec


class UndecidedError(ValueError):
    """The ends of an enclosure do not tell how its number compares."""


class Certified(msgspec.Struct, frozen=True, omit_defaults=True, eq=False):
    """A real number between two decimals that were rounded outward; `exact`, a rational, where it is one.

    It compares with numbers, and by `<`, `<=`, `>`, `>=` with another enclosure, where the ends decide
    that; else UndecidedError.  Two enclosures are equal if their ends are.

    >>> gap = Certified("0.0366", "0.0367")
    >>> gap > 0, gap == 1, Fraction("0.03667") in gap
    (True, False, True)
    >>> gap.middle, gap.radius, float(gap)
    (Fraction(733, 20000), Fraction(1, 20000), 0.03665)
    >>> gap < Certified("0.0367", "0.04")
    Traceback (most recent call last):
        ...
    reports.enclosures.UndecidedError: [0.0366, 0.0367] and [0.0367, 0.04] overlap: undecided
    """

    lower: str
    upper: str
    exact: str | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends; where the number is rational, that number twice."""
        if self.exact is not None:
            return (rational(self.exact),) * 2
        return rational(self.lower), rational(self.upper)

    @property
    def middle(self) -> Fraction:
        """The number halfway between the ends."""
        return sum(self.ends, Fraction(0)) / 2

    @property
    def radius(self) -> Fraction:
        """How far the number is from the middle at most."""
        low, high = self.ends
        return (high - low) / 2

    def __float__(self) -> float:
        return float(self.middle)

    def __bool__(self) -> bool:
        return self != 0

    def __contains__(self, number: object) -> bool:
        (low, high), (below, above) = self.ends, _ends(number)
        return bool(low <= below and above <= high)

    def __hash__(self) -> int:
        low, high = self.ends
        return hash(low) if low == high else hash((low, high))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Certified):
            return self.ends == other.ends
        if not _is_number(other):
            return NotImplemented
        (low, high), (number, _) = self.ends, _ends(other)
        if low < high and low <= number <= high:
            raise self._undecided(other)
        return bool(low == number)

    def __ne__(self, other: object) -> bool:
        # That of msgspec's own would not ask __eq__.
        return not self == other

    def __lt__(self, other: object) -> bool:
        (low, high), (below, above) = self.ends, _ends(other)
        if high < below or low >= above:
            return bool(high < below)
        raise self._undecided(other)

    def __le__(self, other: object) -> bool:
        (low, high), (below, above) = self.ends, _ends(other)
        if high <= below or low > above:
            return bool(high <= below)
        raise self._undecided(other)

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def _undecided(self, other: object) -> UndecidedError:
        texts = [f"[{x.lower}, {x.upper}]" if isinstance(x, Certified) else str(x) for x in (self, other)]
        return UndecidedError(f"{' and '.join(texts)} overlap: undecided")


class Sampled(msgspec.Struct, frozen=True):
    """A Monte-Carlo mean with its confidence interval; None where it overflowed."""

    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    samples: int


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real | Decimal)


def _ends(value: object) -> tuple[Any, Any]:
    """The ends of an enclosure; a number twice, such that Python compares it with a Fraction exactly."""
    if isinstance(value, Certified):
        return value.ends
    if isinstance(value, Decimal):
        return (Fraction(value) if value.is_finite() else float(value),) * 2
    if isinstance(value, numbers.Real):
        if isinstance(value, numbers.Rational):
            # Those of NumPy would overflow.
            return (Fraction(int(value.numerator), int(value.denominator)),) * 2
        return (float(value),) * 2
    raise TypeError(f"an enclosure does not compare with {type(value).__name__}")


def rational(text: str) -> Fraction:
    """The number that a decimal or a quotient of integers stands for, of any length.

    >>> rational("2/7"), rational("1.5e-3")
    (Fraction(2, 7), Fraction(3, 2000))
    """
    above, _, below = text.partition("/")
    return Fraction(Decimal(above)) / Fraction(Decimal(below or 1))


class Compared(msgspec.Struct, frozen=True):
    """Two numbers, and how the first had to compare with the second; the step's verdict says if it does."""

    left: Certified
    relation: Literal["<", "<=", ">", ">=", "="]
    right: Certified
