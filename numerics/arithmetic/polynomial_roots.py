"""Isolation of the real roots of an integer polynomial, exactly.

Bisection with Descartes' rule of signs (Vincent, Collins, Akritas): the number of sign
changes of (1 + x)^n p(1/(1 + x)) is at least the number of roots of p in (0, 1) and of the
same parity, so 0 means none and 1 means one.  On squarefree p it ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb_poly, fmpz_poly

from numerics.arithmetic.balls import Number
from numerics.arithmetic.interval_polynomials import IntervalPolynomial, isolated
from numerics.errors import NoConvergence

Polynomial: TypeAlias = Any
"""fmpz_poly, or IntervalPolynomial; they have the operations that are used here in common."""

_SHIFT = fmpz_poly([1, 1])
MAX_NODES = 20_000


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
    Raises NoConvergence if the bisection does not end within MAX_NODES intervals.

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
    exact, hits = [], [Fraction(0), *candidates]
    intervals: list[tuple[Fraction, Fraction]] | None = None
    while intervals is None:
        for root in hits:
            if polynomial.degree() > 0 and sign_at(polynomial, root) == 0:
                exact.append(RealRoot(root, root, polynomial, polynomial))
                polynomial //= fmpz_poly([-root.numerator, root.denominator])
        hits, intervals = _isolated(polynomial)
    return exact + [RealRoot(low, high, polynomial, polynomial) for low, high in intervals]


def _isolated(polynomial: fmpz_poly) -> tuple[list[Fraction], list[tuple[Fraction, Fraction]] | None]:
    """A rational root that was met; or, if none was, open intervals with one root each.  0 is no root."""
    if polynomial.degree() == 1:
        return [Fraction(-int(polynomial[0]), int(polynomial[1]))], None
    intervals = []
    for side in (1, -1):
        hit, found = _positive([int(c) * side**i for i, c in enumerate(polynomial.coeffs())])
        if hit is not None:
            return [side * hit], None
        intervals += [(low, high) if side == 1 else (-high, -low) for low, high in found]
    return [], intervals


def _positive(coefficients: list[int]) -> tuple[Fraction | None, list[tuple[Fraction, Fraction]]]:
    """Intervals of the positive roots; or the first root that is an end of one."""
    if _changes(coefficients) == 0:
        return None, []
    exponent = _bound(coefficients)
    scaled = _scaled(coefficients, exponent) if exponent >= 0 else _scaled_down(coefficients, -exponent)
    # Each entry: a polynomial on (0, 1), which stands for (low, low + width).
    pending, found, nodes = [(scaled, Fraction(0), Fraction(2) ** exponent)], [], 0
    while pending:
        here, low, width = pending.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise NoConvergence(f"real roots not isolated within {MAX_NODES} intervals")
        changes = _changes(_shifted(here[::-1]))
        if changes == 1:
            found.append((low, low + width))
        if changes > 1:
            left, middle = _scaled_down(here, 1), low + width / 2
            right = _shifted(left)
            if right[0] == 0:
                return middle, []
            pending += [(left, low, width / 2), (right, middle, width / 2)]
    return None, found


def _changes(coefficients: Sequence[int]) -> int:
    """Sign changes in the sequence of coefficients, zeros left out."""
    signs = [c > 0 for c in coefficients if c != 0]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _bound(coefficients: Sequence[int]) -> int:
    """An exponent e with all positive roots below 2^e.

    Lagrange's bound is the sum of the two largest |c_i/c_n|^(1/(n-i)) with c_i/c_n < 0; here twice the
    largest of all, rounded up.
    """
    degree, lead = len(coefficients) - 1, abs(coefficients[-1]).bit_length() - 1
    steps = [
        -((lead - abs(c).bit_length()) // (degree - i)) for i, c in enumerate(coefficients[:-1]) if c != 0
    ]
    return 1 + max(steps)


def _scaled(coefficients: Sequence[int], exponent: int) -> list[int]:
    """p(2^exponent x)."""
    return [c << (exponent * i) for i, c in enumerate(coefficients)]


def _scaled_down(coefficients: Sequence[int], exponent: int) -> list[int]:
    """2^(n exponent) p(x / 2^exponent)."""
    degree = len(coefficients) - 1
    return [c << (exponent * (degree - i)) for i, c in enumerate(coefficients)]


def _shifted(coefficients: Sequence[int]) -> list[int]:
    """p(x + 1)."""
    return [int(c) for c in fmpz_poly(list(coefficients))(_SHIFT).coeffs()]
