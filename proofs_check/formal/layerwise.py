"""The least excess of depth T, over a law of atoms on integers: `theory/formal/LayerwiseCertificates.v`."""

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
    coefficients = best_residual(table.moment, T)
    bits = precision(statement, partial(_lies_between, table, coefficients, low, high))
    return f"(least_excess_between atoms atoms_valid {bits}\n    [{'; '.join(map(str, coefficients))}]%Z)"


def best_residual(moment: Callable[[int], Fraction | int], T: int) -> list[int]:
    """Up to a positive factor, by powers of X = den lam, the constant first; moment(k) is E[s X^k].

    The orthogonal polynomial of degree T of s dP, by its three-term recurrence, from the moments.
    """
    moments = [Fraction(moment(k)) for k in range(2 * T + 1)]

    def inner(p: list[Fraction], k: int) -> Fraction:
        """E[s p X^k]."""
        return sum((c * moments[j + k] for j, c in enumerate(p)), Fraction(0))

    old, new, square_before = [Fraction(0)], [Fraction(1)], Fraction(1)
    for k in range(T):
        # X^k and the polynomial of degree k differ by lower degrees, to which it is orthogonal.
        square = inner(new, k)
        shift = inner(new, k + 1) / square + (new[k - 1] if k else 0)
        back = square / square_before if k else Fraction(0)
        padded = [*old, *[Fraction(0)] * (k + 2 - len(old))]
        following = [
            up - shift * here - back * down
            for up, here, down in zip([Fraction(0), *new], [*new, Fraction(0)], padded, strict=True)
        ]
        old, new, square_before = new, following, square
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
