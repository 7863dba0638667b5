"""One part of a mixture on integers: what `theory/formal/Primitives.v` and `ComponentTails.v` compute of it.

Integrals are over X = den lam, polynomials lists of integers, low powers first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log

from proofs_check.formal.rounding import ln_down, ln_up

Terms = list[tuple[Fraction, int]]
"""Weights and the bases of their even powers."""


@dataclass(frozen=True)
class Atom:
    """s = value/den."""

    den: int
    value: int

    def __str__(self) -> str:
        """As Coq reads it."""
        return f"Atom {self.value}"

    @property
    def ends(self) -> tuple[int, int]:
        """Of X."""
        return self.den + self.value, self.den + self.value

    def tails(self, a: Fraction, T: int, above: int, below: int) -> Terms:
        """E[s r^(2T-1); r > above or r < below] up to a factor, r the :func:`residual`."""
        r = residual(a, self.den, self.ends[0])
        return [(Fraction(a.numerator * self.value, r), r)] if r > above or r < below else []

    def moment(self, k: int) -> Fraction:
        """E[s X^k]."""
        return Fraction(self.value * self.ends[0] ** k, self.den)

    def share(self, low: Fraction, high: Fraction, bits: int, terms: int, up: bool) -> Fraction:
        """E[s/lam; low <= X <= high]."""
        return Fraction(self.value, self.ends[0]) if low <= self.ends[0] <= high else Fraction(0)

    def terms(self, bits: int) -> int:
        """No logarithm is needed."""
        return 1


@dataclass(frozen=True)
class Piece:
    """A density proportional to (den s - low)^i (low + width - den s)^j where both factors are positive."""

    den: int
    low: int
    width: int
    i: int
    j: int

    def __str__(self) -> str:
        """As Coq reads it."""
        return f"Piece {self.low} {self.width} {self.i} {self.j}"

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Of X."""
        return self.den + self.low, self.den + self.low + self.width

    @cached_property
    def density(self) -> list[int]:
        """(X - a)^i (b - X)^j between the ends."""
        (a, b), found = self.ends, [1]
        for u, v in [(b, -1)] * self.j + [(-a, 1)] * self.i:
            found = times_linear(u, v, found)
        return found

    @cached_property
    def moment_density(self) -> list[int]:
        """The same times den s."""
        return times_linear(-self.den, 1, self.density)

    @cached_property
    def mass(self) -> Fraction:
        """The integral of the density."""
        a, b = map(Fraction, self.ends)
        return integral(self.density, b) - integral(self.density, a)

    def tails(self, a: Fraction, T: int, above: int, below: int) -> Terms:
        """E[s r^(2T-1); r > above or r < below] up to a factor, r the :func:`residual`."""
        largest, least = (residual(a, self.den, x) for x in self.ends)
        edges = [max(least, min(largest, r)) for r in (above, below)]
        signed = [(1, largest), (-1, edges[0]), (1, edges[1]), (-1, least)]
        return [(sign * self._at(a, T, r) / self.mass, r) for sign, r in signed]

    def _at(self, a: Fraction, T: int, r: int) -> Fraction:
        """Minus the primitive of the moment density times r^(2T-1) over r^(2T), by parts."""
        if r == 0:
            return Fraction(0)
        x, y = Fraction(a.denominator * self.den - r, a.numerator), Fraction(r, a.numerator)
        derivatives = [self.moment_density]
        while len(derivatives[-1]) > 1:
            derivatives.append([k * c for k, c in enumerate(derivatives[-1])][1:])
        total = Fraction(0)
        for k, polynomial in reversed(list(enumerate(derivatives, start=2 * T))):
            total = (evaluate(polynomial, x) + y * total) / k
        return total

    def moment(self, k: int) -> Fraction:
        """E[s X^k]."""
        raised = [0] * k + self.moment_density
        a, b = map(Fraction, self.ends)
        return (integral(raised, b) - integral(raised, a)) / self.mass / self.den

    def share(self, low: Fraction, high: Fraction, bits: int, terms: int, up: bool) -> Fraction:
        """E[s/lam; low <= X <= high], rounded."""
        a, b = map(Fraction, self.ends)
        x, y = (max(a, min(b, edge)) for edge in (low, high))
        constant, *rest = self.moment_density
        bound = ln_up if up == (constant >= 0) else ln_down
        numbers = x.numerator * y.denominator, y.numerator * x.denominator
        logarithm = Fraction(bound(bits, terms, *numbers), 1 << bits)
        return (constant * logarithm + integral(rest, y) - integral(rest, x)) / self.mass

    def terms(self, bits: int) -> int:
        """How many terms of the series of ln(b/a) settle so many binary places."""
        a, b = self.ends
        return ceil(bits * log(2) / (2 * log((b + a) / (b - a)))) + 1


def residual(a: Fraction, den: int, x: int) -> int:
    """1 - a lam over the denominator of a and den."""
    return a.denominator * den - a.numerator * x


def times_linear(u: int, v: int, polynomial: Sequence[int]) -> list[int]:
    """(u + v x) times a polynomial."""
    return [u * c + v * d for c, d in zip([*polynomial, 0], [0, *polynomial], strict=True)]


def evaluate(polynomial: Sequence[int], x: Fraction) -> Fraction:
    """Its value at x."""
    total = Fraction(0)
    for c in reversed(polynomial):
        total = c + x * total
    return total


def integral(polynomial: Sequence[int], x: Fraction) -> Fraction:
    """From 0 to x."""
    total = Fraction(0)
    for k, c in reversed(list(enumerate(polynomial, start=1))):
        total = x * (Fraction(c, k) + total)
    return total
