"""Polynomials whose coefficients are known between two numbers, and their real roots.

A bound on the error of each coefficient is carried along where roots are isolated.  A sign that the bounds do
not tell ends the search, so that what is found holds for every polynomial in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from flint import arb, arb_poly, fmpz_poly

from numerics.arithmetic import descartes
from numerics.arithmetic.balls import ball, ends
from numerics.arithmetic.descartes import Coefficients, Interval, padded
from numerics.errors import PrecisionExhausted


@dataclass(frozen=True)
class IntervalPolynomial:
    """Every polynomial whose coefficients differ from those of `middle` by at most those of `spread`."""

    middle: fmpz_poly
    spread: fmpz_poly

    @classmethod
    def of(cls, coefficients: Sequence[arb], unit: int) -> IntervalPolynomial:
        """Balls times an integer."""
        middles, spreads = [], []
        for value in coefficients:
            low, high = (end * unit for end in ends(value))
            middle = round((low + high) / 2)
            middles.append(middle)
            spreads.append(ceil(max(high - middle, middle - low)))
        return cls(fmpz_poly(middles), fmpz_poly(spreads))

    def __add__(self, other: IntervalPolynomial) -> IntervalPolynomial:
        return IntervalPolynomial(self.middle + other.middle, self.spread + other.spread)

    def __sub__(self, other: IntervalPolynomial) -> IntervalPolynomial:
        return IntervalPolynomial(self.middle - other.middle, self.spread + other.spread)

    def __mul__(self, other: IntervalPolynomial) -> IntervalPolynomial:
        spread = _moduli(self.middle) * other.spread + self.spread * (_moduli(other.middle) + other.spread)
        return IntervalPolynomial(self.middle * other.middle, spread)

    def __rmul__(self, factor: int) -> IntervalPolynomial:
        return IntervalPolynomial(factor * self.middle, abs(factor) * self.spread)

    def derivative(self) -> IntervalPolynomial:
        """The derivative."""
        return IntervalPolynomial(self.middle.derivative(), self.spread.derivative())

    def truncated(self, length: int) -> IntervalPolynomial:
        """The first coefficients, where the others are known to be 0."""
        first, second = (fmpz_poly(padded(part, length)) for part in (self.middle, self.spread))
        return IntervalPolynomial(first, second)

    def degree(self) -> int:
        """At most this.  Raises PrecisionExhausted where the leading coefficient may be 0."""
        degree = max(int(self.middle.degree()), int(self.spread.degree()))
        if degree >= 0:
            self.sign(degree)
        return degree

    def sign(self, place: int) -> int:
        """The sign of a coefficient.  Raises PrecisionExhausted where it is not known."""
        return _known(int(self.middle[place]), int(self.spread[place]))

    def __getitem__(self, place: int) -> arb:
        return _ball(Fraction(int(self.middle[place])), Fraction(int(self.spread[place])))

    def on_balls(self) -> arb_poly:
        """The same for flint, at the working precision."""
        return arb_poly([self[place] for place in range(self.degree() + 1)])

    def bounds_at(self, point: Fraction) -> tuple[Fraction, Fraction]:
        """The value of `middle` at a rational point, and a bound on the error."""
        return _at(self.middle, point), _at(self.spread, abs(point))

    def value_at(self, point: Fraction) -> arb:
        """The value at a rational point, at the working precision."""
        return _ball(*self.bounds_at(point))

    def sign_at(self, point: Fraction) -> int:
        """The sign at a rational point.  Raises PrecisionExhausted where it is not known."""
        return _known(*self.bounds_at(point))


def _ball(middle: Fraction, spread: Fraction) -> arb:
    return ball(middle) + arb(0, 1) * ball(spread)


def _known(value: Fraction | int, error: Fraction | int) -> int:
    """The sign, which is not 0.  Raises PrecisionExhausted."""
    if not (found := descartes.sign(value, error)):
        raise PrecisionExhausted("a value of a polynomial is 0")
    return found


def _moduli(polynomial: fmpz_poly) -> fmpz_poly:
    return fmpz_poly([abs(int(c)) for c in polynomial.coeffs()])


def _at(polynomial: fmpz_poly, point: Fraction) -> Fraction:
    top, bottom, total, scale = point.numerator, point.denominator, 0, 1
    for coefficient in reversed(polynomial.coeffs()):
        total = total * top + int(coefficient) * scale
        scale *= bottom
    return Fraction(total * bottom, scale)


def isolated(polynomial: IntervalPolynomial) -> list[Interval]:
    """Open intervals with one real root each, of every polynomial in between; simple roots, none at 0.

    Raises PrecisionExhausted where a sign is not known, NoConvergence for roots that are not told apart.
    """
    polynomial.sign(0)
    length = polynomial.degree() + 1
    parts = Coefficients(padded(polynomial.middle, length), padded(polynomial.spread, length))
    met, found = descartes.isolated(parts)
    if met is not None:
        raise PrecisionExhausted("a root of a polynomial is known exactly: its coefficients are too")
    return found
