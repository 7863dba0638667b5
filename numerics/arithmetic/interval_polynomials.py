"""Polynomials whose coefficients are known between two numbers, and their real roots.

Roots are isolated by Descartes' rule as in `polynomial_roots`, with a bound on the error of each coefficient
carried along: all steps are additions and shifts, under which bounds add up.  A sign that the bounds do
not tell ends the search, so that what is found holds for every polynomial in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

from flint import arb, arb_poly, fmpz_poly

from numerics.arithmetic.balls import ball, ends
from numerics.errors import NoConvergence, PrecisionExhausted


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
        first, second = (fmpz_poly(_padded(part, length - 1)) for part in (self.middle, self.spread))
        return IntervalPolynomial(first, second)

    def degree(self) -> int:
        """At most this.  Raises PrecisionExhausted where the leading coefficient may be 0."""
        degree = max(int(self.middle.degree()), int(self.spread.degree()))
        if degree >= 0:
            self.sign(degree)
        return degree

    def sign(self, place: int) -> int:
        """The sign of a coefficient.  Raises PrecisionExhausted where it is not known."""
        return _sign(int(self.middle[place]), int(self.spread[place]))

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
        return _sign(*self.bounds_at(point))


def _ball(middle: Fraction, spread: Fraction) -> arb:
    return ball(middle) + arb(0, 1) * ball(spread)


def _sign(value: Fraction | int, error: Fraction | int) -> int:
    if not (value > error or -value > error):
        raise PrecisionExhausted("the coefficients of a polynomial are not known well enough")
    return 1 if value > 0 else -1


def _moduli(polynomial: fmpz_poly) -> fmpz_poly:
    return fmpz_poly([abs(int(c)) for c in polynomial.coeffs()])


def _at(polynomial: fmpz_poly, point: Fraction) -> Fraction:
    top, bottom, total, scale = point.numerator, point.denominator, 0, 1
    for coefficient in reversed(polynomial.coeffs()):
        total = total * top + int(coefficient) * scale
        scale *= bottom
    return Fraction(total * bottom, scale)


_SHIFT = fmpz_poly([1, 1])
MAX_NODES = 20_000

Pair = tuple[list[int], list[int]]


def isolated(polynomial: IntervalPolynomial) -> list[tuple[Fraction, Fraction]]:
    """Open intervals with one real root each, of every polynomial in between; simple roots, none at 0.

    Raises PrecisionExhausted where a sign is not known, NoConvergence for roots that are not told apart.
    """
    found = []
    for side in (1, -1):
        middle, spread = (
            [int(c) for c in _padded(part, polynomial.degree())]
            for part in (polynomial.middle, polynomial.spread)
        )
        signed = [c * side**i for i, c in enumerate(middle)]
        positive = _positive((signed, spread))
        found += [(low, high) if side == 1 else (-high, -low) for low, high in positive]
    return found


def _padded(polynomial: fmpz_poly, degree: int) -> list[int]:
    return [int(polynomial[place]) for place in range(degree + 1)]


def _positive(pair: Pair) -> list[tuple[Fraction, Fraction]]:
    """Intervals of the positive roots."""
    if _changes(pair) == 0:
        return []
    exponent = _bound(pair)
    scaled = _times_power(pair, exponent) if exponent >= 0 else _halved(pair, -exponent)
    pending, found, nodes = [(scaled, Fraction(0), Fraction(2) ** exponent)], [], 0
    while pending:
        here, low, width = pending.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise NoConvergence(f"real roots not isolated within {MAX_NODES} intervals")
        changes = _changes(_shifted((here[0][::-1], here[1][::-1])))
        if changes == 1:
            found.append((low, low + width))
        if changes > 1:
            left = _halved(here, 1)
            right = _shifted(left)
            _sign(right[0][0], right[1][0])
            pending += [(left, low, width / 2), (right, low + width / 2, width / 2)]
    return found


def _changes(pair: Pair) -> int:
    signs = [_sign(c, e) for c, e in zip(*pair, strict=True)]
    return sum(one != other for one, other in pairwise(signs))


def _bound(pair: Pair) -> int:
    """An exponent e with all positive roots below 2^e, as in `polynomial_roots`, from the largest moduli."""
    middle, spread = pair
    degree, lead = len(middle) - 1, (abs(middle[-1]) - spread[-1]).bit_length() - 1
    tops = [(abs(c) + e).bit_length() for c, e in zip(middle, spread, strict=True)]
    return 1 + max(-((lead - top) // (degree - i)) for i, top in enumerate(tops[:-1]) if top)


def _times_power(pair: Pair, exponent: int) -> Pair:
    first, second = ([c << (exponent * i) for i, c in enumerate(part)] for part in pair)
    return first, second


def _halved(pair: Pair, exponent: int) -> Pair:
    degree = len(pair[0]) - 1
    first, second = ([c << (exponent * (degree - i)) for i, c in enumerate(part)] for part in pair)
    return first, second


def _shifted(pair: Pair) -> Pair:
    first, second = (_padded(fmpz_poly(part)(_SHIFT), len(part) - 1) for part in pair)
    return first, second
