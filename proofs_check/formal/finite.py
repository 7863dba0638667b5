"""Inequalities over a law with finitely many atoms, on integers: what `theory/formal/Computed.v` computes.

A second implementation of the same booleans.  It finds the precision at which Coq's come out true, and no
certificate is written for an inequality that it does not find true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from proofs_check.formal.coq import FormalError

if TYPE_CHECKING:
    from numerics.laws import Law

Side = Literal["Above", "Below"]
PRECISIONS = tuple(1 << k for k in range(6, 16))
"""In binary places, tried in turn."""


class NoInstance(FormalError):
    """The formal library has no instance for a law."""


@dataclass(frozen=True)
class Table:
    """A law as the library has it: P(s = v/den) = w/(sum of w) for (v, w) in `rows`.

    low/den and high/den are the ends of s over {s > 0}.
    """

    den: int
    low: int
    high: int
    rows: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, law: Law) -> Table:
        """The table of a law of atoms that is not 0.  Raises NoInstance."""
        if law.pieces or law.atoms is None:
            raise NoInstance(
                "the formal library has no instance for this law; it has for atoms, point and empirical"
            )
        if law.is_zero:
            raise NoInstance("the formal library has no instance for s = 0; give a law with P(s > 0) > 0")
        scaled = law.atoms.scaled
        rows = tuple(zip(scaled.values, scaled.masses, strict=True))
        positive = [value for value in scaled.values if value > 0]
        return cls(scaled.value_unit, min(positive), max(positive), rows)

    def residual(self, side: Side, a: Fraction, v: int) -> int:
        """1 - a (1 + v/den) over the denominator of a and den; turned round below."""
        cleared = a.denominator * self.den - a.numerator * (self.den + v)
        return cleared if side == "Above" else -cleared

    def decides(self, side: Side, a: Fraction, T: int, bits: int, apart: int = 0) -> bool:
        """Whether E[s q^(2T-1)] > 0 above, < 0 below, is seen; of 0 <= |q| <= apart nothing is counted."""
        ends = self.residual(side, a, self.low), self.residual(side, a, self.high)
        largest = max(map(abs, ends))
        return (
            largest > 0
            and sum(self.contribution(row, side, a, T, bits, largest, apart) for row in self.rows) > 0
        )

    def contribution(
        self, row: tuple[int, int], side: Side, a: Fraction, T: int, bits: int, largest: int, apart: int
    ) -> int:
        """Of one row to E[s q^(2T-1)], over a positive factor common to all, rounded down."""
        v, w = row
        r = self.residual(side, a, v)
        if r > apart:
            return w * v * _power((r << bits) // largest, 2 * T - 1, bits, 0)
        if r < 0:
            return -w * v * _power((-r << bits) // largest + 1, 2 * T - 1, bits, 1)
        return 0

    def settles(self, side: Side, a: Fraction, T: int, bits: int) -> bool:
        """Whether the one inequality at depth T, hence at every later one, is seen."""
        ends = self.residual(side, a, self.low), self.residual(side, a, self.high)
        return a > 0 and self.decides(side, a, T, bits, max(0, *(-end for end in ends)))

    def encloses(self, low: Fraction, high: Fraction, T: int, bits: int) -> bool:
        """Whether low < alpha_T < high is seen."""
        return self.decides("Above", low, T, bits) and self.decides("Below", high, T, bits)

    def stays_near(self, center: Fraction, epsilon: Fraction, T: int, bits: int) -> bool:
        """Whether |alpha_T' - center| < epsilon center for all T' >= T is seen."""
        low, high = center * (1 - epsilon), center * (1 + epsilon)
        return self.settles("Above", low, T, bits) and self.settles("Below", high, T, bits)

    def gap_between(self, low: Fraction, high: Fraction, bits: int) -> bool:
        """Whether low < E[s/lam] - (E s)^2/E[s lam] < high is seen."""
        mass = sum(w for _, w in self.rows)
        first = sum(v * w for v, w in self.rows)
        second = sum(v * w * (self.den + v) for v, w in self.rows)
        down = sum(w * ((v << bits) // (self.den + v)) for v, w in self.rows)
        up = down + mass

        def over(bound: Fraction) -> int:
            return (mass * bound.numerator * second + first * first * bound.denominator) << bits

        return over(low) < down * low.denominator * second and up * high.denominator * second < over(high)


def _power(x: int, n: int, bits: int, up: int) -> int:
    """x^n of numbers over 2^bits, in the order of Computed.power, each product rounded down, plus `up`."""
    if n == 1:
        return x
    half = _power(x, n // 2, bits, up)
    square = (half * half >> bits) + up
    return square if n % 2 == 0 else (x * square >> bits) + up


def precision(name: str, holds: Callable[[int], bool]) -> int:
    """The least of PRECISIONS at which a check comes out true.  Raises FormalError."""
    for bits in PRECISIONS:
        if holds(bits):
            return bits
    raise FormalError(f"{name}: not decided on integers of {PRECISIONS[-1]} binary places")
