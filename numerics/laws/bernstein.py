"""A polynomial density as a mixture of Beta laws: its Bernstein coefficients, where none is negative.

The term c binom(n, k) u^k (1 - u)^(n-k) of p(low + (high - low) u) is the density of Beta(k+1, n-k+1)
up to a factor.  On short enough intervals that end at the zeros of p no coefficient is negative; about a
zero that is no rational number, some are.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import comb, lcm

from flint import fmpz_poly

from numerics.arithmetic.polynomial_roots import RealRoot, apart, real_roots, sign_at
from numerics.laws.base import BetaPiece, LawError, SignedPiece
from numerics.laws.polynomials import Polynomial, power, scaled, shifted, times

MAX_INTERVALS = 200
NARROW_BITS = 4


def mixture(polynomial: Polynomial, low: Fraction, high: Fraction) -> tuple[BetaPiece | SignedPiece, ...]:
    """The law with a density proportional to the polynomial on [low, high], 0 <= low < high.

    Raises LawError where the polynomial is negative somewhere there, or 0 everywhere.
    """
    pieces = terms(polynomial, low, high)
    total = sum((piece.mass for piece in pieces), Fraction(0))
    return tuple(replace(piece, mass=piece.mass / total) for piece in pieces)


def terms(polynomial: Polynomial, low: Fraction, high: Fraction) -> list[BetaPiece | SignedPiece]:
    """The same with the integral of the polynomial as mass."""
    zeros = _inner_zeros(polynomial, low, high)
    about = {(root.low, root.high) for root in zeros if not root.is_exact}
    cuts = sorted({low, high, *(end for root in zeros for end in (root.low, root.high))})
    pending, intervals = list(pairwise(cuts))[::-1], 0
    found: list[BetaPiece | SignedPiece] = []
    while pending:
        left, right = pending.pop()
        intervals += 1
        if intervals > MAX_INTERVALS:
            raise LawError(f"the density comes so close to 0 that it needs over {MAX_INTERVALS} Beta laws")
        coefficients = bernstein(polynomial, left, right)
        if (left, right) in about:
            found.append(_signed(coefficients, left, right))
            continue
        if min(coefficients) < 0:
            middle = (left + right) / 2
            pending += [(middle, right), (left, middle)]
            continue
        n = len(coefficients) - 1
        found += [
            BetaPiece(c * (right - left) / (n + 1), left, right, Fraction(k + 1), Fraction(n - k + 1))
            for k, c in enumerate(coefficients)
            if c
        ]
    return found


def _signed(coefficients: list[Fraction], left: Fraction, right: Fraction) -> SignedPiece:
    """About an irrational zero, where some coefficients are negative."""
    n, mean = len(coefficients) - 1, sum(coefficients, Fraction(0)) / len(coefficients)
    one = Fraction(1)
    parts = tuple(
        (c / mean / (n + 1), BetaPiece(one, left, right, Fraction(k + 1), Fraction(n - k + 1)))
        for k, c in enumerate(coefficients)
        if c
    )
    return SignedPiece(mean * (right - left), parts)


def bernstein(polynomial: Polynomial, low: Fraction, high: Fraction) -> list[Fraction]:
    """c with p(low + (high - low) u) = sum_k c_k binom(n, k) u^k (1 - u)^(n-k), n the degree."""
    powers = shifted(polynomial, low)
    n = len(powers) - 1
    unit = [c * (high - low) ** j for j, c in enumerate(powers)]
    return [
        sum((Fraction(comb(k, j), comb(n, j)) * unit[j] for j in range(k + 1)), Fraction(0))
        for k in range(n + 1)
    ]


def _inner_zeros(polynomial: Polynomial, low: Fraction, high: Fraction) -> list[RealRoot]:
    """The zeros between low and high, of a polynomial that is negative nowhere there."""
    unit = lcm(*(c.denominator for c in polynomial))
    whole = fmpz_poly([int(c * unit) for c in polynomial])
    if not whole:
        raise LawError("the density is 0 everywhere: it must be positive somewhere")
    linear = [factor for factor, _ in whole.factor()[1] if factor.degree() == 1]
    rational = [Fraction(-int(factor[0]), int(factor[1])) for factor in linear]
    roots = [_placed(root, low, high) for root in real_roots(whole, [low, high, *rational])]
    inside = [root for root in roots if low < root.low and root.high < high]
    edges = [low, *(end for root in inside for end in (root.low, root.high)), high]
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        middle = (left + right) / 2
        if sign_at(whole, middle) < 0:
            raise LawError(f"the density is negative at {middle}: it must not be between low and high")
    # The zeros apart from one another, with room for the Beta laws between them.
    return apart([root if root.is_exact else root.narrowed(NARROW_BITS) for root in inside])


def _placed(root: RealRoot, low: Fraction, high: Fraction) -> RealRoot:
    """The root in an interval that neither end cuts; the ends themselves are known exactly."""
    while any(root.low <= end <= root.high for end in (low, high)) and not root.is_exact:
        root = root.halved()
    return root


def conditioned(piece: BetaPiece, low: Fraction, high: Fraction) -> list[BetaPiece | SignedPiece]:
    """The part of a Beta law with whole exponents on [low, high], with its mass; inside its support.

    Its density is mass (x - L)^(a-1) (H - x)^(b-1) / (B(a, b) (H - L)^(a+b-1)).
    """
    a, b, width = int(piece.a), int(piece.b), piece.high - piece.low
    left = power([-piece.low, Fraction(1)], a - 1)
    right = power([piece.high, Fraction(-1)], b - 1)
    scale = piece.mass * (a + b - 1) * comb(a + b - 2, a - 1) / width ** (a + b - 1)
    return terms(scaled(times(left, right), scale), low, high)
