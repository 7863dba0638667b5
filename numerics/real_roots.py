"""Exact isolation of the real roots of an integer polynomial.

Bisection with Descartes' rule of signs (Vincent, Collins, Akritas): the number of sign
changes of (1 + x)^n p(1/(1 + x)) is at least the number of roots of p in (0, 1) and of the
same parity, so 0 means none and 1 means one.  On squarefree p it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpz_poly

from numerics.errors import NoConvergence

_SHIFT = fmpz_poly([1, 1])
MAX_NODES = 20_000


@dataclass(frozen=True)
class RealRoot:
    """The one root of a polynomial in the open interval (low, high), or low = high = the root.

    polynomial:   squarefree, with opposite signs at low and high.
    multiplicity: of the root in the polynomial that was given.
    """

    low: Fraction
    high: Fraction
    polynomial: fmpz_poly
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

    def within(self, width: Fraction) -> RealRoot:
        """The same root in an interval of at most this width, > 0."""
        root = self
        while root.high - root.low > width:
            root = root.halved()
        return root


def value_at(polynomial: fmpz_poly, point: Fraction) -> Fraction:
    """The exact value at a rational point."""
    top, bottom = point.numerator, point.denominator
    total, scale = 0, 1
    for coefficient in reversed(polynomial.coeffs()):
        total = total * top + int(coefficient) * scale
        scale *= bottom
    return Fraction(total * bottom, scale)


def sign_at(polynomial: fmpz_poly, point: Fraction) -> int:
    """The exact sign at a rational point."""
    value = value_at(polynomial, point)
    return (value > 0) - (value < 0)


def real_roots(polynomial: fmpz_poly) -> list[RealRoot]:
    """All real roots of a polynomial that is not 0, in increasing order, in disjoint intervals.

    Raises NoConvergence if the bisection does not end within MAX_NODES intervals.
    """
    found = []
    for factor, multiplicity in polynomial.factor_squarefree()[1]:
        found += [replace(root, multiplicity=multiplicity) for root in _simple_roots(factor)]
    return _apart(sorted(found, key=lambda root: (root.low, root.high)))


def _apart(roots: list[RealRoot]) -> list[RealRoot]:
    """Intervals of different factors halved until they are disjoint."""
    position = 1
    while position < len(roots):
        first, second = roots[position - 1], roots[position]
        if first.high < second.low:
            position += 1
            continue
        roots[position - 1 : position + 1] = sorted(
            (first.halved(), second.halved()), key=lambda root: (root.low, root.high)
        )
        position = max(position - 1, 1)
    return roots


def _simple_roots(polynomial: fmpz_poly) -> Iterator[RealRoot]:
    """The real roots of a squarefree polynomial."""
    coefficients = [int(c) for c in polynomial.coeffs()]
    if coefficients[0] == 0:
        yield RealRoot(Fraction(0), Fraction(0), polynomial)
        coefficients = coefficients[1:]
    for side in (1, -1):
        turned = [c * side**i for i, c in enumerate(coefficients)]
        for low, high in _positive(turned):
            yield RealRoot(*sorted((side * low, side * high)), polynomial)


def _positive(coefficients: Sequence[int]) -> Iterator[tuple[Fraction, Fraction]]:
    """Intervals of the positive roots, given a constant term that is not 0."""
    if _changes(coefficients) == 0:
        return
    exponent = _bound(coefficients)
    scaled = _scaled(coefficients, exponent) if exponent >= 0 else _scaled_down(coefficients, -exponent)
    unit = Fraction(2) ** exponent
    # Each entry: a polynomial on (0, 1), which stands for (place, place + 1) * width.
    pending, nodes = [(scaled, Fraction(0), unit)], 0
    while pending:
        here, low, width = pending.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise NoConvergence(f"real roots not isolated within {MAX_NODES} intervals")
        changes = _changes(_shifted(here[::-1]))
        if changes == 1:
            yield low, low + width
        if changes <= 1:
            continue
        left = _scaled_down(here, 1)
        right = _shifted(left)
        middle = low + width / 2
        if right[0] == 0:
            yield middle, middle
            right = right[1:]
        pending += [(left, low, width / 2), (right, middle, width / 2)]


def _changes(coefficients: Sequence[int]) -> int:
    """Sign changes in the sequence of coefficients, zeros left out."""
    signs = [c > 0 for c in coefficients if c != 0]
    return sum(a != b for a, b in zip(signs, signs[1:], strict=False))


def _bound(coefficients: Sequence[int]) -> int:
    """An exponent e with all positive roots below 2^e: Lagrange's bound 2 max |c_i/c_n|^(1/(n-i))."""
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
