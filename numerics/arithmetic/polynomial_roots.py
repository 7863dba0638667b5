"""Isolation of the real roots of an integer polynomial, exactly, by `descartes`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb_poly, fmpz_poly

from numerics.arithmetic import descartes
from numerics.arithmetic.balls import Number
from numerics.arithmetic.descartes import Coefficients
from numerics.arithmetic.interval_polynomials import IntervalPolynomial, isolated

Polynomial: TypeAlias = Any
"""fmpz_poly, or IntervalPolynomial; they have the operations that are used here in common."""


@dataclass(frozen=True)
class RealRoot:
    """The one root of a polynomial in the open interval (low, high), or low = high = the root.

    polynomial:   squarefree, with opposite signs at low and high.
    source:       the polynomial that was given.
    multiplicity: of the root in `source`.
    """

    low: Fraction
    high: Fraction
    polynomial: Polynomial
    source: Polynomial
    multiplicity: int = 1

    @property
    def is_exact(self) -> bool:
        """Whether the root is known as a rational number."""
        return self.low == self.high

    def halved(self) -> RealRoot:
        """The same root in half the interval."""
        if self.is_exact:
            return self
        middle = (self.low + self.high) / 2
        side = sign_at(self.polynomial, middle)
        if side == 0:
            return replace(self, low=middle, high=middle)
        if side == sign_at(self.polynomial, self.high):
            return replace(self, high=middle)
        return replace(self, low=middle)

    def narrowed(self, bits: int) -> RealRoot:
        """The same root, not 0, in an interval of relative width 2^-bits."""
        root = self
        while (root.high - root.low) * 2**bits > max(abs(root.low), abs(root.high)):
            root = root.halved()
        return root


def value_at(polynomial: Polynomial, point: Fraction) -> Number:
    """The value at a rational point: exact, or a ball where the coefficients are intervals."""
    if isinstance(polynomial, IntervalPolynomial):
        return polynomial.value_at(point)
    top, bottom = point.numerator, point.denominator
    total, scale = 0, 1
    for coefficient in reversed(polynomial.coeffs()):
        total = total * top + int(coefficient) * scale
        scale *= bottom
    return Fraction(total * bottom, scale)


def sign_at(polynomial: Polynomial, point: Fraction) -> int:
    """The exact sign at a rational point.  Raises PrecisionExhausted where intervals leave it open."""
    if isinstance(polynomial, IntervalPolynomial):
        return polynomial.sign_at(point)
    value = value_at(polynomial, point)
    return int(value > 0) - int(value < 0)


def on_balls(polynomial: Polynomial) -> arb_poly:
    """A polynomial for flint's balls, at the working precision."""
    return polynomial.on_balls() if isinstance(polynomial, IntervalPolynomial) else arb_poly(polynomial)


def real_roots(polynomial: Polynomial, candidates: Iterable[Fraction] = ()) -> list[RealRoot]:
    """All real roots of a polynomial that is not 0, in increasing order, in disjoint intervals.

    Of intervals of coefficients: simple roots, or PrecisionExhausted.

    candidates: rational numbers that may be roots; those that are, are returned exactly.
    Raises NoConvergence if the bisection does not end within `descartes.MAX_NODES` intervals.

    Collins and Akritas (1976).  `numpy.roots` gives floats that may be off where roots are close, and does
    not tell a double root from two.

    >>> from flint import fmpz_poly
    >>> found = real_roots(fmpz_poly([0, 0, -1, 2]), [Fraction(0)])
    >>> [(root.low, root.high, root.multiplicity) for root in found]
    [(Fraction(0, 1), Fraction(0, 1), 2), (Fraction(1, 2), Fraction(1, 2), 1)]
    """
    if isinstance(polynomial, IntervalPolynomial):
        return apart([RealRoot(low, high, polynomial, polynomial) for low, high in isolated(polynomial)])
    found: list[RealRoot] = []
    for factor, multiplicity in polynomial.factor_squarefree()[1]:
        for root in _simple_roots(factor, candidates):
            found.append(replace(root, source=polynomial, multiplicity=multiplicity))
    return apart(found)


def apart(roots: list[RealRoot]) -> list[RealRoot]:
    """Different roots in increasing order, their intervals halved until they are disjoint."""
    while True:
        roots = sorted(roots, key=lambda root: (root.low, root.high))
        meeting = {i for i in range(1, len(roots)) if roots[i - 1].high >= roots[i].low}
        if not meeting:
            return roots
        roots = [root.halved() if i in meeting or i + 1 in meeting else root for i, root in enumerate(roots)]


def _simple_roots(polynomial: fmpz_poly, candidates: Iterable[Fraction]) -> list[RealRoot]:
    """The real roots of a squarefree polynomial; exact ones are divided out first."""
    exact, known = [], [Fraction(0), *candidates]
    intervals: list[descartes.Interval] = []
    while known:
        for root in known:
            if polynomial.degree() > 0 and sign_at(polynomial, root) == 0:
                exact.append(RealRoot(root, root, polynomial, polynomial))
                polynomial //= fmpz_poly([-root.numerator, root.denominator])
        if polynomial.degree() == 1:
            known = [Fraction(-int(polynomial[0]), int(polynomial[1]))]
            continue
        met, intervals = descartes.isolated(Coefficients([int(c) for c in polynomial.coeffs()]))
        known = [] if met is None else [met]
    return exact + [RealRoot(low, high, polynomial, polynomial) for low, high in intervals]
