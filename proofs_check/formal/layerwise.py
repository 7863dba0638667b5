"""The least excess of depth T over a law of atoms, on integers: `theory/formal/LayerwiseCertificates.v`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING

from proofs_check.formal.rounding import precision

if TYPE_CHECKING:
    from proofs_check.formal.finite import Table


def between(table: Table, statement: str, low: Fraction, high: Fraction, T: int) -> str:
    """The lemma that gives low < e_T < high, T below the number of atoms > 0.

    Raises FormalError if the integers do not say so.
    """
    coefficients = best_residual(table, T)
    bits = precision(statement, partial(_lies_between, table, coefficients, low, high))
    return f"(least_excess_between atoms atoms_valid {bits}\n    [{'; '.join(map(str, coefficients))}]%Z)"


def best_residual(table: Table, T: int) -> list[int]:
    """Up to a positive factor, by powers of X = den lam, the constant first.

    The orthogonal polynomial of degree T of s dP, by its three-term recurrence.
    """
    nodes = [(table.den + v, w * v) for v, w in table.rows if v > 0]

    def inner(weigh: Callable[[int], int], values: list[Fraction]) -> Fraction:
        terms = zip(nodes, values, strict=True)
        return sum((weigh(x) * weight * value * value for (x, weight), value in terms), Fraction(0))

    before, now = [Fraction(0)] * len(nodes), [Fraction(1)] * len(nodes)
    old, new = [Fraction(0)], [Fraction(1)]
    square_before = Fraction(1)
    for k in range(T):
        square = inner(lambda x: 1, now)
        a = inner(lambda x: x, now) / square
        b = square / square_before if k else Fraction(0)
        following = [(x - a) * y - b * z for (x, _), y, z in zip(nodes, now, before, strict=True)]
        before, now, square_before = now, following, square
        shifted, padded = [Fraction(0), *new], [*old, Fraction(0), Fraction(0)]
        old, new = (
            new,
            [s - a * c - b * o for s, c, o in zip(shifted, [*new, Fraction(0)], padded, strict=False)],
        )
    unit = lcm(*(c.denominator for c in new)) * (1 if new[0] > 0 else -1)
    return [int(c * unit) for c in new]


def _lies_between(table: Table, coefficients: list[int], low: Fraction, high: Fraction, bits: int) -> bool:
    """least_between, orthogonality apart, which is exact."""
    mass, down = sum(w for _, w in table.rows), 0
    for v, w in table.rows:
        value = 0
        for c in reversed(coefficients):
            value = c + (table.den + v) * value
        down += w * ((v * value << bits) // (table.den + v))
    unit = mass * coefficients[0] << bits
    return (
        low.numerator * unit < low.denominator * down
        and high.denominator * (down + mass) < high.numerator * unit
    )
